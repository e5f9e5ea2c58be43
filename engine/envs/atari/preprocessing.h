// The options of the tasks with preprocessed frames (`Pong-v5`), and their specs. Parsed once for a
// pool; plain data afterwards, any thread.
#ifndef ENGINE_ENVS_ATARI_PREPROCESSING_H_
#define ENGINE_ENVS_ATARI_PREPROCESSING_H_

#include <cstddef>
#include <cstdint>

#include "engine/env/params.h"
#include "engine/env/spec.h"
#include "engine/envs/atari/action_map.h"
#include "engine/envs/atari/games/game.h"
#include "engine/envs/atari/pixels/pixel_path.h"
#include "engine/envs/atari/variant_options.h"

namespace engine::atari {

// The library whose pipeline is reproduced. Pipelines differ in the use of seeds, the start of an
// episode, and the definition of a lost life; EnvPool also differs in a step that ends the game.
enum class Pipeline : std::uint8_t {
  kGymnasium,  // gymnasium.wrappers.AtariPreprocessing and FrameStackObservation
  kAleVector,  // ale_py.vector_env.AtariVectorEnv
  kEnvPool,    // EnvPool
};

struct Preprocessing {
  // Throws Error{kOption} for a mode or difficulty that the game lacks, and if both episodic_life
  // and terminal_on_life_loss are set.
  explicit Preprocessing(const ParamValues& options);

  // The last option is the game, which the id sets.
  static ParamSchema Schema();
  EnvSpec Spec() const;
  ActionMap Actions() const;
  PixelOptions Pixels() const;

  // Whether a frame is the maximum of a step's last two pictures.
  bool pools() const { return maxpool && frame_skip > 1; }

  const Game* game;
  Pipeline pipeline;
  Variant variant;
  int stack_num;
  int frame_skip;
  int noop_max;
  int max_num_frames_per_episode;  // 0: no limit
  int height;
  int width;
  float repeat_action_probability;
  float continuous_action_threshold;
  bool gray_scale;
  bool channels_last;
  bool use_inter_area_resize;
  bool maxpool;
  bool episodic_life;          // a lost life ends the episode; the game continues
  bool terminal_on_life_loss;  // a lost life ends the episode; a new game begins
  bool life_loss_info;
  bool zero_discount_on_life_loss;
  bool reward_clip;
  bool use_fire_reset;
  bool full_action_space;
  bool continuous;
};

// The info arrays, in the order of Spec().infos.
enum class PreprocessedInfo : std::size_t {
  kLives,
  kReward,
  kTerminated,
  kRam,
  kFrameNumber,
  kEpisodeFrameNumber,
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_PREPROCESSING_H_
