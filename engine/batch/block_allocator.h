// Where the memory of batches comes from. A pool is given an allocator; the
// blocks that it makes hold observations and columns until the last NumPy array
// that looks into them is dropped, which may be after the pool has gone.
#ifndef ENGINE_BATCH_BLOCK_ALLOCATOR_H_
#define ENGINE_BATCH_BLOCK_ALLOCATOR_H_

#include <cstddef>

namespace engine {

// Requires: lives until the last block is freed, so until the last array of the
//   last pool that uses it is dropped.
// Guarantees: any thread may call any method at any time.
class BlockAllocator {
 public:
  virtual ~BlockAllocator() = default;

  // At least `bytes` bytes, aligned to kCacheLineBytes; what they hold is undefined.
  // Throws std::bad_alloc.
  virtual std::byte* Allocate(std::size_t bytes) = 0;
  // Takes back what Allocate(bytes) returned.
  virtual void Free(std::byte* memory, std::size_t bytes) noexcept = 0;
  // What kind of memory it is, in one word; for messages.
  virtual const char* name() const = 0;
};

// Memory of operator new.
class HeapAllocator final : public BlockAllocator {
 public:
  // The one that pools share; never destroyed, because arrays may be dropped
  // while static objects are.
  static HeapAllocator& Global();

  std::byte* Allocate(std::size_t bytes) override;
  void Free(std::byte* memory, std::size_t bytes) noexcept override;
  const char* name() const override { return "heap"; }
};

}  // namespace engine

#endif  // ENGINE_BATCH_BLOCK_ALLOCATOR_H_
