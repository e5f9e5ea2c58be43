// The virtual machine that the explorers of schedule.h drive. Virtual threads run on fibers, one at
// a time, and may be switched at every operation of ScheduledSync. scheduled_sync.h calls it from
// virtual threads, set-up and final checks.
//
// Accesses to plain variables are not scheduling points: vector clocks find a race in whatever
// order the two threads run, and without a race the order does not matter.
#ifndef ENGINE_TESTS_SUPPORT_SCHEDULER_H_
#define ENGINE_TESTS_SUPPORT_SCHEDULER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "engine/base/os/futex.h"
#include "tests/engine/support/atomic_model.h"
#include "tests/engine/support/explorer.h"
#include "tests/engine/support/fiber.h"
#include "tests/engine/support/schedule.h"
#include "tests/engine/support/vector_clock.h"

namespace engine::testing {

using Where = std::source_location;

class Scheduler {
 public:
  explicit Scheduler(const ExploreOptions& options);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // The current scheduler. Throws std::logic_error if there is none.
  static Scheduler& Active();

  // Runs one schedule. Returns whether it passed. After a failure, Execute must not be called
  // again.
  bool Execute(Explorer& explorer, const SetUp& set_up, bool trace);

  const std::string& failure() const { return failure_; }
  const Choices& choices() const { return choices_; }
  std::uint32_t steps() const { return steps_; }
  std::string TraceText() const;

  // Operations of ScheduledSync.
  void Construct(AtomicModel& atomic, std::uint64_t bits);
  std::uint64_t Load(AtomicModel& atomic, std::memory_order order, const Where& where);
  void Store(AtomicModel& atomic, std::uint64_t bits, std::memory_order order, const Where& where);
  std::uint64_t ReadModifyWrite(AtomicModel& atomic, const char* name,
                                const std::function<std::uint64_t(std::uint64_t)>& change,
                                std::memory_order order, const Where& where);
  bool CompareExchange(AtomicModel& atomic, std::uint64_t& expected, std::uint64_t desired,
                       std::memory_order success, std::memory_order failure, bool weak,
                       const Where& where);
  void ReadVar(VarModel& var, const Where& where);
  void WriteVar(VarModel& var, const Where& where);
  FutexResult FutexWait(AtomicModel& word, std::uint32_t expected, std::int64_t timeout_ns,
                        const Where& where);
  void FutexWake(AtomicModel& word, std::uint32_t count, const Where& where);
  void Pause();
  std::uint64_t Now() const { return now_ns_; }
  // See SharedWrites in schedule.h.
  std::uint64_t SharedWrites() const;

  // Records a failure, unless there is an earlier one.
  void RecordFailure(const std::string& what);
  // Does not return to a virtual thread if a failure has been recorded.
  void StopIfFailed();

 private:
  static constexpr std::size_t kMain = 0;
  enum class State : std::uint8_t { kRunnable, kAsleep, kFinished };

  struct VirtualThread {
    std::string name;
    std::function<void()> body;
    State state = State::kFinished;
    bool paused = false;     // waits until another thread has run
    bool scheduled = false;  // chosen since its last operation
    VectorClock clock;
    std::uint64_t last_step = 0;
    std::uint32_t idle_loads = 0;       // consecutive loads without a new value
    const AtomicModel* late = nullptr;  // the variable whose newest store it has missed
    std::uint32_t missed_again = 0;     // later loads of `late` that missed it, too
    // Only while asleep.
    const AtomicModel* word = nullptr;
    std::uint64_t asleep_since = 0;  // step
    std::uint64_t deadline_ns = 0;   // 0: none
    Where where;
    FutexResult result = FutexResult::kWoken;
  };

  struct Event {
    std::size_t thread = 0;
    const char* operation = "";
    std::uint32_t atomic = 0;
    std::uint64_t bits = 0;
    std::memory_order order = std::memory_order_relaxed;
    const char* note = "";
    Where where;
  };

  VirtualThread& self() { return threads_[current_]; }
  void Prepare(const Scenario& scenario);
  void RunThread(std::size_t thread);
  void CountStep();
  void SwitchTo(std::size_t thread);
  void Point(const Where& where);
  void Yield();
  void Reschedule();
  std::vector<Alternative>& ListAlternatives();
  void AddRunnable(bool paused, Cost cost);
  void AddSleepers(bool others_run);
  void RecordDeadlock();
  template <class Choose>
  std::size_t Decide(const std::vector<Alternative>& from, const Choose& choose);
  std::size_t DecideOutcome(std::size_t count, Cost cost);
  std::size_t DecideAge(const AtomicModel& atomic, std::span<const std::size_t> ages);
  void WakeOne(AtomicModel& word);
  void OnWrite();
  void CountWrite(const AtomicModel& atomic);
  void OnRead(bool news);
  void EndOperation();
  void Record(const char* operation, const AtomicModel& atomic, std::uint64_t bits,
              std::memory_order order, const char* note, const Where& where);
  void RecordRace(const char* access, const VarModel::Access& earlier, std::size_t other,
                  const Where& where);

  const ExploreOptions options_;
  Explorer* explorer_ = nullptr;
  std::size_t num_threads_ = 0;  // including thread 0
  std::size_t current_ = kMain;
  std::array<VirtualThread, kMaxThreads> threads_;
  std::array<std::unique_ptr<Fiber>, kMaxThreads> fibers_;
  std::vector<Alternative> alternatives_;
  std::vector<Alternative> outcomes_;
  std::uint32_t num_atomics_ = 0;
  struct WriteCount {
    std::uint32_t threads = 0;  // a bit for each virtual thread that has written
    std::uint64_t writes = 0;
  };
  std::vector<WriteCount> writes_;  // by the atomic's id; without set-up and final checks
  std::uint32_t steps_ = 0;
  std::uint64_t now_ns_ = 0;
  bool failed_ = false;
  std::string failure_;
  Choices choices_;
  bool trace_ = false;
  std::vector<Event> events_;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_SUPPORT_SCHEDULER_H_
