// The result of one step: reward and flags, returned by the environment and processed by
// EpisodeControl.
#ifndef ENGINE_CONTROL_STEP_RESULT_H_
#define ENGINE_CONTROL_STEP_RESULT_H_

namespace engine {

struct StepResult {
  double reward = 0.0;
  bool terminated = false;
  // With terminated: the episode ends, but not the game that it is a part of, such as at a lost
  // life. The reset that follows continues the game (Continue() in environment.h), and the step
  // limit and the statistics are those of the whole game.
  bool game_continues = false;
  // The environment's own rules cut the episode short. The engine's step limit applies in addition.
  bool truncated = false;
  // A terminal signal without a reset, such as a lost life: the episode continues. With
  // report_as_terminated, callers see the step as terminated. With either flag, dm_env's discount
  // is 0.
  bool report_as_terminated = false;
  bool zero_discount = false;
};

}  // namespace engine

#endif  // ENGINE_CONTROL_STEP_RESULT_H_
