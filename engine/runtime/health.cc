// Health and AwaitedEnvs: a part of Pool.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/base/tick_clock.h"
#include "engine/runtime/call_scope.h"
#include "engine/runtime/pool.h"

namespace engine {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double SecondsSince(std::uint64_t ticks, std::uint64_t now) {
  return now > ticks ? TickClock::Nanoseconds(now - ticks) * 1e-9 : 0.0;
}

EnvHealth::State StateOf(std::uint8_t status) {
  if ((status & EnvStatus::kFailed) != 0) return EnvHealth::State::kFailed;
  if ((status & EnvStatus::kNeverReset) != 0) return EnvHealth::State::kNeverReset;
  if ((status & EnvStatus::kEpisodeOver) != 0) return EnvHealth::State::kEpisodeOver;
  return EnvHealth::State::kIdle;
}

}  // namespace

std::vector<EnvHealth> Pool::Health(Host& host) const {
  CallScope caller(*this, host);
  const StateLock lock(*this, caller);
  return HealthNow();
}

std::vector<EnvHealth> Pool::HealthNow() const {
  const std::uint64_t now = TickClock::Now();
  std::vector<EnvHealth> all(num_envs_);
  for (std::uint32_t env = 0; env < num_envs_; ++env) {
    const std::uint64_t sent = in_flight_.MarkedAt(env);
    const float step_ns = executor_->LatestStepNs(env);
    all[env] = {// Threads write the status of an environment in flight.
                .state = in_flight_.IsInFlight(env) ? EnvHealth::State::kInFlight
                                                    : StateOf(executor_->group().status(env)),
                .seconds = sent == 0 ? kUnknown : SecondsSince(sent, now),
                .results = results_.results(env),
                .failures = results_.failures(env),
                .step_seconds = step_ns > 0.0F ? double{step_ns} * 1e-9 : kUnknown};
  }
  const Job& job = executor_->job();
  for (const RunningPiece& piece : executor_->running()) {
    if (piece.of_queue && piece.n > 1) continue;  // it is not known which of them
    for (std::uint32_t k = 0; k < piece.n; ++k) {
      std::uint32_t env = piece.first + k;
      if (!piece.of_queue && !job.ids.empty()) {
        if (env >= job.ids.size()) continue;  // the piece has ended meanwhile
        env = job.ids[env];
      }
      if (env >= num_envs_ || !in_flight_.IsInFlight(env)) continue;
      all[env].state = EnvHealth::State::kStepping;
      if (piece.since != 0) all[env].seconds = SecondsSince(piece.since, now);
    }
  }
  return all;
}

Pool::Awaited Pool::AwaitedEnvs() const {
  const ScopedLock lock(state_lock_);
  const std::vector<EnvHealth> all = HealthNow();
  Awaited awaited;
  for (const EnvHealth::State state : {EnvHealth::State::kStepping, EnvHealth::State::kInFlight}) {
    for (std::uint32_t env = 0; env < num_envs_; ++env) {
      if (all[env].state != state) continue;
      awaited.envs.push_back(env);
      awaited.longest_seconds = std::max(awaited.longest_seconds, all[env].seconds);
    }
    if (!awaited.envs.empty()) break;
  }
  return awaited;
}

}  // namespace engine
