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

// Permission for a worker to spin. If it is granted, the worker counts as spinning until the permit
// is destroyed. A worker must destroy its permit before it sleeps: otherwise the sleeping workers
// of idle pools would keep the workers of other pools from spinning.
class SpinPermit {
 public:
  // `stripe`: workers with the same number share a counter, so the workers of a group should have
  // the same number. `cpus`: processors that the process may use; one of them is left for the
  // caller.
  // Guarantees: if permits are requested one after the other, fewer than `cpus` are granted.
  //   Concurrent requests may not see each other, so more workers may then spin.
  SpinPermit(std::uint32_t stripe, std::uint32_t cpus);
  ~SpinPermit();
  SpinPermit(const SpinPermit&) = delete;
  SpinPermit& operator=(const SpinPermit&) = delete;

  bool granted() const { return granted_; }

  // The number of permits that are held now, in this process.
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
