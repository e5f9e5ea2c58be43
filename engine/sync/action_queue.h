// Environments that have an action and wait for a worker. One producer at a time
// (the pool's send, under its state mutex), any number of workers, which take ids
// in chunks.
//
// Every worker has a lane, a bounded ring of ids. An id goes to the lane of the
// worker that took it last, in whose processor's cache (and on whose node) its
// environment then is. A worker takes from its own lane first and from the others
// when that is empty, so no worker is idle while anything waits. An id in the lane
// of a worker that is away or slow does not starve: see Pop.
#ifndef ENGINE_SYNC_ACTION_QUEUE_H_
#define ENGINE_SYNC_ACTION_QUEUE_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/cache_line.h"
#include "engine/sync/std_sync.h"

namespace engine {

// Sizes of an ActionQueue.
struct ActionQueueShape {
  // The most ids that are ever queued at once, and one more than the largest id:
  // the number of environments.
  std::uint32_t num_ids = 1;
  std::uint32_t num_lanes = 1;
  // Ids that a lane holds, rounded up to a power of two; where more have it as
  // their home, they go to the next lane with room. 0: room enough that this is
  // rare, in memory that does not grow as num_ids * num_lanes.
  std::uint32_t lane_size = 0;
  std::uint64_t first_position = 0;  // tests start near wrap-around
};

template <class Sync = StdSync>
class ActionQueue {
 public:
  // What a worker keeps for its calls; used by that worker only.
  struct Taker {
    explicit Taker(std::uint32_t own_lane) : own(own_lane), compared(own_lane) {}
    std::uint32_t own;
    std::uint32_t compared;  // the lane whose age was looked at last
    // Every lane has been seen empty since `nothing_up_to` ids had been queued.
    bool seen_nothing = false;
    std::uint64_t nothing_up_to = 0;
  };

  explicit ActionQueue(const ActionQueueShape& shape)
      : num_ids_(shape.num_ids),
        num_lanes_(shape.num_lanes),
        lane_size_(LaneSize(shape)),
        homes_(shape.num_ids),
        ids_(new typename Sync::template Atomic<std::uint64_t>[lane_size_ * num_lanes_]),
        ends_(new End[num_lanes_]),
        lanes_(new Lane[num_lanes_]),
        pushed_(shape.first_position) {
    for (std::uint32_t l = 0; l < num_lanes_; ++l) {
      ends_[l] = {.next = shape.first_position,
                  .published = shape.first_position,
                  .head_seen = shape.first_position};
      lanes_[l].head.store(shape.first_position, std::memory_order_relaxed);
      lanes_[l].tail.store(shape.first_position, std::memory_order_relaxed);
    }
  }

  // Says whose lane `id` goes to next, for whoever has touched it otherwise.
  // Requires: id is not queued, nor pushed or taken by another thread meanwhile.
  void SetHome(std::uint32_t id, std::uint32_t lane) {
    // Not written again if it is right: its line stays in the others' caches.
    if (homes_[id].Read() != lane) homes_[id].Write(static_cast<std::uint16_t>(lane));
  }

  // Appends `n` ids, each to the lane of its home.
  // Requires: one producer at a time; none of the ids is queued, and those who
  //   took them have done so before (in the sense of happens-before).
  // Memory ordering: the releases of a lane's tail and of pushed_ pair with the
  //   acquires in TakeFrom and HasAny: what the producer wrote before (the
  //   actions) is visible to the taker.
  void Push(const std::uint32_t* ids, std::uint32_t n) {
    const std::uint64_t pushed = pushed_.load(std::memory_order_relaxed);
    for (std::uint32_t done = 0; done < n;) {
      const std::uint16_t home = homes_[ids[done]].Read();
      std::uint32_t end = done + 1;
      while (end < n && homes_[ids[end]].Read() == home) ++end;
      Append(home, ids + done, end - done, pushed + done);
      done = end;
    }
    Publish(pushed + n);
  }

  // The same, but all go to this lane as far as it has room: where its worker is
  // known to be the one that will take them. They stay at home where they were.
  void PushTo(std::uint32_t lane, const std::uint32_t* ids, std::uint32_t n) {
    const std::uint64_t pushed = pushed_.load(std::memory_order_relaxed);
    Append(lane, ids, n, pushed);
    Publish(pushed + n);
  }

  // Takes ids in order of arrival from one lane into `ids`: half of what waits
  // there, within [least, most]; 0 if nothing waits anywhere. What comes from
  // another's lane is at home in the taker's own from then on.
  // Guarantees: each id is taken by exactly one taker. Lock-free. A taker passes
  //   over what has waited longer in another lane only while fewer than num_ids
  //   have been queued since, and looks at each other lane once in num_lanes
  //   calls: however busy its own lane, it takes what lies in those of workers
  //   that are away.
  std::uint32_t Pop(Taker& taker, std::uint32_t* ids, std::uint32_t least, std::uint32_t most) {
    if (const std::uint32_t older = OlderLane(taker); older != taker.own) {
      if (const std::uint32_t n = Steal(taker, older, ids, least, most); n != 0) return n;
    }
    if (const std::uint32_t n = TakeFrom(taker.own, ids, least, most); n != 0) return n;
    // Read before the lanes: what was queued up to here is in them.
    const std::uint64_t pushed = pushed_.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i < num_lanes_; ++i) {
      if (const std::uint32_t n = Steal(taker, Nth(taker.own, i), ids, least, most); n != 0) {
        return n;
      }
    }
    SeenNothing(taker, pushed);
    return 0;
  }

  // Whether ids wait; as a condition for sleeping: false only if everything that
  // was queued before is taken. Reads one word while nothing is queued.
  bool HasAny(Taker& taker) const {
    const std::uint64_t pushed = pushed_.load(std::memory_order_acquire);
    if (taker.seen_nothing && pushed == taker.nothing_up_to) return false;
    if (size() != 0) return true;
    SeenNothing(taker, pushed);
    return false;
  }

  // How many ids wait; a snapshot that may be outdated at once. Looks at all lanes.
  std::uint64_t size() const {
    std::uint64_t sum = 0;
    for (std::uint32_t l = 0; l < num_lanes_; ++l) {
      // Never later than the tail that is read after it.
      const std::uint64_t head = lanes_[l].head.load(std::memory_order_acquire);
      sum += lanes_[l].tail.load(std::memory_order_acquire) - head;
    }
    return sum;
  }

 private:
  struct Lane {
    // Next position to write; the producer's.
    alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint64_t> tail{0};
    // Next position to take; the takers'.
    alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint64_t> head{0};
  };
  // The producer's end of a lane.
  struct End {
    std::uint64_t next = 0;
    std::uint64_t published = 0;  // the value of tail
    std::uint64_t head_seen = 0;  // no later than head
  };

  static void SeenNothing(Taker& taker, std::uint64_t up_to) {
    taker.seen_nothing = true;
    taker.nothing_up_to = up_to;
  }

  static std::uint64_t LaneSize(const ActionQueueShape& shape) {
    constexpr std::uint64_t kRoomy = 1'024;
    const std::uint64_t fair = (shape.num_ids + shape.num_lanes - 1) / shape.num_lanes;
    const std::uint64_t size =
        shape.lane_size != 0 ? std::max<std::uint64_t>(shape.lane_size, fair)
                             : std::min<std::uint64_t>(shape.num_ids, std::max(4 * fair, kRoomy));
    return std::bit_ceil(size);
  }

  // An id and when it was queued.
  static std::uint64_t Entry(std::uint64_t when, std::uint32_t id) { return when << 32 | id; }
  static std::uint32_t When(std::uint64_t entry) { return static_cast<std::uint32_t>(entry >> 32); }

  typename Sync::template Atomic<std::uint64_t>& Slot(std::uint32_t lane,
                                                      std::uint64_t position) const {
    return ids_[lane * lane_size_ + (position & (lane_size_ - 1))];
  }

  std::uint32_t Nth(std::uint32_t lane, std::uint32_t i) const {
    return lane + i < num_lanes_ ? lane + i : lane + i - num_lanes_;
  }

  // For the producer: puts ids into a lane and, where that is full, into the next
  // ones. All lanes together have room for all ids.
  // Memory ordering: a slot is written again only after the acquire of a head
  //   that is past it, hence after whoever took it has read it.
  void Append(std::uint32_t lane, const std::uint32_t* ids, std::uint32_t n, std::uint64_t when) {
    for (std::uint32_t done = 0; done < n; lane = Nth(lane, 1)) {
      End& end = ends_[lane];
      if (end.next + (n - done) - end.head_seen > lane_size_) {
        end.head_seen = lanes_[lane].head.load(std::memory_order_acquire);
      }
      const std::uint64_t room = lane_size_ - (end.next - end.head_seen);
      const auto fit = static_cast<std::uint32_t>(std::min<std::uint64_t>(n - done, room));
      for (std::uint32_t i = 0; i < fit; ++i) {
        Slot(lane, end.next + i)
            .store(Entry(when + done + i, ids[done + i]), std::memory_order_relaxed);
      }
      end.next += fit;
      done += fit;
    }
  }

  // For the producer: shows the takers what has been appended.
  void Publish(std::uint64_t pushed) {
    for (std::uint32_t l = 0; l < num_lanes_; ++l) {
      if (ends_[l].next == ends_[l].published) continue;
      ends_[l].published = ends_[l].next;
      lanes_[l].tail.store(ends_[l].next, std::memory_order_release);
    }
    pushed_.store(pushed, std::memory_order_release);
  }

  // Another lane whose first id has been passed over for too long, or `own`. What
  // is read may be outdated; then a lane is chosen that need not be, or next time.
  std::uint32_t OlderLane(Taker& taker) const {
    const std::uint32_t own = taker.own;
    if (num_lanes_ == 1) return own;
    taker.compared = Nth(taker.compared, 1);
    if (taker.compared == own) taker.compared = Nth(own, 1);
    std::uint32_t own_first = 0;
    std::uint32_t other_first = 0;
    if (!First(taker.compared, other_first) || !First(own, own_first)) return own;
    // Modulo 2^32; both are at most a few times num_ids old.
    const auto older = static_cast<std::int32_t>(own_first - other_first);
    return older > 0 && static_cast<std::uint32_t>(older) >= num_ids_ ? taker.compared : own;
  }

  // When the first id of a lane was queued; false if the lane is empty.
  bool First(std::uint32_t lane, std::uint32_t& when) const {
    const std::uint64_t head = lanes_[lane].head.load(std::memory_order_acquire);
    if (lanes_[lane].tail.load(std::memory_order_acquire) == head) return false;
    when = When(Slot(lane, head).load(std::memory_order_relaxed));
    return true;
  }

  std::uint32_t Steal(Taker& taker, std::uint32_t lane, std::uint32_t* ids, std::uint32_t least,
                      std::uint32_t most) {
    const std::uint32_t n = TakeFrom(lane, ids, least, most);
    for (std::uint32_t i = 0; i < n; ++i) SetHome(ids[i], taker.own);
    return n;
  }

  // Memory ordering: ids are read before they are claimed, for once claimed
  //   their slots may be written again. A compare-exchange that succeeds shows
  //   that head had not moved (64-bit positions never repeat), hence that no
  //   slot read was overwritten. Acquire of head keeps tail from being read
  //   older than it.
  std::uint32_t TakeFrom(std::uint32_t lane, std::uint32_t* ids, std::uint32_t least,
                         std::uint32_t most) {
    auto& head_of_lane = lanes_[lane].head;
    std::uint64_t head = head_of_lane.load(std::memory_order_acquire);
    for (;;) {
      const std::uint64_t waiting = lanes_[lane].tail.load(std::memory_order_acquire) - head;
      if (waiting == 0) return 0;
      const std::uint64_t wanted = std::max<std::uint64_t>((waiting + 1) / 2, least);
      const auto n = static_cast<std::uint32_t>(std::min({waiting, wanted, std::uint64_t{most}}));
      for (std::uint32_t i = 0; i < n; ++i) {
        ids[i] = static_cast<std::uint32_t>(Slot(lane, head + i).load(std::memory_order_relaxed));
      }
      if (head_of_lane.compare_exchange_weak(head, head + n, std::memory_order_acq_rel,
                                             std::memory_order_acquire)) {
        return n;
      }
    }
  }

  const std::uint32_t num_ids_;
  const std::uint32_t num_lanes_;
  const std::uint64_t lane_size_;  // a power of two
  // Per id: the lane it goes to. Whoever holds the environment: the producer while
  // it is idle, then its taker.
  std::vector<typename Sync::template Var<std::uint16_t>> homes_;
  const std::unique_ptr<typename Sync::template Atomic<std::uint64_t>[]> ids_;  // see Slot
  const std::unique_ptr<End[]> ends_;
  const std::unique_ptr<Lane[]> lanes_;
  // Ids ever queued; the producer's.
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint64_t> pushed_;
};

}  // namespace engine

#endif  // ENGINE_SYNC_ACTION_QUEUE_H_
