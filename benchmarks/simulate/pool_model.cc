#include "benchmarks/simulate/pool_model.h"

#include <algorithm>
#include <cmath>

#include "engine/topology/placement.h"

namespace engine::simulate {
namespace {

constexpr double kLineBytes = 64.0;
// Transfers of lines that do not depend on each other overlap.
constexpr double kOverlapping = 6.0;
constexpr std::uint32_t kIdsPerLine = 16;
constexpr std::uint32_t kActionsPerLine = 8;

// One processor for each worker and, as long as there is one left, for the caller. In ordered mode
// the caller is one of the threads, and takes the processor of the worker that has no part in jobs.
std::vector<int> ChooseProcessors(const Topology& topology, const Shape& shape) {
  const auto wanted = static_cast<int>(shape.num_threads + (shape.ordered() ? 0 : 1));
  std::vector<int> chosen;
  for (const WorkerPlacement& placement :
       PlaceWorkers(topology, wanted, {.kind = Affinity::Kind::kCores})) {
    chosen.push_back(placement.cpus.front());
  }
  if (shape.ordered()) chosen.push_back(chosen.back());
  return chosen;
}

}  // namespace

PoolModel::PoolModel(const Topology& topology, const Costs& costs, const Workload& workload,
                     const Shape& shape, const Design& design, std::uint64_t seed)
    : costs_(costs),
      workload_(workload),
      shape_(shape),
      design_(design),
      machine_{.num_threads = shape.num_threads,
               .num_cpus = static_cast<std::uint32_t>(topology.cpus.size()),
               .never_waits = true},
      random_(seed),
      permits_(design.permit_stripes, MakeLine()),
      permits_taken_(design.permit_stripes, 0),
      env_at_(shape.num_envs, nullptr),
      published_(MakeLine()),
      remaining_line_(MakeLine()),
      open_shards_line_(MakeLine()),
      cursors_(shape.num_threads, MakeLine()),
      next_(shape.num_threads, 0),
      end_(shape.num_threads, 0),
      receivers_line_(MakeLine()),
      full_sleepers_(MakeLine()) {
  const std::size_t counts = GroupOf(shape.num_threads - 1) + 1;
  remaining_in_lines_.assign(counts, MakeLine());
  open_in_lines_.assign(counts, MakeLine());
  remaining_in_.assign(counts, 0);
  open_in_.assign(counts, 0);
  const std::vector<int> chosen = ChooseProcessors(topology, shape);
  cpus_ = ProcessorsOf(topology, costs_, chosen);
  int last_node = 0;
  for (const Processor& cpu : cpus_) last_node = std::max(last_node, cpu.node);
  memories_.assign(static_cast<std::size_t>(last_node) + 1, Memory(loop_, costs_));
  const std::uint32_t per_group =
      design.workers_per_signal == 0 ? shape.num_threads : design.workers_per_signal;
  for (std::uint32_t first = 0; first < shape.num_threads; first += per_group) {
    groups_.push_back(std::make_unique<Group>(loop_, costs_));
  }
  threads_.resize(shape.num_threads + 1);
  for (std::uint32_t t = 0; t <= shape.num_threads; ++t) {
    const auto at = std::ranges::find(cpus_, chosen[t], &Processor::number);
    threads_[t].cpu = &*at;
    threads_[t].index = t;
    threads_[t].group = t < shape.num_threads ? groups_[t / per_group].get() : nullptr;
  }
  MakeQueues();
}

// Environments belong to the node of the worker that makes them: the workers make equal parts, one
// after the other.
void PoolModel::MakeQueues() {
  std::vector<int> nodes;  // that have workers
  for (std::uint32_t t = 0; t < shape_.num_threads; ++t) {
    if (std::ranges::count(nodes, threads_[t].cpu->node) == 0)
      nodes.push_back(threads_[t].cpu->node);
  }
  const bool by_node = design_.queue_per_node && nodes.size() > 1 && !shape_.ordered();
  const auto count = by_node ? static_cast<std::uint32_t>(nodes.size()) : 1U;
  const std::uint32_t num_batches = by_node && design_.batch_per_node ? count : 1U;
  batch_rows_ = shape_.batch_size / num_batches;
  for (Thread& thread : threads_) {
    const auto at = std::ranges::find(nodes, thread.cpu->node);
    if (by_node && at != nodes.end()) thread.queue = static_cast<std::uint32_t>(at - nodes.begin());
    thread.first_queue = thread.queue;
  }
  sent_.resize(shape_.num_envs);
  queue_of_.resize(shape_.num_envs);
  for (std::uint32_t env = 0; env < shape_.num_envs; ++env) {
    const std::uint64_t maker = std::uint64_t{env} * shape_.num_threads / shape_.num_envs;
    queue_of_[env] = threads_[maker].queue;
  }
  for (std::uint32_t q = 0; q < count; ++q) {
    queues_.push_back({MakeLine(), MakeLine(), std::vector<std::uint32_t>(shape_.num_envs)});
  }
  const std::uint32_t slots = (shape_.num_envs / num_batches + batch_rows_ - 1) / batch_rows_ + 1;
  for (std::uint32_t b = 0; b < num_batches; ++b) {
    batches_.push_back({.ticket_line = MakeLine(),
                        .written_lines = std::vector<Line>(slots, MakeLine()),
                        .written = std::vector<std::uint32_t>(slots, 0),
                        .rows = std::vector<std::vector<std::uint32_t>>(slots)});
  }
}

Outcome PoolModel::Run(double warm_up_ns, double ns) {
  for (std::uint32_t t = 0; t < shape_.num_threads; ++t) loop_.Start(RunWorker(threads_[t]));
  loop_.Start(shape_.ordered() ? CallOrdered() : CallFirstReady());
  loop_.RunUntil(warm_up_ns);
  steps_ = 0;
  in_steps_ns_ = 0.0;
  const auto writes = static_cast<double>(SharedWrites(false));
  const auto moves = static_cast<double>(SharedWrites(true));
  loop_.RunUntil(warm_up_ns + ns);
  const double steps = std::max<double>(static_cast<double>(steps_), 1.0);
  return {.steps_per_s = static_cast<double>(steps_) / ns * 1e9,
          .step_share = in_steps_ns_ / (ns * shape_.num_threads),
          .shared_writes_per_step = (static_cast<double>(SharedWrites(false)) - writes) / steps,
          .moves_per_step = (static_cast<double>(SharedWrites(true)) - moves) / steps};
}

std::uint64_t PoolModel::SharedWrites(bool moves) const {
  std::uint64_t sum = 0;
  const auto add = [&](const Line& line) { sum += moves ? line.moves() : line.writes(); };
  for (const Line* line :
       {&published_, &remaining_line_, &open_shards_line_, &receivers_line_, &full_sleepers_}) {
    add(*line);
  }
  for (const Line& line : permits_) add(line);
  for (const Queue& queue : queues_) {
    add(queue.tail_line);
    add(queue.head_line);
  }
  for (const Batches& batches : batches_) {
    add(batches.ticket_line);
    for (const Line& line : batches.written_lines) add(line);
  }
  for (const std::unique_ptr<Group>& group : groups_) {
    add(group->spinners);
    add(group->sleepers);
    add(group->pending_wakes);
  }
  return sum;
}

// --- Environments --------------------------------------------------------------------------------

double PoolModel::StepNs(Thread& thread, std::uint32_t env) {
  std::normal_distribution<double> normal(0.0, workload_.spread);
  double ns = workload_.step_ns * std::exp(normal(random_));
  if (workload_.slow_every != 0 && env % workload_.slow_every == 0) ns *= workload_.slow_factor;
  ns /= thread.cpu->speed;
  const Processor*& at = env_at_[env];
  if (at != nullptr && at != thread.cpu) {
    ns += workload_.state_bytes / kLineBytes * TransferNs(costs_, *at, *thread.cpu) / kOverlapping;
  }
  at = thread.cpu;
  return ns;
}

// Rows and actions were last in the caller's cache.
double PoolModel::RowsNs(const Thread& thread, std::uint32_t rows) const {
  const double transfer = TransferNs(costs_, *threads_.back().cpu, *thread.cpu);
  const double lines = rows * workload_.row_bytes / kLineBytes;
  const double actions = std::ceil(static_cast<double>(rows) / kActionsPerLine);
  return actions * transfer + std::max(lines, 1.0) * transfer / kOverlapping;
}

void PoolModel::Finished(double ns, std::uint32_t steps) {
  in_steps_ns_ += ns;
  steps_ += steps;
}

// --- Jobs: JobRunner and ShardedRange ------------------------------------------------------------

Task PoolModel::CallOrdered() {
  Thread& caller = threads_.back();
  double last_end = 0.0;
  for (;;) {
    const double start = loop_.now();
    const std::uint32_t n = shape_.num_envs;
    const bool measures = n > 1 && machine_.num_threads > 1;
    tight_.Called(start - last_end);
    const JobPlan plan = PlanJob(machine_, Counts(),
                                 {.kind = JobKind::kStep,
                                  .n = n,
                                  .cost_ns = cost_.ns_per_env(),
                                  .tight_loop = tight_.tight(),
                                  .sharing_pays = !measures || gain_.Pays()});
    std::uint32_t alone = 0;
    while (plan.begins_alone && alone < n) {
      const std::uint32_t piece = std::min(plan.piece, n - alone);
      double ns = 0.0;
      for (std::uint32_t env = alone; env < alone + piece; ++env) ns += StepNs(caller, env);
      co_await loop_.For(ns + costs_.clock_read);
      cost_.Measured(ns, piece);
      Finished(ns, piece);
      alone += piece;
      if (SharesRest(machine_, plan, (loop_.now() - start) / alone * (n - alone))) break;
    }
    if (alone < n) {
      share_ = PlanShare(machine_, n - alone, cost_.ns_per_env());
      co_await remaining_line_.Own(*caller.cpu);
      co_await open_shards_line_.Own(*caller.cpu);
      co_await published_.Own(*caller.cpu);
      remaining_ = n - alone;
      open_shards_ = std::min(n - alone, shape_.num_threads);
      for (std::uint32_t s = 0; s < shape_.num_threads; ++s) {
        next_[s] =
            alone + static_cast<std::uint32_t>(std::uint64_t{n - alone} * s / shape_.num_threads);
        end_[s] = alone + static_cast<std::uint32_t>(std::uint64_t{n - alone} * (s + 1) /
                                                     shape_.num_threads);
      }
      for (std::size_t g = 0; g < remaining_in_.size(); ++g) remaining_in_[g] = open_in_[g] = 0;
      for (std::uint32_t s = 0; s < shape_.num_threads; ++s) {
        remaining_in_[GroupOf(s)] += end_[s] - next_[s];
        open_in_[GroupOf(s)] += end_[s] > next_[s];
      }
      ++epoch_;
      bool done = false;
      caller_ready_ = &done;
      NoticeAll(*caller.cpu);
      co_await Wake(caller, NumToWake(machine_, Counts(), share_));
      bool worked = false;
      co_await Work(caller, 0, worked);
      if (remaining_ == 0) done = true;
      co_await CallerWaits(done);
    }
    last_end = loop_.now();
    if (measures) gain_.Record(alone == 0, last_end - start, n);
    co_await loop_.For(costs_.call + n * (costs_.sent_row + costs_.received_row) +
                       workload_.consumer_ns);
  }
}

Task PoolModel::Claim(Thread& thread, std::uint32_t shard, std::uint32_t& begin,
                      std::uint32_t& end) {
  begin = end = 0;
  co_await cursors_[shard].Read(*thread.cpu);
  if (next_[shard] == end_[shard]) co_return;
  co_await cursors_[shard].Own(*thread.cpu);
  const std::uint32_t left = end_[shard] - next_[shard];
  if (left == 0) co_return;
  const std::uint32_t size =
      std::min({left, std::max(left / 2, share_.min_piece), share_.max_piece});
  begin = next_[shard];
  end = next_[shard] = begin + size;
  if (size < left) co_return;
  if (design_.shards_per_count > 0) {
    co_await open_in_lines_[GroupOf(shard)].Own(*thread.cpu);
    if (--open_in_[GroupOf(shard)] > 0) {
      --open_shards_;
      co_return;
    }
  }
  co_await open_shards_line_.Own(*thread.cpu);
  --open_shards_;
}

Task PoolModel::Report(Thread& thread, std::uint32_t shard, std::uint32_t& finished) {
  if (finished == 0) co_return;
  if (design_.shards_per_count > 0) {
    co_await remaining_in_lines_[GroupOf(shard)].Own(*thread.cpu);
    remaining_in_[GroupOf(shard)] -= finished;
    remaining_ -= finished;
    finished = 0;
    if (remaining_in_[GroupOf(shard)] > 0) co_return;
    co_await remaining_line_.Own(*thread.cpu);
  } else {
    co_await remaining_line_.Own(*thread.cpu);
    remaining_ -= finished;
    finished = 0;
  }
  if (remaining_ > 0) co_return;
  if (caller_ready_ != nullptr) *caller_ready_ = true;
  co_await NotifyCaller(thread);
}

Task PoolModel::Work(Thread& thread, std::uint32_t shard, bool& worked) {
  std::uint32_t finished = 0;
  std::uint32_t from = shard;  // of the finished items
  for (;;) {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    co_await Claim(thread, shard, begin, end);
    if (begin == end) {
      co_await Report(thread, from, finished);
      for (std::uint32_t i = 1; i < shape_.num_threads && begin == end; ++i) {
        co_await open_shards_line_.Read(*thread.cpu);
        if (open_shards_ == 0) break;
        from = (shard + i) % shape_.num_threads;
        co_await Claim(thread, from, begin, end);
      }
    }
    if (begin == end) break;
    worked = true;
    double ns = 0.0;
    for (std::uint32_t env = begin; env < end; ++env) ns += StepNs(thread, env);
    co_await loop_.For(ns + costs_.claim + 2 * costs_.clock_read + RowsNs(thread, end - begin));
    co_await memories_[static_cast<std::size_t>(threads_.back().cpu->node)].Write(
        (end - begin) * workload_.row_bytes);
    cost_.Measured(ns, end - begin);
    Finished(ns, end - begin);
    finished += end - begin;
  }
  co_await Report(thread, from, finished);
}

// --- The queue: QueueRunner, ActionQueue and RowTickets ------------------------------------------

PoolModel::Batches* PoolModel::Full() {
  for (std::uint32_t k = 0; k < batches_.size(); ++k) {
    Batches& batches = batches_[(next_batches_ + k) % batches_.size()];
    if (batches.written[batches.head_slot()] == batch_rows_) return &batches;
  }
  return nullptr;
}

Task PoolModel::CallFirstReady() {
  Thread& caller = threads_.back();
  std::vector<std::uint32_t> ids(shape_.num_envs);
  for (std::uint32_t env = 0; env < shape_.num_envs; ++env) ids[env] = env;
  for (;;) {
    co_await loop_.For(costs_.call / 2 + static_cast<double>(ids.size()) * costs_.sent_row);
    co_await Push(ids);
    const double start = loop_.now();
    co_await receivers_line_.Own(*caller.cpu);
    while (Full() == nullptr && ReceiverSteps(machine_, cost_.ns_per_env(), batch_rows_, INT64_MAX,
                                              loop_.now() - start)) {
      bool found = false;
      co_await RunPiece(caller, found);
      if (!found) break;
    }
    if (Full() == nullptr) {
      if (QueueHasWork()) co_await Wake(caller, 1);
      bool ready = Full() != nullptr;
      co_await CallerWaits(ready);
    }
    co_await receivers_line_.Own(*caller.cpu);
    Batches& batches = *Full();
    next_batches_ = (next_batches_ + 1) % static_cast<std::uint32_t>(batches_.size());
    const std::uint64_t slot = batches.head_slot();
    ids = batches.rows[slot];
    batches.rows[slot].clear();
    co_await batches.written_lines[slot].Own(*caller.cpu);
    batches.written[slot] = 0;
    ++batches.taken;
    co_await loop_.For(costs_.call / 2 + batch_rows_ * costs_.received_row + workload_.consumer_ns);
  }
}

Task PoolModel::Push(const std::vector<std::uint32_t>& ids) {
  Thread& caller = threads_.back();
  for (std::uint32_t q = 0; q < queues_.size(); ++q) {
    Queue& queue = queues_[q];
    if (std::ranges::none_of(ids, [&](std::uint32_t id) { return queue_of_[id] == q; })) continue;
    co_await queue.tail_line.Own(*caller.cpu);
    for (const std::uint32_t id : ids) {
      if (queue_of_[id] != q) continue;
      sent_[id] = num_sent_++;
      queue.ids[queue.tail++ % queue.ids.size()] = id;
    }
    NoticeAll(*caller.cpu);
  }
  co_await receivers_line_.Own(*caller.cpu);
  co_await Wake(caller, PlanSend(machine_, {.n = static_cast<std::uint32_t>(ids.size()),
                                            .batch_size = batch_rows_,
                                            .cost_ns = cost_.ns_per_env(),
                                            .receivers = 0}));
}

Task PoolModel::RunPiece(Thread& thread, bool& found) {
  found = false;
  const auto count = static_cast<std::uint32_t>(queues_.size());
  if (count > 1 && thread.until_check == 0) {
    thread.until_check = shape_.num_envs / kTuning.queue_checks_per_round;
    co_await CompareQueues(thread);
  }
  co_await RunPieceOf(thread, thread.first_queue, found);
  if (!found && count > 1) co_await RunPieceOf(thread, thread.second_queue, found);
  for (std::uint32_t q = 0; q < count && !found && count > 1; ++q) {
    co_await RunPieceOf(thread, q, found);
  }
}

// NodeQueues::Compare.
Task PoolModel::CompareQueues(Thread& thread) {
  const auto oldest = [this](const Queue& queue) {
    return queue.waiting() == 0 ? UINT64_MAX : sent_[queue.ids[queue.head % queue.ids.size()]];
  };
  // Two lines that the caller has written: an id, and when it was sent.
  const double sent_ns = 2 * TransferNs(costs_, *threads_.back().cpu, *thread.cpu);
  std::uint32_t first = thread.queue;
  for (std::uint32_t q = 0; q < queues_.size(); ++q) {
    co_await queues_[q].head_line.Read(*thread.cpu);
    co_await queues_[q].tail_line.Read(*thread.cpu);
    if (queues_[q].waiting() > 0) co_await loop_.For(sent_ns);
    if (oldest(queues_[q]) < oldest(queues_[first])) first = q;
  }
  const std::uint64_t own = oldest(queues_[thread.queue]);
  thread.first_queue = thread.second_queue = first;
  if (&thread == &threads_.back()) {  // the receiver
    thread.until_check = 0;
    co_return;
  }
  const bool waits_long = own != UINT64_MAX && own - oldest(queues_[first]) > shape_.num_envs;
  (waits_long ? thread.second_queue : thread.first_queue) = thread.queue;
}

Task PoolModel::RunPieceOf(Thread& thread, std::uint32_t from, bool& found) {
  Queue& queue = queues_[from];
  Batches& batches = batches_[from % batches_.size()];
  co_await queue.head_line.Read(*thread.cpu);
  co_await queue.tail_line.Read(*thread.cpu);
  if (queue.waiting() == 0) co_return;
  // A batch size of 1 leaves pieces as short as with few threads.
  const std::uint32_t batch_size = design_.longer_pieces ? shape_.batch_size : 1;
  const PiecePlan plan = PlanPiece(machine_, cost_.ns_per_env(), batch_size);
  co_await queue.head_line.Own(*thread.cpu);
  const std::uint64_t waiting = queue.waiting();
  if (waiting == 0) co_return;
  const std::uint64_t wanted = std::max<std::uint64_t>((waiting + 1) / 2, plan.min_envs);
  const auto n =
      static_cast<std::uint32_t>(std::min({waiting, wanted, std::uint64_t{plan.max_envs}}));
  std::vector<std::uint32_t> ids(n);
  for (std::uint32_t& id : ids) id = queue.ids[queue.head++ % queue.ids.size()];
  found = true;
  thread.until_check -= std::min(thread.until_check, n);
  double ns = 0.0;
  for (const std::uint32_t id : ids) ns += StepNs(thread, id);
  const double id_lines = std::ceil(static_cast<double>(n) / kIdsPerLine);
  co_await loop_.For(ns + costs_.claim + 2 * costs_.clock_read + RowsNs(thread, n) +
                     id_lines * TransferNs(costs_, *threads_.back().cpu, *thread.cpu));
  cost_.Measured(ns, n);
  const Processor& home = batches_.size() > 1 ? *thread.cpu : *threads_.back().cpu;
  co_await memories_[static_cast<std::size_t>(home.node)].Write(n * workload_.row_bytes);
  co_await batches.ticket_line.Own(*thread.cpu);
  const std::uint64_t ticket = batches.ticket;
  batches.ticket += n;
  for (std::uint32_t done = 0; done < n;) {
    const std::uint64_t row = ticket + done;
    const auto slot = static_cast<std::uint32_t>(row / batch_rows_ % batches.written.size());
    const auto m = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(n - done, batch_rows_ - row % batch_rows_));
    batches.rows[slot].insert(batches.rows[slot].end(), ids.begin() + done, ids.begin() + done + m);
    co_await Commit(thread, batches, slot, m);
    done += m;
  }
  Finished(ns, n);
}

Task PoolModel::Commit(Thread& thread, Batches& batches, std::uint32_t slot, std::uint32_t n) {
  co_await batches.written_lines[slot].Own(*thread.cpu);
  batches.written[slot] += n;
  if (batches.written[slot] < batch_rows_) co_return;
  if (batches.head_slot() == slot && caller_ready_ != nullptr) *caller_ready_ = true;
  co_await NotifyCaller(thread);
}

}  // namespace engine::simulate
