// The ledger of open batches: its receivers never miss a batch, a row, a batch that another thread
// takes, or an epoch, under every schedule.
#include "engine/runtime/open_batches.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/sync/lock.h"
#include "engine/sync/row_tickets.h"
#include "engine/sync/shared_row_tickets.h"
#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/scheduled_sync.h"

namespace engine::testing {
namespace open_batches_test {

// A policy whose sequentially consistent operations are weaker: for planted errors.
struct WeakSync : ScheduledSync {
  template <class T>
  class Atomic : public ScheduledSync::Atomic<T> {
   public:
    using Base = ScheduledSync::Atomic<T>;
    using Base::Base;
    T load(std::memory_order order) const {
      return Base::load(order == std::memory_order_seq_cst ? std::memory_order_acquire : order);
    }
    T fetch_add(T value, std::memory_order order) {
      return Base::fetch_add(
          value, order == std::memory_order_seq_cst ? std::memory_order_acq_rel : order);
    }
  };
};

EnvSpec MakeSpec() {
  EnvSpec spec;
  spec.observation = SpaceSpec::Box<float>({1}, -1.0F, 1.0F);
  spec.action = SpaceSpec::Discrete(2);
  return spec;
}
const EnvSpec kSpec = MakeSpec();

// Rows that threads of this process write; a full batch wakes one receiver.
template <class Sync>
class Rows {
 public:
  using Ledger = BatchLedger<RowTickets<Sync>, Sync>;

  Rows(std::uint32_t num_envs, std::uint32_t batch_size)
      : ledger(kSpec, num_envs, {.batch_size = batch_size, .allocator = &HeapAllocator::Global()},
               signal, 1, batch_size, (num_envs + batch_size - 1) / batch_size) {}

  void Write(std::uint32_t /*env*/) {
    const auto position = ledger.tickets().PositionOf(ledger.tickets().Reserve(1));
    Require(ledger.at(position.slot) != nullptr, "no memory behind the row");
    signal.Notify(ledger.tickets().Commit(position.slot, 1), 1);
  }

  ReceiverSignal<Sync> signal;
  Ledger ledger;
};

// Rows that processes write; a full batch wakes all receivers.
class SharedRows {
 public:
  using Tickets = SharedRowTickets<ScheduledSync>;
  using Ledger = BatchLedger<Tickets, ScheduledSync>;

  SharedRows(std::uint32_t num_envs, std::uint32_t batch_size)
      : slots_(num_envs),
        rows_(std::size_t{num_envs} * batch_size),
        writers_(num_envs),
        ledger(kSpec, num_envs, {.batch_size = batch_size, .allocator = &HeapAllocator::Global()},
               signal, UINT32_MAX, counters_, slots_.data(), rows_.data(), batch_size,
               (num_envs + batch_size - 1) / batch_size, writers_.data(), writers_.size()) {}

  void Write(std::uint32_t env) {
    Tickets& tickets = ledger.tickets();
    const Tickets::Position position = tickets.Reserve(tickets.writer(env), env);
    Require(ledger.at(position.slot) != nullptr, "no memory behind the row");
    signal.Notify(tickets.Commit(tickets.writer(env), position), UINT32_MAX);
  }

 private:
  Tickets::Counters counters_;
  std::vector<Tickets::Slot> slots_;
  std::vector<Tickets::Row> rows_;
  std::vector<Tickets::Writer> writers_;

 public:
  ReceiverSignal<ScheduledSync> signal;
  Ledger ledger;
};

// A pool whose environments are threads: each of them writes one row and ends.
template <class Rows>
class Pool {
 public:
  Pool(std::uint32_t num_envs, std::uint32_t batch_size)
      : batch_size_(batch_size), rows_(num_envs, batch_size), in_flight_(num_envs) {
    for (std::uint32_t rows = 0; rows < num_envs; rows += batch_size) {
      ledger_.Open(ledger_.queue_memory().Take());
    }
  }

  void Write(std::uint32_t env) { rows_.Write(env); }

  // Receives as Pool::Recv does. Returns false if too few environments are left in flight.
  bool Receive() {
    std::uint64_t epoch = 0;
    if (!CanFill(epoch)) return false;
    for (;;) {
      ledger_.WaitForBatch(epoch, Wait());
      const std::lock_guard lock(state_lock_);
      if (ledger_.Ready()) {
        Take();
        return true;
      }
      if (ledger_.underfull_epoch() == epoch) continue;
      if (in_flight_ < batch_size_) return false;
      epoch = ledger_.underfull_epoch();
    }
  }

  // Drains as Pool::Drain does.
  void Drain() {
    for (;;) {
      std::uint32_t rest = 0;
      std::uint64_t taken = 0;
      {
        const std::lock_guard lock(state_lock_);
        while (ledger_.Ready()) Take();
        rest = std::min(in_flight_, batch_size_);
        taken = ledger_.num_taken();
        if (rest < batch_size_ && ledger_.RowsWritten() == rest) {
          ledger_.DropPartial();
          in_flight_ = 0;
          return;
        }
      }
      ledger_.WaitForRows(rest, taken, Wait());
    }
  }

  std::uint32_t in_flight() const { return in_flight_; }

 private:
  bool CanFill(std::uint64_t& epoch) {
    const std::lock_guard lock(state_lock_);
    epoch = ledger_.underfull_epoch();
    return in_flight_ >= batch_size_;
  }
  void Take() {
    ledger_.queue_memory().Return(ledger_.Take());
    in_flight_ -= batch_size_;
    if (in_flight_ < batch_size_) ledger_.WakeReceivers();
  }
  auto Wait() {
    return [this](auto&& over) {
      rows_.signal.parker.Wait(over, 0.0);
      return WaitResult::kDone;
    };
  }

  const std::uint32_t batch_size_;
  Rows rows_;
  typename Rows::Ledger& ledger_ = rows_.ledger;
  BasicLock<ScheduledSync> state_lock_;
  std::uint32_t in_flight_;
};

template <class Rows>
SetUp Run(std::uint32_t num_envs, std::uint32_t batch_size, std::uint32_t receivers, bool drains) {
  return [=](Scenario& scenario) {
    auto pool = std::make_shared<Pool<Rows>>(num_envs, batch_size);
    auto received = std::make_shared<std::uint32_t>(0);
    for (std::uint32_t env = 0; env < num_envs; ++env) {
      scenario.Thread("writer", [=] { pool->Write(env); });
    }
    for (std::uint32_t r = 0; r < receivers; ++r) {
      scenario.Thread("receiver", [=] { *received += pool->Receive() ? 1 : 0; });
    }
    if (drains) scenario.Thread("drainer", [=] { pool->Drain(); });
    scenario.AtEnd([=] {
      const std::uint32_t full = num_envs / batch_size;
      if (drains) {
        Require(*received <= full && pool->in_flight() == 0, "a row is left");
      } else {
        Require(*received == std::min(full, receivers), "a batch is lost");
      }
    });
  };
}

void ExpectEverySchedule(const ExploreOptions& options, std::uint32_t num_envs,
                         std::uint32_t batch_size, std::uint32_t receivers, bool drains) {
  ExpectEverySchedule(options, Run<Rows<ScheduledSync>>(num_envs, batch_size, receivers, drains));
  ExpectEverySchedule(options, Run<SharedRows>(num_envs, batch_size, receivers, drains));
}

// One batch for two receivers: one of them takes it, and the other one sees the epoch.
TEST(OpenBatches, AReceiverWithoutABatchGivesUpEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 2, .stale_bound = 0}, 1, 1, 2, false);
}

// The second batch may be full first.
TEST(OpenBatches, EveryReceiverGetsABatchEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 1, .stale_bound = 1}, 2, 1, 2, false);
}

TEST(OpenBatches, DrainSeesEveryRowEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 3, .stale_bound = 1}, 1, 2, 0, true);
}

// A receiver may take the batch for which the draining thread waits.
TEST(OpenBatches, DrainAndReceiveEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 1, .stale_bound = 1}, 2, 1, 1, true);
}

TEST(OpenBatches, RandomSchedules) {
  for (const bool drains : {false, true}) {
    for (const std::uint32_t batch_size : {1U, 2U, 3U}) {
      ExpectRandomSchedules({.schedules = 2000, .spurious_wakes = true},
                            Run<Rows<ScheduledSync>>(3, batch_size, 2, drains));
      ExpectRandomSchedules({.schedules = 1000, .spurious_wakes = true},
                            Run<SharedRows>(3, batch_size, 2, drains));
    }
  }
}

// Planted error: with weaker orders, a row is committed while a drain begins to wait, and neither
// thread sees the other.
TEST(OpenBatches, WeakerOrdersLoseAWakeUp) {
  const ExploreResult result =
      ExploreAll({.preemption_bound = 2, .stale_bound = 1}, Run<Rows<WeakSync>>(1, 2, 0, true));
  EXPECT_TRUE(result.failed);
  EXPECT_TRUE(result.failure.find("deadlock") != std::string::npos) << result.failure;
}

TEST(OpenBatches, JobsAndQueueShareMemoryInOrderedMode) {
  ReceiverSignal<> signal;
  for (const std::uint32_t batch_size : {2U, 4U}) {
    BatchLedger<RowTickets<>> ledger(
        kSpec, 4, {.batch_size = batch_size, .allocator = &HeapAllocator::Global()}, signal, 1,
        batch_size, 4 / batch_size);
    EXPECT_EQ(&ledger.job_memory() == &ledger.queue_memory(), batch_size == 4);
    EXPECT_EQ(ledger.job_memory().layout().rows, 4U);
    EXPECT_EQ(ledger.queue_memory().layout().rows, batch_size);
  }
}

// Dropping keeps the memory of the batch and forgets what its rows have counted.
TEST(OpenBatches, ADroppedBatchStaysOpen) {
  ReceiverSignal<> signal;
  BatchLedger<RowTickets<>> ledger(
      kSpec, 4, {.batch_size = 2, .allocator = &HeapAllocator::Global()}, signal, 1, 2U, 2U);
  OpenBatch* const batch = ledger.queue_memory().Take();
  ledger.Open(batch);
  const auto slot = ledger.tickets().PositionOf(ledger.tickets().Reserve(1)).slot;
  batch->Count({.failures = 1});
  ledger.tickets().Commit(slot, 1);
  EXPECT_EQ(ledger.RowsWritten(), 1U);
  ledger.DropPartial();
  EXPECT_EQ(ledger.RowsWritten(), 0U);
  EXPECT_EQ(ledger.num_open(), 1U);
  EXPECT_EQ(ledger.underfull_epoch(), 1U);
  EXPECT_EQ(batch->failures(), 0U);
  ledger.tickets().Commit(ledger.tickets().PositionOf(ledger.tickets().Reserve(2)).slot, 2);
  ASSERT_TRUE(ledger.Ready());
  EXPECT_EQ(ledger.Take(), batch);
  EXPECT_EQ(ledger.num_open(), 0U);
  EXPECT_EQ(ledger.num_taken(), 1U);
}

}  // namespace open_batches_test
}  // namespace engine::testing
