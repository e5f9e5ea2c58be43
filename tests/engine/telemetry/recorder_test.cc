// A reader gets what was recorded, and every bucket of a histogram holds the values of its range.
#include "engine/telemetry/recorder.h"

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "engine/telemetry/counters.h"
#include "tests/engine/harness.h"

namespace engine {
namespace recorder_test {

TEST(Histogram, EveryValueIsInItsBucket) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t value = random() >> (17 + random() % 47);
    const std::size_t bucket = Histogram::BucketOf(value);
    EXPECT_LE(Histogram::LowOf(bucket), value);
    if (bucket + 1 < Histogram::kNumBuckets) EXPECT_LT(value, Histogram::LowOf(bucket + 1));
  }
}

TEST(Histogram, BucketsAreContiguousAndNarrow) {
  for (std::size_t b = 0; b + 1 < Histogram::kNumBuckets; ++b) {
    const std::uint64_t low = Histogram::LowOf(b);
    const std::uint64_t high = Histogram::LowOf(b + 1);
    EXPECT_EQ(Histogram::BucketOf(low), b);
    EXPECT_EQ(Histogram::BucketOf(high - 1), b);
    if (low >= 8) EXPECT_LE(8 * (high - low), low);
  }
}

TEST(Histogram, HugeValuesAreInTheLastBucket) {
  EXPECT_EQ(Histogram::BucketOf(UINT64_MAX), Histogram::kNumBuckets - 1);
}

std::uint64_t Total(const Histogram::Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

const Histogram::Counts& Of(const Recording& recording, Measure measure) {
  return recording.histograms[static_cast<std::size_t>(measure)];
}

TEST(Recorder, AddsUpPerThreadAndActivity) {
  Recorder recorder(2, 1, 16);
  recorder.Ran(0, Activity::kStep, 100, 400, 3);
  recorder.Ran(1, Activity::kStep, 100, 150, 1);
  recorder.Ran(1, Activity::kStep, 150, 150, 0);  // adds nothing
  recorder.Add(1, Activity::kSleep, 200, 1200);
  recorder.Add(1, Activity::kSearch, 1200, 1210, 1);
  const Recording recording = recorder.Read();
  ASSERT_EQ(recording.threads.size(), 2U);
  EXPECT_EQ(recording.threads[0].ticks[static_cast<std::size_t>(Activity::kStep)], 300U);
  EXPECT_EQ(recording.threads[0].counts[static_cast<std::size_t>(Activity::kStep)], 3U);
  EXPECT_EQ(recording.threads[1].ticks[static_cast<std::size_t>(Activity::kSleep)], 1000U);
  EXPECT_EQ(recording.threads[1].counts[static_cast<std::size_t>(Activity::kSearch)], 1U);
  EXPECT_EQ(recording.threads[1].num_events, 3U);
  const Histogram::Counts& steps = Of(recording, Measure::kStepTicks);
  EXPECT_EQ(Total(steps), 4U);
  EXPECT_EQ(steps[Histogram::BucketOf(100)], 3U);  // the mean over the piece
  EXPECT_EQ(steps[Histogram::BucketOf(50)], 1U);
}

TEST(Recorder, ABatchLastsFromItsOpeningToItsLastRow) {
  Recorder recorder(1, 2, 16);
  recorder.Opened(1, 1000);
  recorder.Filled(1, 5000);
  recorder.Taken(0, 1, 5600, 32);
  const Recording recording = recorder.Read();
  EXPECT_EQ(Of(recording, Measure::kBatchTicks)[Histogram::BucketOf(4000)], 1U);
  EXPECT_EQ(Of(recording, Measure::kHeldTicks)[Histogram::BucketOf(600)], 1U);
  std::vector<TimelineEvent> events;
  recorder.ReadEvents(0, events);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].start, 1000U);
  EXPECT_EQ(events[0].end, 5000U);
  EXPECT_EQ(events[0].count, 32U);
}

TEST(Recorder, BatchesThatWereOpenBeforeAreLeftOut) {
  Recorder recorder(1, 1, 16);
  recorder.Filled(0, 500);
  recorder.Taken(0, 0, 600, 4);
  recorder.Opened(0, 700);
  recorder.ForgetOpenBatches();
  recorder.Filled(0, 800);
  recorder.Taken(0, 0, 900, 4);
  // A batch that is taken before its last writer has reported.
  recorder.Opened(0, 1000);
  recorder.Taken(0, 0, 1100, 4);
  EXPECT_EQ(Total(Of(recorder.Read(), Measure::kBatchTicks)), 0U);
}

TEST(Telemetry, ShowsThePieceThatRuns) {
  Telemetry telemetry(2, 3);
  EXPECT_EQ(telemetry.Running(0).n, 0U);
  telemetry.Begins(0, 77, 5, 3, true);
  const RunningPiece piece = telemetry.Running(0);
  EXPECT_EQ(piece.since, 77U);
  EXPECT_EQ(piece.first, 5U);
  EXPECT_EQ(piece.n, 3U);
  EXPECT_TRUE(piece.of_queue);
  EXPECT_EQ(telemetry.Running(1).n, 0U);
  telemetry.Begins(0, 78, 6, 1, false);
  EXPECT_FALSE(telemetry.Running(0).of_queue);
  telemetry.Ends(0);
  EXPECT_EQ(telemetry.Running(0).n, 0U);
  EXPECT_EQ(telemetry.LatestStepNs(2), 0.0F);
  telemetry.Stepped(2, 1500.0);
  EXPECT_EQ(telemetry.LatestStepNs(2), 1500.0F);
}

TEST(Telemetry, RecordsOnlyWhileItIsOn) {
  Telemetry telemetry(1, 2);
  EXPECT_TRUE(telemetry.recorder() == nullptr);
  EXPECT_TRUE(telemetry.recorded() == nullptr);
  telemetry.Waited(0, 10, 20);
  telemetry.StartRecording(1, 8);
  ASSERT_TRUE(telemetry.recorder() != nullptr);
  telemetry.Waited(0, 30, 60);
  telemetry.StopRecording();
  EXPECT_TRUE(telemetry.recorder() == nullptr);
  telemetry.Waited(0, 70, 80);
  const auto waited = [&] {
    return telemetry.recorded()->Read().threads[0].ticks[static_cast<std::size_t>(Activity::kWait)];
  };
  EXPECT_EQ(waited(), 30U);
  telemetry.StartRecording(1, 8);  // continues the recording
  telemetry.Waited(0, 100, 105);
  EXPECT_EQ(waited(), 35U);
}

}  // namespace recorder_test
}  // namespace engine
