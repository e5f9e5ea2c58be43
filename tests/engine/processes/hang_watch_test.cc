// When a worker counts as hanging: only while something waits for it, only without progress, and
// not because the whole program was suspended.
#include "engine/processes/hang_watch.h"

#include <cstdint>

#include "tests/engine/harness.h"

namespace engine::testing {
namespace hang_watch_test {

using Seen = HangWatch::Seen;

constexpr std::int64_t kMs = 1'000'000;

// Observes every 50 ms, as a caller that waits.
class Watch {
 public:
  std::int64_t After(std::int64_t ms, const Seen& seen) {
    now_ns_ += static_cast<std::uint64_t>(ms * kMs);
    return watch_.Observe(seen, now_ns_) / kMs;
  }

 private:
  HangWatch watch_;
  std::uint64_t now_ns_ = 123'000'000'000;
};

TEST(HangWatch, CountsFromTheFirstObservationOfTheItem) {
  Watch watch;
  const Seen idle{.state = WorkerState::kReady, .finished = 7, .published = 7};
  EXPECT_EQ(watch.After(50, idle), 0);
  EXPECT_EQ(watch.After(50, idle), 0);
  Seen busy = idle;
  busy.published = 9;
  EXPECT_EQ(watch.After(50, busy), 0);
  EXPECT_EQ(watch.After(50, busy), 50);
  busy.published = 10;  // more work is no progress
  EXPECT_EQ(watch.After(20, busy), 70);
}

TEST(HangWatch, AnyProgressStartsAgain) {
  Watch watch;
  Seen seen{.state = WorkerState::kStarting, .finished = 0, .published = 3};
  watch.After(50, seen);
  EXPECT_EQ(watch.After(50, seen), 50);
  seen.state = WorkerState::kReady;
  EXPECT_EQ(watch.After(50, seen), 0);
  EXPECT_EQ(watch.After(50, seen), 50);
  seen.finished = 1;
  EXPECT_EQ(watch.After(50, seen), 0);
  EXPECT_EQ(watch.After(50, seen), 50);
  seen.finished = 3;  // now nothing waits
  EXPECT_EQ(watch.After(50, seen), 0);
  EXPECT_EQ(watch.After(50, seen), 0);
}

TEST(HangWatch, TheEndOfThePoolWaitsForTheWorker) {
  Watch watch;
  Seen seen{.state = WorkerState::kReady};
  EXPECT_EQ(watch.After(50, seen), 0);
  seen.is_closed = true;
  EXPECT_EQ(watch.After(50, seen), 0);
  EXPECT_EQ(watch.After(50, seen), 50);
}

TEST(HangWatch, ASuspensionOfTheWholeProgramHardlyCounts) {
  Watch watch;
  const Seen busy{.state = WorkerState::kReady, .finished = 0, .published = 1};
  watch.After(50, busy);
  EXPECT_EQ(watch.After(50, busy), 50);
  EXPECT_EQ(watch.After(3'600'000, busy), 150);
  EXPECT_EQ(watch.After(50, busy), 200);
}

}  // namespace hang_watch_test
}  // namespace engine::testing
