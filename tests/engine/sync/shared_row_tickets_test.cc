// Rows are reserved in order of arrival. A writer may die between any two operations on shared
// memory, and the owner can then complete its row.
#include "engine/sync/shared_row_tickets.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/scheduled_sync.h"

namespace engine::testing {
namespace shared_row_tickets_test {

struct Died {};

// The number of operations that this thread may still run. It dies at the next one.
thread_local int life = -1;

void Live() {
  if (life < 0) return;
  if (life-- == 0) {
    life = -1;
    throw Died();
  }
}

// A policy under which a thread dies at a chosen operation.
struct MortalSync : StdSync {
  template <class T>
  class Atomic {
   public:
    Atomic() = default;
    Atomic(T value) : value_(value) {}  // NOLINT(google-explicit-constructor): as std::atomic
    T load(std::memory_order order) const {
      Live();
      return value_.load(order);
    }
    void store(T value, std::memory_order order) {
      Live();
      value_.store(value, order);
    }
    T fetch_add(T value, std::memory_order order) {
      Live();
      return value_.fetch_add(value, order);
    }

   private:
    std::atomic<T> value_{};
  };
};

template <class Sync>
struct Shared {
  using Tickets = SharedRowTickets<Sync>;
  Shared(std::uint32_t rows_per_batch, std::uint32_t num_slots, std::size_t num_writers)
      : slots(new typename Tickets::Slot[num_slots]),
        rows(new typename Tickets::Row[std::size_t{num_slots} * rows_per_batch]),
        writers(new typename Tickets::Writer[num_writers]),
        ledger(counters, slots.get(), rows.get(), rows_per_batch, num_slots, writers.get(),
               num_writers) {}

  bool Ready() const { return ledger.Ready(); }

  typename Tickets::Counters counters;
  std::unique_ptr<typename Tickets::Slot[]> slots;
  std::unique_ptr<typename Tickets::Row[]> rows;
  std::unique_ptr<typename Tickets::Writer[]> writers;
  Tickets ledger;
};

// Completes the item of a dead writer, as the owner does. Returns whether the writer had completed
// it. Writers in [first_dead, own) are dead.
template <class Sync>
bool Complete(Shared<Sync>& shared, std::size_t dead, std::size_t own, std::uint32_t item,
              std::size_t first_dead) {
  auto& ledger = shared.ledger;
  const auto lives = [&](std::size_t writer) { return writer < first_dead || writer >= own; };
  EXPECT_TRUE(ledger.Recover(dead, lives));
  typename SharedRowTickets<Sync>::Position position;
  bool committed = false;
  if (!ledger.Find(item, position, committed)) position = ledger.Reserve(shared.writers[own], item);
  if (!committed) ledger.Commit(shared.writers[own], position);
  return committed;
}

// Items 0 and 1 fill a batch. The writer of item 1 dies at each of its operations in turn, before
// or after item 0 is written.
TEST(SharedRowTickets, AWriterMayDieAnywhere) {
  bool completed = false;
  int survived = 0;
  for (int operations = 0; !completed; ++operations) {
    for (const bool first : {true, false}) {
      Shared<MortalSync> shared(2, 2, 3);
      auto& ledger = shared.ledger;
      const auto write = [&](std::size_t writer, std::uint32_t item) {
        ledger.Commit(shared.writers[writer], ledger.Reserve(shared.writers[writer], item));
      };
      if (first) write(0, 0);
      bool died = false;
      life = operations;
      try {
        write(1, 1);
        life = -1;
      } catch (const Died&) {
        died = true;
      }
      completed = !died;
      if (Complete(shared, 1, 2, 1, 1)) ++survived;
      if (!first) {
        EXPECT_FALSE(shared.Ready());
        write(0, 0);
      }
      EXPECT_TRUE(shared.Ready());
      EXPECT_EQ(ledger.WrittenInHead(), 2U);
      ledger.Take();
      // The next batch is not affected, and needs both of its rows.
      EXPECT_FALSE(shared.Ready());
      write(0, 0);
      EXPECT_FALSE(shared.Ready());
      write(1, 1);
      EXPECT_TRUE(shared.Ready());
      ledger.Take();
      EXPECT_FALSE(shared.Ready());
    }
  }
  // Some of the operations at which the writer died come after its commit.
  EXPECT_LT(2, survived);
}

// Both writers of a batch die, at every combination of their operations.
TEST(SharedRowTickets, TwoWritersMayDieAnywhere) {
  constexpr int kMaxOperations = 10;  // in a reservation and a commit
  for (int operations = 0; operations < kMaxOperations * kMaxOperations; ++operations) {
    Shared<MortalSync> shared(2, 2, 3);
    auto& ledger = shared.ledger;
    const auto write = [&](std::size_t writer, std::uint32_t item) {
      ledger.Commit(shared.writers[writer], ledger.Reserve(shared.writers[writer], item));
    };
    for (std::uint32_t writer = 0; writer < 2; ++writer) {
      life = writer == 0 ? operations % kMaxOperations : operations / kMaxOperations;
      try {
        write(writer, writer);
      } catch (const Died&) {
      }
      life = -1;
    }
    Complete(shared, 0, 2, 0, 0);
    Complete(shared, 1, 2, 1, 0);
    EXPECT_TRUE(shared.Ready());
    EXPECT_EQ(ledger.WrittenInHead(), 2U);
    ledger.Take();
    EXPECT_FALSE(shared.Ready());
    write(0, 0);
    write(1, 1);
    EXPECT_TRUE(shared.Ready());
    ledger.Take();
    EXPECT_FALSE(shared.Ready());
  }
}

// The owner does not recover while a live writer is in Reserve.
TEST(SharedRowTickets, RecoveryWaitsForWritersThatReserve) {
  Shared<MortalSync> shared(2, 2, 3);
  auto& ledger = shared.ledger;
  for (std::uint32_t writer = 0; writer < 2; ++writer) {
    life = 2;  // dies after it has drawn its ticket
    bool died = false;
    try {
      ledger.Reserve(shared.writers[writer], writer);
    } catch (const Died&) {
      died = true;
    }
    EXPECT_TRUE(died);
  }
  const auto recover = [&](bool other_lives) {
    const auto lives = [&](std::size_t writer) { return writer == 0 && other_lives; };
    return ledger.Recover(1, lives);
  };
  EXPECT_FALSE(recover(true));
  EXPECT_TRUE(recover(false));
}

// A dropped batch leaves no row that could be mistaken for one of a later batch.
TEST(SharedRowTickets, DroppedRowsAreForgotten) {
  Shared<MortalSync> shared(3, 1, 2);
  auto& ledger = shared.ledger;
  ledger.Commit(shared.writers[0], ledger.Reserve(shared.writers[0], 5));
  EXPECT_EQ(ledger.WrittenInHead(), 1U);
  ledger.DropPartial();
  EXPECT_EQ(ledger.WrittenInHead(), 0U);
  SharedRowTickets<MortalSync>::Position position;
  bool committed = false;
  EXPECT_FALSE(ledger.Find(5, position, committed));
  EXPECT_FALSE(ledger.IsCommitted(0, 0));
}

TEST(SharedRowTickets, RowsAreSeenEverySchedule) {
  struct State {
    Shared<ScheduledSync> shared{2, 2, 2};
    std::array<std::array<ScheduledSync::Var<int>, 2>, 2> rows;
  };
  ExpectEverySchedule({.preemption_bound = 2}, [](Scenario& scenario) {
    auto state = std::make_shared<State>();
    for (std::uint32_t writer = 0; writer < 2; ++writer) {
      scenario.Thread("writer", [state, writer] {
        auto& ledger = state->shared.ledger;
        auto& own = state->shared.writers[writer];
        const auto position = ledger.Reserve(own, writer);
        auto& row = state->rows[position.slot][position.row];
        Require(row.Read() == 0, "a row is written twice");
        row.Write(1);
        ledger.Commit(own, position);
      });
    }
    scenario.Thread("receiver", [state] {
      while (!state->shared.Ready()) ScheduledSync::Pause();
      const std::uint32_t slot = state->shared.ledger.Take();
      for (const auto& row : state->rows[slot]) Require(row.Read() == 1, "an unwritten row");
    });
  });
}

}  // namespace shared_row_tickets_test
}  // namespace engine::testing
