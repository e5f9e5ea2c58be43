// See the header.
#include "engine/envs/atari/preprocessed_env.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>

#include "engine/base/seed_sequence.h"
#include "engine/emulators/atari2600/picture.h"
#include "engine/envs/atari/pixels/palette.h"
#include "engine/envs/atari/render.h"
#include "engine/envs/atari/rom_store.h"

namespace engine::atari {
namespace {

// Pictures that are needed only during a step: one set per thread rather than per environment.
enum class Scratch : std::uint8_t {
  kLastButOne,    // the last but one picture of this step
  kFirstBefore,   // the last but one picture of the previous step
  kSecondBefore,  // the last picture of the previous step
  kHigher,        // the maximum of these two by grey or one colour channel
  kFrame,         // a frame of which only one colour channel is used
};

std::uint8_t* BytesOf(Scratch which, std::size_t size) {
  static thread_local std::array<std::vector<std::uint8_t>, 5> scratch;
  std::vector<std::uint8_t>& bytes = scratch[static_cast<std::size_t>(which)];
  if (bytes.size() < size) bytes.resize(size);
  return bytes.data();
}

void CopyPicture(const GameRunner& runner, Scratch to) {
  const std::span<const std::uint8_t> pixels = runner.console().pixels();
  std::memcpy(BytesOf(to, pixels.size()), pixels.data(), pixels.size());
}

// Writes, for each pixel, the colour number with the higher value. `levels` has the values of
// normal colours, and `lost` has the values of lost colours.
void PickHigher(const Levels& levels, const Levels& lost, const std::uint8_t* first,
                const std::uint8_t* second, std::size_t size, std::uint8_t* out) {
  const auto value = [&](std::uint8_t color) {
    return ((color & 1) != 0 ? lost : levels)[color >> 1];
  };
  for (std::size_t i = 0; i < size; ++i) {
    out[i] = value(first[i]) >= value(second[i]) ? first[i] : second[i];
  }
}

// AtariVectorEnv accepts seeds of 31 bits; larger ones are hashed to 31 bits.
std::uint32_t AleVectorSeed(std::uint64_t seed) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int32_t>::max();
  if (seed <= kMax) return static_cast<std::uint32_t>(seed);
  return SeedSequence(seed).GenerateState<std::uint32_t, 1>()[0] & kMax;
}

std::uint32_t StandardSeed(Pipeline pipeline, std::uint64_t seed) {
  return pipeline == Pipeline::kEnvPool ? static_cast<std::uint32_t>(seed) : AleVectorSeed(seed);
}

// The seeds of the generator and of the game that AtariEnv.seed_game derives from a seed.
std::array<std::uint32_t, 2> GymnasiumSeeds(std::uint64_t seed) {
  return SeedSequence(seed).GenerateState<std::uint32_t, 2>();
}

RunnerOptions RunnerOptionsOf(const Preprocessing& options) {
  // AtariVectorEnv counts only the frames of steps. EndsAfterFrame() applies its limit.
  const bool counts = options.pipeline != Pipeline::kAleVector;
  return {.frame_skip = 1,
          .repeat_action_probability = options.repeat_action_probability,
          .max_num_frames_per_episode = counts ? options.max_num_frames_per_episode : 0};
}

// Whether resets press FIRE: only if the option is set and FIRE is among the actions.
bool PressesFire(const Preprocessing& options, const ActionMap& actions) {
  return options.use_fire_reset &&
         std::ranges::find(actions.actions(), Action::kFire) != actions.actions().end();
}

}  // namespace

PreprocessedEnv::Config::Config(const ParamValues& options)
    : preprocessing(options),
      actions(preprocessing.Actions()),
      pixels(preprocessing.Pixels()),
      presses_fire(PressesFire(preprocessing, actions)),
      rom(RomStore::Global().Get(*preprocessing.game)),
      runner(RunnerOptionsOf(preprocessing)),
      prototype(NewGame(0)),
      new_games_are_alike(prototype.state().random == std::mt19937(0)) {}

GameRunner PreprocessedEnv::Config::NewGame(std::uint32_t seed) const {
  GameRunner game(rom, runner, seed);
  preprocessing.variant.Select(game);
  game.Reset();
  return game;
}

PreprocessedEnv::PreprocessedEnv(const Config& config)
    : config_(config),
      runner_(config.prototype),
      stack_(config.preprocessing.stack_num, config.pixels.frame_bytes()) {
  if (config.preprocessing.pipeline != Pipeline::kGymnasium) {
    noops_ = std::make_unique<std::mt19937>();
  }
}

void PreprocessedEnv::Seed(std::uint64_t seed, Rng& rng) {
  seed_ = seed;
  if (noops_ != nullptr) {
    noops_->seed(StandardSeed(config_.preprocessing.pipeline, seed));
  } else {
    rng.Seed(GymnasiumSeeds(seed)[0]);
  }
}

void PreprocessedEnv::BeginGame() {
  if (!seed_) {
    runner_.Reset();
    return;
  }
  const std::uint32_t seed = noops_ != nullptr
                                 ? StandardSeed(config_.preprocessing.pipeline, *seed_)
                                 : GymnasiumSeeds(*seed_)[1];
  if (config_.new_games_are_alike) {
    runner_ = config_.prototype;
    runner_.SeedActions(seed);
  } else {
    runner_ = config_.NewGame(seed);
  }
}

void PreprocessedEnv::Reset(const Start&, Rng& rng) {
  switch (config_.preprocessing.pipeline) {
    case Pipeline::kGymnasium:
      PlayNoopsLikeGymnasium(rng);
      break;
    case Pipeline::kAleVector:
      PlayNoopsLikeAle();
      break;
    case Pipeline::kEnvPool:
      runner_.DrawFrames(false);
      BeginGame();
      seed_.reset();
      while (PlayNoopsLikeEnvPool()) BeginGame();
      break;
  }
  config_.pixels.Run(runner_.console().pixels().data(), nullptr, stack_.Push());
  PadStack();
  last_frames_.Forget();
  seed_.reset();
  frames_ = 0;
  lives_ = runner_.lives();
  reward_ = 0.0f;
}

bool PreprocessedEnv::Continue(Rng&) {
  if (config_.preprocessing.pipeline == Pipeline::kEnvPool) {
    if (PlayNoopsLikeEnvPool()) return false;
    config_.pixels.Run(runner_.console().pixels().data(), nullptr, stack_.Push());
  } else {
    const Action last = config_.presses_fire ? Action::kFire : Action::kNoop;
    if (Play({.action = Action::kNoop}, last, runner_.lives()).ends.any()) return false;
    PadStack();
  }
  lives_ = runner_.lives();
  reward_ = 0.0f;
  return true;
}

void PreprocessedEnv::PadStack() {
  if (config_.preprocessing.pipeline == Pipeline::kAleVector) {
    stack_.PadWithBlanks();
  } else {
    stack_.PadWithNewest();
  }
}

// If FIRE is pressed, it replaces the last no-op frame, as in EnvPool.
void PreprocessedEnv::PlayNoopsLikeGymnasium(Rng& rng) {
  const int noop_max = config_.preprocessing.noop_max;
  const bool fires = config_.presses_fire;
  runner_.DrawFrames(noop_max == 0 && !fires);
  BeginGame();
  const std::int64_t noops = noop_max > 0 ? rng.Integers(1, std::int64_t{noop_max} + 1) : 0;
  const std::int64_t frames = fires ? std::max<std::int64_t>(noops, 1) : noops;
  for (std::int64_t frame = 1; frame <= frames; ++frame) {
    runner_.DrawFrames(frame == frames);
    runner_.Act(fires && frame == frames ? Action::kFire : Action::kNoop);
    if (!runner_.over()) continue;
    // If there is a seed, Gymnasium resets with it again, so the generator is seeded again too.
    if (seed_) Seed(*seed_, rng);
    BeginGame();
  }
}

void PreprocessedEnv::PlayNoopsLikeAle() {
  const bool fires = config_.presses_fire;
  const int drawn = DrawLikeStandardLibrary(std::max(config_.preprocessing.noop_max, 1));
  const int noops = drawn - (fires ? 1 : 0);
  runner_.DrawFrames(noops <= 0 && !fires);
  BeginGame();
  seed_.reset();  // so that a game that ends in the no-op frames is not loaded again
  runner_.DrawFrames(noops <= 0);
  if (fires) runner_.Act(Action::kFire);
  for (int noop = 1; noop <= noops; ++noop) {
    runner_.DrawFrames(noop == noops);
    runner_.Act(Action::kNoop);
    if (runner_.over()) BeginGame();
  }
}

bool PreprocessedEnv::PlayNoopsLikeEnvPool() {
  const int frames = DrawLikeStandardLibrary(std::max(config_.preprocessing.noop_max, 1)) + 1;
  for (int frame = 1; frame <= frames; ++frame) {
    const bool last = frame == frames;
    runner_.DrawFrames(last);
    runner_.Act(last && config_.presses_fire ? Action::kFire : Action::kNoop);
    if (runner_.over()) return true;
  }
  return false;
}

// Draws from [0, count - 1] like std::uniform_int_distribution over std::mt19937 in GCC's library.
int PreprocessedEnv::DrawLikeStandardLibrary(int count) {
  const auto range = static_cast<std::uint32_t>(count);
  std::uint64_t product = std::uint64_t{static_cast<std::uint32_t>((*noops_)())} * range;
  if (static_cast<std::uint32_t>(product) < range) {
    const std::uint32_t threshold = (0U - range) % range;
    while (static_cast<std::uint32_t>(product) < threshold) {
      product = std::uint64_t{static_cast<std::uint32_t>((*noops_)())} * range;
    }
  }
  return static_cast<int>(product >> 32);
}

PreprocessedEnv::Ends PreprocessedEnv::EndsAfterFrame(int lives_before) {
  const Preprocessing& options = config_.preprocessing;
  const int lives = runner_.lives();
  if (options.pipeline != Pipeline::kAleVector) {
    const bool lost = lives < lives_;
    lives_ = lives;
    return {.terminated = runner_.terminal() || (options.terminal_on_life_loss && lost),
            .truncated = runner_.truncated()};
  }
  const bool lost = lives < lives_before && lives > 0;
  const bool terminated = runner_.terminal() || (options.terminal_on_life_loss && lost);
  const bool limit =
      options.max_num_frames_per_episode > 0 && frames_ >= options.max_num_frames_per_episode;
  return {.terminated = terminated, .truncated = limit && !terminated};
}

StepResult PreprocessedEnv::Step(ActionView action, Rng&) {
  const Preprocessing& options = config_.preprocessing;
  const Move move = config_.actions.Of(action);
  const int lives_before = runner_.lives();
  const auto [reward, ends] = Play(move, move.action, lives_before);
  lives_ = runner_.lives();
  reward_ = static_cast<float>(reward);
  const bool lost = lives_ < lives_before;
  // Some games are over only some frames after the last life is lost. Until then the episode does
  // not end, as in Baselines.
  const bool continues = options.episodic_life && lost && lives_ > 0 && !ends.terminated;
  // AtariVectorEnv counts the loss of the last life only as the end of the game.
  const bool counts = lost && (lives_ > 0 || options.pipeline != Pipeline::kAleVector);
  const bool terminated = ends.terminated || continues;
  return {.reward = static_cast<double>(
              options.reward_clip ? std::clamp<std::int64_t>(reward, -1, 1) : reward),
          .terminated = terminated,
          .game_continues = continues,
          .truncated = ends.truncated,
          .report_as_terminated = options.life_loss_info && counts && !terminated,
          .zero_discount = options.zero_discount_on_life_loss && counts};
}

PreprocessedEnv::Played PreprocessedEnv::Play(const Move& move, Action last, int lives_before) {
  const Preprocessing& options = config_.preprocessing;
  const int first_seen = options.frame_skip - (options.pools() ? 2 : 1);
  const bool after_reset = options.pools() && !last_frames_.BeginStep();
  // The console still has the reset's only picture.
  if (after_reset) CopyPicture(runner_, Scratch::kFirstBefore);
  Played played;
  int frames = 0;
  for (; frames < options.frame_skip; ++frames) {
    const bool pooled = options.pools() && frames == first_seen;
    runner_.DrawFrames(frames >= first_seen);
    if (pooled) last_frames_.Before(runner_.console());
    const Action action = frames + 1 < options.frame_skip ? move.action : last;
    played.reward += runner_.Act(action, move.strength);
    ++frames_;
    played.ends = EndsAfterFrame(lives_before);
    if (played.ends.any()) break;
    if (pooled) {
      last_frames_.AfterFirst(runner_.console());
      CopyPicture(runner_, Scratch::kLastButOne);
    }
  }
  if (!played.ends.any()) {
    PutFrame();
  } else if (options.pipeline == Pipeline::kEnvPool) {
    PutFrameOfEndLikeEnvPool(frames);
  } else {
    PutFrameOfEnd(frames, after_reset);
  }
  return played;
}

void PreprocessedEnv::PutFrame() {
  const std::span<const std::uint8_t> pixels = runner_.console().pixels();
  const std::uint8_t* before = nullptr;
  if (config_.preprocessing.pools()) {
    last_frames_.AfterSecond(runner_.console());
    before = BytesOf(Scratch::kLastButOne, pixels.size());
  }
  config_.pixels.Run(pixels.data(), before, stack_.Push());
}

// EnvPool pools a step's last two frames, or only the first of them if the game ended there. After
// an earlier end it repeats the previous frame.
void PreprocessedEnv::PutFrameOfEndLikeEnvPool(int frames) {
  const int frame_skip = config_.preprocessing.frame_skip;
  if (frames == frame_skip - 1) {
    PutFrame();
  } else if (config_.preprocessing.pools() && frames == frame_skip - 2) {
    config_.pixels.Run(runner_.console().pixels().data(), nullptr, stack_.Push());
  } else {
    stack_.Repeat();
    if (renders_) runner_.DrawLatestFrame();
  }
}

// The other pipelines do not use the picture of the frame that ends an episode. If that frame is
// the last one of a step, they pool the last two pictures of the previous step and the last but one
// picture of this step. Otherwise, or without pooling, they repeat the previous frame.
void PreprocessedEnv::PutFrameOfEnd(int frames, bool after_reset) {
  const Preprocessing& options = config_.preprocessing;
  if (renders_) runner_.DrawLatestFrame();
  if (!options.pools() || frames < options.frame_skip - 1) {
    stack_.Repeat();
    return;
  }
  const PixelPath& path = config_.pixels;
  const std::size_t size = runner_.console().pixels().size();
  std::uint8_t* const first = BytesOf(Scratch::kFirstBefore, size);
  std::uint8_t* const second = BytesOf(Scratch::kSecondBefore, size);
  if (after_reset) {
    std::memcpy(second, first, size);
  } else {
    last_frames_.Draw(runner_.rom().cartridge(), first, second);
  }
  const std::uint8_t* const last_but_one = BytesOf(Scratch::kLastButOne, size);
  std::uint8_t* const higher = BytesOf(Scratch::kHigher, size);
  std::uint8_t* const out = stack_.Push();
  const Palette& palette = PaletteOf(path.options().format);
  if (path.options().grey) {
    PickHigher(palette.grey, palette.lost_grey, first, second, size, higher);
    path.Run(higher, last_but_one, out);
    return;
  }
  // In colour, each channel may take its maximum from a different picture, so there is one pass per
  // channel.
  const bool planar = path.options().order == ChannelOrder::kPlanar;
  const std::size_t pixels = path.frame_bytes() / 3;
  std::uint8_t* const frame = BytesOf(Scratch::kFrame, path.frame_bytes());
  const Levels* const levels[3] = {&palette.red, &palette.green, &palette.blue};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    PickHigher(*levels[channel], palette.grey, first, second, size, higher);
    path.Run(higher, last_but_one, frame);
    for (std::size_t i = 0; i < pixels; ++i) {
      const std::size_t at = planar ? channel * pixels + i : i * 3 + channel;
      out[at] = frame[at];
    }
  }
}

void PreprocessedEnv::Save(StateWriter& state) const {
  runner_.Save(state);
  stack_.Save(state);
  last_frames_.Save(state);
  if (noops_ != nullptr) state.Put(*noops_);
  state.Put(seed_.has_value());
  state.Put(seed_.value_or(0));
  state.Put(frames_);
  state.Put(lives_);
  state.Put(reward_);
}

void PreprocessedEnv::Load(StateReader& state) {
  runner_.Load(state);
  stack_.Load(state);
  last_frames_.Load(runner_.console(), state);
  if (noops_ != nullptr) {
    state.Get(*noops_);
    ExpectState(Draws(*noops_), "a generator of no-op frames");
  }
  const bool has_seed = state.Get<bool>();
  const auto seed = state.Get<std::uint64_t>();
  seed_ = has_seed ? std::optional(seed) : std::nullopt;
  state.GetWithin("the number of frames", frames_, 0, std::int64_t{1} << 62);
  state.Get(lives_);
  state.Get(reward_);
}

void PreprocessedEnv::Info(InfoRow row, bool) const {
  const auto set = [&]<class T>(PreprocessedInfo field, T value) {
    row.Set<T>(static_cast<std::size_t>(field), value);
  };
  set(PreprocessedInfo::kLives, std::int32_t{runner_.lives()});
  set(PreprocessedInfo::kReward, reward_);
  set(PreprocessedInfo::kTerminated, std::int32_t{runner_.terminal() ? 1 : 0});
  std::memcpy(row.Data<std::uint8_t>(static_cast<std::size_t>(PreprocessedInfo::kRam)),
              runner_.ram_bytes(), atari2600::kRamSize);
  set(PreprocessedInfo::kFrameNumber, static_cast<std::int32_t>(runner_.frame_number()));
  set(PreprocessedInfo::kEpisodeFrameNumber,
      static_cast<std::int32_t>(runner_.episode_frame_number()));
}

void PreprocessedEnv::Render(std::span<std::uint8_t> rgb) const { RenderPicture(runner_, rgb); }

}  // namespace engine::atari
