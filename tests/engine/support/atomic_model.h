// The values that a load of one atomic variable can return under the C++ memory model, given the
// order in which the scheduler ran the operations. Only the scheduler uses it.
//
// The modification order is the order in which stores ran. A load need not return the newest store.
// It may return any of the last kHistory stores, unless a newer one happens before the load, was
// read by an operation that happens before the load, or (both seq_cst) precedes the load in the
// single total order. This total order, too, is the order in which operations ran. An acquire load
// joins the clock of the release store that it reads, or of a read-modify-write that continues the
// store's release sequence. Relaxed operations make no edge, whatever the interleaving.
#ifndef ENGINE_TESTS_SUPPORT_ATOMIC_MODEL_H_
#define ENGINE_TESTS_SUPPORT_ATOMIC_MODEL_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tests/engine/support/vector_clock.h"

namespace engine::testing {

inline bool Acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst || order == std::memory_order_consume;
}
inline bool Releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

class AtomicModel {
 public:
  static constexpr std::size_t kHistory = 4;

  void Init(std::uint32_t id, std::uint64_t bits, std::size_t thread, const VectorClock& clock) {
    id_ = id;
    Entry& first = ring_[0];
    first = Entry{};
    first.bits = bits;
    first.seen[thread] = clock.at[thread];
  }

  std::uint32_t id() const { return id_; }
  std::uint64_t newest_bits() const { return At(newest_).bits; }
  std::uint64_t BitsBehind(std::size_t age) const { return At(newest_ - age).bits; }

  // The number of stores, counted back from the newest, that a load may return. `last_step` is the
  // step of the reading thread's last operation. A value that was overwritten after this step is
  // left out, because running the load earlier gives the same execution.
  std::size_t CountReadable(const VectorClock& clock, std::memory_order order,
                            std::uint64_t last_step) const {
    std::size_t age = 0;
    for (;;) {
      const Entry& entry = At(newest_ - age);
      if (age + 1 >= kHistory || newest_ == age || KnownTo(entry, clock)) break;
      if (order == std::memory_order_seq_cst && newest_ - age <= newest_sc_) break;
      if (entry.step >= last_step) break;
      ++age;
    }
    return age + 1;
  }

  // Whether the thread has read the store that is `age` stores older than the newest.
  bool Seen(std::size_t age, std::size_t thread) const {
    return At(newest_ - age).seen[thread] != 0;
  }

  // Reads the store that is `age` stores older than the newest. Returns whether the thread reads it
  // for the first time.
  bool OnLoad(std::size_t age, std::size_t thread, VectorClock& clock, std::memory_order order) {
    const std::uint64_t index = newest_ - age;
    Entry& entry = At(index);
    const bool news = entry.seen[thread] == 0;
    if (news) entry.seen[thread] = clock.at[thread];
    if (Acquires(order)) clock.Join(entry.sync);
    if (order == std::memory_order_seq_cst && index > newest_sc_) newest_sc_ = index;
    return news;
  }

  void OnStore(std::uint64_t bits, std::size_t thread, const VectorClock& clock,
               std::memory_order order, std::uint64_t step) {
    Append(bits, VectorClock{}, thread, clock, order, step);
  }

  void OnReadModifyWrite(std::uint64_t bits, std::size_t thread, VectorClock& clock,
                         std::memory_order order, std::uint64_t step) {
    OnLoad(0, thread, clock, order);
    Append(bits, At(newest_).sync, thread, clock, order, step);
  }

 private:
  struct Entry {
    std::uint64_t bits = 0;
    std::uint64_t step = 0;                         // of the store
    VectorClock sync;                               // clock that an acquire load joins
    std::array<std::uint32_t, kMaxThreads> seen{};  // epoch of each thread's first read; 0: none
  };

  Entry& At(std::uint64_t index) { return ring_[index % kHistory]; }
  const Entry& At(std::uint64_t index) const { return ring_[index % kHistory]; }

  static bool KnownTo(const Entry& entry, const VectorClock& clock) {
    for (std::size_t t = 0; t < kMaxThreads; ++t) {
      if (entry.seen[t] != 0 && clock.Covers(t, entry.seen[t])) return true;
    }
    return false;
  }

  void Append(std::uint64_t bits, const VectorClock& inherited, std::size_t thread,
              const VectorClock& clock, std::memory_order order, std::uint64_t step) {
    const VectorClock sync = inherited;  // copied: its slot may be overwritten now
    Entry& entry = At(++newest_);
    entry = Entry{};
    entry.bits = bits;
    entry.step = step;
    entry.sync = sync;
    if (Releases(order)) entry.sync.Join(clock);
    entry.seen[thread] = clock.at[thread];
    if (order == std::memory_order_seq_cst) newest_sc_ = newest_;
  }

  std::uint32_t id_ = 0;
  std::uint64_t newest_ = 0;     // index in modification order
  std::uint64_t newest_sc_ = 0;  // newest store that a seq_cst operation wrote or read
  std::array<Entry, kHistory> ring_{};
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_SUPPORT_ATOMIC_MODEL_H_
