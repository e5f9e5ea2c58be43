#include "engine/sync/spin_permits.h"

#include <pthread.h>

namespace engine {

// Resets the counters in a child of fork, which has none of the workers.
std::array<SpinPermit::Stripe, SpinPermit::kNumStripes>& SpinPermit::Stripes() {
  static std::array<Stripe, kNumStripes> stripes;
  static const int registered = pthread_atfork(nullptr, nullptr, [] {
    for (Stripe& stripe : stripes) stripe.granted.store(0, std::memory_order_relaxed);
  });
  (void)registered;
  return stripes;
}

std::uint32_t SpinPermit::GrantedBeside(const std::atomic<std::uint32_t>& stripe) {
  std::uint32_t sum = 0;
  for (const Stripe& other : Stripes()) {
    if (&other.granted != &stripe) sum += other.granted.load(std::memory_order_relaxed);
  }
  return sum;
}

std::uint32_t SpinPermit::num_granted() {
  std::uint32_t sum = 0;
  for (const Stripe& stripe : Stripes()) sum += stripe.granted.load(std::memory_order_relaxed);
  return sum;
}

// Relaxed throughout: exceeding the limit for a moment only costs speed.
SpinPermit::SpinPermit(std::uint32_t stripe, std::uint32_t cpus)
    : count_(Stripes()[stripe % kNumStripes].granted),
      // If several workers of a stripe request at the same time, the first of them get permits as
      // long as any are left.
      granted_(count_.fetch_add(1, std::memory_order_relaxed) + 1 + GrantedBeside(count_) < cpus) {
  if (!granted_) count_.fetch_sub(1, std::memory_order_relaxed);
}

SpinPermit::~SpinPermit() {
  if (granted_) count_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace engine
