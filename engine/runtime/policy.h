// Every decision about scheduling, and every constant behind one: who runs a job, how many threads
// to wake, how much to take at once, whether to keep the host's lock. Pure functions of what was
// measured, without clocks or threads, so that tests replay recorded costs and a simulator can run
// the very same code. Called by the executors and the pool, on any thread.
#ifndef ENGINE_RUNTIME_POLICY_H_
#define ENGINE_RUNTIME_POLICY_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "engine/base/cache_line.h"

namespace engine {

// The constants, with their units and what they rest on. Times are of virtual machines with two
// processors (EPYC, and Xeon at 2.5 GHz).
struct Tuning {
  // Work that one thread does sooner than it could have had help. Waking a sleeping thread takes
  // 5 to 50 us from the call to its first instruction.
  double inline_ns = 15'000.0;
  // The same while a worker spins: it takes the job within 1 us, and what it steps travels between
  // the caches of two processors.
  double inline_hot_ns = 2'500.0;
  // Making environments is done once: no thread is started for less.
  double inline_construct_ns = 1'000'000.0;
  // Up to here the caller keeps the host's lock. To give up Python's and win it back takes 0.1 us,
  // but up to 5 ms (its switch interval) while another thread computes.
  double keep_lock_ns = 20'000.0;
  // Pieces taken from a job or from the queue: long against the cost of taking one (50 ns), short
  // against a batch.
  double min_piece_ns = 1'000.0;
  double piece_ns = 5'000.0;
  double max_piece_ns = 50'000.0;
  // A piece that takes so many times what it was planned for has overrun: what is finished is
  // handed out and the rest given back.
  double overrun = 4.0;
  // Environments in a piece of a job, where steps may wait for long: between two pieces a caller
  // looks for interrupts.
  std::uint32_t max_waiting_piece = 16;
  // Environments in a piece from the queue; the size of a worker's scratch memory.
  std::uint32_t max_piece = 256;
  // Waking one more thread pays off from about this much work.
  double work_per_helper_ns = 3'000.0;
  // How long a worker without work, and a caller without results, spins before it sleeps: bridges
  // the caller's own work between two steps of light environments, and does not matter where it
  // computes for a millisecond.
  double worker_spin_ns = 50'000.0;
  double caller_spin_ns = 50'000.0;
  // How often a thread that waits or works looks for an interrupt (Ctrl-C).
  std::int64_t interrupt_ns = 50'000'000;
  // Steps that follow one another within `tight_gap_ns`, so many times, are a loop in which workers
  // are worth keeping awake.
  double tight_gap_ns = 25'000.0;
  std::uint32_t tight_steps = 16;
  // Weights of a sample in the average cost, if it is below and above the average; a sample counts
  // for no more than `most_jump` times the average. Samples of a few milliseconds are the system's,
  // which takes the processor away.
  double weight_down = 1.0 / 8.0;
  double weight_up = 1.0 / 32.0;
  double most_jump = 4.0;
};
inline constexpr Tuning kTuning;

// What an environment costs: a running average. Written and read by every stepping thread; a lost
// update only delays learning.
class CostEstimate {
 public:
  // ns; 0 before the first measurement.
  double ns_per_env() const { return static_cast<double>(ns_.load(std::memory_order_relaxed)); }
  // `envs` environments took `ns`.
  void Measured(double ns, std::uint32_t envs);

 private:
  alignas(kCacheLineBytes) std::atomic<float> ns_{0.0F};
};

// How many environments that cost `cost_ns` each take about `ns`; within [1, limit]. One while the
// cost is unknown (0).
std::uint32_t EnvsIn(double ns, double cost_ns, std::uint32_t limit);

// What does not change while a pool lives.
struct Machine {
  std::uint32_t num_threads = 1;  // that step environments
  std::uint32_t num_cpus = 1;     // that the process may use
  bool never_waits = false;       // steps are short computations (see Environment)
};

// What the worker threads do now.
struct Workers {
  std::uint32_t started = 0;
  std::uint32_t sleeping = 0;
  std::uint32_t spinning = 0;
};

// Whether calls follow one another closely. One thread at a time.
class TightLoop {
 public:
  // `gap_ns`: from the end of one call to the beginning of the next.
  void Called(double gap_ns) {
    calls_ = gap_ns < kTuning.tight_gap_ns ? std::min(calls_ + 1, kTuning.tight_steps) : 0;
  }
  bool tight() const { return calls_ == kTuning.tight_steps; }

 private:
  std::uint32_t calls_ = 0;
};

enum class JobKind : std::uint8_t { kConstruct, kStep, kReset, kRender };
inline constexpr std::size_t kNumJobKinds = 4;

// A job: rows that are known beforehand, done by the caller and, where it pays, by workers.
struct JobFacts {
  JobKind kind = JobKind::kStep;
  std::uint32_t n = 1;   // environments
  double cost_ns = 0.0;  // of one; 0: unknown
  bool tight_loop = false;
};
struct JobPlan {
  // The caller begins alone, and shares what is left once more than `inline_ns` of work is.
  bool begins_alone = false;
  double inline_ns = 0.0;
  // Environments between two looks at the clock.
  std::uint32_t piece = 1;
  // The host's lock is kept until the work has taken longer than it was to.
  bool keeps_lock = false;
};
JobPlan PlanJob(const Machine& machine, const Workers& workers, const JobFacts& facts);

// How a job of `n` environments is cut up and how many workers help.
struct SharePlan {
  std::uint32_t helpers = 0;
  std::uint32_t min_piece = 1;
  std::uint32_t max_piece = 1;
};
SharePlan PlanShare(const Machine& machine, std::uint32_t n, double cost_ns);

// How many environments a worker takes from the queue at once. One of those that may wait for
// anything: were it slow, it would hold up the others of its piece.
struct PiecePlan {
  std::uint32_t least = 1;
  std::uint32_t most = 1;
  double overrun_ns = 0.0;  // when the piece has overrun
};
PiecePlan PlanPiece(const Machine& machine, double cost_ns);

// Who is woken for environments that were queued.
struct SendFacts {
  std::uint32_t n = 1;  // queued now
  std::uint32_t batch_size = 1;
  double cost_ns = 0.0;         // of one; 0: unknown
  std::uint32_t receivers = 0;  // threads that wait for a batch
};
// Workers to wake; 0: the receiver steps them itself (see ReceiverSteps).
std::uint32_t PlanSend(const Machine& machine, const SendFacts& facts);

// Whether a worker that takes a piece wakes another for the `queued` environments that it leaves:
// where its own may wait for long, and those who were counted on for the others with it.
bool WakesAnother(const Machine& machine, std::uint64_t queued);

// Whether a caller that began a job alone shares what is left of it: `rest_ns` of work as its
// environments turn out now, for an average would follow a jump too slowly.
bool SharesRest(const Machine& machine, const JobPlan& plan, double rest_ns);

// Whether a thread that waits for a batch steps queued environments itself: where a batch is
// lighter than handing it to another processor and back. `left_ns`: until its timeout. It gives 1.7
// times the steps of a task of 20 ns, 1,024 in batches of 256, in a loop that does nothing else,
// and spares a processor; with a consumer of 0.1 ms and more between batches it gives nothing (0.99
// to 1.00).
bool ReceiverSteps(const Machine& machine, double cost_ns, std::uint32_t batch_size,
                   std::int64_t left_ns);

// How long a caller that waits spins: not where it would take a processor from a worker.
double CallerSpinNs(const Machine& machine, const Workers& workers);

}  // namespace engine

#endif  // ENGINE_RUNTIME_POLICY_H_
