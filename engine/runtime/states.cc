// Saving and loading states of environments, and their attributes: a part of Pool.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/runtime/call_scope.h"
#include "engine/runtime/pool.h"

namespace engine {
namespace {

[[noreturn]] void ThrowFailed(const char* call, std::uint32_t env,
                              const std::exception_ptr& failure) {
  std::string what = "an exception that is not a std::exception";
  ErrorKind kind = ErrorKind::kInternal;
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Error& error) {
    what = error.what();
    if (error.kind() == ErrorKind::kState) kind = error.kind();  // these options have no states
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {  // `what` says so
  }
  throw Error(kind, std::string(call) + ": environment " + std::to_string(env) + ": " + what);
}

}  // namespace

// Calls body(k, env) for each idle environment of `ids`, on this thread. Nobody else uses the
// environments meanwhile. `check(ids, n)` is called before, with the state lock.
template <class Check, class Body>
WaitResult Pool::ForIdle(const char* call, const ArrayView* ids, Host& host, const Check& check,
                         const Body& body) {
  CallScope caller(*this, host);
  SyncCallLock::Holder holder(sync_lock_);
  const WaitResult begun = BeginSync(ids, caller, holder);
  if (begun != WaitResult::kDone) return begun;
  std::vector<std::uint32_t> envs;
  {
    const StateLock lock(*this, caller);
    std::uint32_t n = 0;
    const std::uint32_t* const idle = ReadIds(ids, n);
    check(idle, n);
    envs.resize(n);
    if (idle == nullptr) {
      std::iota(envs.begin(), envs.end(), 0U);
    } else {
      envs.assign(idle, idle + n);
    }
    in_flight_.Mark(envs.data(), n, TickClock::Now());
  }
  caller.Unlock();
  std::exception_ptr failure;
  std::size_t k = 0;
  try {
    for (; k < envs.size(); ++k) body(k, envs[k]);
  } catch (...) {
    failure = std::current_exception();  // the message, which needs memory, is made later
  }
  {
    const StateLock lock(*this, caller);
    in_flight_.Clear(envs.data(), static_cast<std::uint32_t>(envs.size()));
  }
  if (failure != nullptr) ThrowFailed(call, envs[k], failure);
  return WaitResult::kDone;
}

WaitResult Pool::SaveStates(const ArrayView* ids, Host& host, std::vector<std::string>& states,
                            std::vector<SettingOfEnv>& settings) {
  constexpr const char* kCall = "save_states";
  const auto check = [&](const std::uint32_t* idle, std::uint32_t n) {
    CheckSavesStates(kCall);
    CheckWasReset(kCall, idle, n);
    states.resize(n);
    settings.resize(n);
  };
  return ForIdle(kCall, ids, host, check, [&](std::size_t k, std::uint32_t env) {
    states[k] = executor_->group().SaveState(env);
    settings[k] = {env, executor_->group().settings().Current(env)};
  });
}

WaitResult Pool::GetAttribute(std::size_t index, const ArrayView* ids, Host& host,
                              std::vector<std::vector<double>>& values) {
  const auto check = [&](const std::uint32_t*, std::uint32_t n) { values.resize(n); };
  return ForIdle("get_attr", ids, host, check, [&](std::size_t k, std::uint32_t env) {
    values[k] = executor_->group().GetAttribute(env, index);
  });
}

WaitResult Pool::SetAttribute(std::size_t index, const ArrayView* ids,
                              const std::vector<std::vector<double>>& values, Host& host) {
  std::vector<std::pair<std::uint32_t, std::vector<double>>> before;
  const auto check = [&](const std::uint32_t*, std::uint32_t n) {
    if (values.size() != n) {
      throw Error(ErrorKind::kInput, "set_attr: expected " + std::to_string(n) +
                                         " values, one for each environment, got " +
                                         std::to_string(values.size()));
    }
    before.reserve(n);
  };
  return ForIdle("set_attr", ids, host, check, [&](std::size_t k, std::uint32_t env) {
    GroupState& group = executor_->group();
    try {
      before.emplace_back(env, group.GetAttribute(env, index));
      group.SetAttribute(env, index, values[k]);
    } catch (...) {
      for (const auto& [changed, value] : before) group.SetAttribute(changed, index, value);
      throw;
    }
  });
}

WaitResult Pool::LoadStates(const ArrayView* ids, std::vector<std::string> states, Host& host,
                            Batch& batch) {
  ResetRequest request;
  request.states = std::move(states);
  return Reset(ids, std::move(request), host, batch);
}

void Pool::CheckStates(const std::vector<std::string>& states, const std::uint32_t* ids,
                       std::uint32_t n) const {
  CheckSavesStates("load_states");
  if (states.size() != n) {
    throw Error(ErrorKind::kInput, "states: expected " + std::to_string(n) +
                                       ", one for each environment, got " +
                                       std::to_string(states.size()));
  }
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t env = ids == nullptr ? k : ids[k];
    executor_->group().CheckState(env, states[k], "states[" + std::to_string(k) + "]");
  }
}

}  // namespace engine
