// See the header.
#include "engine/envs/atari/ale_env.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/seed_sequence.h"
#include "engine/envs/atari/games/game_table.h"
#include "engine/envs/atari/pixels/palette.h"
#include "engine/envs/atari/render.h"
#include "engine/envs/atari/rom_store.h"

namespace engine::atari {
namespace {

constexpr double kMaxFrameSkip = 1'000.0;  // frames in one step

// Indices of the info fields, in the order of the spec.
enum InfoField : std::size_t { kLives, kEpisodeFrameNumber, kFrameNumber, kSeeds };

ParamSpec Flag(const char* name, const char* doc) {
  return {
      .name = name, .default_value = false, .doc = doc, .low = std::nullopt, .high = std::nullopt};
}

const Game& ReadGame(const ParamValues& options) {
  return FindGame(options.Get<std::string>("game"));
}

AleEnv::ObsType ReadObsType(const ParamValues& options) {
  const auto& name = options.Get<std::string>("obs_type");
  if (name == "ram") return AleEnv::ObsType::kRam;
  return name == "rgb" ? AleEnv::ObsType::kRgb : AleEnv::ObsType::kGrayscale;
}

AleEnv::FrameSkip ReadFrameSkip(const ParamValues& options) {
  const auto& given = options.Get<std::vector<std::int64_t>>("frameskip");
  if (given.size() == 1) return {.low = given[0], .end = given[0] + 1};
  if (given.size() == 2 && given[0] < given[1]) return {.low = given[0], .end = given[1]};
  throw Error(ErrorKind::kOption,
              "frameskip: expected a number of frames or two of them, the second one greater than "
              "the first, got " +
                  ToString(given));
}

void CheckSound(const ParamValues& options) {
  if (!options.Get<bool>("sound_obs")) return;
  throw Error(ErrorKind::kOption, "sound_obs: expected False (this console is silent), got True");
}

SpaceSpec ObservationSpace(const Game& game, AleEnv::ObsType type) {
  const std::int64_t lines = PictureLines(game.hardware, game.hardware.format);
  Shape shape;
  switch (type) {
    case AleEnv::ObsType::kRam:
      shape = {atari2600::kRamSize};
      break;
    case AleEnv::ObsType::kGrayscale:
      shape = {lines, atari2600::kWidth};
      break;
    case AleEnv::ObsType::kRgb:
      shape = {lines, atari2600::kWidth, 3};
      break;
  }
  return SpaceSpec::Box<std::uint8_t>(std::move(shape), 0, 255);
}

ActionMap ReadActions(const Game& game, const ParamValues& options) {
  return ActionMap(game, options.Get<bool>("full_action_space"), options.Get<bool>("continuous"),
                   static_cast<float>(options.Get<double>("continuous_action_threshold")));
}

RunnerOptions ReadRunner(const ParamValues& options) {
  return {.repeat_action_probability =
              static_cast<float>(options.Get<double>("repeat_action_probability")),
          .max_num_frames_per_episode =
              static_cast<int>(options.Get<std::int64_t>("max_num_frames_per_episode"))};
}

}  // namespace

ParamSchema AleEnv::Options() {
  return {
      {.name = "obs_type",
       .default_value = std::string("rgb"),
       .doc = "What is observed: the screen in color, the screen in grayscale, or the memory.",
       .low = std::nullopt,
       .high = std::nullopt,
       .choices = {"rgb", "grayscale", "ram"}},
      {.name = "frameskip",
       .default_value = std::vector<std::int64_t>{4},
       .doc = "Frames per step. Of two numbers, each step draws from [first, second).",
       .low = 1.0,
       .high = kMaxFrameSkip,
       .one_is_list = true},
      {.name = "repeat_action_probability",
       .default_value = 0.25,
       .doc = "Probability that a frame repeats the previous action.",
       .low = 0.0,
       .high = 1.0},
      Flag("full_action_space",
           "Whether all 18 actions are available, or only those with an effect."),
      Flag("continuous", "Whether an action is (radius, angle in radians, fire) of a joystick."),
      {.name = "continuous_action_threshold",
       .default_value = 0.5,
       .doc = "Least deflection of a continuous action that has an effect.",
       .low = 0.0,
       .high = 1.0},
      {.name = "max_num_frames_per_episode",
       .default_value = std::int64_t{108'000},
       .doc = "Frames after which an episode is truncated; 0 means no limit.",
       .low = 0.0,
       .high = static_cast<double>(std::numeric_limits<std::int32_t>::max())},
      ModeOption(),
      DifficultyOption(),
      Flag("sound_obs", "Whether sound is observed; only False is supported."),
      {.name = "game",
       .default_value = std::string("pong"),
       .doc = "The game, as ale-py names its ROM.",
       .low = std::nullopt,
       .high = std::nullopt,
       .fixed = true}};
}

EnvSpec AleEnv::Spec(const ParamValues& options) {
  const Game& game = ReadGame(options);
  ReadVariant(game, options);
  CheckSound(options);
  const FrameSkip skip = ReadFrameSkip(options);
  EnvSpec spec;
  spec.observation = ObservationSpace(game, ReadObsType(options));
  spec.action = ReadActions(game, options).space();
  spec.infos = {{.name = "lives", .dtype = DType::kInt64, .shape = {}},
                {.name = "episode_frame_number", .dtype = DType::kInt64, .shape = {}},
                {.name = "frame_number", .dtype = DType::kInt64, .shape = {}},
                {.name = "seeds", .dtype = DType::kUInt32, .shape = {2}}};
  spec.render = RenderSpecOf(game);
  spec.frame_skip = (skip.low + skip.end - 1) / 2;  // on average
  return spec;
}

AleEnv::Config::Config(const ParamValues& options)
    : rom(RomStore::Global().Get(ReadGame(options))),
      runner(ReadRunner(options)),
      variant(ReadVariant(rom->game(), options)),
      obs_type(ReadObsType(options)),
      frame_skip(ReadFrameSkip(options)),
      actions(ReadActions(rom->game(), options)),
      prototype(NewGame(0)),
      new_games_are_alike(prototype.state().random == std::mt19937(0)) {}

GameRunner AleEnv::Config::NewGame(std::uint32_t seed) const {
  GameRunner game(rom, runner, seed);
  variant.Select(game);
  game.Reset();
  return game;
}

void AleEnv::Seed(std::uint64_t seed, Rng& rng) {
  SeedSequence(seed).GenerateState(std::span<std::uint32_t>(seeds_));
  rng.Seed(seeds_[0]);
  seeded_ = true;
}

void AleEnv::Reset(const Start&, Rng&) {
  began_seeded_ = std::exchange(seeded_, false);
  if (!began_seeded_) {
    runner_.DrawFrames(false);
    runner_.Reset();
    if (looks()) runner_.DrawLatestFrame();
  } else if (config_.new_games_are_alike) {
    runner_ = config_.prototype;
    runner_.SeedActions(seeds_[1]);
  } else {
    runner_ = config_.NewGame(seeds_[1]);
  }
}

StepResult AleEnv::Step(ActionView view, Rng& rng) {
  const Move move = config_.actions.Of(view);
  // If only one frame skip is possible, no random number is drawn, as in NumPy.
  const auto [low, end] = config_.frame_skip;
  const std::int64_t frames = rng.Integers<std::int64_t>(low, end);
  std::int64_t reward = 0;
  for (std::int64_t frame = 1; frame <= frames; ++frame) {
    runner_.DrawFrames(looks() && frame == frames);
    reward += runner_.Act(move.action, move.strength);
  }
  // If the game ended before the step's last frame, the latest frame has not been drawn.
  if (looks()) runner_.DrawLatestFrame();
  began_seeded_ = false;
  return {.reward = static_cast<double>(reward),
          .terminated = runner_.terminal(),
          .truncated = runner_.truncated()};
}

void AleEnv::Observe(ObsRow row) const {
  auto* const out = row.Data<std::uint8_t>();
  switch (config_.obs_type) {
    case ObsType::kRam:
      std::memcpy(out, runner_.ram_bytes(), atari2600::kRamSize);
      break;
    case ObsType::kGrayscale:
      ToGrey(runner_.console().pixels(), config_.rom->format(), out);
      break;
    case ObsType::kRgb:
      ToRgb(runner_.console().pixels(), config_.rom->format(), out);
      break;
  }
}

void AleEnv::Info(InfoRow row, bool after_reset) const {
  row.Set<std::int64_t>(kLives, runner_.lives());
  row.Set<std::int64_t>(kEpisodeFrameNumber, runner_.episode_frame_number());
  row.Set<std::int64_t>(kFrameNumber, runner_.frame_number());
  if (after_reset && began_seeded_) {
    std::ranges::copy(seeds_, row.Data<std::uint32_t>(kSeeds));
  }
}

void AleEnv::Render(std::span<std::uint8_t> rgb) const { RenderPicture(runner_, rgb); }

}  // namespace engine::atari
