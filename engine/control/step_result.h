// What one step of an environment says of its episode: returned by the
// environment, judged by EpisodeControl.
#ifndef ENGINE_CONTROL_STEP_RESULT_H_
#define ENGINE_CONTROL_STEP_RESULT_H_

namespace engine {

struct StepResult {
  double reward = 0.0;
  bool terminated = false;
  // The environment's own rules cut the episode short. The engine's step limit
  // comes on top of them.
  bool truncated = false;
  // For what is an end to the learner alone, as a lost life. The episode goes on,
  // without a reset: with the first, the step is reported as terminated all the
  // same; with either, dm_env's discount is 0.
  bool reports_end = false;
  bool zero_discount = false;
};

}  // namespace engine

#endif  // ENGINE_CONTROL_STEP_RESULT_H_
