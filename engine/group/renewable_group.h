// The environments of a pool with a step timeout. If an environment is given up because its step
// takes too long, the thread that is still in the step keeps it, and a new environment takes its
// place. For this, the environments are in one or more groups, the generations: an environment that
// is given up moves on to the next generation in which its place is free.
//
// A thread that calls an environment uses only a Hold and a Known, which own everything that the
// call needs. So the call may end when this object no longer exists. Used by TimedExecutor.
//
// Threads: methods that take an environment are called by the thread that holds the environment,
// which is the thread that gives it up from then on.
#ifndef ENGINE_GROUP_RENEWABLE_GROUP_H_
#define ENGINE_GROUP_RENEWABLE_GROUP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/group/env_group.h"

namespace engine {

class RenewableGroup final : public GroupState {
 public:
  // Makes a group like the first one, without environments. Any thread; may throw.
  using MakeGroup = std::function<std::unique_ptr<EnvGroup>()>;

  // Throws Error{kOption} if the environments have several players.
  RenewableGroup(std::unique_ptr<EnvGroup> first, MakeGroup make);
  ~RenewableGroup() override;

  // What a call of an environment uses.
  class Hold;
  // The generations that a thread knows. They exist as long as it does, so the thread keeps it.
  class Known;
  // Throws the exceptions of MakeGroup, or std::bad_alloc.
  Hold HoldOf(std::uint32_t env, Known& known);
  // Takes over what a call, which was not given up, has changed. `elapsed_step`: of its row.
  // `loaded`: the call has loaded a state.
  void Take(const Hold& hold, std::int32_t elapsed_step, bool loaded);
  // Gives up an environment whose call takes too long: it has failed. Its Hold must not be used any
  // more, except by the thread in the call, which calls Hold::Discard when the call has ended.
  void GiveUp(std::uint32_t env, const char* what, StepCounts& counts);
  // Records a failure outside of the environment's own code.
  void Fail(std::uint32_t env, const char* what, StepCounts& counts) {
    control_.Failed(env, what, counts);
  }
  // Copies row 0 of `from`, which a call has written, to row `row` of `to`.
  void CopyRow(const BatchView& from, const BatchView& to, std::uint32_t row) const;
  // Writes the row of an environment that was given up, or that could not be called.
  void WriteFailed(std::uint32_t env, const BatchView& to, std::uint32_t row);

  std::int32_t elapsed_step(std::uint32_t env) const { return elapsed_[env]; }
  // The latest seed that the program has given to the environment, if any.
  std::optional<std::uint64_t> seed(std::uint32_t env) const { return seeds_[env]; }
  // Records the seed of a reset.
  void NoteSeed(std::uint32_t env, std::uint64_t seed);

  // --- GroupState
  std::unique_ptr<ResetStart> ParseStarts(const std::vector<ParamValues>& of_tasks) const override;
  void CheckState(std::uint32_t env, std::string_view state,
                  const std::string& where) const override;
  std::string SaveState(std::uint32_t env) const override;
  std::shared_ptr<EnvSetting> OwnSetting() const override;
  const std::vector<AttributeSpec>& Attributes(const EnvSetting* setting) const override;
  std::vector<double> GetAttribute(std::uint32_t env, std::size_t index) const override;
  void SetAttribute(std::uint32_t env, std::size_t index, std::span<const double> value) override;
  void Seed(std::uint32_t env, std::uint64_t seed) override;
  void SeedFromEntropy(std::uint64_t high, std::uint64_t low) override;
  void MakeResetDue(std::uint32_t env) override;

 private:
  struct Generation;
  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  // The group of an environment; null if it was given up or could not be made.
  EnvGroup* GroupOf(std::uint32_t env) const;
  std::uint32_t FreeGeneration(std::uint32_t env);

  const MakeGroup make_;
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<Generation>> generations_ ENGINE_GUARDED_BY(mutex_);
  const std::shared_ptr<Generation> first_;  // of generations_
  // By environment.
  std::vector<std::uint32_t> at_;  // its generation; kNowhere from GiveUp to the next HoldOf
  std::vector<std::int32_t> elapsed_;
  std::vector<std::optional<std::uint64_t>> seeds_;
  std::vector<std::uint8_t> seeded_;  // the program has given a seed since GiveUp
};

class RenewableGroup::Known {
 public:
  void Clear() { generations_.clear(); }

 private:
  friend class RenewableGroup;
  std::vector<std::shared_ptr<Generation>> generations_;
};

class RenewableGroup::Hold {
 public:
  // Makes the environment, if a new one must be made. Throws the exceptions of its constructor.
  void Construct();
  EnvGroup& group() const;
  // Frees the environment when a call that was given up has ended. No other method may follow.
  void Discard() noexcept;

 private:
  friend class RenewableGroup;

  std::uint32_t env_ = 0;
  Generation* generation_ = nullptr;
  EnvSettingPtr setting_;    // which the next reset takes over, or null
  bool is_pending_ = false;  // setting_ is EnvSettings::Pending
  bool is_new_ = false;      // the environment must be made, or was discarded
  // Of a new one.
  std::uint64_t seed_ = 0;
  std::vector<std::pair<std::size_t, std::vector<double>>> attributes_;
};

}  // namespace engine

#endif  // ENGINE_GROUP_RENEWABLE_GROUP_H_
