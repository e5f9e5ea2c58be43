#include "tests/engine/support/schedule.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "tests/engine/support/explorer.h"
#include "tests/engine/support/scheduler.h"

namespace engine::testing {
namespace {

std::string TextOf(const Choices& choices) {
  std::ostringstream out;
  out << "{";
  const char* separator = "";
  for (const std::uint8_t choice : choices) {
    out << separator << unsigned{choice};
    separator = ",";
  }
  out << "}";
  return out.str();
}

// Stores a failure in `result`. Runs the schedule once more for its trace.
void Describe(const ExploreOptions& options, const std::string& how, const std::string& failure,
              const Choices& choices, const SetUp& set_up, ExploreResult* result) {
  result->failed = true;
  result->complete = false;
  result->failure = failure;
  result->choices = choices;
  while (!result->choices.empty() && result->choices.back() == 0) result->choices.pop_back();
  Scheduler again(options);
  ReplayExplorer replay(result->choices);
  again.Execute(replay, set_up, true);
  result->report = failure + "\n" + how + "; Replay takes " + TextOf(result->choices) + "\n";
  if (again.failure() != failure) {
    result->report +=
        "the replay went otherwise, so the scenario is not deterministic: " + again.failure() +
        "\n";
  }
  result->report += again.TraceText();
}

// Runs one schedule. Returns whether it passed.
bool RunOne(Scheduler& scheduler, Explorer& explorer, const SetUp& set_up, ExploreResult* result) {
  const bool passed = scheduler.Execute(explorer, set_up, false);
  ++result->executions;
  result->longest = std::max(result->longest, scheduler.steps());
  return passed;
}

}  // namespace

ExploreResult ExploreAll(const ExploreOptions& options, const SetUp& set_up) {
  ExploreResult result;
  for (int bound = 0; bound <= options.preemption_bound; ++bound) {
    DepthFirstExplorer explorer(options, bound);
    std::optional<Scheduler> scheduler(options);
    do {
      if (result.executions == options.max_executions) return result;
      if (!RunOne(*scheduler, explorer, set_up, &result)) {
        const std::string failure = scheduler->failure();
        const Choices choices = scheduler->choices();
        scheduler.reset();
        Describe(options, "found with " + std::to_string(bound) + " preemptions at most", failure,
                 choices, set_up, &result);
        return result;
      }
    } while (explorer.Advance());
  }
  result.complete = true;
  return result;
}

ExploreResult ExploreRandom(const ExploreOptions& options, const SetUp& set_up) {
  ExploreResult result;
  std::optional<Scheduler> scheduler(options);
  for (std::uint64_t seed = options.seed; seed < options.seed + options.schedules; ++seed) {
    RandomExplorer explorer(seed);
    if (RunOne(*scheduler, explorer, set_up, &result)) continue;
    const std::string failure = scheduler->failure();
    const Choices choices = scheduler->choices();
    scheduler.reset();
    Describe(options, "found by seed " + std::to_string(seed), failure, choices, set_up, &result);
    return result;
  }
  return result;
}

ExploreResult Replay(const ExploreOptions& options, const Choices& choices, const SetUp& set_up) {
  ExploreResult result;
  std::optional<Scheduler> scheduler(options);
  ReplayExplorer explorer(choices);
  if (!RunOne(*scheduler, explorer, set_up, &result)) {
    const std::string failure = scheduler->failure();
    scheduler.reset();
    Describe(options, "replayed", failure, choices, set_up, &result);
  }
  return result;
}

void FailSchedule(const char* what) {
  Scheduler::Active().RecordFailure(what);
  Scheduler::Active().StopIfFailed();
}

std::uint64_t SharedWrites() { return Scheduler::Active().SharedWrites(); }

}  // namespace engine::testing
