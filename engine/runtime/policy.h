// All scheduling decisions, and all their constants: who runs a job, how many threads to wake, how
// much to take at once, whether to keep the host's lock. The decisions depend only on measurements
// that the caller passes. The code reads no clock and starts no thread, so that tests can replay
// recorded costs and a simulator can run the same code. Called by the executors and the pool, on
// any thread.
#ifndef ENGINE_RUNTIME_POLICY_H_
#define ENGINE_RUNTIME_POLICY_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "engine/base/cache_line.h"

namespace engine {

// The constants, with their units and reasons. benchmarks/README.md says how the times were
// measured. SIMULATED ONLY: the value, and the mechanism that it belongs to, were chosen by
// simulated costs of large machines. No such machine has confirmed them.
struct Tuning {
  // The caller does up to this much work alone, because it is done before a second thread could
  // help. Waking a sleeping thread takes 5 to 50 us from the call to the thread's first
  // instruction.
  double inline_ns = 15'000.0;
  // The same limit while a worker spins. The worker takes the job within 1 us, but the environments
  // that it steps move between the caches of two processors.
  double inline_hot_ns = 2'500.0;
  // The same limit for the construction of environments. Construction happens only once, so no
  // thread is started for less.
  double inline_construct_ns = 1'000'000.0;
  // The caller keeps the host's lock for up to this time. Releasing Python's lock and taking it
  // back takes 0.1 us, but up to 5 ms (its switch interval) while another thread computes.
  double keep_lock_ns = 20'000.0;
  // Limits of the duration of a piece: for a job, min_piece_ns to max_piece_ns; from the queue,
  // min_piece_ns to piece_ns, or more with many threads (contended_ns). Claiming a piece takes 50
  // ns.
  double min_piece_ns = 1'000.0;
  double piece_ns = 5'000.0;
  double max_piece_ns = 50'000.0;
  // A piece has at least this many environments, if there are as many, of a class that steps them
  // together (StepMany): the lanes of a vector.
  std::uint32_t together = 16;
  // A piece that takes this many times its planned duration has overrun: the finished part is
  // delivered and the rest is returned.
  double overrun = 4.0;
  // Environments in a piece of a job if steps may wait for long. Between two pieces, the caller
  // checks for interrupts.
  std::uint32_t max_waiting_piece = 16;
  // Environments in a piece from the queue; the size of a worker's scratch memory.
  std::uint32_t max_piece = 256;
  // A piece from the queue may take up to contended_ns times the number of threads, if that is more
  // than piece_ns and batches are not small (see PlanPiece). For each piece, a thread writes three
  // cache lines that all threads write. On a machine with several nodes, such a write takes about
  // 200 ns. With pieces of that length, each of the lines is being written for at most half of the
  // time. SIMULATED ONLY: 256 threads, 1,024 of 2,048 environments of 20 us: 1.4 times the rate
  // of pieces of one environment (see benchmarks/README.md).
  double contended_ns = 400.0;
  // With a queue per node, a thread compares the ages of the queues' oldest ids each time it has
  // taken num_envs / queue_checks_per_round ids (see NodeQueues). So while all threads together
  // take num_envs ids, they make about queue_checks_per_round comparisons. A comparison takes 0.2
  // to 5 us, because it reads cache lines of other nodes. SIMULATED ONLY, as the queue per node.
  std::uint32_t queue_checks_per_round = 8;
  // Workers that wait on the same WorkSignal: as many as usually share a cache or a node. SIMULATED
  // ONLY, as the groups of shards (see ShardedRange).
  std::uint32_t workers_per_signal = 16;
  // Waking one more thread is worthwhile from about this much work.
  double work_per_helper_ns = 3'000.0;
  // Time for which an idle worker, or a caller without results, spins before it sleeps. It is
  // longer than the caller's own work between two steps of light environments usually takes. If
  // that takes a millisecond, waking the workers takes little time in comparison.
  double worker_spin_ns = 50'000.0;
  double caller_spin_ns = 50'000.0;
  // How often a waiting or working thread checks for an interrupt (Ctrl-C).
  std::int64_t interrupt_ns = 50'000'000;
  // Steps form a tight loop if `tight_steps` calls in a row each begin less than `tight_gap_ns`
  // after the previous one ended. In a tight loop, jobs of more than `inline_hot_ns` are shared if
  // sharing pays, which keeps the workers awake.
  double tight_gap_ns = 25'000.0;
  std::uint32_t tight_steps = 16;
  // Jobs that would take one thread longer than this are always shared. Lighter jobs are shared if
  // measurements show that sharing is faster (see SharingGain), because some processors exchange
  // cache lines slowly, such as processors on two chips, or virtual processors that the host moves.
  double light_ns = 100'000.0;
  // Sharing and not sharing are each measured for this long. It is longer than the 2 to 4 ms for
  // which the system may suspend a worker while the caller waits.
  double trial_ns = 5e6;
  // Time between two trials of the alternative; doubled after each trial that does not change the
  // decision.
  double shortest_hold_ns = 50e6;
  double longest_hold_ns = 400e6;
  // Light jobs are shared if that takes less than this part of the time that one thread takes.
  double worthwhile_gain = 0.97;
  // Number of jobs after a change that are not measured, because environments still move between
  // caches.
  std::uint32_t gain_warm_up = 8;
  // Weights of a sample in the average cost, for samples below and above the average. A sample is
  // limited to `max_jump` times the average, because the system sometimes suspends the thread for
  // a few milliseconds.
  double weight_down = 1.0 / 8.0;
  double weight_up = 1.0 / 32.0;
  double max_jump = 4.0;
};
inline constexpr Tuning kTuning;

// The cost of an environment: a running average. Written and read by every stepping thread; a lost
// update only delays learning.
class CostEstimate {
 public:
  // ns; 0 before the first measurement.
  double ns_per_env() const { return static_cast<double>(ns_.load(std::memory_order_relaxed)); }
  // Records that `envs` environments took `ns`.
  void Measured(double ns, std::uint32_t envs);

 private:
  alignas(kCacheLineBytes) std::atomic<float> ns_{0.0F};
};

// The number of environments of cost `cost_ns` that together take about `ns`, within [1, limit].
// One while the cost is unknown (0).
std::uint32_t EnvsIn(double ns, double cost_ns, std::uint32_t limit);

// Facts that are constant for a pool.
struct Machine {
  std::uint32_t num_threads = 1;  // that step environments
  std::uint32_t num_cpus = 1;     // that the process may use
  bool never_waits = false;       // steps are short computations (see Environment)
  std::uint32_t together = 1;     // environments that are worth stepping in one call
};

// The current state of the worker threads.
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

// Decides whether light jobs are shared. It uses the alternative that took less time per
// environment, and occasionally tries the other one. Sharing is slower if worker and caller
// exchange cache lines slowly, or if other programs use the processors and the system suspends a
// worker in the middle of its piece. One thread at a time.
class SharingGain {
 public:
  // Whether to share the next job if it is light.
  bool Pays() const { return shares_; }
  // Records the time of a job of `n` environments, which was shared from the start or done by the
  // caller alone. A job that was too heavy for Pays() to decide does not count.
  void Record(bool shared, double ns, std::uint32_t n);

 private:
  void EndPeriod();

  bool shares_ = true;
  bool trying_ = false;  // the current period is a trial
  double period_ns_ = kTuning.trial_ns;
  double hold_ns_ = kTuning.shortest_hold_ns;
  // ns per environment of the alternative that was in use before the current trial.
  double before_trial_ns_ = 0.0;
  std::uint32_t warm_up_ = kTuning.gain_warm_up;  // jobs left that do not count
  // The current period.
  double ns_ = 0.0;
  double envs_ = 0.0;
};

enum class JobKind : std::uint8_t { kConstruct, kStep, kReset, kRender, kCallMethod };
inline constexpr std::size_t kNumJobKinds = 5;

// A job: rows that are known in advance, done by the caller and, if worthwhile, by workers.
struct JobFacts {
  JobKind kind = JobKind::kStep;
  std::uint32_t n = 1;   // environments
  double cost_ns = 0.0;  // of one; 0: unknown
  bool tight_loop = false;
  bool sharing_pays = true;  // see SharingGain
};
struct JobPlan {
  // The caller begins alone, and shares the rest if more than `inline_ns` of work is left.
  bool begins_alone = false;
  double inline_ns = 0.0;
  // Environments between two readings of the clock.
  std::uint32_t piece = 1;
  // The host's lock is kept until the work has taken longer than planned.
  bool keeps_lock = false;
};
JobPlan PlanJob(const Machine& machine, const Workers& workers, const JobFacts& facts);

// How a job of `n` environments is split, and how many workers help.
struct SharePlan {
  std::uint32_t helpers = 0;
  std::uint32_t min_piece = 1;
  std::uint32_t max_piece = 1;
};
SharePlan PlanShare(const Machine& machine, std::uint32_t n, double cost_ns);
// The number of workers to wake for a shared job. Once all threads have been started, this is one
// more than `plan.helpers` (if that is not 0), because one wake-up may go to the worker that takes
// no part in jobs.
std::uint32_t NumToWake(const Machine& machine, const Workers& workers, const SharePlan& plan);

// Whether a caller that has worked for `worked_ns` still keeps the host's lock.
inline bool KeepsLock(double worked_ns) { return worked_ns <= kTuning.keep_lock_ns; }

// The number of environments that a worker takes from the queue at once. It is one for environments
// that may wait, because a slow environment would delay the others of its piece.
struct PiecePlan {
  std::uint32_t min_envs = 1;
  std::uint32_t max_envs = 1;
  double overrun_ns = 0.0;  // after this time the piece has overrun
};
// `batch_size`: rows of a batch. With many threads a piece may take longer than piece_ns; it then
// has at most half of a thread's part of a batch.
PiecePlan PlanPiece(const Machine& machine, double cost_ns, std::uint32_t batch_size = 1);

// The facts that decide which threads are woken for queued environments.
struct SendFacts {
  std::uint32_t n = 1;  // queued now
  std::uint32_t batch_size = 1;
  double cost_ns = 0.0;         // of one; 0: unknown
  std::uint32_t receivers = 0;  // threads that wait for a batch
};
// The number of workers to wake; 0: the receiver steps the environments itself (see ReceiverSteps).
std::uint32_t PlanSend(const Machine& machine, const SendFacts& facts);

// Whether a worker that takes a piece and leaves environments in the queue wakes another worker for
// them. It does if its own environments may wait for long: otherwise the rest of the queue would
// wait for them, too.
inline bool WakesAnother(const Machine& machine) { return !machine.never_waits; }

// Whether a caller that began a job alone shares the rest. `rest_ns`: the remaining work at the
// latest measured cost, because the average reacts too slowly to a jump.
bool SharesRest(const Machine& machine, const JobPlan& plan, double rest_ns);

// Whether a thread that waits for a batch steps queued environments itself. It does if a batch
// costs less than handing it to another processor and back. `left_ns`: time until its timeout.
// `worked_ns`: its work in this call. If worked_ns exceeds a limit, the environments have become
// heavier, and the thread stops. Measured: 1.0 to 2.1 times the rate of leaving
// all steps to workers (benchmarks/README.md).
bool ReceiverSteps(const Machine& machine, double cost_ns, std::uint32_t batch_size,
                   std::int64_t left_ns, double worked_ns = 0.0);

// How long a worker without work spins. `fruitless_ns`: how long it has spun since it last took
// some work or slept. In a large pool, workers that repeatedly find light work already taken go to
// sleep, because each of them slows down the others. In a small pool such workers are few, and
// waking one would cost the caller more.
double WorkerSpinNs(std::uint32_t num_threads, double fruitless_ns);

// How long a waiting caller spins: not at all if it would take a processor from a worker.
double CallerSpinNs(const Machine& machine, const Workers& workers);

}  // namespace engine

#endif  // ENGINE_RUNTIME_POLICY_H_
