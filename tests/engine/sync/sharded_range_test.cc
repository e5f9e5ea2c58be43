// Every index is claimed once, results are visible when the range is done, and slow participants do
// not disturb the next range.
#include "engine/sync/sharded_range.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/let_others_run.h"
#include "tests/engine/support/scheduled_sync.h"

namespace engine::testing {
namespace sharded_range_test {

constexpr std::uint32_t kLastEpoch = UINT32_MAX;

struct Plan {
  std::uint32_t participants = 2;  // including the publisher
  std::uint32_t n = 3;
  std::uint32_t rounds = 2;
  std::uint32_t min_chunk = 1;
  std::uint32_t max_chunk = 2;
  std::uint32_t first_epoch = 0;
  // Report before each scan of other shards, instead of after each piece.
  bool report_before_scan = false;
  std::uint32_t shards_per_group = 0;
};

// One publisher and its helpers process `rounds` ranges.
template <class Sync, int kEpochBits = 32>
class Job {
 public:
  explicit Job(const Plan& plan)
      : plan_(plan),
        range_(plan.participants, plan.first_epoch, plan.shards_per_group),
        inputs_(plan.n),
        outputs_(plan.n),
        claims_(plan.n) {}

  // Returns whether all results of all rounds were right.
  bool Publisher() {
    bool right = true;
    for (std::uint32_t round = 1; round <= plan_.rounds; ++round) {
      // Every other round has fewer items, so that some shards are empty.
      const std::uint32_t n = round % 2 == 1 ? plan_.n : (plan_.n + 1) / 2;
      for (std::uint32_t i = 0; i < n; ++i) {
        inputs_[i].Write(round * 100 + i);
        claims_[i].store(0, std::memory_order_relaxed);
      }
      range_.Publish(n, true);
      Work(0);
      while (!range_.Done()) LetOthersRun<Sync>();
      for (std::uint32_t i = 0; i < n; ++i) {
        right = right && outputs_[i].Read() == round * 100 + i + 1;
        right = right && claims_[i].load(std::memory_order_relaxed) == 1;
      }
    }
    return right;
  }

  // Tries to work `times` times, whether or not a range is published.
  void Helper(std::uint32_t participant, std::uint32_t times) {
    for (std::uint32_t i = 0; i < times; ++i) Work(participant);
  }

  // Works once on each range, after its publication.
  void FollowingHelper(std::uint32_t participant) {
    constexpr std::uint32_t kMask = UINT32_MAX >> (32 - kEpochBits);
    const std::uint32_t last = (plan_.first_epoch + plan_.rounds) & kMask;
    for (std::uint32_t seen = plan_.first_epoch & kMask; seen != last;) {
      const std::uint32_t epoch = range_.epoch();
      if (epoch == seen) {
        LetOthersRun<Sync>();
        continue;
      }
      Work(participant);
      seen = epoch;
    }
  }

 private:
  void Work(std::uint32_t participant) {
    std::uint32_t finished = 0;
    std::uint32_t index = 0;  // one of the finished indices
    const auto report = [&] {
      if (finished > 0) range_.Finish(index, std::exchange(finished, 0));
    };
    for (;;) {
      const IndexRange range = range_.Claim(participant, plan_.min_chunk, plan_.max_chunk, report);
      if (range.empty()) return;  // Claim() has reported the rest
      for (std::uint32_t i = range.begin; i < range.end; ++i) {
        claims_[i].fetch_add(1, std::memory_order_relaxed);
        outputs_[i].Write(inputs_[i].Read() + 1);
      }
      index = range.begin;
      finished += range.size();
      if (!plan_.report_before_scan) report();
    }
  }

  const Plan plan_;
  ShardedRange<Sync, kEpochBits> range_;
  std::vector<typename Sync::template Var<std::uint32_t>> inputs_, outputs_;
  std::vector<std::atomic<std::uint32_t>> claims_;  // not under the scheduler
};

template <int kEpochBits = 32>
SetUp Rounds(const Plan& plan, bool follow) {
  return [plan, follow](Scenario& scenario) {
    auto job = std::make_shared<Job<ScheduledSync, kEpochBits>>(plan);
    scenario.Thread("publisher", [job] { Require(job->Publisher(), "wrong results"); });
    for (std::uint32_t p = 1; p < plan.participants; ++p) {
      scenario.Thread("helper", [job, plan, p, follow] {
        if (follow) {
          job->FollowingHelper(p);
        } else {
          job->Helper(p, plan.rounds + 1);
        }
      });
    }
  };
}

TEST(ShardedRange, TwoParticipantsEverySchedule) {
  for (const bool follow : {false, true}) {
    ExpectEverySchedule({.preemption_bound = 2}, Rounds({.first_epoch = kLastEpoch}, follow));
  }
}

TEST(ShardedRange, ThreeParticipantsEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 2}, Rounds({.participants = 3, .rounds = 1}, true));
}

TEST(ShardedRange, ReportsBeforeItScansEverySchedule) {
  for (const bool follow : {false, true}) {
    ExpectEverySchedule({.preemption_bound = 2}, Rounds({.report_before_scan = true}, follow));
  }
}

// A participant that has read the words of one range claims while the next ranges are published.
// Its shard is empty in some of them.
TEST(ShardedRange, GroupsEverySchedule) {
  for (const bool report_before_scan : {false, true}) {
    ExpectEverySchedule({.preemption_bound = 2}, Rounds({.first_epoch = kLastEpoch,
                                                         .report_before_scan = report_before_scan,
                                                         .shards_per_group = 1},
                                                        true));
    ExpectEverySchedule({.preemption_bound = 1}, Rounds({.participants = 3,
                                                         .n = 5,
                                                         .report_before_scan = report_before_scan,
                                                         .shards_per_group = 2},
                                                        true));
  }
}

TEST(ShardedRange, GroupsRandomSchedules) {
  for (const std::uint32_t shards_per_group : {1U, 2U, 3U}) {
    for (const std::uint32_t n : {3U, 9U, 17U}) {
      ExpectRandomSchedules({.schedules = 300, .weak_failures = true},
                            Rounds({.participants = 5,
                                    .n = n,
                                    .rounds = 5,
                                    .first_epoch = kLastEpoch - 2,
                                    .report_before_scan = true,
                                    .shards_per_group = shards_per_group},
                                   true));
    }
  }
}

TEST(ShardedRange, LateClaimersEverySchedule) {
  for (const std::uint32_t n : {1U, 2U, 4U}) {
    ExpectEverySchedule({.preemption_bound = 2},
                        Rounds({.n = n, .rounds = 3, .first_epoch = kLastEpoch - 1}, false));
  }
}

// Epochs of few bits wrap around many times. A shard that is empty all this time must not be taken
// for a shard of the current range or of a later one.
TEST(ShardedRange, EpochsWrapAroundRandomSchedules) {
  for (const bool follow : {false, true}) {
    for (const std::uint32_t shards_per_group : {0U, 1U, 2U}) {
      const Plan plan = {.participants = 3,
                         .n = 4,
                         .rounds = 40,
                         .max_chunk = 2,
                         .report_before_scan = true,
                         .shards_per_group = shards_per_group};
      ExpectRandomSchedules({.schedules = 300, .max_steps = 100'000}, Rounds<5>(plan, follow));
    }
  }
}

TEST(ShardedRange, ShardsThatStayEmptyAreRenewed) {
  constexpr std::uint32_t kShards = 4;
  for (std::uint32_t idle = 0; idle < 300; ++idle) {
    ShardedRange<StdSync, 8> range(kShards);
    range.Publish(7, true);  // uses every shard
    for (std::uint32_t i = 0; i < 7; ++i) {
      const IndexRange claimed = range.Claim(0, 1, 1);
      range.Finish(claimed.begin, claimed.size());
    }
    for (std::uint32_t i = 0; i < idle; ++i) {
      range.Publish(1, true);
      EXPECT_EQ(range.Claim(0, 1, 1).size(), 1);
      EXPECT_TRUE(range.Finish(0, 1));
    }
    range.Publish(9, false);
    std::uint32_t claimed = 0;
    for (std::uint32_t p = 0; p < kShards; ++p) claimed += range.Claim(p, 9, 9).size();
    EXPECT_EQ(claimed, 9);
  }
}

// The callback runs before each scan, so that the publisher does not wait for the scan.
TEST(ShardedRange, CallsBeforeScan) {
  ShardedRange<StdSync> range(2);
  range.Publish(2, true);
  int scans = 0;
  const auto count = [&] { ++scans; };
  EXPECT_EQ(range.Claim(0, 1, 1, count).size(), 1);
  EXPECT_EQ(scans, 0);
  EXPECT_EQ(range.Claim(0, 1, 1, count).begin, 1);
  EXPECT_EQ(scans, 1);
  EXPECT_TRUE(range.Claim(1, 1, 1, count).empty());
  EXPECT_EQ(scans, 2);
}

TEST(ShardedRange, ManyParticipantsRandomSchedules) {
  for (const bool follow : {false, true}) {
    for (const std::uint32_t max_chunk : {1U, 3U, 100U}) {
      const Plan plan = {.participants = 4,
                         .n = 7,
                         .rounds = 3,
                         .max_chunk = max_chunk,
                         .first_epoch = kLastEpoch - 1};
      ExpectRandomSchedules({.schedules = 1000, .weak_failures = true}, Rounds(plan, follow));
    }
  }
}

// Only the owners of its shards claim from an unstealable range, even if a participant of the
// previous range is still scanning the shards.
TEST(ShardedRange, NothingIsStolenFromAnUnstealableRange) {
  ExpectEverySchedule({.preemption_bound = 2}, [](Scenario& scenario) {
    struct State {
      ShardedRange<ScheduledSync> range{2};
      bool owners_only = false;
      std::array<int, 4> claims{};
      void Take(std::uint32_t participant) {
        const IndexRange claimed = range.Claim(participant, 1, 2);
        if (claimed.empty()) return;
        if (owners_only) Require(claimed.begin / 2 == participant, "stolen");
        for (std::uint32_t i = claimed.begin; i < claimed.end; ++i) ++claims[i];
        range.Finish(claimed.begin, claimed.size());
      }
    };
    auto state = std::make_shared<State>();
    scenario.Thread("publisher", [state] {
      state->range.Publish(1, true);
      while (!state->range.Done()) state->Take(0);
      state->claims = {};
      state->owners_only = true;
      state->range.Publish(4, false);
      while (!state->range.Done()) state->Take(0);
      Require(state->claims == std::array<int, 4>{1, 1, 1, 1}, "not once each");
    });
    scenario.Thread("helper", [state] {
      while (state->range.epoch() != 2 || !state->range.Done()) {
        state->Take(1);
        ScheduledSync::Pause();
      }
    });
  });
}

// The minimum may exceed the maximum, because workers read the two bounds one after the other while
// a new job sets them.
TEST(ShardedRange, CrossedBoundsStillClaimEverything) {
  ShardedRange<StdSync> range(1);
  range.Publish(5, true);
  EXPECT_EQ(range.Claim(0, 4, 2).size(), 2);
  EXPECT_EQ(range.Claim(0, 4, 2).size(), 2);
  EXPECT_EQ(range.Claim(0, 4, 2).size(), 1);
  EXPECT_TRUE(range.Claim(0, 4, 2).empty());
}

// The sizes of shards and chunks, on one thread.
TEST(ShardedRange, SplitsIntoShardsAndShrinkingChunks) {
  ShardedRange<StdSync> range(2);
  EXPECT_TRUE(range.Claim(0, 1, 8).empty());
  range.Publish(21, true);
  EXPECT_FALSE(range.Done());
  std::vector<std::uint32_t> begins, sizes;
  for (;;) {
    const IndexRange claimed = range.Claim(1, 2, 4);
    if (claimed.empty()) break;
    begins.push_back(claimed.begin);
    sizes.push_back(claimed.size());
    range.Finish(claimed.begin, claimed.size());
  }
  // Shard 1 is [10, 21), shard 0 is [0, 10).
  EXPECT_TRUE((begins == std::vector<std::uint32_t>{10, 14, 17, 19, 0, 4, 7, 9}));
  EXPECT_TRUE((sizes == std::vector<std::uint32_t>{4, 3, 2, 2, 4, 3, 2, 1}));
  EXPECT_TRUE(range.Done());
}

TEST(ShardedRange, FewerItemsThanShards) {
  ShardedRange<StdSync> range(4, kLastEpoch);
  const std::uint32_t epoch = range.epoch();
  range.Publish(1, false);
  EXPECT_NE(range.epoch(), epoch);
  int claims = 0;
  for (std::uint32_t p = 0; p < 4; ++p) {
    const IndexRange claimed = range.Claim(p, 1, 1);
    if (!claimed.empty()) EXPECT_TRUE(range.Finish(claimed.begin, 1));
    claims += claimed.empty() ? 0 : 1;
  }
  EXPECT_EQ(claims, 1);
  EXPECT_TRUE(range.Done());
  range.Publish(0, true);
  EXPECT_TRUE(range.Done());
}

TEST(ShardedRange, RealThreads) {
  for (const std::uint32_t n : {5U, 300U}) {
    const Plan plan = {.participants = 4,
                       .n = n,
                       .rounds = 1000,
                       .max_chunk = 16,
                       .first_epoch = kLastEpoch - 500,
                       .report_before_scan = n == 300};
    Job<StdSync> job(plan);
    std::vector<std::thread> helpers;
    for (std::uint32_t p = 1; p < plan.participants; ++p) {
      helpers.emplace_back([&job, p, &plan] { job.Helper(p, plan.rounds); });
    }
    EXPECT_TRUE(job.Publisher());
    for (std::thread& helper : helpers) helper.join();
  }
}

}  // namespace sharded_range_test
}  // namespace engine::testing
