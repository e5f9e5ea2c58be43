#include "engine/runtime/policy.h"

namespace engine {

void CostEstimate::Measured(double ns, std::uint32_t envs) {
  const double sample = ns / envs;
  const double old = ns_per_env();
  const double next =
      old == 0.0     ? sample
      : sample < old ? old + (sample - old) * kTuning.weight_down
                     : old + (std::min(sample, kTuning.max_jump * old) - old) * kTuning.weight_up;
  ns_.store(static_cast<float>(next), std::memory_order_relaxed);
}

void SharingGain::Record(bool shared, double ns, std::uint32_t n) {
  if (shared != shares_) return;
  if (warm_up_ > 0) {
    --warm_up_;
    return;
  }
  ns_ += ns;
  envs_ += n;
  if (ns_ >= period_ns_) EndPeriod();
}

void SharingGain::EndPeriod() {
  const double ns_per_env = ns_ / envs_;
  if (trying_) {
    const double shared_ns = shares_ ? ns_per_env : before_trial_ns_;
    const double alone_ns = shares_ ? before_trial_ns_ : ns_per_env;
    const bool sharing_is_better = shared_ns < kTuning.worthwhile_gain * alone_ns;
    hold_ns_ = sharing_is_better == shares_ ? kTuning.shortest_hold_ns
                                            : std::min(2.0 * hold_ns_, kTuning.longest_hold_ns);
    shares_ = sharing_is_better;
  } else {
    before_trial_ns_ = ns_per_env;
    shares_ = !shares_;
  }
  trying_ = !trying_;
  period_ns_ = trying_ ? kTuning.trial_ns : hold_ns_;
  warm_up_ = kTuning.gain_warm_up;
  ns_ = envs_ = 0.0;
}

std::uint32_t EnvsIn(double ns, double cost_ns, std::uint32_t limit) {
  if (cost_ns <= 0.0) return 1;
  return static_cast<std::uint32_t>(std::clamp(ns / cost_ns, 1.0, static_cast<double>(limit)));
}

namespace {

// `envs`, or more if the class steps more of them together.
std::uint32_t Together(const Machine& machine, std::uint32_t envs, std::uint32_t limit) {
  return std::max(envs, std::min(machine.together, limit));
}

std::uint32_t HelpersFor(double ns, std::uint32_t limit) {
  return static_cast<std::uint32_t>(
      std::clamp(ns / kTuning.work_per_helper_ns, 0.0, static_cast<double>(limit)));
}

double InlineNs(const Machine& machine, const Workers& workers, const JobFacts& facts) {
  if (facts.kind == JobKind::kConstruct) return kTuning.inline_construct_ns;
  if (facts.kind == JobKind::kRender) return kTuning.inline_ns;  // not part of a loop of steps
  if (machine.num_threads == 1 || machine.num_cpus == 1) return kTuning.inline_ns;
  if (!facts.sharing_pays) return kTuning.light_ns;
  return facts.tight_loop || workers.spinning > 0 ? kTuning.inline_hot_ns : kTuning.inline_ns;
}

}  // namespace

JobPlan PlanJob(const Machine& machine, const Workers& workers, const JobFacts& facts) {
  JobPlan plan;
  const double inline_ns = InlineNs(machine, workers, facts);
  const double predicted = facts.cost_ns * facts.n;
  plan.begins_alone = machine.num_threads == 1 || facts.n == 1 || predicted <= inline_ns;
  plan.inline_ns = std::max(inline_ns, kTuning.inline_ns);
  plan.piece = Together(machine, EnvsIn(kTuning.inline_ns, facts.cost_ns, facts.n), facts.n);
  plan.keeps_lock = machine.never_waits && plan.begins_alone && predicted > 0.0 &&
                    predicted < kTuning.keep_lock_ns &&
                    (facts.kind == JobKind::kStep || facts.kind == JobKind::kReset);
  return plan;
}

SharePlan PlanShare(const Machine& machine, std::uint32_t n, double cost_ns) {
  SharePlan plan;
  const std::uint32_t per_thread = (n + machine.num_threads - 1) / machine.num_threads;
  const std::uint32_t limit =
      machine.never_waits ? per_thread : std::min(per_thread, kTuning.max_waiting_piece);
  plan.max_piece =
      Together(machine, EnvsIn(kTuning.max_piece_ns, cost_ns, std::max(limit, 1U)), limit);
  plan.min_piece =
      Together(machine, EnvsIn(kTuning.min_piece_ns, cost_ns, plan.max_piece), plan.max_piece);
  // Threads that compute help only if they have a processor.
  const std::uint32_t useful = machine.never_waits
                                   ? std::min(machine.num_threads, std::max(machine.num_cpus, 2U))
                                   : machine.num_threads;
  plan.helpers = HelpersFor(cost_ns * n, std::min(n, useful) - 1);
  return plan;
}

std::uint32_t NumToWake(const Machine& machine, const Workers& workers, const SharePlan& plan) {
  const bool one_stays_out = workers.started == machine.num_threads;
  return plan.helpers > 0 && one_stays_out ? plan.helpers + 1 : plan.helpers;
}

PiecePlan PlanPiece(const Machine& machine, double cost_ns, std::uint32_t batch_size) {
  PiecePlan plan;
  plan.overrun_ns = kTuning.overrun * kTuning.piece_ns;
  if (!machine.never_waits) return plan;
  // No thread takes more than its part of a batch, so that others have some.
  const std::uint32_t part = std::max(batch_size / machine.num_threads, 1U);
  plan.max_envs = Together(machine, EnvsIn(kTuning.piece_ns, cost_ns, kTuning.max_piece),
                           std::min(part, kTuning.max_piece));
  const double contended_ns = kTuning.contended_ns * machine.num_threads;
  if (contended_ns > kTuning.piece_ns) {
    const std::uint32_t limit =
        std::clamp(batch_size / (2 * machine.num_threads), 1U, kTuning.max_piece);
    plan.max_envs = std::max(plan.max_envs, EnvsIn(contended_ns, cost_ns, limit));
    plan.overrun_ns = kTuning.overrun * contended_ns;
  }
  plan.min_envs = machine.num_threads == 1
                      ? plan.max_envs
                      : EnvsIn(kTuning.min_piece_ns, cost_ns, kTuning.max_piece);
  return plan;
}

std::uint32_t PlanSend(const Machine& machine, const SendFacts& facts) {
  const std::uint32_t max_workers = std::min(facts.n, machine.num_threads);
  if (facts.cost_ns == 0.0) return max_workers;  // an unknown cost may be large
  constexpr std::int64_t kAnyTime = INT64_MAX;
  if (facts.receivers == 0 && ReceiverSteps(machine, facts.cost_ns, facts.batch_size, kAnyTime)) {
    return 0;
  }
  return std::max(HelpersFor(facts.cost_ns * facts.n, max_workers), 1U);
}

bool SharesRest(const Machine& machine, const JobPlan& plan, double rest_ns) {
  return machine.num_threads > 1 && rest_ns > plan.inline_ns;
}

namespace {

// The cost of a batch, in ns, at which T workers are as fast as the receiver alone:
//   batch_ns / T + inline_ns = batch_ns
// where inline_ns stands for the time to wake them. T is at least 2, because a single worker can
// step while the caller uses the previous batch.
double ReceiverNs(const Machine& machine) {
  const double threads = std::max(machine.num_threads, 2U);
  return kTuning.inline_ns * threads / (threads - 1.0);
}

}  // namespace

bool ReceiverSteps(const Machine& machine, double cost_ns, std::uint32_t batch_size,
                   std::int64_t left_ns, double worked_ns) {
  const double batch_ns = cost_ns * batch_size;
  return machine.never_waits && batch_ns > 0.0 && batch_ns < ReceiverNs(machine) &&
         batch_ns <= static_cast<double>(left_ns) && worked_ns <= kTuning.max_piece_ns;
}

double WorkerSpinNs(std::uint32_t num_threads, double fruitless_ns) {
  if (num_threads <= kTuning.workers_per_signal) return kTuning.worker_spin_ns;
  return std::max(kTuning.worker_spin_ns - fruitless_ns, 0.0);
}

double CallerSpinNs(const Machine& machine, const Workers& workers) {
  const std::uint32_t awake = workers.started - std::min(workers.sleeping, workers.started);
  return awake + 1 <= machine.num_cpus ? kTuning.caller_spin_ns : 0.0;
}

}  // namespace engine
