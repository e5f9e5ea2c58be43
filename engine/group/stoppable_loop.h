// The loops over the environments of one call. A StopCondition may end them early; an exception of
// one environment does not. Used by groups, on the thread of the call.
#ifndef ENGINE_GROUP_STOPPABLE_LOOP_H_
#define ENGINE_GROUP_STOPPABLE_LOOP_H_

#include <algorithm>
#include <cstdint>
#include <exception>

namespace engine {

// The StopCondition of loops that are never ended early.
struct NeverStop {
  static bool ShouldStop() { return false; }
};

// Calls body(k) for all k in [begin, end), or until stop.ShouldStop(), which is checked after
// every `kEvery` calls. Returns the number of calls. If body(k) throws, calls on_failure(k, what)
// and continues with the next k. The try block is outside the loop, because inside it would prevent
// inlining. Always inlined, so that variables that `body` captures stay in registers.
template <std::uint32_t kEvery, class Stop, class Body, class OnFailure>
[[gnu::always_inline]] inline std::uint32_t StoppableLoop(std::uint32_t begin, std::uint32_t end,
                                                          const Stop& stop, Body&& body,
                                                          OnFailure&& on_failure) {
  std::uint32_t k = begin;
  while (k < end) {
    try {
      while (k < end) {
        const std::uint32_t next_check = k + std::min(end - k, kEvery);
        for (; k < next_check; ++k) body(k);
        if (k < end && stop.ShouldStop()) return k - begin;
      }
    } catch (const std::exception& error) {
      on_failure(k++, error.what());
    } catch (...) {
      on_failure(k++, "an exception that is not a std::exception");
    }
  }
  return k - begin;
}

// Calls body(k, n) for chunks of items [k, k + n) with n <= `max_items`, until stop.ShouldStop() or
// body returns true. Returns the number of items it has processed.
template <class Stop, class Body>
std::uint32_t InChunks(std::uint32_t begin, std::uint32_t end, std::uint32_t max_items,
                       const Stop& stop, const Body& body) {
  std::uint32_t k = begin;
  while (k < end) {
    const std::uint32_t n = std::min(end - k, max_items);
    const bool last = body(k, n);
    k += n;
    if (last || (k < end && stop.ShouldStop())) break;
  }
  return k - begin;
}

}  // namespace engine

#endif  // ENGINE_GROUP_STOPPABLE_LOOP_H_
