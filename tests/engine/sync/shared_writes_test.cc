// The number of writes by a pool's threads to words that several threads write, in any schedule.
// These writes limit the number of processors that a pool can use. benchmarks/simulate makes
// predictions from them.
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "engine/sync/action_queue.h"
#include "engine/sync/row_tickets.h"
#include "engine/sync/sharded_range.h"
#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/scheduled_sync.h"

namespace engine::testing {
namespace shared_writes_test {

// Workers empty a queue of `envs` ids in pieces of `piece`, and fill batches of `rows` rows.
void ExpectQueueWrites(std::uint32_t workers, std::uint32_t envs, std::uint32_t piece,
                       std::uint32_t rows) {
  struct State {
    State(std::uint32_t envs, std::uint32_t rows)
        : actions(envs), states(rows, (envs + rows - 1) / rows) {}
    ActionQueue<ScheduledSync> actions;
    RowTickets<ScheduledSync> states;
    // Per worker: the pieces taken, and their parts (one per batch that a piece extends into).
    std::array<std::uint32_t, 8> pieces{}, parts{};
  };
  ExpectRandomSchedules({.schedules = 500}, [=](Scenario& scenario) {
    auto state = std::make_shared<State>(envs, rows);
    std::vector<std::uint32_t> ids(envs);
    std::iota(ids.begin(), ids.end(), 0U);
    state->actions.Push(ids.data(), envs);
    for (std::uint32_t w = 0; w < workers; ++w) {
      scenario.Thread("worker", [=] {
        std::vector<std::uint32_t> taken(piece);
        while (const std::uint32_t n = state->actions.Pop(taken.data(), piece, piece)) {
          ++state->pieces[w];
          const std::uint64_t ticket = state->states.Reserve(n);
          for (std::uint32_t done = 0; done < n; ++state->parts[w]) {
            const auto position = state->states.PositionOf(ticket + done);
            const std::uint32_t m = std::min(n - done, rows - position.row);
            state->states.Commit(position.slot, m);
            done += m;
          }
        }
      });
    }
    scenario.AtEnd([=] {
      const auto sum = [](const auto& counts) {
        return std::accumulate(counts.begin(), counts.end(), 0U);
      };
      // One write to take a piece, one to reserve its rows, one to commit each part.
      Require(SharedWrites() <= 2 * sum(state->pieces) + sum(state->parts), "too many writes");
      Require(sum(state->pieces) <= (envs + piece - 1) / piece, "too many pieces");
    });
  });
}

TEST(SharedWrites, ThreePerPieceOfTheQueue) {
  ExpectQueueWrites(2, 8, 1, 4);
  ExpectQueueWrites(4, 8, 1, 8);
  ExpectQueueWrites(4, 16, 4, 8);  // a quarter of the writes per step
}

// The participants of a job claim from their own shards. Several threads write only the two
// counters, once per participant each, and the cursors of shards from which another participant
// steals.
TEST(SharedWrites, TwoPerParticipantOfAJobHoweverManyItemsItHas) {
  constexpr std::uint32_t kThreads = 3;
  for (const std::uint32_t items : {6U, 24U}) {
    struct State {
      ShardedRange<ScheduledSync> range{kThreads};
      std::array<std::uint32_t, kThreads> stolen{};
    };
    ExpectRandomSchedules({.schedules = 500}, [=](Scenario& scenario) {
      auto state = std::make_shared<State>();
      state->range.Publish(items, true);
      for (std::uint32_t t = 0; t < kThreads; ++t) {
        scenario.Thread("participant", [=] {
          std::uint32_t finished = 0;
          std::uint32_t index = 0;  // one of the finished indices
          for (;;) {
            const IndexRange claimed = state->range.Claim(t, 1, 2, [&] {
              if (finished > 0) state->range.Finish(index, finished);
              finished = 0;
            });
            if (claimed.empty()) break;
            if (claimed.begin < items * t / kThreads ||
                claimed.begin >= items * (t + 1) / kThreads) {
              ++state->stolen[t];
            }
            index = claimed.begin;
            finished += claimed.size();
          }
          if (finished > 0) state->range.Finish(index, finished);
        });
      }
      scenario.AtEnd([=] {
        const std::uint32_t stolen =
            std::accumulate(state->stolen.begin(), state->stolen.end(), 0U);
        // The cursor of a shard that is stolen from also counts its owner's claims: one per two
        // items, and one per item near the end.
        const std::uint32_t cursors = stolen == 0 ? 0 : items;
        // The counters: the end of each shard, and a report per participant and per stolen piece.
        Require(SharedWrites() <= 2 * kThreads + stolen + cursors, "too many writes");
      });
    });
  }
}

}  // namespace shared_writes_test
}  // namespace engine::testing
