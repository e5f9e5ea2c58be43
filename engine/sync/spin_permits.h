// Limits how many workers of all pools of the process spin at the same time: spinning threads in
// excess of idle processors take time from working threads. Any thread.
#ifndef ENGINE_SYNC_SPIN_PERMITS_H_
#define ENGINE_SYNC_SPIN_PERMITS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/base/cache_line.h"

namespace engine {

// Counts a worker as spinning, if it may spin, until the end of its life. It must not live while
// the worker sleeps: the sleeping workers of idle pools would keep those of others from spinning.
class SpinPermit {
 public:
  // `stripe`: workers that share a number share a counter, so a group of workers should have one.
  // `cpus`: processors that the process may use, of which one is left for the caller.
  // Guarantees: if permits are requested one after the other, fewer than `cpus` are granted.
  // Workers
  //   that request at the same time may not see each other, and then more of them spin.
  SpinPermit(std::uint32_t stripe, std::uint32_t cpus);
  ~SpinPermit();
  SpinPermit(const SpinPermit&) = delete;
  SpinPermit& operator=(const SpinPermit&) = delete;

  bool granted() const { return granted_; }

  // Permits granted now.
  static std::uint32_t num_granted();

 private:
  static constexpr std::size_t kNumStripes = 32;
  struct alignas(kCacheLineBytes) Stripe {
    std::atomic<std::uint32_t> granted{0};  // by the workers of the stripe
  };
  static std::array<Stripe, kNumStripes>& Stripes();
  static std::uint32_t GrantedBeside(const std::atomic<std::uint32_t>& stripe);

  std::atomic<std::uint32_t>& count_;
  const bool granted_;
};

}  // namespace engine

#endif  // ENGINE_SYNC_SPIN_PERMITS_H_
