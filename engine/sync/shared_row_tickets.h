// Reserves, commits and takes the rows of open batches that worker processes write. Works like
// RowTickets, but in memory that processes share: the owner (the pool's process) can find and
// complete the rows of a writer that died. Contains only counters and indices.
//
// Each row records the item that reserved it (the id of an environment) and whether it is
// committed. Before a writer begins a reservation or a commit, it stores that in its Writer. So if
// a writer dies, at most one of its rows is in an unknown state.
#ifndef ENGINE_SYNC_SHARED_ROW_TICKETS_H_
#define ENGINE_SYNC_SHARED_ROW_TICKETS_H_

#include <cstddef>
#include <cstdint>

#include "engine/base/cache_line.h"
#include "engine/sync/process_sync.h"

namespace engine {

template <class Sync = ProcessSync>
class SharedRowTickets {
  template <class T>
  using Atomic = typename Sync::template Atomic<T>;

 public:
  // --- The parts in shared memory. The comment of a field names the processes that write it.
  struct Counters {
    alignas(kCacheLineBytes) Atomic<std::uint64_t> ticket{0};  // next ticket to issue; writers
    alignas(kCacheLineBytes) Atomic<std::uint64_t> head{0};    // next batch to take; the owner
  };
  struct alignas(kCacheLineBytes) Slot {
    Atomic<std::uint32_t> written{0};  // rows committed; writers, reset by Take
    // Nonzero: `written` may lack a row of a dead writer, so receivers examine each row instead.
    // Written by the owner.
    Atomic<std::uint32_t> recount{0};
    // The batch's memory. The owner writes it before it publishes the items whose rows the batch
    // will hold.
    Atomic<std::uint64_t> blocks[2];
  };
  // The record of a row.
  struct Row {
    Atomic<std::uint64_t> reserved{0};   // ticket + 1 of the latest reservation
    Atomic<std::uint64_t> committed{0};  // batch + 1 of the latest commit
    Atomic<std::uint32_t> item{0};       // the item that reserved it
  };
  // One for each process that writes, on its own cache line. The owner is a writer, too.
  struct alignas(kCacheLineBytes) Writer {
    Atomic<std::uint32_t> reserving{0};   // item + 1
    Atomic<std::uint32_t> committing{0};  // slot + 1
  };
  // The row of a ticket; as RowTickets::Position.
  struct Position {
    std::uint64_t batch = 0;
    std::uint32_t slot = 0;
    std::uint32_t row = 0;
  };

  // `slots` has num_slots elements, `rows` has num_slots * rows_per_batch, and `writers` has one
  // for each process; all are zero at first.
  SharedRowTickets(Counters& counters, Slot* slots, Row* rows, std::uint32_t rows_per_batch,
                   std::uint32_t num_slots, Writer* writers, std::size_t num_writers)
      : counters_(counters),
        slots_(slots),
        rows_(rows),
        rows_per_batch_(rows_per_batch),
        num_slots_(num_slots),
        writers_(writers),
        num_writers_(num_writers) {}

  Writer& writer(std::size_t index) const { return writers_[index]; }

  // --- Writers

  // Reserves the next row for `item`.
  // Requires: as in RowTickets::Reserve.
  // Memory ordering: as in RowTickets::Reserve. seq_cst because the owner reads `ticket` and then
  //   `reserving`. If the owner sees this ticket, it also sees this writer in `reserving`, or the
  //   row's record.
  Position Reserve(Writer& writer, std::uint32_t item) {
    writer.reserving.store(item + 1, std::memory_order_seq_cst);
    const std::uint64_t ticket = counters_.ticket.fetch_add(1, std::memory_order_seq_cst);
    Row& row = RowOf(ticket);
    row.item.store(item, std::memory_order_relaxed);
    row.reserved.store(ticket + 1, std::memory_order_release);
    writer.reserving.store(0, std::memory_order_release);
    return PositionOf(ticket);
  }

  // Row `row` of the next batch to take. For ordered batches, in which the row of an environment is
  // its id, so that no row is reserved.
  Position RowOfHead(std::uint32_t row) const {
    const std::uint64_t batch = head_batch();
    return {.batch = batch, .slot = SlotOf(batch), .row = row};
  }

  // Reports a row as written. Returns true if the batch may now be full; see Ready.
  // Memory ordering: as in RowTickets::Commit.
  bool Commit(Writer& writer, Position position) {
    writer.committing.store(position.slot + 1, std::memory_order_relaxed);
    RowAt(position).committed.store(position.batch + 1, std::memory_order_release);
    Slot& slot = slots_[position.slot];
    const std::uint32_t written = slot.written.fetch_add(1, std::memory_order_seq_cst) + 1;
    const bool full =
        written >= rows_per_batch_ || slot.recount.load(std::memory_order_relaxed) != 0;
    writer.committing.store(0, std::memory_order_release);
    return full;
  }

  Slot& slot(std::uint32_t index) { return slots_[index]; }

  // --- Receivers: any thread of the owner's process

  // As RowTickets::Ready.
  bool Ready() const {
    std::uint64_t head = head_batch();
    for (;;) {
      const Slot& slot = slots_[SlotOf(head)];
      if (slot.written.load(std::memory_order_acquire) >= rows_per_batch_) return true;
      if (slot.recount.load(std::memory_order_acquire) != 0 && AllCommitted(head)) return true;
      const std::uint64_t now = head_batch();
      if (now == head) return false;
      head = now;
    }
  }
  // As RowTickets::WrittenInHead. seq_cst: see Commit.
  std::uint32_t WrittenInHead() const {
    const std::uint64_t head = head_batch();
    const Slot& slot = slots_[SlotOf(head)];
    const std::uint32_t written = slot.written.load(std::memory_order_seq_cst);
    if (slot.recount.load(std::memory_order_acquire) == 0) return written;
    std::uint32_t rows = 0;
    for (std::uint32_t row = 0; row < rows_per_batch_; ++row) rows += IsCommitted(head, row);
    return rows;
  }

  // As RowTickets::Take and DropPartial.
  std::uint32_t Take() {
    const std::uint64_t head = head_batch();
    const std::uint32_t index = SlotOf(head);
    counters_.head.store(head + 1, std::memory_order_relaxed);
    slots_[index].recount.store(0, std::memory_order_relaxed);
    slots_[index].written.store(0, std::memory_order_release);
    return index;
  }
  void DropPartial() {
    const std::uint64_t head = head_batch();
    const std::uint32_t index = SlotOf(head);
    // The tickets of this batch are issued again, so the records of its rows are cleared.
    for (std::uint32_t row = 0; row < rows_per_batch_; ++row) {
      Row& at = rows_[std::size_t{index} * rows_per_batch_ + row];
      at.reserved.store(0, std::memory_order_relaxed);
      at.committed.store(0, std::memory_order_relaxed);
    }
    slots_[index].recount.store(0, std::memory_order_relaxed);
    slots_[index].written.store(0, std::memory_order_relaxed);
    counters_.ticket.store(head * rows_per_batch_, std::memory_order_relaxed);
  }
  std::uint64_t head_batch() const { return counters_.head.load(std::memory_order_relaxed); }
  std::uint32_t head_slot() const { return SlotOf(head_batch()); }

  // --- The owner, after a writer's process has ended. One thread at a time; it publishes no items
  // meanwhile.

  // Completes the records of the writer number `ended`. If it died after it reserved a row and
  // before it recorded the reservation, finds the row and records it. If it died in a commit, marks
  // the slot for a recount. `lives(i)` returns whether writer i is alive. Returns false if a living
  // writer is in Reserve; the caller must then try again later. Memory ordering: see Reserve. Once
  // no living writer is in Reserve, every ticket below the one
  //   read here is recorded, except those of dead writers. If several writers have died, it does
  //   not matter which of them gets which ticket, because none of them has written its row.
  template <class Lives>
  bool Recover(std::size_t ended, Lives&& lives) {
    const std::uint64_t end = counters_.ticket.load(std::memory_order_seq_cst);
    for (std::size_t i = 0; i < num_writers_; ++i) {
      if (lives(i) && writers_[i].reserving.load(std::memory_order_seq_cst) != 0) return false;
    }
    Writer& dead = writers_[ended];
    const std::uint32_t item = dead.reserving.load(std::memory_order_acquire);
    if (item != 0) {
      RecordReservation(item - 1, end);
      dead.reserving.store(0, std::memory_order_release);
    }
    const std::uint32_t committing = dead.committing.load(std::memory_order_acquire);
    if (committing != 0 && committing <= num_slots_) {
      slots_[committing - 1].recount.store(1, std::memory_order_release);
    }
    dead.committing.store(0, std::memory_order_release);
    return true;
  }

  // Finds the row of `item` in an open batch. Returns false if it has none.
  // Requires: Recover has returned true for the writer that died.
  bool Find(std::uint32_t item, Position& position, bool& committed) const {
    const std::uint64_t begin = head_batch() * rows_per_batch_;
    const std::uint64_t end = EndOfOpen(begin, counters_.ticket.load(std::memory_order_acquire));
    // Searches backwards for the latest row, because the item may also have an earlier row in a
    // full batch that is not taken yet.
    for (std::uint64_t ticket = end; ticket > begin; --ticket) {
      const Row& row = RowOf(ticket - 1);
      if (row.reserved.load(std::memory_order_acquire) != ticket ||
          row.item.load(std::memory_order_relaxed) != item) {
        continue;
      }
      position = PositionOf(ticket - 1);
      committed = IsCommitted(position.batch, position.row);
      return true;
    }
    return false;
  }
  bool IsCommitted(std::uint64_t batch, std::uint32_t row) const {
    return rows_[std::size_t{SlotOf(batch)} * rows_per_batch_ + row].committed.load(
               std::memory_order_acquire) == batch + 1;
  }

  std::uint32_t SlotOf(std::uint64_t batch) const {
    return static_cast<std::uint32_t>(batch % num_slots_);
  }
  std::uint32_t num_slots() const { return num_slots_; }
  std::uint32_t rows_per_batch() const { return rows_per_batch_; }

 private:
  Position PositionOf(std::uint64_t ticket) const {
    const std::uint64_t batch = ticket / rows_per_batch_;
    return {.batch = batch,
            .slot = SlotOf(batch),
            .row = static_cast<std::uint32_t>(ticket % rows_per_batch_)};
  }
  Row& RowOf(std::uint64_t ticket) { return RowAt(PositionOf(ticket)); }
  const Row& RowOf(std::uint64_t ticket) const {
    const Position position = PositionOf(ticket);
    return rows_[std::size_t{position.slot} * rows_per_batch_ + position.row];
  }
  Row& RowAt(Position position) {
    return rows_[std::size_t{position.slot} * rows_per_batch_ + position.row];
  }
  // Records `item` for the lowest unrecorded ticket of the open batches that is below `end`. Does
  // nothing if every ticket is recorded, or if an uncommitted row is recorded for `item` already.
  void RecordReservation(std::uint32_t item, std::uint64_t end) {
    const std::uint64_t begin = head_batch() * rows_per_batch_;
    end = EndOfOpen(begin, end);
    std::uint64_t unrecorded = end;
    for (std::uint64_t ticket = end; ticket > begin; --ticket) {
      const Row& row = RowOf(ticket - 1);
      if (row.reserved.load(std::memory_order_acquire) != ticket) {
        unrecorded = ticket - 1;
        continue;
      }
      const Position position = PositionOf(ticket - 1);
      const bool open = !IsCommitted(position.batch, position.row);
      if (open && row.item.load(std::memory_order_relaxed) == item) return;
    }
    if (unrecorded == end) return;
    Row& row = RowOf(unrecorded);
    row.item.store(item, std::memory_order_relaxed);
    row.reserved.store(unrecorded + 1, std::memory_order_release);
  }
  // `end`, or, if a broken writer has changed the counter, as many tickets as there are rows.
  std::uint64_t EndOfOpen(std::uint64_t begin, std::uint64_t end) const {
    const std::uint64_t rows = std::uint64_t{num_slots_} * rows_per_batch_;
    return end - begin <= rows ? end : begin + rows;
  }
  // Whether all rows are committed and no writer is still in Commit for this slot. Such a writer
  // could add to `written` after Take has reset it.
  bool AllCommitted(std::uint64_t batch) const {
    for (std::uint32_t row = 0; row < rows_per_batch_; ++row) {
      if (!IsCommitted(batch, row)) return false;
    }
    for (std::size_t i = 0; i < num_writers_; ++i) {
      if (writers_[i].committing.load(std::memory_order_acquire) == SlotOf(batch) + 1) return false;
    }
    return true;
  }

  Counters& counters_;
  Slot* const slots_;
  Row* const rows_;
  const std::uint32_t rows_per_batch_;
  const std::uint32_t num_slots_;
  Writer* const writers_;
  const std::size_t num_writers_;
};

static_assert(kFillsCacheLines<SharedRowTickets<>::Counters, 2>);
static_assert(kFillsCacheLines<SharedRowTickets<>::Slot, 1>);
static_assert(kFillsCacheLines<SharedRowTickets<>::Writer, 1>);
static_assert(sizeof(SharedRowTickets<>::Row) == 24 && alignof(SharedRowTickets<>::Row) == 8);

}  // namespace engine

#endif  // ENGINE_SYNC_SHARED_ROW_TICKETS_H_
