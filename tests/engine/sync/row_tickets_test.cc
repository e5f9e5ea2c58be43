// Every row of every batch is written once, batches come in order and only when full, and a slot is
// not written again before its last batch has been read.
#include "engine/sync/row_tickets.h"

#include <array>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "engine/sync/parker.h"
#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/let_others_run.h"
#include "tests/engine/support/scheduled_sync.h"
#include "tests/engine/sync/pipeline.h"

namespace engine::testing {
namespace row_tickets_test {

// 2^64 rows are never reached. At this batch, 32-bit arithmetic would fail.
constexpr std::uint64_t kFarBatch = (std::uint64_t{1} << 40) - 1;
constexpr std::uint64_t kLastAction = UINT64_MAX - 2;
constexpr std::uint32_t kLastSequence = UINT32_MAX - 1;

PipelineShape NearWrapAround(PipelineShape shape) {
  shape.first_batch = kFarBatch;
  shape.first_action = kLastAction;
  shape.first_sequence = kLastSequence;
  return shape;
}

SetUp RunPipeline(const PipelineShape& shape, int workers, std::uint32_t batches, bool one_by_one) {
  return [=](Scenario& scenario) {
    auto pipeline = std::make_shared<Pipeline<ScheduledSync>>(shape);
    for (int w = 0; w < workers; ++w) {
      scenario.Thread("worker", [pipeline] { pipeline->Work(); });
    }
    scenario.Thread("caller",
                    [=] { Require(pipeline->Drive(batches, one_by_one), "a wrong batch"); });
    scenario.AtEnd(
        [pipeline] { Require(pipeline->AllAsleepCounted(), "sleepers are miscounted"); });
  };
}

// Writers fill two batches in slots that are not reused.
TEST(RowTickets, RowsAreWrittenOnceAndSeenEverySchedule) {
  struct State {
    RowTickets<ScheduledSync> queue{2, 2, kFarBatch};
    std::array<std::array<ScheduledSync::Var<int>, 2>, 2> rows;
    std::array<int, 2> full_calls{};
  };
  ExpectEverySchedule({.preemption_bound = 3}, [](Scenario& scenario) {
    auto state = std::make_shared<State>();
    for (const std::uint32_t n : {1U, 3U}) {  // a chunk of 3 extends into the next batch
      scenario.Thread("writer", [state, n] {
        const std::uint64_t ticket = state->queue.Reserve(n);
        for (std::uint32_t i = 0; i < n; ++i) {
          const auto position = state->queue.PositionOf(ticket + i);
          auto& row = state->rows[position.slot][position.row];
          Require(row.Read() == 0, "a row is written twice");
          row.Write(1);
          if (state->queue.Commit(position.slot, 1)) ++state->full_calls[position.slot];
        }
      });
    }
    scenario.Thread("receiver", [state] {
      std::uint32_t last_slot = state->queue.SlotOf(kFarBatch - 1);
      for (int batch = 0; batch < 2; ++batch) {
        while (!state->queue.Ready()) ScheduledSync::Pause();
        Require(state->queue.WrittenInHead() == 2, "ready but not full");
        const std::uint32_t slot = state->queue.Take();
        Require(slot == (last_slot + 1) % 2, "out of order");
        last_slot = slot;
        for (const auto& row : state->rows[slot]) Require(row.Read() == 1, "an unwritten row");
      }
    });
    scenario.AtEnd([state] {
      Require(state->full_calls == std::array<int, 2>{1, 1}, "not filled once each");
      Require(!state->queue.Ready(), "a batch too many");
    });
  });
}

// A worker may reserve a row of a batch that another environment's action opened after the worker
// took its own action. The worker must see the batch's memory and the reset of the slot.
TEST(RowTickets, LateWorkerSeesANewerBatchEverySchedule) {
  struct State {
    ActionQueue<ScheduledSync> actions{2};
    RowTickets<ScheduledSync> states{1, 2};
    std::array<ScheduledSync::Var<int>, 2> blocks;  // memory of each slot's batch
  };
  ExpectEverySchedule({.preemption_bound = 3}, [](Scenario& scenario) {
    auto state = std::make_shared<State>();
    scenario.Thread("sender", [state] {
      for (std::uint32_t env = 0; env < 2; ++env) {
        state->blocks[env].Write(1);  // batch `env` is opened for this action
        state->actions.Push(&env, 1);
      }
    });
    for (int w = 0; w < 2; ++w) {
      scenario.Thread("worker", [state] {
        std::uint32_t env = 0;
        while (state->actions.Pop(&env, 1, 1) == 0) ScheduledSync::Pause();
        const auto position = state->states.PositionOf(state->states.Reserve(1));
        Require(state->blocks[position.slot].Read() == 1, "no memory behind the row");
      });
    }
  });
}

// Two receivers wait for one batch each. One of them takes while the other checks. The one that
// sleeps must not miss a batch that is ready.
template <class Sync>
class TwoReceivers {
 public:
  TwoReceivers(std::uint32_t num_slots, std::uint32_t batches, double spin_ns)
      : batches_(batches),
        spin_ns_(spin_ns),
        queue_(1, num_slots, kFarBatch),
        rows_(num_slots),
        full_(kLastSequence) {}

  // Fills the batches. The receivers free the slots for all batches after the first `num_slots`.
  void Write() {
    for (std::uint32_t b = 0; b < batches_; ++b) {
      room_.Wait([&] { return b < taken_.load(std::memory_order_acquire) + queue_.num_slots(); },
                 0.0);
      const auto position = queue_.PositionOf(queue_.Reserve(1));
      rows_[position.slot].Write(b + 1);
      if (queue_.Commit(position.slot, 1)) full_.Notify(1);
    }
  }

  void Receive(std::uint32_t batches) {
    for (std::uint32_t b = 0; b < batches;) {
      full_.Wait([this] { return queue_.Ready(); }, spin_ns_);
      if (TryTake()) ++b;
    }
  }

 private:
  bool TryTake() {
    while (locked_.exchange(true, std::memory_order_acquire)) LetOthersRun<Sync>();
    const bool ready = queue_.Ready();
    if (ready) {
      const std::uint32_t taken = taken_.load(std::memory_order_relaxed);
      Check(rows_[queue_.Take()].Read() == taken + 1);
      taken_.store(taken + 1, std::memory_order_release);
      room_.Notify(1);
    }
    locked_.store(false, std::memory_order_release);
    return ready;
  }
  static void Check(bool in_order) {
    if constexpr (std::is_same_v<Sync, StdSync>) {
      EXPECT_TRUE(in_order);
    } else {
      Require(in_order, "out of order");
    }
  }

  const std::uint32_t batches_;
  const double spin_ns_;
  RowTickets<Sync> queue_;
  std::vector<typename Sync::template Var<std::uint32_t>> rows_;  // per slot
  Parker<Sync> full_, room_;
  typename Sync::template Atomic<bool> locked_{false};  // the receivers' mutex
  typename Sync::template Atomic<std::uint32_t> taken_{0};
};

SetUp ReceiveByTwo(std::uint32_t num_slots, std::uint32_t each, double spin_ns) {
  return [=](Scenario& scenario) {
    auto state = std::make_shared<TwoReceivers<ScheduledSync>>(num_slots, 2 * each, spin_ns);
    scenario.Thread("writer", [state] { state->Write(); });
    for (int r = 0; r < 2; ++r) {
      scenario.Thread("receiver", [state, each] { state->Receive(each); });
    }
  };
}

TEST(RowTickets, TwoReceiversEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 2, .stale_bound = 1}, ReceiveByTwo(1, 1, 0.0));
  ExpectEverySchedule({.preemption_bound = 2, .stale_bound = 1}, ReceiveByTwo(2, 1, 0.0));
}

TEST(RowTickets, TwoReceiversRandomSchedules) {
  for (const std::uint32_t num_slots : {1U, 2U, 3U}) {
    for (const double spin_ns : {0.0, 2000.0}) {
      ExpectRandomSchedules({.schedules = 5000, .spurious_wakes = true},
                            ReceiveByTwo(num_slots, 4, spin_ns));
    }
  }
}

TEST(RowTickets, TwoReceiversRealThreads) {
  for (const std::uint32_t num_slots : {1U, 3U}) {
    TwoReceivers<StdSync> state(num_slots, 2000, 1000.0);
    std::vector<std::thread> receivers;
    for (int r = 0; r < 2; ++r) receivers.emplace_back([&] { state.Receive(1000); });
    state.Write();
    for (std::thread& receiver : receivers) receiver.join();
  }
}

TEST(RowTickets, PipelineOneWorkerEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 2},
                      RunPipeline(NearWrapAround({.num_envs = 2, .chunk = 2}), 1, 2, false));
}

TEST(RowTickets, PipelineTwoWorkersEverySchedule) {
  ExpectEverySchedule(
      {.preemption_bound = 1, .stale_bound = 0},
      RunPipeline(NearWrapAround({.num_envs = 3, .batch_size = 2, .chunk = 2}), 2, 2, false));
}

TEST(RowTickets, PipelineRandomSchedules) {
  for (const bool one_by_one : {false, true}) {
    for (const std::uint32_t batch_size : {1U, 2U, 3U}) {
      const PipelineShape shape =
          NearWrapAround({.num_envs = 4, .batch_size = batch_size, .chunk = 2});
      ExpectRandomSchedules({.schedules = 2000, .spurious_wakes = true, .weak_failures = true},
                            RunPipeline(shape, 3, 6, one_by_one));
    }
  }
}

TEST(RowTickets, PipelineSpinsRandomSchedules) {
  ExpectRandomSchedules(
      {.schedules = 1000},
      RunPipeline({.num_envs = 3, .batch_size = 1, .spin_ns = 3000.0}, 2, 3, true));
}

// Draining: the receiver announces that it waits for a part of a batch. Workers that commit after
// the announcement wake it for every row.
TEST(RowTickets, DrainSeesTheLastRowEverySchedule) {
  struct State {
    RowTickets<ScheduledSync> queue{3, 1};
    Parker<ScheduledSync> parker;
    ScheduledSync::Atomic<bool> draining{false};
    ScheduledSync::Var<int> row{0};
  };
  ExpectEverySchedule({.preemption_bound = 3, .stale_bound = 1}, [](Scenario& scenario) {
    auto state = std::make_shared<State>();
    scenario.Thread("worker", [state] {
      const auto position = state->queue.PositionOf(state->queue.Reserve(1));
      state->row.Write(1);
      if (state->queue.Commit(position.slot, 1) ||
          state->draining.load(std::memory_order_seq_cst)) {
        state->parker.Notify(1);
      }
    });
    scenario.Thread("receiver", [state] {
      state->draining.store(true, std::memory_order_seq_cst);
      state->parker.Wait([&] { return state->queue.WrittenInHead() == 1; }, 0.0);
      Require(state->row.Read() == 1, "an unwritten row");
      state->queue.DropPartial();
      Require(state->queue.WrittenInHead() == 0, "not dropped");
    });
  });
}

TEST(RowTickets, DropPartialStartsANewBatch) {
  RowTickets<StdSync> queue(4, 2, 5);
  const auto position = queue.PositionOf(queue.Reserve(3));
  EXPECT_EQ(position.slot, queue.head_slot());
  EXPECT_EQ(position.row, 0);
  EXPECT_FALSE(queue.Commit(position.slot, 3));
  EXPECT_EQ(queue.WrittenInHead(), 3);
  queue.DropPartial();
  EXPECT_EQ(queue.WrittenInHead(), 0);
  const auto again = queue.PositionOf(queue.Reserve(4));
  EXPECT_EQ(again.slot, position.slot);
  EXPECT_EQ(again.row, 0);
  EXPECT_TRUE(queue.Commit(again.slot, 4));
  EXPECT_TRUE(queue.Ready());
  EXPECT_EQ(queue.Take(), again.slot);
  EXPECT_FALSE(queue.Ready());
  EXPECT_EQ(queue.PositionOf(queue.Reserve(1)).slot, queue.head_slot());
}

TEST(RowTickets, RealThreads) {
  for (const std::uint32_t batch_size : {1U, 3U, 8U}) {
    for (const double spin_ns : {0.0, 2000.0}) {
      Pipeline<StdSync> pipeline({.num_envs = 8,
                                  .batch_size = batch_size,
                                  .chunk = 3,
                                  .first_batch = kFarBatch,
                                  .first_action = kLastAction,
                                  .first_sequence = kLastSequence,
                                  .spin_ns = spin_ns});
      std::vector<std::thread> workers;
      for (std::uint32_t w = 0; w < 3; ++w) workers.emplace_back([&] { pipeline.Work(); });
      EXPECT_TRUE(pipeline.Drive(8000 / batch_size, batch_size == 1));
      for (std::thread& worker : workers) worker.join();
      EXPECT_TRUE(pipeline.AllAsleepCounted());
    }
  }
}

}  // namespace row_tickets_test
}  // namespace engine::testing
