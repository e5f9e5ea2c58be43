// See the header.
#include "engine/envs/atari/preprocessing.h"

#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/emulators/atari2600/console_state.h"
#include "engine/envs/atari/games/game_table.h"
#include "engine/envs/atari/render.h"

namespace engine::atari {
namespace {

constexpr int kMaxStacked = 64;
constexpr int kMaxSkipped = 1'000;
constexpr int kMaxNoops = 10'000;
constexpr int kMaxFrames = 100'000'000;

ParamSpec Integer(const char* name, std::int64_t value, int low, int high, std::string doc) {
  return {.name = name,
          .default_value = value,
          .doc = std::move(doc),
          .low = static_cast<double>(low),
          .high = static_cast<double>(high)};
}

ParamSpec Flag(const char* name, bool value, std::string doc) {
  return {.name = name,
          .default_value = value,
          .doc = std::move(doc),
          .low = std::nullopt,
          .high = std::nullopt};
}

ParamSpec Fraction(const char* name, double value, std::string doc) {
  return {.name = name, .default_value = value, .doc = std::move(doc), .low = 0.0, .high = 1.0};
}

ParamSpec Choice(const char* name, std::vector<std::string> choices, std::string doc) {
  return {.name = name,
          .default_value = choices.front(),
          .doc = std::move(doc),
          .low = std::nullopt,
          .high = std::nullopt,
          .choices = choices};
}

Pipeline PipelineOf(const std::string& name) {
  if (name == "ale_vector") return Pipeline::kAleVector;
  return name == "envpool" ? Pipeline::kEnvPool : Pipeline::kGymnasium;
}

int Int(const ParamValues& options, const char* name) {
  return static_cast<int>(options.Get<std::int64_t>(name));
}

float Float(const ParamValues& options, const char* name) {
  return static_cast<float>(options.Get<double>(name));
}

ParamSchema FrameSchema() {
  return {
      Integer("stack_num", 4, 1, kMaxStacked,
              "Number of frames in an observation, the newest last."),
      Integer("img_height", 84, 1, PixelPath::kMaxSide, "Height of a frame in pixels."),
      Integer("img_width", 84, 1, PixelPath::kMaxSide, "Width of a frame in pixels."),
      Flag("gray_scale", true, "Whether frames are grayscale, or RGB."),
      Choice("channel_order", {"first", "last"},
             "Shape of RGB observations: \"first\" is (3 * stack_num, height, width), \"last\" is "
             "(stack_num, height, width, 3)."),
      Flag("use_inter_area_resize", true,
           "Whether frames are resized with OpenCV's INTER_AREA, or INTER_LINEAR."),
      Flag("maxpool", true,
           "Whether a step's frame is the maximum of its last two, or the last one."),
  };
}

ParamSchema EpisodeSchema() {
  return {
      Integer("frame_skip", 4, 1, kMaxSkipped, "Emulator frames per step."),
      Integer("noop_max", 30, 0, kMaxNoops,
              "An episode begins with a random number of no-op frames, at most this many."),
      Flag("use_fire_reset", true,
           "Whether FIRE is pressed at the beginning of an episode, if the game uses it."),
      Flag("episodic_life", false,
           "Whether the loss of a life ends an episode; the next one continues the game."),
      Flag("terminal_on_life_loss", false,
           "Whether the loss of a life ends an episode; the next one is a new game."),
      Flag("life_loss_info", false,
           "Whether the loss of a life is reported as terminated; the episode continues."),
      Flag("zero_discount_on_life_loss", false,
           "Whether dm_env's discount is 0 when a life is lost; the episode continues."),
      Flag("reward_clip", false, "Whether a step's reward is clipped to [-1, 1]."),
      Fraction("repeat_action_probability", 0.0,
               "Probability that a frame repeats the previous action."),
      Flag("full_action_space", false,
           "Whether all 18 actions are available, or only those with an effect."),
      Flag("continuous", false,
           "Whether an action is (radius, angle in radians, fire) of a joystick, or a number."),
      Fraction("continuous_action_threshold", 0.5,
               "Least deflection of a continuous action that has an effect."),
      Integer("max_num_frames_per_episode", 0, 0, kMaxFrames,
              "Emulator frames after which an episode is truncated, even within a step; 0 means no "
              "limit."),
      Choice("pipeline", {"gymnasium", "ale_vector", "envpool"},
             "Whose seeding and resets are reproduced: those of Gymnasium's AtariPreprocessing and "
             "FrameStackObservation, of ale-py's AtariVectorEnv, or of EnvPool."),
  };
}

}  // namespace

ParamSchema Preprocessing::Schema() {
  ParamSchema schema = FrameSchema();
  for (ParamSpec& option : EpisodeSchema()) schema.push_back(std::move(option));
  schema.push_back(ModeOption());
  schema.push_back(DifficultyOption());
  schema.push_back({.name = "game",
                    .default_value = std::string("pong"),
                    .doc = "The game, as ale-py names its ROM.",
                    .low = std::nullopt,
                    .high = std::nullopt,
                    .fixed = true});
  return schema;
}

Preprocessing::Preprocessing(const ParamValues& options)
    : game(&FindGame(options.Get<std::string>("game"))),
      pipeline(PipelineOf(options.Get<std::string>("pipeline"))),
      variant(ReadVariant(*game, options)),
      stack_num(Int(options, "stack_num")),
      frame_skip(Int(options, "frame_skip")),
      noop_max(Int(options, "noop_max")),
      max_num_frames_per_episode(Int(options, "max_num_frames_per_episode")),
      height(Int(options, "img_height")),
      width(Int(options, "img_width")),
      repeat_action_probability(Float(options, "repeat_action_probability")),
      continuous_action_threshold(Float(options, "continuous_action_threshold")),
      gray_scale(options.Get<bool>("gray_scale")),
      channels_last(options.Get<std::string>("channel_order") == "last"),
      use_inter_area_resize(options.Get<bool>("use_inter_area_resize")),
      maxpool(options.Get<bool>("maxpool")),
      episodic_life(options.Get<bool>("episodic_life")),
      terminal_on_life_loss(options.Get<bool>("terminal_on_life_loss")),
      life_loss_info(options.Get<bool>("life_loss_info")),
      zero_discount_on_life_loss(options.Get<bool>("zero_discount_on_life_loss")),
      reward_clip(options.Get<bool>("reward_clip")),
      use_fire_reset(options.Get<bool>("use_fire_reset")),
      full_action_space(options.Get<bool>("full_action_space")),
      continuous(options.Get<bool>("continuous")) {
  if (episodic_life && terminal_on_life_loss) {
    throw Error(ErrorKind::kOption,
                "episodic_life, terminal_on_life_loss: expected at most one of them, got both. "
                "After a lost life, episodic_life continues the game, terminal_on_life_loss begins "
                "a new one");
  }
}

ActionMap Preprocessing::Actions() const {
  return ActionMap(*game, full_action_space, continuous, continuous_action_threshold);
}

PixelOptions Preprocessing::Pixels() const {
  return {.lines = PictureLines(game->hardware, game->hardware.format),
          .format = game->hardware.format,
          .grey = gray_scale,
          .height = height,
          .width = width,
          .interpolation = use_inter_area_resize ? Interpolation::kArea : Interpolation::kLinear,
          .order = channels_last ? ChannelOrder::kInterleaved : ChannelOrder::kPlanar};
}

EnvSpec Preprocessing::Spec() const {
  Shape shape = {stack_num, height, width};
  if (!gray_scale) {
    if (channels_last) {
      shape.push_back(3);
    } else {
      shape[0] *= 3;
    }
  }
  EnvSpec spec;
  spec.observation = SpaceSpec::Box<std::uint8_t>(shape, 0, 255);
  spec.action = Actions().space();
  spec.infos = {{.name = "lives", .dtype = DType::kInt32, .shape = {}},
                {.name = "reward", .dtype = DType::kFloat32, .shape = {}},
                {.name = "terminated", .dtype = DType::kInt32, .shape = {}},
                {.name = "ram", .dtype = DType::kUInt8, .shape = {atari2600::kRamSize}},
                {.name = "frame_number", .dtype = DType::kInt32, .shape = {}},
                {.name = "episode_frame_number", .dtype = DType::kInt32, .shape = {}}};
  spec.render = RenderSpecOf(*game);
  spec.frame_skip = frame_skip;
  return spec;
}

}  // namespace engine::atari
