// A small asynchronous mode: the queues of engine/sync combined as in the pool, so that their
// memory orders are tested together. One caller sends and receives. Workers pop, reserve, write and
// commit. Runs under either policy.
#ifndef ENGINE_TESTS_SYNC_PIPELINE_H_
#define ENGINE_TESTS_SYNC_PIPELINE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/sync/action_queue.h"
#include "engine/sync/parker.h"
#include "engine/sync/row_tickets.h"

namespace engine::testing {

struct PipelineShape {
  std::uint32_t num_envs = 2;
  std::uint32_t batch_size = 1;
  std::uint32_t chunk = 1;        // maximum that a worker takes
  std::uint64_t first_batch = 0;  // initial value of the counters
  std::uint64_t first_action = 0;
  std::uint32_t first_sequence = 0;
  double spin_ns = 0.0;
};

template <class Sync>
class Pipeline {
 public:
  struct Row {
    std::uint32_t env = 0;
    std::uint32_t step = 0;
  };

  explicit Pipeline(const PipelineShape& shape)
      : shape_(shape),
        num_slots_((shape.num_envs + shape.batch_size - 1) / shape.batch_size),
        actions_(shape.num_envs),
        queue_(shape.num_envs, shape.first_action),
        states_(shape.batch_size, num_slots_, shape.first_batch),
        open_blocks_(num_slots_),
        rows_(std::size_t{num_slots_ + 1} * shape.batch_size),
        work_(shape.first_sequence),
        full_(shape.first_sequence),
        steps_(shape.num_envs, 0) {
    for (std::uint32_t b = 0; b <= num_slots_; ++b) free_blocks_.push_back(b);
  }

  // Caller only. Queues the next action of each environment.
  void Send(const std::vector<std::uint32_t>& envs) {
    sent_rows_ += envs.size();
    // Opens blocks for the batches of these rows.
    for (; installed_ * shape_.batch_size < sent_rows_; ++installed_) {
      open_blocks_[states_.SlotOf(shape_.first_batch + installed_)].Write(free_blocks_.back());
      free_blocks_.pop_back();
    }
    for (const std::uint32_t env : envs) actions_[env].Write(++steps_[env]);
    queue_.Push(envs.data(), static_cast<std::uint32_t>(envs.size()));
    work_.Notify(static_cast<std::uint32_t>(envs.size()));
  }

  // Caller only. Waits for the next batch and returns its rows.
  std::vector<Row> Receive() {
    full_.Wait([this] { return states_.Ready(); }, shape_.spin_ns);
    const std::uint32_t block = open_blocks_[states_.Take()].Read();
    std::vector<Row> batch;
    for (std::uint32_t r = 0; r < shape_.batch_size; ++r) {
      batch.push_back(rows_[std::size_t{block} * shape_.batch_size + r].Read());
    }
    free_blocks_.push_back(block);
    return batch;
  }

  // Caller only. Returns whether every environment of the batch was in flight and reports its
  // latest step. Marks these environments as idle.
  bool IsRight(const std::vector<Row>& batch, std::vector<bool>* in_flight) const {
    for (const Row& row : batch) {
      if (row.env >= shape_.num_envs || !(*in_flight)[row.env]) return false;
      if (row.step != steps_[row.env]) return false;
      (*in_flight)[row.env] = false;
    }
    return true;
  }

  // Sends every environment, and sends the environments of each received batch again, for `batches`
  // batches. The workers complete the rows that are then in flight, but no one receives them. With
  // `one_by_one`, each environment has a Send of its own. Returns whether all batches were right.
  bool Drive(std::uint32_t batches, bool one_by_one) {
    std::vector<std::uint32_t> envs;
    for (std::uint32_t env = 0; env < shape_.num_envs; ++env) envs.push_back(env);
    std::vector<bool> in_flight(shape_.num_envs, false);
    bool right = true;
    for (std::uint32_t b = 0; b < batches && right; ++b) {
      for (const std::uint32_t env : envs) in_flight[env] = true;
      if (one_by_one) {
        for (const std::uint32_t env : envs) Send({env});
      } else {
        Send(envs);
      }
      const std::vector<Row> batch = Receive();
      right = IsRight(batch, &in_flight);
      envs.clear();
      for (const Row& row : batch) envs.push_back(row.env);
    }
    Stop();
    return right;
  }

  void Stop() {
    stopping_.store(true, std::memory_order_release);
    work_.Notify(UINT32_MAX);
  }

  void Work() {
    std::vector<std::uint32_t> ids(shape_.chunk);
    for (;;) {
      const std::uint32_t n = queue_.Pop(ids.data(), 1, shape_.chunk);
      if (n > 0) {
        ReserveAndWrite(ids.data(), n);
        continue;
      }
      if (stopping_.load(std::memory_order_acquire)) return;
      work_.Wait([&] { return queue_.size() != 0 || stopping_.load(std::memory_order_acquire); },
                 shape_.spin_ns);
    }
  }

  bool AllAsleepCounted() const { return work_.sleepers() == 0 && full_.sleepers() == 0; }

 private:
  void ReserveAndWrite(const std::uint32_t* ids, std::uint32_t n) {
    const std::uint64_t ticket = states_.Reserve(n);
    for (std::uint32_t done = 0; done < n;) {
      const auto position = states_.PositionOf(ticket + done);
      const std::uint32_t m = std::min(n - done, shape_.batch_size - position.row);
      const std::uint32_t block = open_blocks_[position.slot].Read();
      for (std::uint32_t i = 0; i < m; ++i) {
        const std::uint32_t env = ids[done + i];
        rows_[std::size_t{block} * shape_.batch_size + position.row + i].Write(
            {env, actions_[env].Read()});
      }
      if (states_.Commit(position.slot, m)) full_.Notify(1);
      done += m;
    }
  }

  template <class T>
  using Vars = std::vector<typename Sync::template Var<T>>;

  const PipelineShape shape_;
  const std::uint32_t num_slots_;
  Vars<std::uint32_t> actions_;  // per environment
  ActionQueue<Sync> queue_;
  RowTickets<Sync> states_;
  Vars<std::uint32_t> open_blocks_;  // per slot
  Vars<Row> rows_;                   // per block and row
  Parker<Sync> work_, full_;
  typename Sync::template Atomic<bool> stopping_{false};
  // Used by the caller only.
  std::vector<std::uint32_t> steps_;  // per environment
  std::vector<std::uint32_t> free_blocks_;
  std::uint64_t sent_rows_ = 0;
  std::uint64_t installed_ = 0;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_SYNC_PIPELINE_H_
