// Synchronous calls: each runs one job of the executor over rows that are known in advance.
#include <utility>

#include "engine/base/error.h"
#include "engine/runtime/call_scope.h"
#include "engine/runtime/pool.h"

namespace engine {

// Runs one job. `start`, which gets the ids of the environments, starts it.
template <class Start>
WaitResult Pool::RunSync(const ArrayView* ids, Host& host, const Results& results, Start&& start,
                         const char* name) {
  CallScope caller(*this, host);
  SyncCallLock::Holder holder(sync_lock_);
  const WaitResult begun = BeginSync(ids, caller, holder);
  if (begun != WaitResult::kDone) return begun;
  {
    const StateLock lock(*this, caller);
    std::uint32_t n = 0;
    const std::uint32_t* const idle = ReadIds(ids, n, name);
    start(idle, n);
  }
  return RunJob(caller, results);
}

WaitResult Pool::Step(const ArrayView& actions, const ArrayView* ids, Host& host, Batch& batch,
                      const RowTarget& target) {
  if (!ordered()) return SendAndRecv(actions, ids, host, batch);
  return RunSync(ids, host, {.batch = &batch}, [&](const std::uint32_t* idle, std::uint32_t n) {
    state_lock_.AssertHeld();
    CheckSteppable(idle, n);
    executor_->actions().Stage(actions, idle, n);
    StartJob(JobKind::kStep, idle, n, target);
  });
}

WaitResult Pool::Reset(const ArrayView* ids, ResetRequest request, Host& host, Batch& batch,
                       const RowTarget& target) {
  return RunSync(ids, host, {.batch = &batch}, [&](const std::uint32_t* idle, std::uint32_t n) {
    state_lock_.AssertHeld();
    CheckMask(request.mask, idle);
    if (request.states) CheckStates(*request.states, idle, n);
    if (!request.settings.empty()) executor_->group().settings().Prepare(num_envs_);
    StartJob(JobKind::kReset, idle, n, target);
    Job& job = executor_->job();
    SetNextSettings(idle, request.settings, request.mask);
    job.request = std::move(request);
    job.plan = job.request.Plan();
  });
}

WaitResult Pool::Render(const ArrayView* ids, std::uint8_t* pictures, std::shared_ptr<void> owner,
                        Host& host, Failures& failed) {
  const auto start = [&](const std::uint32_t* idle, std::uint32_t n) {
    state_lock_.AssertHeld();
    CheckHasPicture(idle, n);
    StartJob(JobKind::kRender, idle, n);
    executor_->job().pictures = pictures;
    executor_->job().pictures_owner = std::move(owner);
  };
  return RunSync(ids, host, {.failed = &failed}, start, "env_id");
}

WaitResult Pool::CallMethod(const ArrayView* ids, std::shared_ptr<const void> method, Host& host,
                            std::vector<RowObject>& results) {
  return RunSync(ids, host, {.objects = &results}, [&](const std::uint32_t* idle, std::uint32_t n) {
    state_lock_.AssertHeld();
    StartJob(JobKind::kCallMethod, idle, n);
    executor_->job().method = std::move(method);
  });
}

// Acquires the lock, then waits for the rest of an interrupted synchronous call and drops its
// results.
WaitResult Pool::BeginSync(const ArrayView* ids, WaitContext& caller,
                           SyncCallLock::Holder& holder) {
  WaitResult waited = AcquireSync(caller, holder, nullptr);
  if (waited == WaitResult::kDone && NeedsInterruptedEnvs(ids, caller)) waited = DrainQueue(caller);
  return waited;
}

// `batch`: as in FinishInterruptedJob.
WaitResult Pool::AcquireSync(WaitContext& caller, SyncCallLock::Holder& holder, Batch* batch) {
  const WaitResult waited = holder.Acquire(caller, [this] { return closed(); });
  // Also with the lock: the call before, which Close ended, has left its environments in flight.
  CheckOpen();
  return waited == WaitResult::kDone ? FinishInterruptedJob(caller, batch) : waited;
}

// With the lock of synchronous calls held. Continues an interrupted job, if there is one; `batch`
// null: drops its results.
WaitResult Pool::FinishInterruptedJob(WaitContext& caller, Batch* batch) {
  if (!has_unfinished_job_.load(std::memory_order_relaxed)) return WaitResult::kDone;
  caller.Unlock();
  const WaitResult waited = executor_->Finish(caller);
  CheckOpen();
  if (waited == WaitResult::kDone) {
    Batch dropped;
    std::vector<RowObject> dropped_objects;
    EndJob(caller, {.batch = batch != nullptr ? batch : &dropped, .objects = &dropped_objects});
  }
  return waited;
}

// With the locks held, after all arguments are checked.
void Pool::StartJob(JobKind kind, const std::uint32_t* ids, std::uint32_t n,
                    const RowTarget& target) {
  Job& job = executor_->job();
  // The parts that may throw come first.
  CheckTarget(target, n);
  if (ids == nullptr) {
    job.ids.clear();
  } else {
    job.ids.assign(ids, ids + n);
  }
  const bool has_rows = kind == JobKind::kStep || kind == JobKind::kReset;
  job.batch = has_rows ? batches_.job_memory().Take() : nullptr;
  if (target && job.batch != nullptr && executor_->writes_targets()) job.batch->Redirect(target);
  job.kind = kind;
  job.n = n;
  if (ids == nullptr) {
    in_flight_.MarkAll(TickClock::Now());
  } else {
    in_flight_.Mark(job.ids.data(), n, TickClock::Now());
  }
}

WaitResult Pool::RunJob(WaitContext& caller, const Results& results) {
  WaitResult waited = WaitResult::kDone;
  try {
    waited = executor_->Run(caller);
  } catch (...) {
    // The executor cannot finish it; later calls find out in the same way.
    has_unfinished_job_.store(true, std::memory_order_release);
    throw;
  }
  CheckOpen();
  if (waited == WaitResult::kDone) {
    EndJob(caller, results);
  } else {
    has_unfinished_job_.store(true, std::memory_order_release);  // pairs with Recv
  }
  return waited;
}

void Pool::EndJob(WaitContext& caller, const Results& results) {
  Job& job = executor_->job();
  {
    const StateLock lock(*this, caller);
    if (job.ids.empty()) {
      in_flight_.ClearAll();
    } else {
      in_flight_.Clear(job.ids.data(), job.n);
    }
    has_unfinished_job_.store(false, std::memory_order_relaxed);  // even if the code below throws
    if (job.batch != nullptr) {
      const std::uint32_t* const ids = job.ids.empty() ? nullptr : job.ids.data();
      results_.Returned(ids, job.n);
      Finish(batches_.job_memory(), std::exchange(job.batch, nullptr), ids, job.n, *results.batch);
    } else if (job.kind == JobKind::kCallMethod) {
      executor_->group().TakeObjects(job.ids.empty() ? nullptr : job.ids.data(), job.n,
                                     *results.objects);
    } else if (results.failed != nullptr) {
      for (std::uint32_t k = 0; k < job.n; ++k) {
        AddIfFailed(job.ids.empty() ? k : job.ids[k], *results.failed);
      }
    }
  }
  job.pictures_owner.reset();
  job.method.reset();
}

}  // namespace engine
