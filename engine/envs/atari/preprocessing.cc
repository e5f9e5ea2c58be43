// See the header.
#include "engine/envs/atari/preprocessing.h"

#include <string>
#include <utility>

#include "engine/emulators/atari2600/console_state.h"
#include "engine/envs/atari/games/game_table.h"
#include "engine/envs/atari/render.h"

namespace engine::atari {
namespace {

constexpr int kMostStacked = 64;
constexpr int kMostSkipped = 1'000;
constexpr int kMostNoops = 10'000;
constexpr int kMostFrames = 100'000'000;

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

int Int(const ParamValues& options, const char* name) {
  return static_cast<int>(options.Get<std::int64_t>(name));
}

float Float(const ParamValues& options, const char* name) {
  return static_cast<float>(options.Get<double>(name));
}

ParamSchema FrameSchema() {
  return {
      Integer("stack_num", 4, 1, kMostStacked, "Frames in an observation, the newest last."),
      Integer("img_height", 84, 1, PixelPath::kMaxSide, "Height of a frame, pixels."),
      Integer("img_width", 84, 1, PixelPath::kMaxSide, "Width of a frame, pixels."),
      Flag("gray_scale", true, "Whether frames are grey; else they are in colour."),
      Choice("channel_order", {"first", "last"},
             "Of frames in colour: \"first\" observes (3 * stack_num, height, width), \"last\" "
             "(stack_num, height, width, 3)."),
      Flag("use_inter_area_resize", true,
           "Whether frames are made smaller by area (OpenCV's INTER_AREA); else INTER_LINEAR."),
      Flag("maxpool", true,
           "Whether a frame is the maximum of the last two that a step skips to; else the last."),
  };
}

ParamSchema EpisodeSchema() {
  return {
      Integer("frame_skip", 4, 1, kMostSkipped, "Emulator frames of a step."),
      Integer("noop_max", 30, 0, kMostNoops,
              "An episode begins with a random number of idle frames, at most so many; 0: none."),
      Flag("use_fire_reset", true,
           "Whether an episode begins with FIRE being pressed, in games that have it."),
      Flag("episodic_life", false, "Whether the loss of a life ends an episode."),
      Flag("life_loss_info", false,
           "Whether the loss of a life is reported as terminated, though the episode goes on."),
      Flag("zero_discount_on_life_loss", false,
           "Whether dm_env's discount is 0 when a life is lost, though the episode goes on."),
      Flag("reward_clip", false, "Whether a step's reward is clipped to [-1, 1]."),
      Fraction("repeat_action_probability", 0.0,
               "Probability that a frame repeats the previous action."),
      Flag("full_action_space", false,
           "Whether all positions of the joystick are actions; else those that do something."),
      Flag("continuous", false,
           "Whether an action is (radius, angle, fire) of a stick; else its number."),
      Fraction("continuous_action_threshold", 0.5,
               "From which deflection on a continuous action counts."),
      Integer("max_num_frames_per_episode", 0, 0, kMostFrames,
              "Emulator frames after which an episode is truncated, within a step too; 0: never."),
      Choice("pipeline", {"gymnasium", "ale_vector"},
             "How seeds are used and episodes begin: as AtariPreprocessing and "
             "FrameStackObservation of Gymnasium do, or as ale-py's AtariVectorEnv."),
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
                    .doc = "The game.",
                    .low = std::nullopt,
                    .high = std::nullopt,
                    .fixed = true});
  return schema;
}

Preprocessing::Preprocessing(const ParamValues& options)
    : game(&FindGame(options.Get<std::string>("game"))),
      pipeline(options.Get<std::string>("pipeline") == "gymnasium" ? Pipeline::kGymnasium
                                                                   : Pipeline::kAleVector),
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
      life_loss_info(options.Get<bool>("life_loss_info")),
      zero_discount_on_life_loss(options.Get<bool>("zero_discount_on_life_loss")),
      reward_clip(options.Get<bool>("reward_clip")),
      use_fire_reset(options.Get<bool>("use_fire_reset")),
      full_action_space(options.Get<bool>("full_action_space")),
      continuous(options.Get<bool>("continuous")) {}

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
