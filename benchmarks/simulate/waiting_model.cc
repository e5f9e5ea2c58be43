// How simulated threads wait and wake each other: WorkerThreads, WorkSignal and Parker.
#include <algorithm>

#include "benchmarks/simulate/pool_model.h"

namespace engine::simulate {
namespace {

constexpr std::uint32_t kWakesPerThread = 2;  // as in WorkSignal

}  // namespace

Task PoolModel::RunWorker(Thread& thread) {
  for (;;) {
    bool worked = false;
    co_await published_.Read(*thread.cpu);
    if (thread.epoch != epoch_) {
      const std::uint32_t epoch = epoch_;
      if (thread.index + 1 < shape_.num_threads) {
        co_await Work(thread, thread.index + 1, worked);
      }
      thread.epoch = epoch;
    }
    bool found = false;
    co_await RunPiece(thread, found);
    if (worked || found) {
      thread.fruitless_ns = 0.0;
    } else {
      co_await Idle(thread);
    }
  }
}

// WorkerThreads::Idle, SpinPermit and WorkSignal::SpinForWork.
Task PoolModel::Idle(Thread& thread) {
  const std::size_t stripe = thread.index % permits_.size();
  co_await permits_[stripe].Own(*thread.cpu);
  const auto cpus = static_cast<std::uint32_t>(cpus_.size());
  std::uint32_t taken = 0;
  for (const std::uint32_t one : permits_taken_) taken += one;
  const bool granted = taken + 1 < cpus;
  if (granted) {
    ++permits_taken_[stripe];
    Group& group = *thread.group;
    co_await group.spinners.Own(*thread.cpu);
    ++group.num_spinning;
    if (!HasWork(thread)) {
      thread.spinning = true;
      const std::uint32_t pool = design_.limits_fruitless_spins ? shape_.num_threads : 1;
      const double start = loop_.now();
      loop_.Start(Deadline(thread, thread.waiter.number + 1,
                           start + WorkerSpinNs(pool, thread.fruitless_ns)));
      co_await WaitFor(thread);
      thread.spinning = false;
      thread.fruitless_ns += loop_.now() - start;
    }
    co_await group.spinners.Own(*thread.cpu);
    --group.num_spinning;
    --permits_taken_[stripe];
  }
  co_await permits_[stripe].Own(*thread.cpu);
  if (HasWork(thread)) co_return;
  co_await Sleep(thread);
  thread.fruitless_ns = 0.0;
}

// WorkSignal::SleepForWork.
Task PoolModel::Sleep(Thread& thread) {
  Group& group = *thread.group;
  while (!HasWork(thread)) {
    co_await group.sleepers.Own(*thread.cpu);
    if (!HasWork(thread)) {
      thread.sleeping = true;
      group.asleep.push_back(&thread);
      co_await WaitFor(thread);
      thread.sleeping = false;
    }
    co_await group.sleepers.Own(*thread.cpu);
    co_await group.pending_wakes.Read(*thread.cpu);
    if (group.num_pending == 0) continue;
    co_await group.pending_wakes.Own(*thread.cpu);
    if (!HasWork(thread)) {
      group.num_pending = 0;
      continue;
    }
    const std::uint32_t share = std::min(group.num_pending, kWakesPerThread);
    group.num_pending -= share;
    co_await WakeSleepers(thread, group, share);
  }
}

// WorkSignal::Wake, for each group.
Task PoolModel::Wake(Thread& by, std::uint32_t wanted) {
  for (const std::unique_ptr<Group>& group : groups_) {
    if (wanted == 0) co_return;
    co_await group->spinners.Read(*by.cpu);
    if (const std::uint32_t spinning = std::min(wanted, group->num_spinning); spinning > 0) {
      co_await group->spinners.Own(*by.cpu);  // the spinners have noticed by themselves
      wanted -= spinning;
      if (wanted == 0) co_return;
    }
    co_await group->sleepers.Own(*by.cpu);
    const auto wakes = std::min(wanted, static_cast<std::uint32_t>(group->asleep.size()));
    if (wakes > kWakesPerThread) {
      co_await group->pending_wakes.Own(*by.cpu);
      group->num_pending += wakes - kWakesPerThread;
    }
    wanted -= wakes;
    co_await WakeSleepers(by, *group, std::min(wakes, kWakesPerThread));
  }
}

Task PoolModel::WakeSleepers(Thread& by, Group& group, std::uint32_t wanted) {
  if (wanted == 0 || group.asleep.empty()) co_return;
  co_await group.sleepers.Own(*by.cpu);
  for (std::uint32_t k = 0; k < wanted && !group.asleep.empty(); ++k) {
    Thread& sleeper = *group.asleep.front();
    group.asleep.pop_front();
    co_await loop_.For(costs_.futex_wake);
    Resume(sleeper, loop_.now() + costs_.wake_latency);
  }
}

// All spinning workers see that there is work, one after the other.
void PoolModel::NoticeAll(const Processor& from) {
  double served = loop_.now();
  for (Thread& thread : threads_) {
    if (!thread.spinning || !thread.waiter.waiting || !HasWork(thread)) continue;
    served += costs_.read_occupancy;
    Resume(thread, served + TransferNs(costs_, from, *thread.cpu) + costs_.spin_notice);
  }
}

void PoolModel::Resume(Thread& thread, double time) {
  if (!thread.waiter.waiting) return;
  thread.waiter.waiting = false;
  loop_.ResumeAt(time, thread.waiter.handle);
}

Task PoolModel::Deadline(Thread& thread, std::uint64_t number, double time) {
  co_await loop_.Until(time);
  if (thread.waiter.number == number) Resume(thread, time);
}

// WaitContext::WaitUntil on the parker of results, until `ready`.
Task PoolModel::CallerWaits(bool& ready) {
  Thread& caller = threads_.back();
  caller_ready_ = &ready;
  if (!ready) {
    caller_spins_ = true;
    loop_.Start(
        Deadline(caller, caller.waiter.number + 1, loop_.now() + CallerSpinNs(machine_, Counts())));
    co_await WaitFor(caller);
    caller_spins_ = false;
  }
  while (!ready) {
    co_await full_sleepers_.Own(*caller.cpu);
    if (!ready) {
      caller_sleeps_ = true;
      co_await WaitFor(caller);
      caller_sleeps_ = false;
    }
    co_await full_sleepers_.Own(*caller.cpu);
  }
  caller_ready_ = nullptr;
}

// Parker::Notify, after `by` has made the results complete.
Task PoolModel::NotifyCaller(Thread& by) {
  Thread& caller = threads_.back();
  if (caller_spins_) {
    Resume(caller, loop_.now() + TransferNs(costs_, *by.cpu, *caller.cpu) + costs_.spin_notice);
  }
  co_await full_sleepers_.Own(*by.cpu);
  if (!caller_sleeps_) co_return;
  co_await loop_.For(costs_.futex_wake);
  if (caller_sleeps_) Resume(caller, loop_.now() + costs_.wake_latency);
}

Workers PoolModel::Counts() const {
  Workers counts{.started = shape_.num_threads};
  for (const Thread& thread : threads_) {
    counts.sleeping += thread.sleeping;
    counts.spinning += thread.spinning;
  }
  return counts;
}

}  // namespace engine::simulate
