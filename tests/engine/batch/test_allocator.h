// An allocator that counts its calls, checks the arguments of Free, and fails on request. All
// methods may be called on any thread.
#ifndef ENGINE_TESTS_ENGINE_BATCH_TEST_ALLOCATOR_H_
#define ENGINE_TESTS_ENGINE_BATCH_TEST_ALLOCATOR_H_

#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <new>

#include "engine/batch/block_allocator.h"

namespace engine::testing {

class TestAllocator final : public BlockAllocator {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  std::byte* Allocate(std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    if (calls_++ == fail_at_) throw std::bad_alloc();
    std::byte* const memory = HeapAllocator::Global().Allocate(bytes);
    live_[memory] = bytes;
    ++live_blocks_;
    live_bytes_ += bytes;
    return memory;
  }
  void Free(std::byte* memory, std::size_t bytes) noexcept override {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(memory);
    wrong_ |= found == live_.end() || found->second != bytes;
    if (found == live_.end()) return;
    live_.erase(found);
    --live_blocks_;
    live_bytes_ -= bytes;
    ++frees_;
    HeapAllocator::Global().Free(memory, bytes);
  }
  const char* name() const override { return "test"; }

  // Makes call number `call` of Allocate fail, counted from 0.
  void FailAt(std::uint64_t call) {
    const std::lock_guard lock(mutex_);
    fail_at_ = call;
  }
  std::uint64_t calls() const { return Locked(calls_); }
  std::uint64_t frees() const { return Locked(frees_); }
  std::uint64_t live_blocks() const { return Locked(live_blocks_); }
  std::uint64_t live_bytes() const { return Locked(live_bytes_); }
  // Whether Free got memory that was not allocated, or a wrong size.
  bool wrong() const { return Locked(wrong_); }

 private:
  template <class T>
  T Locked(const T& counter) const {
    const std::lock_guard lock(mutex_);
    return counter;
  }

  mutable std::mutex mutex_;
  std::map<std::byte*, std::size_t> live_;  // mutex_ guards all members
  std::uint64_t live_blocks_ = 0;
  std::uint64_t live_bytes_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t frees_ = 0;
  std::uint64_t fail_at_ = kNever;
  bool wrong_ = false;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_BATCH_TEST_ALLOCATOR_H_
