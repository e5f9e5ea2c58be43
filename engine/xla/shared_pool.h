// A pool that compiled programs step. A program has no pointer to the pool. It passes a state, an
// array of four numbers, from call to call. The state identifies the pool and the next call. So one
// program can step many pools, a state that was used before is detected, and the state of a pool
// that no longer exists is harmless.
//
// Any thread. The calls of one pool run one at a time.
#ifndef ENGINE_XLA_SHARED_POOL_H_
#define ENGINE_XLA_SHARED_POOL_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/fork_guard.h"
#include "engine/base/mutex.h"
#include "engine/env/params.h"
#include "engine/runtime/pool.h"

namespace engine::xla {

// The pool's number, a number of this process (states of other processes are rejected), and the
// number of the call, low half first.
using State = std::array<std::uint32_t, 4>;
inline constexpr std::int64_t kStateShape[] = {4};

class SharedPool {
 public:
  // Registers the pool. `name` is its name in messages.
  static std::shared_ptr<SharedPool> Share(std::shared_ptr<Pool> pool, std::string name);
  // Returns the pool of a state. Throws Error{kClosed} if the pool no longer exists, and
  // Error{kInput} if it never existed.
  static std::shared_ptr<SharedPool> Find(const State& state);

  SharedPool(const SharedPool&) = delete;
  SharedPool& operator=(const SharedPool&) = delete;
  ~SharedPool();

  const std::string& name() const { return name_; }
  Pool& pool() { return *pool_; }
  // The names of the leaves of an action in messages, such as `actions["arm"]`.
  const std::vector<std::string>& action_names() const { return action_names_; }
  // A hash of the layout of the results. It is equal for pools of one task with the same settings,
  // whatever their number of environments.
  std::uint64_t layout_stamp() const { return layout_stamp_; }

  // Sets the options of resets by compiled programs, for each task of the pool. The environments
  // must have accepted them.
  void SetResetOptions(std::vector<ParamValues> of_tasks);
  // Returns null for the default options.
  std::unique_ptr<ResetStart> ParseStarts();

  // The state that the next call expects. Any thread.
  State state() const;
  // A state that a reset accepts at any time, whatever the earlier calls. Other calls reject it,
  // except the next successful call after AllowRestart. Python calls AllowRestart after it has
  // reset the pool without a compiled program.
  State restart_state() const;
  void AllowRestart() { restart_allowed_.store(true, std::memory_order_relaxed); }

  // Runs `call` if `given` is the expected state, and returns the next state. If `call` throws,
  // `given` stays valid, unless `call` has set `changed` because environments were stepped.
  template <class Call>
  State Run(const State& given, bool may_restart, Call&& call) {
    const ScopedLock lock(call_mutex_);
    CheckState(given, may_restart);
    bool changed = false;
    try {
      call(changed);
    } catch (...) {
      if (changed) next_call_.fetch_add(1, std::memory_order_relaxed);
      throw;
    }
    next_call_.fetch_add(1, std::memory_order_relaxed);
    restart_allowed_.store(false, std::memory_order_relaxed);
    return StateOf(next_call_.load(std::memory_order_relaxed));
  }

 private:
  SharedPool(std::shared_ptr<Pool> pool, std::string name);
  void CheckState(const State& given, bool may_restart) const;
  State StateOf(std::uint64_t call) const;

  const std::shared_ptr<Pool> pool_;
  const std::string name_;
  const ForkGuard fork_guard_;
  const std::vector<std::string> action_names_;
  const std::uint64_t layout_stamp_;
  std::uint32_t number_ = 0;  // written by Share
  // By task; empty: the defaults.
  std::vector<ParamValues> reset_options_ ENGINE_GUARDED_BY(options_mutex_);
  Mutex options_mutex_;
  Mutex call_mutex_;
  std::atomic<std::uint64_t> next_call_{0};  // written with call_mutex_ held
  std::atomic<bool> restart_allowed_{false};
};

}  // namespace engine::xla

#endif  // ENGINE_XLA_SHARED_POOL_H_
