// The environments that have an action and wait for a worker, in one ActionQueue per NUMA node. An
// environment waits in the queue of the node where its memory is, and a worker takes from the queue
// of its own node first. If that is empty, it takes from another one. One producer at a time and
// any number of workers use it.
//
// benchmarks/README.md has simulated rates with one queue and with a queue per node.
#ifndef ENGINE_SYNC_NODE_QUEUES_H_
#define ENGINE_SYNC_NODE_QUEUES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/sync/action_queue.h"
#include "engine/sync/std_sync.h"

namespace engine {

template <class Sync = StdSync>
class NodeQueues {
 public:
  static constexpr std::uint32_t kNoQueue = UINT32_MAX;

  // A thread that takes ids. Used by one thread at a time.
  struct Taker {
    // `own_queue` kNoQueue: the thread belongs to no node, and always takes from the queue that has
    // the oldest id.
    explicit Taker(std::uint32_t own_queue) : own(own_queue) {}

    const std::uint32_t own;        // the queue of its node
    std::uint32_t first = 0;        // the queue to try first
    std::uint32_t second = 0;       // the queue to try next, before all others
    std::uint32_t until_check = 0;  // ids to take before the next comparison of the queues
  };

  // `queue_of_env`: the queue of each environment, less than `num_queues`; ignored if there is one
  // queue. `check_interval`: ids that a thread takes from one comparison of the queues to the next.
  NodeQueues(std::uint32_t num_envs, std::uint32_t num_queues,
             std::vector<std::uint32_t> queue_of_env, std::uint32_t check_interval)
      : num_envs_(num_envs),
        check_interval_(check_interval),
        queue_of_env_(num_queues > 1 ? std::move(queue_of_env) : std::vector<std::uint32_t>{}) {
    for (std::uint32_t q = 0; q < num_queues; ++q) {
      queues_.push_back(std::make_unique<ActionQueue<Sync>>(num_envs));
    }
    if (num_queues == 1) return;
    sequence_.reset(new typename Sync::template Atomic<std::uint64_t>[num_envs]);
    for (std::uint32_t env = 0; env < num_envs; ++env) {
      sequence_[env].store(0, std::memory_order_relaxed);
    }
    sorted_.resize(num_envs);
    ends_.resize(num_queues);
  }

  // As ActionQueue::Push, into the queues of the environments.
  void Push(const std::uint32_t* ids, std::uint32_t n) {
    if (queues_.size() == 1) return queues_.front()->Push(ids, n);
    std::ranges::fill(ends_, 0U);
    for (std::uint32_t i = 0; i < n; ++i) ++ends_[queue_of_env_[ids[i]]];
    std::uint32_t end = 0;
    for (std::uint32_t& count : ends_) count = std::exchange(end, end + count);
    // ends_ now has the position of the next id of each queue.
    for (std::uint32_t i = 0; i < n; ++i) {
      sequence_[ids[i]].store(num_queued_++, std::memory_order_relaxed);
      sorted_[ends_[queue_of_env_[ids[i]]]++] = ids[i];
    }
    std::uint32_t begin = 0;
    for (std::size_t q = 0; q < queues_.size(); ++q) {
      // A queue without new ids is not written, so its cache line stays with its workers.
      if (ends_[q] > begin) queues_[q]->Push(sorted_.data() + begin, ends_[q] - begin);
      begin = ends_[q];
    }
  }

  // As ActionQueue::Pop, from one of the queues.
  // Guarantees: returns 0 only if each queue was empty at some time during the call. A thread
  //   normally pops from its own queue. If a comparison finds that the oldest id of all queues was
  //   pushed more than num_envs ids before the oldest id of its own queue, it pops from that queue
  //   first, until the next comparison. So no id waits for long while threads take others.
  std::uint32_t Pop(Taker& taker, std::uint32_t* ids, std::uint32_t min_ids,
                    std::uint32_t max_ids) {
    const auto count = static_cast<std::uint32_t>(queues_.size());
    if (count == 1) return queues_.front()->Pop(ids, min_ids, max_ids);
    if (taker.until_check == 0) Compare(taker);
    std::uint32_t n = queues_[taker.first]->Pop(ids, min_ids, max_ids);
    if (n == 0) n = queues_[taker.second]->Pop(ids, min_ids, max_ids);
    for (std::uint32_t q = 0; q < count && n == 0; ++q) n = queues_[q]->Pop(ids, min_ids, max_ids);
    taker.until_check -= std::min(taker.until_check, n);
    return n;
  }

  // As Pop, from the queue of the thread's node only. Requires: the thread has a node.
  std::uint32_t PopOwn(const Taker& taker, std::uint32_t* ids, std::uint32_t min_ids,
                       std::uint32_t max_ids) {
    return queues_[taker.own]->Pop(ids, min_ids, max_ids);
  }
  std::uint64_t own_size(const Taker& taker) const { return queues_[taker.own]->size(); }

  // As ActionQueue::size, for all queues together.
  std::uint64_t size() const {
    std::uint64_t sum = 0;
    for (const auto& queue : queues_) sum += queue->size();
    return sum;
  }
  std::uint32_t num_queues() const { return static_cast<std::uint32_t>(queues_.size()); }

 private:
  // The sequence number of the oldest id of a queue; UINT64_MAX if it is empty. Outdated if another
  // thread takes the id meanwhile.
  std::uint64_t SequenceOfOldest(std::uint32_t queue) const {
    std::uint32_t id = 0;
    return queues_[queue]->Peek(id) ? sequence_[id].load(std::memory_order_relaxed) : UINT64_MAX;
  }

  void Compare(Taker& taker) const {
    std::uint32_t oldest = 0;
    std::uint64_t least = UINT64_MAX;
    std::uint64_t own = UINT64_MAX;
    for (std::uint32_t q = 0; q < queues_.size(); ++q) {
      const std::uint64_t one = SequenceOfOldest(q);
      if (q == taker.own) own = one;
      if (one >= least) continue;
      oldest = q;
      least = one;
    }
    taker.first = taker.second = oldest;
    if (taker.own == kNoQueue) return;  // compares again at the next call
    const bool waits_long = own != UINT64_MAX && own - least > num_envs_;
    (waits_long ? taker.second : taker.first) = taker.own;
    taker.until_check = check_interval_;
  }

  const std::uint32_t num_envs_;
  const std::uint32_t check_interval_;
  const std::vector<std::uint32_t> queue_of_env_;  // empty: one queue
  std::vector<std::unique_ptr<ActionQueue<Sync>>> queues_;
  // By environment, the sequence number of its latest Push, counted over all queues. Used only with
  // several queues. Written by the producer before it queues the id.
  std::unique_ptr<typename Sync::template Atomic<std::uint64_t>[]> sequence_;
  // Used by the producer.
  std::uint64_t num_queued_ = 0;
  std::vector<std::uint32_t> sorted_;  // the ids of a Push, grouped by queue
  std::vector<std::uint32_t> ends_;    // where the ids of each queue end in sorted_
};

}  // namespace engine

#endif  // ENGINE_SYNC_NODE_QUEUES_H_
