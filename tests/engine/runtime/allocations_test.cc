// Checks that no thread allocates during steps in steady state. Replaces the C library's allocation
// functions by functions that count.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "tests/engine/harness.h"
#include "tests/engine/runtime/pool_fixture.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
std::atomic<std::uint64_t> allocations{0};
}  // namespace

// glibc's own entry points. operator new calls malloc or aligned_alloc, and its library finds these
// only if they are visible.
#pragma GCC visibility push(default)
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(memory, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}  // extern "C"
#pragma GCC visibility pop

namespace engine::testing {
namespace {

constexpr int kWarmUp = 300;
constexpr int kCounted = 1000;

template <class Step>
void ExpectNoAllocations(Step&& step) {
  for (int i = 0; i < kWarmUp; ++i) step(i);
  const std::uint64_t before = allocations.load();
  for (int i = 0; i < kCounted; ++i) step(i);
  EXPECT_EQ(allocations.load() - before, 0U);
}

TEST(Allocations, TheCounterCounts) {
  const std::uint64_t before = allocations.load();
  // Stored in volatile variables, so that the compiler does not remove the allocations.
  void* volatile const plain = ::operator new(64);
  void* volatile const aligned = ::operator new(64, std::align_val_t(64));
  EXPECT_EQ(allocations.load() - before, 2U);
  ::operator delete(plain);
  ::operator delete(aligned, std::align_val_t(64));
}

TEST(Allocations, NoneInAStepOnTheCaller) {
  for (const AutoresetMode mode : {AutoresetMode::kNextStep, AutoresetMode::kSameStep}) {
    PoolFixture pool({.num_envs = 16, .num_threads = 1, .autoreset = mode, .episode_length = 7});
    pool.Reset();
    ExpectNoAllocations([&](int i) { pool.StepAll(i % 2); });
  }
}

TEST(Allocations, NoneInASharedStep) {
  // Enough work that the pool wakes workers.
  PoolFixture pool({.num_envs = 64, .num_threads = 4, .episode_length = 7, .work = 2000});
  pool.Reset();
  ExpectNoAllocations([&](int i) { pool.StepAll(i % 2); });
  EXPECT_LT(0U, pool->stats().threads_started);
}

TEST(Allocations, NoneInASubsetStep) {
  PoolFixture pool({.num_envs = 16, .num_threads = 2, .episode_length = 7});
  pool.Reset();
  ExpectNoAllocations([&](int i) { pool.Step(i % 2, {3, 11, 5}); });
}

TEST(Allocations, NoneInSendAndRecv) {
  for (const AutoresetMode mode : {AutoresetMode::kNextStep, AutoresetMode::kSameStep}) {
    PoolFixture pool({.num_envs = 64,
                      .batch_size = 16,
                      .num_threads = 3,
                      .autoreset = mode,
                      .episode_length = 7});
    pool.AsyncReset();
    std::vector<std::int32_t> ids(16);
    ExpectNoAllocations([&](int i) {
      Batch batch = pool.Recv();
      std::copy_n(EnvIds(batch), batch.rows(), ids.begin());
      batch.Drop();
      pool.Send(i % 2, ids);
    });
  }
}

TEST(Allocations, NoneInAStepIntoATarget) {
  PoolFixture pool({.num_envs = 16, .num_threads = 2, .episode_length = 7});
  pool.Reset();
  const auto target = std::make_shared<TargetMemory>();
  std::vector<std::int64_t> values(std::size_t{4} * 16 * 2);
  target->fields.assign(pool->layout().fields.size(), nullptr);
  target->fields[pool->layout().frame.obs] = reinterpret_cast<std::byte*>(values.data());
  target->rows = std::uint64_t{4} * 16;
  ExpectNoAllocations([&](int i) {
    const auto row = static_cast<std::uint64_t>(i % 4) * 16;
    pool.TakeStepInto({.memory = target, .first_row = row}, i % 2).Drop();
  });
}

}  // namespace
}  // namespace engine::testing

#else

TEST(Allocations, AreCountedInAPlainBuildOnly) { EXPECT_TRUE(true); }

#endif
