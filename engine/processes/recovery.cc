// Workers that die or hang: how the executor detects them and completes their items.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/os/process_handle.h"
#include "engine/base/tick_clock.h"
#include "engine/processes/process_executor.h"

namespace engine {
namespace {

// After this time, the unfinished items of a dead worker are completed as failed even if its exit
// status is still unknown.
constexpr double kLongestReapNs = 5e8;
// A new worker may be this many times slower than the first ones, because the program may be busier
// than when it made the pool.
constexpr std::int64_t kStartsAllowed = 10;
// How long a worker with unfinished items may take to end.
constexpr std::int64_t kEndAllowedNs = 5'000'000'000;

std::string Seconds(std::int64_t ns) {
  std::ostringstream text;
  text << static_cast<double>(ns) / 1e9;
  return text.str();
}

std::string ExitedWith(int status) { return "exited with status " + std::to_string(status); }

std::string KilledBy(int signal) {
  constexpr std::pair<int, const char*> kNames[] = {
      {SIGKILL, "SIGKILL"}, {SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},
      {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},   {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},
      {SIGHUP, "SIGHUP"},   {SIGPIPE, "SIGPIPE"}, {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"},
      {SIGQUIT, "SIGQUIT"}, {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"}};
  for (const auto& [number, name] : kNames) {
    if (number == signal) return std::string("was killed by ") + name;
  }
  return "was killed by signal " + std::to_string(signal);
}

}  // namespace

void ProcessExecutor::Attach(std::uint32_t worker, const ProcessHandle& process) {
  const ScopedLock lock(mutex_);
  WorkerStatus& status = worker_status_[worker];
  if (status.process.fd >= 0) {
    close(status.process.fd);
    num_dead_.fetch_sub(1, std::memory_order_release);
  }
  status.process = process;
  status.recovered = false;
  status.watch = {};
  status.killed.clear();
  status.ended = 0;
  status.how_it_ended.clear();
  // `error` stays, for environments of the previous process that are lost.
  state_.worker(worker).process.store(static_cast<std::uint32_t>(process.id),
                                      std::memory_order_release);
  alive_[worker].store(true, std::memory_order_release);
}

void ProcessExecutor::ResetWorker(std::uint32_t worker) {
  const ScopedLock lock(mutex_);
  WorkerLine& line = state_.worker(worker);
  line.process.store(0, std::memory_order_release);
  line.parker.ForgetSleepers();
  line.state.store(static_cast<std::uint32_t>(WorkerState::kStarting), std::memory_order_release);
  line.exit_status.store(0, std::memory_order_release);
}

std::size_t ProcessExecutor::status_offset(std::uint32_t worker) const {
  return arena_->OffsetOf(reinterpret_cast<std::byte*>(&state_.worker(worker).exit_status));
}

std::vector<std::uint32_t> ProcessExecutor::DeadWorkers() const {
  const ScopedLock lock(mutex_);
  std::vector<std::uint32_t> dead;
  for (std::uint32_t worker = 0; worker < geometry_.num_workers; ++worker) {
    if (!alive_[worker].load(std::memory_order_relaxed) && worker_status_[worker].recovered) {
      dead.push_back(worker);
    }
  }
  return dead;
}

void ProcessExecutor::CheckWorkers() {
  // If another thread has the lock, this check is skipped: that thread holds it only briefly, and
  // the check is repeated at intervals.
  if (!mutex_.try_lock()) return;
  const ScopedLock lock(mutex_, std::adopt_lock);
  checked_.store(TickClock::Now(), std::memory_order_relaxed);
  const std::uint64_t now_ns = TickClock::SteadyNanoseconds();
  bool changed = false;
  for (std::uint32_t worker = 0; worker < geometry_.num_workers; ++worker) {
    WorkerStatus& status = worker_status_[worker];
    if (status.process.fd < 0) continue;
    if (alive_[worker].load(std::memory_order_relaxed)) {
      const bool ended = HasEnded(status.process);
      if (!ended) KillIfHanging(worker, now_ns, config_.step_timeout_ns);
      if (!ended || !ReadExitStatus(worker)) continue;
      NoteEnd(worker);
    }
    if (status.recovered) continue;
    status.recovered = Recover(worker);
    changed = true;
  }
  if (changed) state_.header().done.parker.Notify(UINT32_MAX);
}

void ProcessExecutor::KillHanging(std::int64_t limit_ns) {
  const ScopedLock lock(mutex_);
  const std::int64_t step_ns = config_.step_timeout_ns;
  if (limit_ns == 0 || (step_ns != 0 && step_ns < limit_ns)) limit_ns = step_ns;
  const std::uint64_t now_ns = TickClock::SteadyNanoseconds();
  for (std::uint32_t worker = 0; worker < geometry_.num_workers; ++worker) {
    if (alive_[worker].load(std::memory_order_relaxed)) KillIfHanging(worker, now_ns, limit_ns);
  }
}

void ProcessExecutor::KillIfHanging(std::uint32_t worker, std::uint64_t now_ns,
                                    std::int64_t limit_ns) {
  const auto state =
      static_cast<WorkerState>(state_.worker(worker).state.load(std::memory_order_acquire));
  WorkerStatus& status = worker_status_[worker];
  const std::int64_t hung_ns =
      status.watch.Observe({.state = state,
                            .is_closed = lifetime_.closed(),
                            .finished = FinishedBy(worker),
                            .published = sent_[worker].end.load(std::memory_order_relaxed)},
                           now_ns);
  if (limit_ns == 0) return;
  if (state == WorkerState::kStarting) {
    limit_ns += kStartsAllowed * first_start_ns_;
    if (hung_ns < limit_ns) return;
    status.killed = "it has not made its environments within " + Seconds(limit_ns) +
                    " s (step_timeout, and " + std::to_string(kStartsAllowed) +
                    " times as long as the first workers took)";
  } else {
    // It ends, or has damaged its state.
    if (state != WorkerState::kReady) limit_ns += kEndAllowedNs;
    if (hung_ns < limit_ns) return;
    status.killed =
        "a step or another call took longer than step_timeout = " + Seconds(limit_ns) + " s";
  }
  Kill(status.process);
}

// Determines from its exit status how the process of a worker ended. Returns false while the
// process that reaps it has not written the status yet, for kLongestReapNs at most; after that, it
// returns true and the status stays unknown.
bool ProcessExecutor::ReadExitStatus(std::uint32_t worker) {
  WorkerStatus& status = worker_status_[worker];
  siginfo_t info;
  if (ReadEnd(status.process, info)) {
    status.how_it_ended =
        info.si_code == CLD_EXITED ? ExitedWith(info.si_status) : KilledBy(info.si_status);
    return true;
  }
  const std::uint64_t exit_status =
      state_.worker(worker).exit_status.load(std::memory_order_acquire);
  if ((exit_status & WorkerLine::kStatusKnown) != 0 &&
      exit_status >> 32 == static_cast<std::uint64_t>(status.process.id)) {
    const auto code = static_cast<int>(exit_status & (WorkerLine::kStatusKnown - 1));
    status.how_it_ended =
        WIFSIGNALED(code) ? KilledBy(WTERMSIG(code)) : ExitedWith(WEXITSTATUS(code));
    return true;
  }
  if (status.ended == 0) status.ended = TickClock::Now();
  return TickClock::Nanoseconds(TickClock::Now() - status.ended) > kLongestReapNs;
}

void ProcessExecutor::NoteEnd(std::uint32_t worker) {
  WorkerStatus& status = worker_status_[worker];
  status.error =
      "worker " + std::to_string(worker) + " (process " + std::to_string(status.process.id) + ") ";
  const WorkerLine& line = state_.worker(worker);
  if (!status.killed.empty()) {
    status.error += "was killed: " + status.killed;
  } else if (line.state.load(std::memory_order_acquire) ==
             static_cast<std::uint32_t>(WorkerState::kFailed)) {
    status.error += "could not make its environments: " + std::string(state_.Outgoing(worker));
  } else {
    status.error += status.how_it_ended.empty() ? "died" : status.how_it_ended;
  }
  num_dead_.fetch_add(1, std::memory_order_release);
  alive_[worker].store(false, std::memory_order_release);
}

// Completes the items of a dead worker as failed, except those that it has committed. Returns false
// if a living worker is reserving a row; the caller must then try again later.
bool ProcessExecutor::Recover(std::uint32_t worker) {
  // Neither this process, which reserves rows with mutex_ held, nor a worker that has finished its
  // items reserves a row now, whatever a broken worker has written there.
  const auto lives = [this](std::size_t writer) {
    if (writer >= geometry_.num_workers) return false;
    const auto other = static_cast<std::uint32_t>(writer);
    return alive_[other].load(std::memory_order_relaxed) &&
           FinishedBy(other) != sent_[other].end.load(std::memory_order_relaxed);
  };
  if (!state_.rows().Recover(worker, lives)) return false;
  const std::string& why = worker_status_[worker].error;
  Sent& sent = sent_[worker];
  const std::uint64_t end = sent.end.load(std::memory_order_relaxed);
  for (std::uint64_t at = FinishedBy(worker); at < end; ++at)
    FailItem(sent.IdAt(at).load(std::memory_order_relaxed), why);
  engine::Ring ring = state_.ring(worker);
  ring.Publish(end);
  ring.FinishTo(end);
  // The dead worker may not have decremented it. At 0 or below, each worker that ends its part of
  // the job wakes the callers.
  state_.header().job_left.store(0, std::memory_order_release);
  for (std::uint32_t env = worker; env < geometry_.num_envs; env += geometry_.num_workers) {
    lost_[env] = 1;
  }
  return true;
}

void ProcessExecutor::FailItem(std::uint32_t env, const std::string& why) {
  const Request& request = requests_[env];
  switch (request.kind) {
    case ItemKind::kQueuedStep:
    case ItemKind::kQueuedReset:
      return FailQueued(env, why);
    case ItemKind::kCallMethod:
      return group_->ReportFailedCall(env, why);
    default:
      if (job_.batch == nullptr) return;  // of an earlier job; see FinishedBy
      // Writes the row even if it is complete, because the worker had not finished the item.
      return group_->WriteFailed(env, request.row, why, job_.batch->view());
  }
}

// Does nothing if the row of the environment has been taken: a worker commits the row before it
// finishes the item, and may die in between.
void ProcessExecutor::FailQueued(std::uint32_t env, const std::string& why) {
  if (queued_[env] == 0) return;
  Tickets& rows = state_.rows();
  Tickets::Writer& own = rows.writer(geometry_.num_workers);
  Tickets::Position position;
  bool committed = false;
  if (geometry_.ordered()) {
    position = rows.RowOfHead(env);
    committed = rows.IsCommitted(position.batch, position.row);
  } else if (!rows.Find(env, position, committed)) {
    position = rows.Reserve(own, env);
  }
  if (committed) return;
  OpenBatch* const batch = batches_->at(position.slot);
  if (batch == nullptr) return;  // damaged; see SharedBatches::CopyIds
  group_->WriteFailed(env, position.row, why, batch->view());
  rows.Commit(own, position);
  // Another thread may wait for the row.
  state_.header().done.parker.Notify(UINT32_MAX);
}

}  // namespace engine
