// The time of an Atari step by part. Four copies of the same game run side by side with the same
// actions: the first only emulates four frames; the second also takes the maximum of the last two,
// makes it grey and resizes it; the third also stacks it and copies the stack to a row; the fourth
// is the environment itself. The time of a part is a difference.
//
// The four alternate at every step, so that other load on the machine affects all of them, and
// their processor time is counted, which excludes other programs. Resets are not timed. If the
// final states differ, nothing is printed. One thread.
//
//   atari_step_benchmark GAME ROM CHUNKS
//
// prints one JSON object, times in microseconds a step; benchmarks/
// atari_profile.py reads it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/engine/measure.h"
#include "engine/base/cache_line.h"
#include "engine/base/rng.h"
#include "engine/emulators/atari2600/console.h"
#include "engine/env/rows.h"
#include "engine/envs/atari/frame_stack.h"
#include "engine/envs/atari/game_runner.h"
#include "engine/envs/atari/preprocessed_env.h"
#include "engine/envs/atari/rom_store.h"

namespace engine::atari {
namespace {

constexpr int kStepsPerChunk = 64;
constexpr int kWarmUpChunks = 4;

ParamValues OptionsOf(const std::string& game) {
  ParamSchema schema = PreprocessedEnv::Options();
  for (ParamSpec& option : schema) {
    if (option.name == "game") option.default_value = game;
  }
  // Without idle frames all episodes begin alike, on the environment and on the bare games.
  return ParamValues(schema, {{"noop_max", std::int64_t{0}}, {"use_fire_reset", false}}, "option",
                     game);
}

// Memory of a batch of one row.
class Row {
 public:
  explicit Row(std::size_t bytes)
      : bytes_(static_cast<std::byte*>(
            ::operator new(std::max<std::size_t>(bytes, 1), std::align_val_t(kCacheLineBytes)))),
        column_{bytes_.get(), bytes} {
    std::memset(bytes_.get(), 0, bytes);
  }

  const Column& column() const { return column_; }
  std::uint8_t* data() const { return reinterpret_cast<std::uint8_t*>(bytes_.get()); }

 private:
  struct Deleter {
    void operator()(std::byte* bytes) const {
      ::operator delete(bytes, std::align_val_t(kCacheLineBytes));
    }
  };
  std::unique_ptr<std::byte, Deleter> bytes_;
  Column column_;
};

// What all four have in common: one step, and the memory at its end.
class Player {
 public:
  virtual ~Player() = default;
  virtual void Reset() = 0;
  // Returns whether the episode has ended.
  virtual bool Step(ActionView action) = 0;
  virtual const std::uint8_t* ram() const = 0;
};

enum class Part : std::uint8_t { kEmulation, kPixels, kStack };

// A bare game that steps like the environment, and does with its pictures what `last` says.
template <Part last>
class BareGame final : public Player {
 public:
  explicit BareGame(const PreprocessedEnv::Config& config)
      : config_(config),
        runner_(config.prototype),
        stack_(config.preprocessing.stack_num, config.pixels.frame_bytes()),
        before_(runner_.console().pixels().size()),
        row_(static_cast<std::size_t>(config.preprocessing.stack_num) *
             config.pixels.frame_bytes()) {}

  void Reset() override {
    runner_.DrawFrames(true);
    runner_.Reset();
  }

  bool Step(ActionView action) override {
    const int frame_skip = config_.preprocessing.frame_skip;
    const Move move = config_.actions.Of(action);
    for (int frame = 0; frame < frame_skip; ++frame) {
      runner_.DrawFrames(frame >= frame_skip - 2);
      runner_.Act(move.action, move.strength);
      if (runner_.over()) return true;
      if (last >= Part::kPixels && frame == frame_skip - 2) {
        std::memcpy(before_.data(), runner_.console().pixels().data(), before_.size());
      }
    }
    if (last >= Part::kPixels) {
      config_.pixels.Run(runner_.console().pixels().data(), before_.data(), stack_.Push());
    }
    if (last >= Part::kStack) stack_.CopyTo(row_.data());
    return false;
  }

  const std::uint8_t* ram() const override { return runner_.ram_bytes(); }

 private:
  const PreprocessedEnv::Config& config_;
  GameRunner runner_;
  FrameStack stack_;
  std::vector<std::uint8_t> before_;
  Row row_;
};

class WholeEnvironment final : public Player {
 public:
  WholeEnvironment(const PreprocessedEnv::Config& config, const EnvSpec& spec,
                   const ParamValues& options)
      : env_(config), start_(options), observation_(spec.observation.leaf_bytes()) {
    for (const InfoSpec& info : spec.infos) {
      infos_.emplace_back(info.bytes());
      masks_.emplace_back(1);
      info_columns_.push_back(infos_.back().column());
      mask_columns_.push_back(masks_.back().column());
    }
  }

  void Reset() override {
    env_.Reset(start_, rng_);
    Write(true);
  }

  bool Step(ActionView action) override {
    const StepResult result = env_.Step(action, rng_);
    Write(false);
    benchmarks::Keep(result.reward);
    return result.terminated || result.truncated;
  }

  const std::uint8_t* ram() const override {
    return infos_[static_cast<std::size_t>(PreprocessedInfo::kRam)].data();
  }

 private:
  void Write(bool after_reset) {
    env_.Observe(ObsRow(&observation_.column(), 0));
    env_.Info(InfoRow(info_columns_.data(), mask_columns_.data(), 0), after_reset);
  }

  PreprocessedEnv env_;
  PreprocessedEnv::Start start_;
  Rng rng_;
  Row observation_;
  std::vector<Row> infos_;
  std::vector<Row> masks_;
  std::vector<Column> info_columns_;
  std::vector<Column> mask_columns_;
};

constexpr std::size_t kPlayers = 4;
using Times = std::array<double, kPlayers>;

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Of this thread, ns.
std::int64_t CpuNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Microseconds a step of each player, over one chunk.
Times PlayChunk(std::array<std::unique_ptr<Player>, kPlayers>& players, std::int64_t num_actions,
                std::mt19937& random) {
  std::array<std::int64_t, kPlayers> ns{};
  for (int step = 0; step < kStepsPerChunk; ++step) {
    const auto action = static_cast<std::int64_t>(random() % static_cast<unsigned>(num_actions));
    const ActionView view(reinterpret_cast<const std::byte*>(&action));
    for (std::size_t i = 0; i < kPlayers; ++i) {
      const std::int64_t start = CpuNs();
      const bool over = players[i]->Step(view);
      ns[i] += CpuNs() - start;
      if (over) players[i]->Reset();
    }
  }
  Times us{};
  for (std::size_t i = 0; i < kPlayers; ++i) {
    us[i] = static_cast<double>(ns[i]) / kStepsPerChunk / 1e3;
  }
  return us;
}

int Measure(const std::string& game, int chunks) {
  const ParamValues options = OptionsOf(game);
  const PreprocessedEnv::Config config(options);
  const EnvSpec spec = PreprocessedEnv::Spec(options);
  std::array<std::unique_ptr<Player>, kPlayers> players = {
      std::make_unique<BareGame<Part::kEmulation>>(config),
      std::make_unique<BareGame<Part::kPixels>>(config),
      std::make_unique<BareGame<Part::kStack>>(config),
      std::make_unique<WholeEnvironment>(config, spec, options),
  };
  for (const auto& player : players) player->Reset();
  std::mt19937 random(1);
  const auto num_actions = static_cast<std::int64_t>(config.actions.actions().size());
  std::vector<double> emulation;
  std::vector<double> whole;
  std::array<std::vector<double>, kPlayers - 1> parts;
  for (int chunk = -kWarmUpChunks; chunk < chunks; ++chunk) {
    const Times us = PlayChunk(players, num_actions, random);
    if (chunk < 0) continue;
    emulation.push_back(us.front());
    whole.push_back(us.back());
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].push_back(us[i + 1] - us[i]);
  }
  for (const auto& player : players) {
    if (std::memcmp(player->ram(), players.front()->ram(), atari2600::kRamSize) != 0) {
      std::fprintf(stderr, "%s: the bare games and the environment have played differently\n",
                   game.c_str());
      return 1;
    }
  }
  std::printf(
      "{\"emulation_us\": %.3f, \"pixels_us\": %.3f, \"stack_us\": %.3f, \"rest_us\": %.3f, "
      "\"environment_us\": %.3f}\n",
      Median(emulation), Median(parts[0]), Median(parts[1]), Median(parts[2]), Median(whole));
  return 0;
}

int Run(const std::string& game, const char* rom_path, int chunks) {
  std::ifstream file(rom_path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                                std::istreambuf_iterator<char>());
  RomStore::Global().Add(
      game, std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  return Measure(game, chunks);
}

}  // namespace
}  // namespace engine::atari

int main(int argc, char** argv) {
  const int chunks = argc == 4 ? std::atoi(argv[3]) : 0;
  if (chunks < 1) {
    std::fprintf(stderr, "usage: %s GAME ROM CHUNKS\n", argv[0]);
    return 2;
  }
  try {
    return engine::atari::Run(argv[1], argv[2], chunks);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
