// Tests of the scheduler: it must find each planted error, and the corrected version must pass.
#include "tests/engine/support/schedule.h"

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>

#include "tests/engine/harness.h"
#include "tests/engine/support/expect_schedules.h"
#include "tests/engine/support/scheduled_sync.h"

namespace engine::testing {
namespace {

template <class T>
using Atomic = ScheduledSync::Atomic<T>;
template <class T>
using Var = ScheduledSync::Var<T>;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kAcqRel = std::memory_order_acq_rel;
constexpr auto kSeqCst = std::memory_order_seq_cst;

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Both explorers find the failure, and its replay fails in the same way.
void ExpectFound(const ExploreOptions& options, const SetUp& set_up, const std::string& part) {
  for (const auto& explore : {&ExploreAll, &ExploreRandom}) {
    const ExploreResult result = explore(options, set_up);
    EXPECT_TRUE(result.failed);
    EXPECT_TRUE(Contains(result.failure, part)) << result.report;
    EXPECT_FALSE(Contains(result.report, "not deterministic")) << result.report;
    const ExploreResult replayed = Replay(options, result.choices, set_up);
    EXPECT_EQ(replayed.failure, result.failure);
    EXPECT_EQ(replayed.executions, 1);
  }
}

void ExpectPasses(const ExploreOptions& options, const SetUp& set_up) {
  ExpectEverySchedule(options, set_up);
  ExpectRandomSchedules(options, set_up);
}

// Both explorers reach exactly these outcomes.
template <class Outcome>
void ExpectOutcomes(const ExploreOptions& options, const std::set<Outcome>& expected,
                    const std::function<void(Scenario&, std::set<Outcome>*)>& scenario) {
  for (const auto& explore : {&ExploreAll, &ExploreRandom}) {
    std::set<Outcome> seen;
    const ExploreResult result = explore(options, [&](Scenario& s) { scenario(s, &seen); });
    EXPECT_FALSE(result.failed) << result.report;
    EXPECT_TRUE(seen == expected) << "outcomes: " << seen.size();
  }
}

// ------------------------------------------------------------------ explorers

TEST(Schedule, VisitsEveryInterleaving) {
  ExpectOutcomes<std::string>({.preemption_bound = 4},
                              {"aabb", "abab", "abba", "baab", "baba", "bbaa"},
                              [](Scenario& scenario, std::set<std::string>* seen) {
                                struct State {
                                  Atomic<int> a, b;
                                  std::string order;
                                };
                                auto state = std::make_shared<State>();
                                scenario.Thread("a", [state] {
                                  for (int i = 0; i < 2; ++i) {
                                    state->a.store(i, kRelaxed);
                                    state->order += 'a';
                                  }
                                });
                                scenario.Thread("b", [state] {
                                  for (int i = 0; i < 2; ++i) {
                                    state->b.store(i, kRelaxed);
                                    state->order += 'b';
                                  }
                                });
                                scenario.AtEnd([state, seen] { seen->insert(state->order); });
                              });
}

TEST(Schedule, PreemptionBoundLimitsTheSearch) {
  // The lost increment needs one preemption.
  const auto set_up = [](Scenario& scenario) {
    auto counter = std::make_shared<Atomic<int>>();
    for (int t = 0; t < 2; ++t) {
      scenario.Thread("adder",
                      [counter] { counter->store(counter->load(kRelaxed) + 1, kRelaxed); });
    }
    scenario.AtEnd([counter] { Require(counter->load(kRelaxed) == 2, "lost increment"); });
  };
  const ExploreResult none = ExploreAll({.preemption_bound = 0, .stale_bound = 0}, set_up);
  EXPECT_FALSE(none.failed) << none.report;
  EXPECT_EQ(none.executions, 2);
  ExpectFound({.preemption_bound = 1, .stale_bound = 0}, set_up, "lost increment");
}

TEST(Schedule, GivesUpAtTheLimitAndSaysSo) {
  const ExploreResult result = ExploreAll({.max_executions = 5}, [](Scenario& scenario) {
    auto counter = std::make_shared<Atomic<int>>();
    for (int t = 0; t < 3; ++t) {
      scenario.Thread("adder", [counter] { counter->fetch_add(1, kRelaxed); });
    }
  });
  EXPECT_FALSE(result.failed) << result.report;
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.executions, 5);
}

TEST(Schedule, ReportsScenariosThatAreNotDeterministic) {
  int execution = 0;
  const ExploreResult result = ExploreAll({}, [&execution](Scenario& scenario) {
    const int threads = ++execution == 1 ? 3 : 2;
    for (int t = 0; t < threads; ++t) scenario.Thread("idle", [] {});
  });
  EXPECT_TRUE(result.failed);
  EXPECT_TRUE(Contains(result.report, "not deterministic")) << result.report;
}

TEST(Schedule, ReportNamesThreadsOperationsAndPlaces) {
  const ExploreResult result = ExploreAll({}, [](Scenario& scenario) {
    auto value = std::make_shared<Atomic<std::uint32_t>>();
    scenario.Thread("storer", [value] {
      value->store(7, kRelease);
      FailSchedule("on purpose");
    });
  });
  EXPECT_EQ(result.failure, "on purpose (in thread storer#1)");
  EXPECT_TRUE(Contains(result.report, "storer#1: a0 store 7 release at schedule_test.cc:"))
      << result.report;
}

TEST(Schedule, ExceptionThatLeavesAThreadIsAFailure) {
  ExpectFound(
      {},
      [](Scenario& scenario) {
        scenario.Thread("thrower", [] { throw std::runtime_error("spilt"); });
      },
      "spilt");
}

TEST(Schedule, NeedsAnExploration) { EXPECT_THROW(Atomic<int>(1), std::logic_error); }

// --------------------------------------------------------------- memory model

TEST(MemoryModel, PublicationNeedsRelease) {
  const auto with = [](std::memory_order store, std::memory_order load) {
    return [store, load](Scenario& scenario) {
      struct State {
        Var<int> data{0};
        Atomic<bool> ready{false};
      };
      auto state = std::make_shared<State>();
      scenario.Thread("writer", [state, store] {
        state->data.Write(42);
        state->ready.store(true, store);
      });
      scenario.Thread("reader", [state, load] {
        while (!state->ready.load(load)) ScheduledSync::Pause();
        Require(state->data.Read() == 42, "old data");
      });
    };
  };
  ExpectFound({}, with(kRelaxed, kAcquire), "data race");
  ExpectFound({}, with(kRelease, kRelaxed), "data race");
  ExpectPasses({}, with(kRelease, kAcquire));
}

TEST(MemoryModel, WriteAfterUnorderedReadIsARace) {
  const auto with = [](std::memory_order order) {
    return [order](Scenario& scenario) {
      struct State {
        Var<int> data{0};
        Atomic<int> read{0};
      };
      auto state = std::make_shared<State>();
      scenario.Thread("reader", [state, order] {
        static_cast<void>(state->data.Read());
        state->read.store(1, order);
      });
      scenario.Thread("writer", [state] {
        while (state->read.load(kAcquire) == 0) ScheduledSync::Pause();
        state->data.Write(1);
      });
    };
  };
  ExpectFound({}, with(kRelaxed), "data race: write");
  ExpectPasses({}, with(kRelease));
}

TEST(MemoryModel, AccessAfterTheReleaseIsNotCovered) {
  ExpectFound(
      {},
      [](Scenario& scenario) {
        struct State {
          Var<int> data{0};
          Atomic<bool> ready{false};
        };
        auto state = std::make_shared<State>();
        scenario.Thread("writer", [state] {
          state->ready.store(true, kRelease);
          state->data.Write(42);
        });
        scenario.Thread("reader", [state] {
          while (!state->ready.load(kAcquire)) ScheduledSync::Pause();
          static_cast<void>(state->data.Read());
        });
      },
      "data race");
}

// A relaxed read-modify-write continues a release sequence, and a store ends it.
TEST(MemoryModel, ReleaseSequence) {
  const auto with = [](bool by_store) {
    return [by_store](Scenario& scenario) {
      struct State {
        Var<int> data{0};
        Atomic<int> stage{0};
      };
      auto state = std::make_shared<State>();
      scenario.Thread("writer", [state] {
        state->data.Write(42);
        state->stage.store(1, kRelease);
      });
      scenario.Thread("middle", [state, by_store] {
        while (state->stage.load(kRelaxed) != 1) ScheduledSync::Pause();
        if (by_store) {
          state->stage.store(2, kRelaxed);
        } else {
          state->stage.fetch_add(1, kRelaxed);
        }
      });
      scenario.Thread("reader", [state] {
        while (state->stage.load(kAcquire) != 2) ScheduledSync::Pause();
        Require(state->data.Read() == 42, "old data");
      });
    };
  };
  ExpectFound({}, with(true), "data race");
  ExpectPasses({}, with(false));
}

// Dekker's algorithm: with an order weaker than seq_cst, both threads may miss the other's flag.
TEST(MemoryModel, Dekker) {
  const auto with = [](std::memory_order store, std::memory_order load) {
    return [store, load](Scenario& scenario) {
      struct State {
        std::array<Atomic<bool>, 2> wants;
        std::array<bool, 2> entered{};
      };
      auto state = std::make_shared<State>();
      for (std::size_t t = 0; t < 2; ++t) {
        scenario.Thread("entrant", [state, store, load, t] {
          state->wants[t].store(true, store);
          state->entered[t] = !state->wants[1 - t].load(load);
        });
      }
      scenario.AtEnd(
          [state] { Require(!state->entered[0] || !state->entered[1], "both entered"); });
    };
  };
  ExpectFound({}, with(kRelease, kAcquire), "both entered");
  ExpectFound({}, with(kSeqCst, kAcquire), "both entered");
  ExpectFound({}, with(kRelease, kSeqCst), "both entered");
  ExpectPasses({}, with(kSeqCst, kSeqCst));
  const ExploreResult without_stale = ExploreAll({.stale_bound = 0}, with(kRelease, kAcquire));
  EXPECT_FALSE(without_stale.failed) << "it is the stale read that finds it";
}

// Read-modify-writes of one variable are totally ordered, which is enough for Dekker's algorithm.
TEST(MemoryModel, DekkerThroughOneReadModifyWrite) {
  ExpectPasses({}, [](Scenario& scenario) {
    struct State {
      std::array<Atomic<bool>, 2> wants;
      Atomic<int> turnstile{0};
      std::array<bool, 2> entered{};
    };
    auto state = std::make_shared<State>();
    for (std::size_t t = 0; t < 2; ++t) {
      scenario.Thread("entrant", [state, t] {
        state->wants[t].store(true, kRelaxed);
        state->turnstile.fetch_add(1, kAcqRel);
        state->entered[t] = !state->wants[1 - t].load(kRelaxed);
      });
    }
    scenario.AtEnd([state] { Require(!state->entered[0] || !state->entered[1], "both entered"); });
  });
}

// Two readers may disagree on the order of independent writes, unless all operations are seq_cst.
TEST(MemoryModel, IndependentReadsOfIndependentWrites) {
  const auto with = [](std::memory_order store, std::memory_order load) {
    return [store, load](Scenario& scenario) {
      struct State {
        std::array<Atomic<int>, 2> written;
        std::array<bool, 2> first_only{};
      };
      auto state = std::make_shared<State>();
      for (std::size_t t = 0; t < 2; ++t) {
        scenario.Thread("writer", [state, store, t] { state->written[t].store(1, store); });
        scenario.Thread("reader", [state, load, t] {
          const bool first = state->written[t].load(load) == 1;
          state->first_only[t] = first && state->written[1 - t].load(load) == 0;
        });
      }
      scenario.AtEnd([state] {
        Require(!state->first_only[0] || !state->first_only[1], "the readers disagree");
      });
    };
  };
  ExpectFound({}, with(kRelease, kAcquire), "the readers disagree");
  ExpectPasses({}, with(kSeqCst, kSeqCst));
}

// With any memory order, the value of one variable never goes back, also across threads.
TEST(MemoryModel, Coherence) {
  ExpectPasses({.stale_bound = 3}, [](Scenario& scenario) {
    struct State {
      Atomic<int> value{0};
      Atomic<bool> ready{false};
    };
    auto state = std::make_shared<State>();
    scenario.Thread("writer", [state] {
      for (int i = 1; i <= 3; ++i) state->value.store(i, kRelaxed);
    });
    scenario.Thread("reader", [state] {
      const int first = state->value.load(kRelaxed);
      const int second = state->value.load(kRelaxed);
      Require(first <= second, "went back in one thread");
      state->ready.store(second == 3, kRelease);
    });
    scenario.Thread("follower", [state] {
      if (!state->ready.load(kAcquire)) return;
      Require(state->value.load(kRelaxed) == 3, "went back across threads");
    });
  });
}

// A load may return a value that is older than the values of other variables the thread has read.
TEST(MemoryModel, StaleReads) {
  using Pair = std::pair<int, int>;
  const auto with = [](std::memory_order store) {
    return [store](Scenario& scenario, std::set<Pair>* seen) {
      struct State {
        Atomic<int> x{0}, y{0};
        Pair read;
      };
      auto state = std::make_shared<State>();
      scenario.Thread("writer", [state, store] {
        state->x.store(1, kRelaxed);
        state->y.store(1, store);
      });
      scenario.Thread("reader", [state] {
        state->read.second = state->y.load(kAcquire);
        state->read.first = state->x.load(kRelaxed);
      });
      scenario.AtEnd([state, seen] { seen->insert(state->read); });
    };
  };
  ExpectOutcomes<Pair>({}, {{0, 0}, {1, 0}, {1, 1}}, with(kRelease));
  ExpectOutcomes<Pair>({}, {{0, 0}, {1, 0}, {1, 1}, {0, 1}}, with(kRelaxed));
}

TEST(MemoryModel, WeakCompareExchangeMayFail) {
  const auto set_up = [](Scenario& scenario) {
    auto value = std::make_shared<Atomic<int>>(0);
    scenario.Thread("once", [value] {
      int expected = 0;
      Require(value->compare_exchange_weak(expected, 1, kAcqRel, kAcquire), "failed");
    });
  };
  ExpectPasses({}, set_up);
  ExpectFound({.weak_failures = true}, set_up, "failed");
}

TEST(MemoryModel, StrongCompareExchangeFailsOnlyOnAnotherValue) {
  ExpectPasses({.stale_bound = 2, .weak_failures = true}, [](Scenario& scenario) {
    auto value = std::make_shared<Atomic<int>>(0);
    for (int t = 1; t <= 2; ++t) {
      scenario.Thread("claimer", [value, t] {
        int expected = 0;
        if (value->compare_exchange_strong(expected, t, kRelaxed, kRelaxed)) return;
        Require(expected == 3 - t, "failed on the expected value");
      });
    }
  });
}

// ------------------------------------------------------------ sleep and spins

// Registers as a sleeper, checks `ready` again, and sleeps. Without the second check, a wake-up in
// between is lost. The same happens if the registration and the check may be reordered.
struct Sleeper {
  Atomic<bool> ready{false};
  Atomic<std::uint32_t> word{0};
  Atomic<std::uint32_t> sleepers{0};

  void Wait(bool looks_again, std::memory_order order) {
    while (!ready.load(kAcquire)) {
      const std::uint32_t key = word.load(kAcquire);
      sleepers.fetch_add(1, order);
      if (!looks_again || !ready.load(order == kSeqCst ? kSeqCst : kAcquire)) {
        ScheduledSync::FutexWait(word, key, -1);
      }
      sleepers.fetch_sub(1, kRelaxed);
    }
  }
  void Notify(std::memory_order order) {
    ready.store(true, order == kSeqCst ? kSeqCst : kRelease);
    if (sleepers.load(order == kSeqCst ? kSeqCst : kAcquire) == 0) return;
    word.fetch_add(1, kRelease);
    ScheduledSync::FutexWake(word, 1);
  }
};

SetUp SleepAndNotify(bool looks_again, std::memory_order order) {
  return [looks_again, order](Scenario& scenario) {
    auto sleeper = std::make_shared<Sleeper>();
    scenario.Thread("waiter", [=] { sleeper->Wait(looks_again, order); });
    scenario.Thread("notifier", [=] { sleeper->Notify(order); });
  };
}

TEST(Sleep, LostWakeUpIsFound) {
  ExpectFound({}, SleepAndNotify(false, kSeqCst), "deadlock");
  ExpectPasses({}, SleepAndNotify(true, kSeqCst));
}

TEST(Sleep, LostWakeUpByReorderingIsFound) {
  ExpectFound({}, SleepAndNotify(true, kAcqRel), "deadlock");
  const ExploreResult without_stale = ExploreAll({.stale_bound = 0}, SleepAndNotify(true, kAcqRel));
  EXPECT_FALSE(without_stale.failed) << "only the memory order is wrong";
}

TEST(Sleep, TimeOutIsAChoice) {
  ExpectOutcomes<FutexResult>(
      {}, {FutexResult::kWoken, FutexResult::kTimedOut},
      [](Scenario& scenario, std::set<FutexResult>* seen) {
        auto word = std::make_shared<Atomic<std::uint32_t>>(0);
        scenario.Thread("waiter", [word, seen] {
          const std::uint64_t start = ScheduledSync::Ticks();
          const FutexResult result = ScheduledSync::FutexWait(*word, 0, 1000);
          seen->insert(result);
          Require(result != FutexResult::kTimedOut || ScheduledSync::Ticks() >= start + 1000,
                  "timed out too early");
        });
        scenario.Thread("waker", [word] { ScheduledSync::FutexWake(*word, 1); });
      });
}

TEST(Sleep, SpuriousWakesAndInterrupts) {
  ExpectOutcomes<FutexResult>({.spurious_wakes = true, .interrupts = true},
                              {FutexResult::kWoken, FutexResult::kInterrupted},
                              [](Scenario& scenario, std::set<FutexResult>* seen) {
                                struct State {
                                  Atomic<std::uint32_t> word{0};
                                  Atomic<bool> done{false};
                                };
                                auto state = std::make_shared<State>();
                                scenario.Thread("waiter", [state, seen] {
                                  seen->insert(ScheduledSync::FutexWait(state->word, 0, -1));
                                  state->done.store(true, kRelaxed);
                                });
                                scenario.Thread("waker", [state] {
                                  while (!state->done.load(kRelaxed)) {
                                    ScheduledSync::FutexWake(state->word, 1);
                                    ScheduledSync::Pause();
                                  }
                                });
                              });
  // FutexWait() without a loop is wrong, because a wake-up may be spurious.
  const auto waits_once = [](Scenario& scenario) {
    struct State {
      Atomic<std::uint32_t> word{0};
      Atomic<int> other{0};
    };
    auto state = std::make_shared<State>();
    scenario.Thread("waiter", [state] {
      ScheduledSync::FutexWait(state->word, 0, -1);
      Require(state->word.load(kAcquire) == 1, "woken for nothing");
    });
    scenario.Thread("waker", [state] {
      state->other.store(1, kRelaxed);
      state->word.store(1, kRelease);
      ScheduledSync::FutexWake(state->word, 1);
    });
  };
  ExpectFound({.spurious_wakes = true}, waits_once, "woken for nothing");
  ExpectPasses({}, waits_once);
}

TEST(Sleep, WakeTakesAnySleeper) {
  ExpectOutcomes<int>({.preemption_bound = 0}, {0, 1}, [](Scenario& scenario, std::set<int>* seen) {
    struct State {
      Atomic<std::uint32_t> word{0};
      Atomic<int> asleep{0};
      int first = -1;
    };
    auto state = std::make_shared<State>();
    for (int t = 0; t < 2; ++t) {
      scenario.Thread("waiter", [state, t] {
        state->asleep.fetch_add(1, kRelaxed);
        ScheduledSync::FutexWait(state->word, 0, 1'000'000'000);
        if (state->first < 0) state->first = t;
      });
    }
    scenario.Thread("waker", [state] {
      while (state->asleep.load(kRelaxed) < 2) ScheduledSync::Pause();
      ScheduledSync::FutexWake(state->word, 1);
    });
    scenario.AtEnd([state, seen] { seen->insert(state->first); });
  });
}

TEST(Spin, EndlessSpinIsALivelock) {
  for (const bool pauses : {false, true}) {
    ExpectFound(
        {.max_steps = 500},
        [pauses](Scenario& scenario) {
          auto never = std::make_shared<Atomic<bool>>(false);
          scenario.Thread("spinner", [never, pauses] {
            while (!never->load(kAcquire)) {
              if (pauses) ScheduledSync::Pause();
            }
          });
          scenario.Thread("other", [never] { never->store(false, kRelease); });
        },
        "livelock");
  }
}

TEST(Spin, SpinnersLetOthersGoOn) {
  for (const bool pauses : {false, true}) {
    ExpectPasses({.max_steps = 500}, [pauses](Scenario& scenario) {
      auto stage = std::make_shared<Atomic<int>>(0);
      for (int t = 0; t < 3; ++t) {
        scenario.Thread("relay", [stage, pauses, t] {
          while (stage->load(kAcquire) != t) {
            if (pauses) ScheduledSync::Pause();
          }
          stage->store(t + 1, kRelease);
        });
      }
    });
  }
}

TEST(Spin, BoundedSpinMayRunOutFirst) {
  ExpectOutcomes<bool>({}, {false, true}, [](Scenario& scenario, std::set<bool>* seen) {
    auto ready = std::make_shared<Atomic<bool>>(false);
    scenario.Thread("spinner", [ready, seen] {
      const std::uint64_t start = ScheduledSync::Ticks();
      bool found = ready->load(kAcquire);
      while (!found && ScheduledSync::Ticks() - start < 400) {
        ScheduledSync::Pause();
        found = ready->load(kAcquire);
      }
      seen->insert(found);
    });
    scenario.Thread("storer", [ready] { ready->store(true, kRelease); });
  });
}

// ------------------------------------------------------------------------ ABA

// A stack of indices. Without a tag in its head, a pop may succeed after another thread has popped
// the same index and pushed it again above another one.
class Stack {
 public:
  static constexpr std::uint32_t kNone = 0xFF;

  explicit Stack(std::uint32_t tag_step) : tag_step_(tag_step) {}

  void Push(std::uint32_t index) {
    std::uint64_t head = head_.load(kRelaxed);
    do {
      next_[index].store(static_cast<std::uint32_t>(head), kRelaxed);
    } while (!head_.compare_exchange_weak(head, Next(head, index), kRelease, kRelaxed));
  }

  std::uint32_t Pop() {
    std::uint64_t head = head_.load(kAcquire);
    for (;;) {
      const auto index = static_cast<std::uint32_t>(head);
      if (index == kNone) return kNone;
      const std::uint32_t next = next_[index].load(kRelaxed);
      if (head_.compare_exchange_weak(head, Next(head, next), kAcquire, kAcquire)) return index;
    }
  }

 private:
  std::uint64_t Next(std::uint64_t head, std::uint32_t index) const {
    return ((head >> 32) + tag_step_) << 32 | index;
  }

  const std::uint32_t tag_step_;
  std::array<Atomic<std::uint32_t>, 2> next_;
  Atomic<std::uint64_t> head_{kNone};
};

SetUp PopAndPush(std::uint32_t tag_step) {
  return [tag_step](Scenario& scenario) {
    struct State {
      explicit State(std::uint32_t step) : stack(step) {}
      Stack stack;
      std::array<int, 2> owners{};
      void Take(std::uint32_t index) {
        if (index != Stack::kNone) Require(++owners[index] == 1, "taken twice");
      }
      void Give(std::uint32_t index) {
        --owners[index];
        stack.Push(index);
      }
    };
    auto state = std::make_shared<State>(tag_step);
    state->stack.Push(0);
    state->stack.Push(1);
    scenario.Thread("popper", [state] {
      state->Take(state->stack.Pop());
      state->Take(state->stack.Pop());
    });
    scenario.Thread("recycler", [state] {
      const std::uint32_t first = state->stack.Pop();
      state->Take(first);
      state->Take(state->stack.Pop());
      if (first != Stack::kNone) state->Give(first);
    });
  };
}

TEST(Aba, FoundWithoutTagAndGoneWithIt) {
  ExpectFound({.preemption_bound = 2}, PopAndPush(0), "taken twice");
  ExpectPasses({.preemption_bound = 3}, PopAndPush(1));
}

}  // namespace
}  // namespace engine::testing
