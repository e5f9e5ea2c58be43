// The synchronisation policy that runs a primitive of engine/sync under the deterministic
// scheduler. It has the members of StdSync, and each operation is a scheduling point. Objects of
// these types may exist only while a scenario runs. Memory orders have no default: the code under
// test must spell them.
#ifndef ENGINE_TESTS_SUPPORT_SCHEDULED_SYNC_H_
#define ENGINE_TESTS_SUPPORT_SCHEDULED_SYNC_H_

#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "engine/base/os/futex.h"
#include "tests/engine/support/scheduler.h"

namespace engine::testing {

struct ScheduledSync {
  template <class T>
  class Atomic {
   public:
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));
    static constexpr bool is_always_lock_free = true;

    Atomic() : Atomic(T{}) {}
    Atomic(T value) { Scheduler::Active().Construct(model_, ToBits(value)); }  // NOLINT: as in std
    Atomic(const Atomic&) = delete;
    Atomic& operator=(const Atomic&) = delete;

    T load(std::memory_order order, const Where& where = Where::current()) const {
      return FromBits(Scheduler::Active().Load(model_, order, where));
    }
    void store(T value, std::memory_order order, const Where& where = Where::current()) {
      Scheduler::Active().Store(model_, ToBits(value), order, where);
    }
    T exchange(T value, std::memory_order order, const Where& where = Where::current()) {
      return Modify("exchange", [value](T) { return value; }, order, where);
    }
    T fetch_add(T value, std::memory_order order, const Where& where = Where::current()) {
      return Modify(
          "fetch_add", [value](T old) { return static_cast<T>(old + value); }, order, where);
    }
    T fetch_sub(T value, std::memory_order order, const Where& where = Where::current()) {
      return Modify(
          "fetch_sub", [value](T old) { return static_cast<T>(old - value); }, order, where);
    }
    T fetch_or(T value, std::memory_order order, const Where& where = Where::current()) {
      return Modify(
          "fetch_or", [value](T old) { return static_cast<T>(old | value); }, order, where);
    }
    T fetch_and(T value, std::memory_order order, const Where& where = Where::current()) {
      return Modify(
          "fetch_and", [value](T old) { return static_cast<T>(old & value); }, order, where);
    }

    bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                               std::memory_order failure, const Where& where = Where::current()) {
      return CompareExchange(expected, desired, success, failure, true, where);
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                                 std::memory_order failure, const Where& where = Where::current()) {
      return CompareExchange(expected, desired, success, failure, false, where);
    }

   private:
    friend struct ScheduledSync;

    static std::uint64_t ToBits(const T& value) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof(T));
      return bits;
    }
    static T FromBits(std::uint64_t bits) {
      T value;
      std::memcpy(&value, &bits, sizeof(T));
      return value;
    }

    template <class Change>
    T Modify(const char* name, const Change& change, std::memory_order order, const Where& where) {
      return FromBits(Scheduler::Active().ReadModifyWrite(
          model_, name, [&change](std::uint64_t bits) { return ToBits(change(FromBits(bits))); },
          order, where));
    }

    bool CompareExchange(T& expected, T desired, std::memory_order success,
                         std::memory_order failure, bool weak, const Where& where) {
      std::uint64_t bits = ToBits(expected);
      const bool done = Scheduler::Active().CompareExchange(model_, bits, ToBits(desired), success,
                                                            failure, weak, where);
      expected = FromBits(bits);
      return done;
    }

    mutable AtomicModel model_;
  };

  template <class T>
  class Var {
   public:
    Var() = default;
    explicit Var(T value) : value_(std::move(value)) {}
    const T& Read(const Where& where = Where::current()) const {
      Scheduler::Active().ReadVar(model_, where);
      return value_;
    }
    void Write(const T& value, const Where& where = Where::current()) {
      Scheduler::Active().WriteVar(model_, where);
      value_ = value;
    }

   private:
    T value_{};
    mutable VarModel model_;
  };

  static FutexResult FutexWait(Atomic<std::uint32_t>& word, std::uint32_t expected,
                               std::int64_t timeout_ns, const Where& where = Where::current()) {
    return Scheduler::Active().FutexWait(word.model_, expected, timeout_ns, where);
  }
  static void FutexWake(Atomic<std::uint32_t>& word, std::uint32_t count,
                        const Where& where = Where::current()) {
    Scheduler::Active().FutexWake(word.model_, count, where);
  }

  static void Pause() { Scheduler::Active().Pause(); }
  static std::uint64_t Ticks() { return Scheduler::Active().Now(); }
  static double NanosecondsPerTick() { return 1.0; }
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_SUPPORT_SCHEDULED_SYNC_H_
