#include "tests/engine/support/scheduler.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <stdexcept>

namespace engine::testing {
namespace {

thread_local Scheduler* active = nullptr;

// After this number of loads without a new value, a thread is considered to spin.
constexpr std::uint32_t kIdleLoads = 8;

// The number of times that a thread may read an outdated value again at no cost in ExploreAll: a
// store that is late for one load may be late for the next loads.
constexpr std::uint32_t kMaxMissedAgain = 3;

const char* NameOf(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return "relaxed";
    case std::memory_order_consume:
      return "consume";
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_release:
      return "release";
    case std::memory_order_acq_rel:
      return "acq_rel";
    case std::memory_order_seq_cst:
      return "seq_cst";
  }
  return "?";
}

std::string TextOf(const Where& where) {
  const std::string path = where.file_name();
  return path.substr(path.find_last_of('/') + 1) + ":" + std::to_string(where.line());
}

}  // namespace

Scheduler::Scheduler(const ExploreOptions& options) : options_(options) {
  if (active != nullptr) throw std::logic_error("explorations do not nest");
  active = this;
  fibers_[kMain] = std::make_unique<Fiber>();
}

Scheduler::~Scheduler() { active = nullptr; }

Scheduler& Scheduler::Active() {
  if (active == nullptr) throw std::logic_error("ScheduledSync is used outside an exploration");
  return *active;
}

bool Scheduler::Execute(Explorer& explorer, const SetUp& set_up, bool trace) {
  explorer_ = &explorer;
  explorer.Begin();
  trace_ = trace;
  events_.clear();
  choices_.clear();
  num_atomics_ = 0;
  writes_.clear();
  steps_ = 0;
  now_ns_ = 1;
  current_ = kMain;
  threads_[kMain] = VirtualThread{};
  threads_[kMain].name = "main";
  threads_[kMain].clock.at[kMain] = 1;
  Scenario scenario;
  set_up(scenario);
  Prepare(scenario);
  try {
    if (!failed_ && num_threads_ > 1) Reschedule();
  } catch (const std::logic_error& error) {
    RecordFailure(error.what());
  }
  for (std::size_t t = 1; t < num_threads_; ++t) {
    threads_[kMain].clock.Join(threads_[t].clock);
    threads_[t].body = nullptr;
  }
  if (!failed_) {
    for (const auto& check : scenario.checks_) check();
  }
  return !failed_;
}

void Scheduler::Prepare(const Scenario& scenario) {
  num_threads_ = scenario.threads_.size() + 1;
  if (num_threads_ > kMaxThreads) throw std::logic_error("too many virtual threads");
  for (std::size_t t = 1; t < num_threads_; ++t) {
    threads_[t] = VirtualThread{};
    threads_[t].name = scenario.threads_[t - 1].first + "#" + std::to_string(t);
    threads_[t].body = scenario.threads_[t - 1].second;
    threads_[t].state = State::kRunnable;
    threads_[t].clock = threads_[kMain].clock;
    threads_[t].clock.at[t] = 1;
    if (fibers_[t] == nullptr) {
      fibers_[t] = std::make_unique<Fiber>([this, t] {
        for (;;) RunThread(t);
      });
    }
  }
  ++threads_[kMain].clock.at[kMain];
}

void Scheduler::RunThread(std::size_t thread) {
  try {
    threads_[thread].body();
  } catch (const std::exception& error) {
    RecordFailure(std::string("an exception left the thread: ") + error.what());
  } catch (...) {
    RecordFailure("an exception left the thread");
  }
  StopIfFailed();
  self().state = State::kFinished;
  OnWrite();  // threads that poll for the end may continue
  Reschedule();
}

void Scheduler::RecordFailure(const std::string& what) {
  if (failed_) return;
  failed_ = true;
  failure_ = what;
  if (current_ != kMain) failure_ += " (in thread " + self().name + ")";
}

// Leaves the virtual thread forever if the schedule has failed. The objects on its stack leak, so
// callers must have stored the text of the failure elsewhere.
void Scheduler::StopIfFailed() {
  if (!failed_ || current_ == kMain) return;
  SwitchTo(kMain);
  std::abort();  // a failed schedule is never continued
}

void Scheduler::CountStep() {
  if (++steps_ <= options_.max_steps) return;
  RecordFailure("livelock: " + std::to_string(options_.max_steps) + " operations and no end");
  StopIfFailed();
}

void Scheduler::SwitchTo(std::size_t thread) {
  Fiber& from = *fibers_[current_];
  current_ = thread;
  Fiber::Switch(from, *fibers_[thread]);
}

// ---------------------------------------------------------------- scheduling

void Scheduler::Point(const Where& where) {
  if (current_ == kMain) return;
  VirtualThread& thread = self();
  thread.where = where;
  CountStep();
  if (!thread.scheduled) Reschedule();
  thread.scheduled = false;
}

// Lets another thread run first, if there is one.
void Scheduler::Yield() {
  if (current_ == kMain) return;
  explorer_->OnPause(current_);
  self().paused = true;
  self().scheduled = false;
  Reschedule();
}

// Chooses the next thread. Returns when the current thread is chosen.
void Scheduler::Reschedule() {
  const std::vector<Alternative>& list = ListAlternatives();
  if (list.empty()) {
    const bool all_finished =
        std::all_of(threads_.begin() + 1, threads_.begin() + static_cast<long>(num_threads_),
                    [](const VirtualThread& t) { return t.state == State::kFinished; });
    if (!all_finished) RecordDeadlock();
    SwitchTo(kMain);
    return;
  }
  const Alternative next =
      list[Decide(list, [this](const auto& from) { return explorer_->ChooseThread(from); })];
  VirtualThread& thread = threads_[next.thread];
  if (thread.state == State::kAsleep) {
    if (next.action == Action::kTimeOut) {
      thread.result = FutexResult::kTimedOut;
      now_ns_ = std::max(now_ns_, thread.deadline_ns);
    } else {
      thread.result =
          next.action == Action::kInterrupt ? FutexResult::kInterrupted : FutexResult::kWoken;
    }
    thread.state = State::kRunnable;
  }
  thread.paused = false;
  thread.scheduled = true;
  if (next.thread != current_) SwitchTo(next.thread);
}

std::vector<Alternative>& Scheduler::ListAlternatives() {
  alternatives_.clear();
  AddRunnable(false, Cost::kFree);
  if (alternatives_.empty()) {
    // All runnable threads spin: they take turns, starting after the current one.
    AddRunnable(true, Cost::kPreemption);
    if (!alternatives_.empty()) alternatives_[0].cost = Cost::kFree;
    for (Alternative& alternative : alternatives_) alternative.paused = false;
  } else {
    const bool continues = alternatives_[0].thread == current_;
    for (std::size_t i = 1; continues && i < alternatives_.size(); ++i) {
      alternatives_[i].cost = Cost::kPreemption;
    }
    AddRunnable(true, Cost::kPreemption);
  }
  AddSleepers(!alternatives_.empty());
  return alternatives_;
}

// The current thread first if it can continue, then the others in turn.
void Scheduler::AddRunnable(bool paused, Cost cost) {
  const std::size_t workers = num_threads_ - 1;
  const std::size_t first = paused || current_ == kMain ? 1 : 0;
  const std::size_t base = current_ == kMain ? workers : current_;
  for (std::size_t i = first; i < workers + first; ++i) {
    const std::size_t t = (base - 1 + i) % workers + 1;
    if (threads_[t].state != State::kRunnable || threads_[t].paused != paused) continue;
    alternatives_.push_back({static_cast<std::uint8_t>(t), Action::kRun, paused, cost});
  }
}

void Scheduler::AddSleepers(bool others_run) {
  const Cost cost = others_run ? Cost::kDisturbance : Cost::kFree;
  for (std::size_t t = 1; t < num_threads_; ++t) {
    const VirtualThread& thread = threads_[t];
    if (thread.state != State::kAsleep) continue;
    const auto id = static_cast<std::uint8_t>(t);
    if (thread.deadline_ns != 0) {
      alternatives_.push_back({id, Action::kTimeOut, false, cost});
    }
    // Neither event may save a thread that would otherwise sleep forever.
    if (alternatives_.empty()) continue;
    if (options_.spurious_wakes) {
      alternatives_.push_back({id, Action::kSpuriousWake, false, Cost::kDisturbance});
    }
    if (options_.interrupts) {
      alternatives_.push_back({id, Action::kInterrupt, false, Cost::kDisturbance});
    }
  }
}

void Scheduler::RecordDeadlock() {
  std::string text = "deadlock: every unfinished thread sleeps, so a wake-up is lost:";
  for (std::size_t t = 1; t < num_threads_; ++t) {
    if (threads_[t].state != State::kAsleep) continue;
    text += " " + threads_[t].name + " on a" + std::to_string(threads_[t].word->id()) + " at " +
            TextOf(threads_[t].where) + ";";
  }
  RecordFailure(text);
}

template <class Choose>
std::size_t Scheduler::Decide(const std::vector<Alternative>& from, const Choose& choose) {
  if (from.size() == 1) return 0;
  std::size_t choice = 0;
  try {
    choice = choose(from);
  } catch (const std::logic_error& error) {
    if (current_ == kMain) throw;  // to Execute
    RecordFailure(error.what());
  }
  StopIfFailed();
  choices_.push_back(static_cast<std::uint8_t>(choice));
  return choice;
}

std::size_t Scheduler::DecideOutcome(std::size_t count, Cost cost) {
  outcomes_.assign(count, Alternative{0, Action::kRun, false, cost});
  outcomes_[0].cost = Cost::kFree;
  return Decide(outcomes_, [this](const auto& from) { return explorer_->ChooseOutcome(from); });
}

// Chooses the store that a load reads, among stores that are `ages` older than the newest. The
// first one is free.
std::size_t Scheduler::DecideAge(const AtomicModel& atomic, std::span<const std::size_t> ages) {
  if (ages.size() == 1) return ages[0];
  VirtualThread& thread = self();
  outcomes_.assign(ages.size(), Alternative{});
  for (std::size_t i = 1; i < ages.size(); ++i) {
    const bool again = thread.late == &atomic && thread.missed_again < kMaxMissedAgain &&
                       atomic.Seen(ages[i], current_);
    outcomes_[i].cost = again ? Cost::kFree : Cost::kStale;
  }
  const std::size_t choice =
      Decide(outcomes_, [this](const auto& from) { return explorer_->ChooseOutcome(from); });
  if (choice > 0) {
    thread.missed_again = outcomes_[choice].cost == Cost::kFree ? thread.missed_again + 1 : 0;
    thread.late = &atomic;
  }
  return ages[choice];
}

// ---------------------------------------------------------------- operations

// The current thread has written a value that others may poll.
void Scheduler::OnWrite() {
  self().idle_loads = 0;
  for (std::size_t t = 1; t < num_threads_; ++t) threads_[t].paused = false;
}

void Scheduler::OnRead(bool news) { self().idle_loads = news ? 0 : self().idle_loads + 1; }

void Scheduler::EndOperation() {
  VirtualThread& thread = self();
  thread.last_step = steps_;
  // Advances the epoch, so that a release does not cover later operations.
  ++thread.clock.at[current_];
  if (thread.idle_loads >= kIdleLoads) {
    thread.idle_loads = 0;
    Yield();
  }
}

void Scheduler::CountWrite(const AtomicModel& atomic) {
  if (current_ == kMain) return;
  WriteCount& count = writes_[atomic.id()];
  count.threads |= 1U << current_;
  ++count.writes;
}

std::uint64_t Scheduler::SharedWrites() const {
  std::uint64_t sum = 0;
  for (const WriteCount& count : writes_) {
    if (std::popcount(count.threads) > 1) sum += count.writes;
  }
  return sum;
}

void Scheduler::Construct(AtomicModel& atomic, std::uint64_t bits) {
  atomic.Init(num_atomics_++, bits, current_, self().clock);
  writes_.emplace_back();
}

std::uint64_t Scheduler::Load(AtomicModel& atomic, std::memory_order order, const Where& where) {
  Point(where);
  VirtualThread& thread = self();
  constexpr std::array<std::size_t, AtomicModel::kHistory> kAges = {0, 1, 2, 3};
  const std::size_t readable = atomic.CountReadable(thread.clock, order, thread.last_step);
  const std::size_t age = DecideAge(atomic, std::span(kAges).first(readable));
  const std::uint64_t bits = atomic.BitsBehind(age);
  OnRead(atomic.OnLoad(age, current_, thread.clock, order));
  Record("load", atomic, bits, order, age > 0 ? "stale" : "", where);
  EndOperation();
  return bits;
}

void Scheduler::Store(AtomicModel& atomic, std::uint64_t bits, std::memory_order order,
                      const Where& where) {
  Point(where);
  atomic.OnStore(bits, current_, self().clock, order, steps_);
  CountWrite(atomic);
  OnWrite();
  Record("store", atomic, bits, order, "", where);
  EndOperation();
}

std::uint64_t Scheduler::ReadModifyWrite(AtomicModel& atomic, const char* name,
                                         const std::function<std::uint64_t(std::uint64_t)>& change,
                                         std::memory_order order, const Where& where) {
  Point(where);
  const std::uint64_t old = atomic.newest_bits();
  const std::uint64_t bits = change(old);
  atomic.OnReadModifyWrite(bits, current_, self().clock, order, steps_);
  CountWrite(atomic);
  OnWrite();
  Record(name, atomic, bits, order, "", where);
  EndOperation();
  return old;
}

bool Scheduler::CompareExchange(AtomicModel& atomic, std::uint64_t& expected, std::uint64_t desired,
                                std::memory_order success, std::memory_order failure, bool weak,
                                const Where& where) {
  Point(where);
  VirtualThread& thread = self();
  // The alternatives: the result of the newest store, or of an older store that differs from
  // `expected`. Only the weak form may fail on an equal value.
  std::array<std::size_t, AtomicModel::kHistory> ages{};
  std::size_t count = 1;
  const std::size_t readable = atomic.CountReadable(thread.clock, failure, thread.last_step);
  for (std::size_t age = 1; age < readable; ++age) {
    if (atomic.BitsBehind(age) != expected) ages[count++] = age;
  }
  const std::size_t age = DecideAge(atomic, std::span(ages).first(count));
  const std::uint64_t bits = atomic.BitsBehind(age);
  bool done = age == 0 && bits == expected;
  const char* note = age > 0 ? "fails, stale" : "fails";
  if (done && weak && options_.weak_failures && DecideOutcome(2, Cost::kDisturbance) == 1) {
    done = false;
    note = "fails for no reason";
  }
  if (done) {
    atomic.OnReadModifyWrite(desired, current_, thread.clock, success, steps_);
    CountWrite(atomic);
    OnWrite();
    Record("compare_exchange", atomic, desired, success, "", where);
  } else {
    OnRead(atomic.OnLoad(age, current_, thread.clock, failure));
    Record("compare_exchange", atomic, bits, failure, note, where);
    expected = bits;
  }
  EndOperation();
  return done;
}

void Scheduler::ReadVar(VarModel& var, const Where& where) {
  std::size_t other = 0;
  const VarModel::Access* earlier = var.OnRead(current_, self().clock, where, &other);
  if (earlier != nullptr) RecordRace("read", *earlier, other, where);
  StopIfFailed();
}

void Scheduler::WriteVar(VarModel& var, const Where& where) {
  std::size_t other = 0;
  const VarModel::Access* earlier = var.OnWrite(current_, self().clock, where, &other);
  if (earlier != nullptr) RecordRace("write", *earlier, other, where);
  StopIfFailed();
}

void Scheduler::RecordRace(const char* access, const VarModel::Access& earlier, std::size_t other,
                           const Where& where) {
  RecordFailure(std::string("data race: ") + access + " at " + TextOf(where) + " and access at " +
                TextOf(earlier.where) + " by thread " + threads_[other].name + " are not ordered");
}

FutexResult Scheduler::FutexWait(AtomicModel& word, std::uint32_t expected, std::int64_t timeout_ns,
                                 const Where& where) {
  if (current_ == kMain) throw std::logic_error("set-up and checks must not sleep");
  Point(where);
  VirtualThread& thread = self();
  // The kernel compares under its lock, so it sees the newest value. The comparison orders no other
  // operation.
  const std::uint64_t bits = word.newest_bits();
  word.OnLoad(0, current_, thread.clock, std::memory_order_relaxed);
  const bool sleeps = bits == expected;
  Record("futex_wait", word, expected, std::memory_order_relaxed, sleeps ? "" : "differs", where);
  thread.idle_loads = 0;
  EndOperation();
  if (!sleeps) return FutexResult::kWoken;
  thread.state = State::kAsleep;
  thread.word = &word;
  thread.asleep_since = steps_;
  thread.deadline_ns = timeout_ns < 0 ? 0 : now_ns_ + static_cast<std::uint64_t>(timeout_ns);
  thread.scheduled = false;
  Reschedule();
  const char* how = thread.result == FutexResult::kWoken      ? "woken"
                    : thread.result == FutexResult::kTimedOut ? "timed out"
                                                              : "interrupted";
  Record("futex_wait", word, expected, std::memory_order_relaxed, how, where);
  return thread.result;
}

void Scheduler::FutexWake(AtomicModel& word, std::uint32_t count, const Where& where) {
  Point(where);
  Record("futex_wake", word, count, std::memory_order_relaxed, "", where);
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool sleeper = std::any_of(threads_.begin(), threads_.end(), [&](const auto& thread) {
      return thread.state == State::kAsleep && thread.word == &word;
    });
    if (!sleeper) break;
    WakeOne(word);
  }
  EndOperation();
}

void Scheduler::WakeOne(AtomicModel& word) {
  std::vector<VirtualThread*> sleepers;
  for (VirtualThread& thread : threads_) {
    if (thread.state == State::kAsleep && thread.word == &word) sleepers.push_back(&thread);
  }
  std::sort(sleepers.begin(), sleepers.end(),
            [](const auto* a, const auto* b) { return a->asleep_since < b->asleep_since; });
  const std::size_t count = sleepers.size();
  VirtualThread& woken = *sleepers[count > 1 ? DecideOutcome(count, Cost::kDisturbance) : 0];
  woken.state = State::kRunnable;
  woken.result = FutexResult::kWoken;
}

void Scheduler::Pause() {
  now_ns_ += options_.pause_ns;
  CountStep();
  Yield();
}

// ------------------------------------------------------------------- reports

void Scheduler::Record(const char* operation, const AtomicModel& atomic, std::uint64_t bits,
                       std::memory_order order, const char* note, const Where& where) {
  ++now_ns_;
  if (trace_) events_.push_back({current_, operation, atomic.id(), bits, order, note, where});
}

std::string Scheduler::TraceText() const {
  constexpr std::size_t kMaxLines = 400;
  const std::size_t skipped = events_.size() > kMaxLines ? events_.size() - kMaxLines : 0;
  std::ostringstream out;
  if (skipped > 0) out << "  (" << skipped << " operations)\n";
  for (std::size_t i = skipped; i < events_.size(); ++i) {
    const Event& event = events_[i];
    out << "  " << threads_[event.thread].name << ": a" << event.atomic << " " << event.operation
        << " " << event.bits << " " << NameOf(event.order) << " at " << TextOf(event.where);
    if (*event.note != '\0') out << " (" << event.note << ")";
    out << "\n";
  }
  return out.str();
}

}  // namespace engine::testing
