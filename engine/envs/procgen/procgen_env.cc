// See the header.
#include "engine/envs/procgen/procgen_env.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/envs/procgen/library.h"

namespace engine::procgen {
namespace {

constexpr auto kMaxInt = static_cast<double>(std::numeric_limits<std::int32_t>::max());
constexpr auto kMinInt = static_cast<double>(std::numeric_limits<std::int32_t>::min());
// The library's generator is seeded with 32 bits.
constexpr std::uint64_t kMaxSeed = std::numeric_limits<std::uint32_t>::max();

// Indices of the infos, in the order of the spec.
enum InfoField : std::size_t { kPrevLevelSeed, kPrevLevelComplete, kLevelSeed };

// The options that the library has under the same name.
struct Flag {
  const char* name;
  bool by_default;
  const char* doc;
};
constexpr Flag kFlags[] = {
    {"use_sequential_levels", false,
     "Whether a completed level is followed by the level of its seed + 997, in the same episode."},
    {"center_agent", true, "Whether the view follows the agent, or shows the whole level."},
    {"use_backgrounds", true, "Whether backgrounds are pictures, or black."},
    {"use_monochrome_assets", false, "Whether objects are rectangles of one color."},
    {"restrict_themes", false, "Whether an object always looks the same, in games with themes."},
    {"use_generated_assets", false,
     "Whether pictures are generated at random. Such environments do not save states."},
    {"paint_vel_info", false,
     "Whether the agent's velocity is painted into the upper left corner."},
};

ParamSpec Number(const char* name, double low, const char* doc) {
  return {.name = name, .default_value = std::int64_t{0}, .doc = doc, .low = low, .high = kMaxInt};
}

ParamSpec Choice(const char* name, std::vector<std::string> choices, std::string by_default,
                 const char* doc) {
  ParamSpec option{.name = name, .default_value = std::move(by_default), .doc = doc};
  option.choices = std::move(choices);
  return option;
}

const Mode& FindMode(const std::vector<Mode>& modes, std::string_view name) {
  return *std::ranges::find(modes, name, &Mode::name);
}

std::int32_t Int32(const ParamValues& options, const char* name) {
  return static_cast<std::int32_t>(options.Get<std::int64_t>(name));
}

// Which levels are played: seeds in [first, first + count), or all seeds if count is 0.
struct Levels {
  std::int32_t first;
  std::int32_t count;
};

Levels ReadLevels(const ParamValues& options, const Game& game) {
  const Levels levels{.first = Int32(options, "start_level"),
                      .count = Int32(options, "num_levels")};
  if (options.Get<std::string>("distribution_mode") == "exploration") {
    if (levels.first != 0 || levels.count != 0) {
      throw Error(ErrorKind::kOption,
                  "num_levels, start_level: expected 0 with distribution_mode=\"exploration\", "
                  "which has one level of its own, got " +
                      std::to_string(levels.count) + ", " + std::to_string(levels.first));
    }
    return {.first = game.exploration_level, .count = 1};
  }
  if (levels.count > std::numeric_limits<std::int32_t>::max() - levels.first) {
    throw Error(ErrorKind::kOption,
                "num_levels: expected start_level + num_levels <= 2147483647, got " +
                    std::to_string(levels.first) + " + " + std::to_string(levels.count));
  }
  return levels;
}

GameOptions ReadGameOptions(const ParamValues& options) {
  const Game& game = FindGame(options.Get<std::string>("game"));
  const Levels levels = ReadLevels(options, game);
  const std::vector<Mode> modes = game.Modes();
  GameOptions read{.game = std::string(game.name), .numbers = {}, .flags = {}};
  read.numbers = {
      {"num_levels", levels.count},
      {"start_level", levels.first},
      {"debug_mode", Int32(options, "debug_mode")},
      {"distribution_mode", FindMode(modes, options.Get<std::string>("distribution_mode")).number}};
  for (const Flag& flag : kFlags) read.flags.emplace_back(flag.name, options.Get<bool>(flag.name));
  return read;
}

bool SeedsTogether(const ParamValues& options) {
  const bool together = options.Get<std::string>("seeding") == "procgen";
  if (together && options.Get<bool>("use_generated_assets")) {
    throw Error(ErrorKind::kOption,
                "seeding: expected \"single\" with use_generated_assets, with which the library "
                "saves no states, got \"procgen\"");
  }
  return together;
}

// FNV-1a of 64 bits, as of another text than the engine's checksum.
std::uint64_t DigestOf(std::string_view bytes) {
  std::uint64_t digest = 0x9AE16A3B2F90404F;
  for (const char byte : bytes) {
    digest ^= static_cast<std::uint8_t>(byte);
    digest *= 0x100000001B3;
  }
  return digest;
}

}  // namespace

ParamSchema ProcgenEnv::OptionsOf(const Game& game, const char* mode) {
  std::vector<std::string> modes;
  for (const Mode& each : game.Modes()) modes.emplace_back(each.name);
  ParamSchema options = {
      Choice("distribution_mode", std::move(modes), mode,
             "Which levels there are, such as easy or hard ones."),
      Number("num_levels", 0.0, "Number of levels, which begin at start_level; 0 means all."),
      Number("start_level", 0.0, "Seed of the first level; without num_levels it has no effect."),
  };
  for (const Flag& flag : kFlags)
    options.push_back({.name = flag.name, .default_value = flag.by_default, .doc = flag.doc});
  options.push_back(
      Number("debug_mode", kMinInt,
             "Only coinrun reads it: the sum of 2 (no pits), 4 (no crates) and 8 (flat levels)."));
  options.push_back({.name = "channels_first",
                     .default_value = false,
                     .doc = "Whether observations have the shape (3, 64, 64)."});
  options.push_back(
      Choice("seeding", {"single", "procgen"}, "single",
             "What environment i of seed s plays: as a single game of seed s + i, or as game i of "
             "those that Procgen makes together with seed s."));
  ParamSpec id = {.name = "game", .default_value = std::string(game.name)};
  id.fixed = true;
  options.push_back(std::move(id));
  return options;
}

EnvSpec ProcgenEnv::Spec(const ParamValues& options) {
  ReadGameOptions(options);
  SeedsTogether(options);
  EnvSpec spec;
  const bool channels_first = options.Get<bool>("channels_first");
  spec.observation = SpaceSpec::Box<std::uint8_t>(
      channels_first ? Shape{3, kSide, kSide} : Shape{kSide, kSide, 3}, 0, 255);
  spec.action = SpaceSpec::Discrete(kNumActions);
  spec.max_seed = kMaxSeed;
  spec.infos = {{.name = "prev_level_seed", .dtype = DType::kInt32},
                {.name = "prev_level_complete", .dtype = DType::kUInt8},
                {.name = "level_seed", .dtype = DType::kInt32}};
  spec.render = RenderSpec{.height = kPictureSide, .width = kPictureSide, .fps = 15};
  spec.has_terminal_observation = false;
  return spec;
}

ProcgenEnv::Config::Config(const ParamValues& options)
    : game(ReadGameOptions(options)),
      channels_first(options.Get<bool>("channels_first")),
      seeds_together(SeedsTogether(options)),
      saves_states(!options.Get<bool>("use_generated_assets")) {
  if (OpenedLibrary().version == 0)
    throw Error(ErrorKind::kInternal, "Procgen's library has not been opened");
}

void ProcgenEnv::Seed(std::uint64_t seed, std::uint32_t number, Rng& /*rng*/) {
  start_ = Start{.seed = seed, .number = number};
}

void ProcgenEnv::Make(const Start& start) {
  // A seed above kMaxSeed is a random one, which stands for no number of games.
  const bool together = config_.seeds_together && start.seed <= kMaxSeed;
  const std::uint64_t seed = together ? start.seed - start.number : start.seed;
  const auto bits = static_cast<std::int32_t>(static_cast<std::uint32_t>(seed));
  handle_.emplace(config_.game, bits, 1, draws_);
  if (together) handle_->Load(config_.states.Take(config_.game, bits, start.number));
}

void ProcgenEnv::Reset(Rng& /*rng*/) {
  if (start_) {
    Make(*start_);
    start_.reset();
  } else if (!level_begins_) {
    handle_->EndLevel();
  }
  level_begins_ = true;
}

StepResult ProcgenEnv::Step(ActionView action, Rng& /*rng*/) {
  handle_->Step(static_cast<std::int32_t>(action.Index()));
  level_begins_ = handle_->first();
  return {.reward = handle_->reward(), .terminated = level_begins_};
}

void ProcgenEnv::Observe(ObsRow row) const {
  const std::span<const std::uint8_t> pixels = handle_->pixels();
  auto* const to = row.Data<std::uint8_t>();
  if (!config_.channels_first) {
    std::memcpy(to, pixels.data(), pixels.size());  // GCC 12 copies elements one by one
    return;
  }
  constexpr std::size_t kPixels = std::size_t{kSide} * kSide;
  for (std::size_t i = 0; i < kPixels; ++i) {
    for (std::size_t channel = 0; channel < 3; ++channel)
      to[channel * kPixels + i] = pixels[3 * i + channel];
  }
}

void ProcgenEnv::Info(InfoRow row, bool /*after_reset*/) const {
  const LevelInfos& infos = handle_->infos();
  row.Set(kPrevLevelSeed, infos.prev_level_seed);
  row.Set(kPrevLevelComplete, infos.prev_level_complete);
  row.Set(kLevelSeed, infos.level_seed);
}

void ProcgenEnv::Save(StateWriter& state) const {
  if (!config_.saves_states) {
    throw Error(ErrorKind::kState,
                "use_generated_assets: the library saves no states of games with generated "
                "pictures");
  }
  const std::string bytes = handle_->Save(0);
  state.Put(std::int32_t{OpenedLibrary().version});
  state.Put(DigestOf(bytes));
  state.PutText(bytes);
  state.Put(level_begins_);
}

void ProcgenEnv::Load(StateReader& state) {
  const auto version = state.Get<std::int32_t>();
  ExpectState(version == OpenedLibrary().version, "a version of the library");
  // The library does not check states: it ends the process, or uses numbers out of range.
  const auto digest = state.Get<std::uint64_t>();
  const std::string_view bytes = state.GetTextView();
  ExpectState(digest == DigestOf(bytes), "bytes of a game");
  const auto level_begins = state.Get<bool>();
  if (!handle_) handle_.emplace(config_.game, 0, 1, draws_);
  handle_->Load(bytes);
  level_begins_ = level_begins;
}

}  // namespace engine::procgen
