// Saving and loading states of environments: a part of Pool.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/runtime/call_scope.h"
#include "engine/runtime/pool.h"

namespace engine {
namespace {

[[noreturn]] void ThrowNotSaved(std::uint32_t env, const std::exception_ptr& failure) {
  std::string what = "an exception that is not a std::exception";
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {  // `what` says so
  }
  throw Error(ErrorKind::kInternal,
              "save_states: environment " + std::to_string(env) + ": " + what);
}

}  // namespace

WaitResult Pool::SaveStates(const ArrayView* ids, Host& host, std::vector<std::string>& states,
                            std::vector<SettingOfEnv>& settings) {
  CallScope caller(*this, host);
  SyncCallLock::Holder holder(sync_lock_);
  const WaitResult begun = BeginSync(ids, caller, holder);
  if (begun != WaitResult::kDone) return begun;
  std::vector<std::uint32_t> envs;
  {
    const StateLock lock(*this, caller);
    CheckSavesStates("save_states");
    std::uint32_t n = 0;
    const std::uint32_t* const idle = ReadIds(ids, n);
    CheckWasReset("save_states", idle, n);
    envs.resize(n);
    states.resize(n);
    settings.resize(n);
    if (idle == nullptr) {
      std::iota(envs.begin(), envs.end(), 0U);
    } else {
      envs.assign(idle, idle + n);
    }
    in_flight_.Mark(envs.data(), n);
  }
  caller.Unlock();
  std::exception_ptr failure;
  std::size_t k = 0;
  try {
    for (; k < envs.size(); ++k) {
      states[k] = executor_->group().SaveState(envs[k]);
      settings[k] = {envs[k], executor_->group().settings().Current(envs[k])};
    }
  } catch (...) {
    failure = std::current_exception();  // the message, which needs memory, is made later
  }
  {
    const StateLock lock(*this, caller);
    in_flight_.Clear(envs.data(), static_cast<std::uint32_t>(envs.size()));
  }
  if (failure != nullptr) ThrowNotSaved(envs[k], failure);
  return WaitResult::kDone;
}

WaitResult Pool::LoadStates(const ArrayView* ids, std::vector<std::string> states, Host& host,
                            Batch& batch) {
  ResetRequest request;
  request.states = std::move(states);
  return Reset(ids, std::move(request), host, batch);
}

void Pool::CheckStates(const std::vector<std::string>& states, std::uint32_t n) const {
  CheckSavesStates("load_states");
  if (states.size() != n) {
    throw Error(ErrorKind::kInput, "states: expected " + std::to_string(n) +
                                       ", one for each environment, got " +
                                       std::to_string(states.size()));
  }
  for (std::size_t k = 0; k < states.size(); ++k)
    executor_->group().CheckState(states[k], "states[" + std::to_string(k) + "]");
}

}  // namespace engine
