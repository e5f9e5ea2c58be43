// The environments of worker processes, as the pool sees them: their state as of the latest result,
// and the objects of that result. The workers step them. Used by ProcessExecutor.
#ifndef ENGINE_PROCESSES_REMOTE_GROUP_H_
#define ENGINE_PROCESSES_REMOTE_GROUP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/group/env_group.h"
#include "engine/processes/buffer_pages.h"
#include "engine/processes/shared_state.h"

namespace engine {

class RemoteGroup final : public GroupState {
 public:
  RemoteGroup(const EnvSpec& spec, const GroupConfig& config, SharedState& state)
      : GroupState(spec, config, {.receives_seed = true}),
        state_(state),
        reset_due_(config.num_envs, 0),
        outbox_pages_(config.num_envs) {}

  // The seed for the next reset of `env`, if one was given.
  std::optional<std::uint64_t> TakeSeed(std::uint32_t env) {
    return std::exchange(pending_seeds_[env], std::nullopt);
  }
  // Whether the next step of `env` must be a reset; forgets it.
  bool TakeResetDue(std::uint32_t env) { return std::exchange(reset_due_[env], 0) != 0; }
  // Reads the report of an environment whose row is in a batch that leaves the executor.
  void ReadReport(std::uint32_t env, StepCounts& counts);
  // Reads what a call of the environment's methods has changed.
  void ReadCall(std::uint32_t env);
  // Writes the row of an environment that cannot be stepped, and reports it as failed.
  void WriteFailed(std::uint32_t env, std::uint32_t row, const std::string& why,
                   const BatchView& out);
  // Reports a failed call of an environment's method.
  void ReportFailedCall(std::uint32_t env, const std::string& why);

  // --- GroupState. An object is the byte string that the worker wrote, or, for a failed call, a
  // message that begins with kFailedCall.
  static constexpr char kFailedCall = '!';
  void TakeObjects(const std::uint32_t* ids, std::uint32_t n,
                   std::vector<RowObject>& objects) override;
  void SeedFromEntropy(std::uint64_t /*high*/, std::uint64_t /*low*/) override {}
  void MakeResetDue(std::uint32_t env) override { reset_due_[env] = 1; }

 private:
  void SetStatus(std::uint32_t env, std::uint8_t status);
  void UseOutbox(std::uint32_t env, std::size_t bytes);

  SharedState& state_;
  std::vector<std::uint8_t> reset_due_;
  std::vector<BufferPages> outbox_pages_;
  std::uint32_t num_large_ = 0;  // of outbox_pages_
};

}  // namespace engine

#endif  // ENGINE_PROCESSES_REMOTE_GROUP_H_
