// The EnvGroup of environments written in Python (gymnasium.Env). Used by the process that steps
// them: the caller's own, or a worker process. Acquires the GIL for each range.
//
// Results stay Python objects until the row is known, so that they are copied only once, into the
// batch. Results that are not arrays (infos, object leaves of observations) become the
// environment's object; see TakeObjects.
#ifndef ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_GROUP_H_
#define ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_GROUP_H_

#include <pybind11/pybind11.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/batch/tree_staging.h"
#include "engine/bindings/python_envs/overlap_meter.h"
#include "engine/bindings/python_envs/python_spaces.h"
#include "engine/group/env_group.h"

namespace engine::bindings {

// The spaces and Python functions of a group. The functions are in envpool_py.python_envs.hosting:
//   make(env_id) -> environment
//   store(value, out)               writes an observation that is not an array of its space's dtype
//   copy(value) -> copy             a deep copy; the value itself if it cannot be copied
//   describe(exception) -> str      with its traceback
//   load(bytes) -> object           an action or options that were sent as bytes
//   call(env_id, environment, call, hosted) -> result of a call; `hosted`: a HostedEnv
struct PythonHosting {
  SpaceTree observation;
  SpaceTree action;
  bool object_actions = false;  // the action space is not a tree of arrays
  pybind11::object make, store, describe, load, call, copy;

  PythonHosting(const pybind11::tuple& observation_tree, const pybind11::object& action_tree,
                const pybind11::object& functions);
  TreeSlotLayout SlotLayout() const;
};

// Makes a group's spec: the columns of observations, without actions.
EnvSpec MakePythonSpec(const SpaceTree& observation);

// The options of one reset: a Python object, or bytes that PythonHosting::load reads.
struct PythonOptions final : ResetStart {
  explicit PythonOptions(pybind11::object given) : options(std::move(given)) {}
  ~PythonOptions() override;
  // Throws the exception that reading the bytes raised, if it did.
  void ThrowIfUnreadable() const;
  pybind11::object options;
  pybind11::object error;  // that exception, or null
};

class PythonGroup : public EnvGroup {
 public:
  // `origin`: the origin of the offsets of pickled actions; see ByteBuffers.
  PythonGroup(const EnvSpec& spec, const GroupConfig& config,
              std::shared_ptr<PythonHosting> hosting, const std::byte* origin);
  ~PythonGroup() override;

  void Construct(std::uint32_t begin, std::uint32_t end) override;
  void MakeResetDue(std::uint32_t env) override { slots_[env].progress.reset_due = true; }
  std::uint32_t StepRows(const EnvRange& range, ActionSlots actions, const BatchView& out,
                         const StopCondition& stop, StepCounts& counts) override;
  std::uint32_t ResetRows(const EnvRange& range, const ResetPlan& plan, const BatchView& out,
                          const StopCondition& stop, StepCounts& counts) override;
  std::uint32_t RenderRows(const EnvRange& range, std::uint8_t* pictures, const StopCondition& stop,
                           StepCounts& counts) override;
  std::uint32_t CallMethodRows(const EnvRange& range, const void* method, const StopCondition& stop,
                               StepCounts& counts) override;
  void TakeObjects(const std::uint32_t* ids, std::uint32_t n,
                   std::vector<RowObject>& objects) override;
  std::uint32_t StepWithoutRows(const std::uint32_t* ids, std::uint32_t n,
                                const std::uint8_t* reset_flags, ActionSlots actions,
                                const BatchView& pending_final_frame, Outcome* outcomes,
                                const StopCondition& stop, StepCounts& counts) override;
  void WriteRows(const std::uint32_t* ids, std::uint32_t n, const std::uint32_t* rows,
                 std::uint32_t first_row, const Outcome* outcomes,
                 const BatchView& pending_final_frame, const BatchView& out,
                 StepCounts& counts) override;
  // --- For saved states (HostedEnv). With the GIL, in a call of the environment's methods.
  // Throws Error{kResetNeeded} if the environment was never reset or has failed.
  std::string SaveEpisodeOf(std::uint32_t env) const;
  // Puts `environment` in the place of the environment. Throws Error{kState}, and changes nothing,
  // if CheckState(episode) does.
  virtual void Restore(std::uint32_t env, pybind11::object environment, std::string_view episode,
                       pybind11::object observation, pybind11::object info);
  pybind11::object EnvironmentOf(std::uint32_t env) const { return slots_[env].env; }
  // The observation and the info of the latest step or reset; None if there are none.
  std::pair<pybind11::object, pybind11::object> ResultsOf(std::uint32_t env) const;

  // Returns the exception and its traceback as text.
  std::string Describe(pybind11::error_already_set& error) const;
  // Starts to measure with `meter`. Called before the first step, and only if threads of this
  // process step.
  void Measure(std::shared_ptr<OverlapMeter> meter) {
    kept_meter_ = std::move(meter);
    meter_.store(kept_meter_.get(), std::memory_order_relaxed);
  }
  void StopMeasuring() { meter_.store(nullptr, std::memory_order_relaxed); }
  // The environments draw their seeds themselves.
  void SeedFromEntropy(std::uint64_t /*high*/, std::uint64_t /*low*/) override {}

 protected:
  // The parts of a row that are not arrays. Each may be None; empty infos are None.
  struct RowParts {
    pybind11::object info, leaves, final_info, final_leaves;

    bool any() const;
  };
  // Makes `parts`, as a tuple, the object of the environment; if all parts are None, it has no
  // object. Called with the GIL, before the row is committed. If it throws error_already_set, the
  // environment has failed.
  virtual void SetRowObject(std::uint32_t env, const RowParts& parts);
  // Makes `object`, the result of a call, the object of the environment; None: it has no object.
  virtual void SetObject(std::uint32_t env, pybind11::object object);

  const PythonHosting& hosting() const { return *hosting_; }

 private:
  // Changed only with the GIL held, also while a pool is freed, and by one thread at a time: that
  // on which the environment is. The exception is `object`, which TakeObjects changes without the
  // GIL while the environment is not running.
  struct Slot {
    pybind11::object env, step, reset;
    EpisodeProgress progress;
    // Results of the latest step or reset: the environment's own objects, which are read before it
    // runs again. The observation is kept for resets that skip this environment.
    pybind11::object obs, info;
    // Of an episode that ended in that step: copies.
    pybind11::object final_obs, final_info;
    std::int32_t final_elapsed = 0;
    PyObject* object = nullptr;  // owned; a raw pointer, because TakeObjects has no GIL

    std::array<pybind11::object*, 7> Objects() {
      return {&env, &step, &reset, &obs, &info, &final_obs, &final_info};
    }
  };

  template <class Body, class OnFailure>
  std::uint32_t ForEach(std::uint32_t begin, std::uint32_t end, const StopCondition* stop,
                        Body&& body, OnFailure&& on_failure);
  void StepEnv(std::uint32_t env, const ActionSlots& actions, Outcome& outcome, StepCounts& counts);
  void Restart(std::uint32_t env, const ResetStart* start, bool by_user, Outcome& outcome,
               StepCounts& counts);
  pybind11::object ActionOf(std::uint32_t env, const ActionSlots& actions) const;
  pybind11::object WriteObs(const pybind11::object& obs, const ObsRow& row,
                            const char* method) const;
  void WriteRow(std::uint32_t env, std::uint32_t row, const Outcome& outcome, const BatchView& out);
  void Fail(std::uint32_t env, std::uint32_t row, const char* what, const BatchView& out,
            StepCounts& counts);

  std::shared_ptr<PythonHosting> hosting_;  // freed by the destructor, with the GIL
  const TreeSlotLayout slot_layout_;
  const std::byte* const origin_;
  std::vector<Slot> slots_;
  std::shared_ptr<OverlapMeter> kept_meter_;   // also after the measurement: threads may use it
  std::atomic<OverlapMeter*> meter_{nullptr};  // null: no measurement
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_GROUP_H_
