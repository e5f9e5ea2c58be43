// A reader gets only whole events, in order, while the thread adds more.
#include "engine/telemetry/timeline.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/scheduled_sync.h"

namespace engine::testing {
namespace timeline_test {

TimelineEvent EventOf(std::uint32_t number) {
  return {.start = number,
          .end = number + 100,
          .count = number,
          .activity = static_cast<Activity>(number % kNumActivities)};
}

bool IsWhole(const TimelineEvent& event) {
  const TimelineEvent expected = EventOf(event.count);
  return event.start == expected.start && event.end == expected.end &&
         event.activity == expected.activity;
}

TEST(Timeline, KeepsTheLatestEvents) {
  Timeline<> timeline(4);
  for (std::uint32_t i = 0; i < 3; ++i) timeline.Add(EventOf(i));
  std::vector<TimelineEvent> events;
  timeline.CopyTo(events);
  ASSERT_EQ(events.size(), 3U);
  for (std::uint32_t i = 3; i < 11; ++i) timeline.Add(EventOf(i));
  events.clear();
  timeline.CopyTo(events);
  // One less than the capacity, because the thread may be overwriting the oldest event.
  ASSERT_EQ(events.size(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(events[i].count, 8 + i);
    EXPECT_TRUE(IsWhole(events[i]));
  }
  EXPECT_EQ(timeline.num_added(), 11U);
}

TEST(Timeline, AppendsToWhatIsThere) {
  Timeline<> timeline(8);
  timeline.Add(EventOf(7));
  std::vector<TimelineEvent> events(2);
  timeline.CopyTo(events);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[2].count, 7U);
}

// The ring is so small that the writer overwrites events while the reader copies them.
TEST(Timeline, AReaderGetsWholeEventsInOrderEverySchedule) {
  ExpectEverySchedule({.preemption_bound = 2, .stale_bound = 2}, [](Scenario& scenario) {
    auto timeline = std::make_shared<Timeline<ScheduledSync>>(2);
    timeline->Add(EventOf(1));
    scenario.Thread("writer", [timeline] {
      for (std::uint32_t i = 2; i < 5; ++i) timeline->Add(EventOf(i));
    });
    scenario.Thread("reader", [timeline] {
      std::vector<TimelineEvent> events;
      timeline->CopyTo(events);
      std::uint32_t last = 0;
      for (const TimelineEvent& event : events) {
        Require(IsWhole(event), "parts of two events");
        Require(event.count > last, "out of order");
        last = event.count;
      }
    });
  });
}

}  // namespace timeline_test
}  // namespace engine::testing
