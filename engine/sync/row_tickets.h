// Reserves, commits and takes the rows of open batches, which are those that may be written now.
// Workers reserve rows for finished results, write them and commit them. Receivers take full
// batches in order. Any number of workers; any number of receivers may wait, but only one at a time
// takes. Contains only counters: the memory of a batch belongs to the pool.
//
// Batches are numbered from 0; batch b uses slot b modulo the number of slots. A ticket is the
// number of a row, counted over all batches.
#ifndef ENGINE_SYNC_ROW_TICKETS_H_
#define ENGINE_SYNC_ROW_TICKETS_H_

#include <cstdint>
#include <memory>

#include "engine/base/cache_line.h"
#include "engine/sync/std_sync.h"

namespace engine {

template <class Sync = StdSync>
class RowTickets {
 public:
  // The row of a ticket.
  struct Position {
    std::uint32_t slot = 0;  // of its batch
    std::uint32_t row = 0;   // in its batch
  };

  // `first_batch`: nonzero only in tests, which start at a large number.
  RowTickets(std::uint32_t rows_per_batch, std::uint32_t num_slots, std::uint64_t first_batch = 0)
      : rows_per_batch_(rows_per_batch),
        num_slots_(num_slots),
        slots_(new Slot[num_slots]),
        ticket_(first_batch * rows_per_batch),
        head_(first_batch) {}

  // Reserves `n` consecutive rows and returns the ticket of the first one. The rows may extend into
  // the next batch: see PositionOf. Wait-free.
  // Requires: rows reserved and not yet received <= num_slots * rows_per_batch. The pool ensures
  //   this by admitting no more actions.
  // Memory ordering: a reserved row may lie in a batch that was opened after this worker took its
  //   ids. Tickets reach that batch only after another worker has reserved rows for ids that were
  //   queued after the batch was opened. That worker's fetch_add (release) comes before this one
  //   (acquire), so the batch's memory and the reset of its slot are visible here.
  std::uint64_t Reserve(std::uint32_t n) { return ticket_.fetch_add(n, std::memory_order_acq_rel); }

  Position PositionOf(std::uint64_t ticket) const {
    return {SlotOf(ticket / rows_per_batch_), static_cast<std::uint32_t>(ticket % rows_per_batch_)};
  }

  // Reports `n` rows of `slot` as written. Returns true for the call that fills the batch.
  // Memory ordering: release pairs with the acquire in Ready(); the read-modify-writes form one
  //   release sequence over all writers. seq_cst because a receiver sets a flag (seq_cst) and then
  //   reads WrittenInHead, while a worker commits and then reads the flag (seq_cst): at least one
  //   of them must see the other. Draining relies on this.
  bool Commit(std::uint32_t slot, std::uint32_t n) {
    return slots_[slot].written.fetch_add(n, std::memory_order_seq_cst) + n == rows_per_batch_;
  }

  // Whether the next batch in order is full. Any thread, even while another one takes a batch.
  // Guarantees: returns false only if at some time during the call the next batch was not full.
  //   True may be outdated, so a thread checks again under the pool's state lock before it calls
  //   Take.
  // Memory ordering: acquire of `written` pairs with the release in Commit. If the slot was taken
  //   meanwhile, the acquire pairs with the release in Take, so the second load of head_ sees a
  //   later batch.
  bool Ready() const {
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t written = slots_[SlotOf(head)].written.load(std::memory_order_acquire);
      if (written == rows_per_batch_) return true;
      const std::uint64_t now = head_.load(std::memory_order_relaxed);
      if (now == head) return false;
      head = now;
    }
  }

  // Rows written so far into the next batch in order. The result may be outdated if another
  // receiver takes the batch meanwhile. seq_cst: see Commit.
  std::uint32_t WrittenInHead() const {
    return slots_[head_slot()].written.load(std::memory_order_seq_cst);
  }

  // Takes the next batch; returns its slot, which is free for reuse.
  // Requires: one thread at a time; Ready(); rows of the batch that will use this slot again are
  //   reserved only after this call. The pool's state lock ensures all three.
  // Memory ordering: head_ is incremented before the slot is reset; the release of the reset pairs
  //   with the acquire in Ready.
  std::uint32_t Take() {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    const std::uint32_t slot = SlotOf(head);
    head_.store(head + 1, std::memory_order_relaxed);
    slots_[slot].written.store(0, std::memory_order_release);
    return slot;
  }

  // Drops a partly filled batch, so that the next ticket starts a new one.
  // Requires: as for Take; also nothing is in flight and no full batch is waiting.
  void DropPartial() {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    slots_[SlotOf(head)].written.store(0, std::memory_order_relaxed);
    ticket_.store(head * rows_per_batch_, std::memory_order_relaxed);
  }

  std::uint32_t SlotOf(std::uint64_t batch) const {
    return static_cast<std::uint32_t>(batch % num_slots_);
  }
  std::uint32_t head_slot() const { return SlotOf(head_.load(std::memory_order_relaxed)); }
  std::uint32_t num_slots() const { return num_slots_; }
  std::uint32_t rows_per_batch() const { return rows_per_batch_; }

 private:
  struct alignas(kCacheLineBytes) Slot {
    typename Sync::template Atomic<std::uint32_t> written{0};  // workers; reset by Take
  };

  const std::uint32_t rows_per_batch_;
  const std::uint32_t num_slots_;
  const std::unique_ptr<Slot[]> slots_;
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint64_t> ticket_;  // workers
  // Next batch to receive; written by Take.
  alignas(kCacheLineBytes) typename Sync::template Atomic<std::uint64_t> head_;
};

static_assert(kFillsCacheLines<RowTickets<StdSync>, 3>);

}  // namespace engine

#endif  // ENGINE_SYNC_ROW_TICKETS_H_
