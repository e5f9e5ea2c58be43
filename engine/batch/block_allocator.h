// Allocates the memory of batches. A block is in use until the last NumPy array in it is dropped,
// which may be after the pool has been destroyed.
#ifndef ENGINE_BATCH_BLOCK_ALLOCATOR_H_
#define ENGINE_BATCH_BLOCK_ALLOCATOR_H_

#include <cstddef>

namespace engine {

// Requires: the allocator outlives the last array of the last pool that uses it.
// Guarantees: any thread may call any method at any time.
class BlockAllocator {
 public:
  virtual ~BlockAllocator() = default;

  // Returns at least `bytes` bytes, aligned to kCacheLineBytes, whose content is undefined. Throws
  // std::bad_alloc.
  virtual std::byte* Allocate(std::size_t bytes) = 0;
  // Frees memory that Allocate(bytes) returned.
  virtual void Free(std::byte* memory, std::size_t bytes) noexcept = 0;
  // The kind of memory, in one word, for messages.
  virtual const char* name() const = 0;
};

// Memory of operator new.
class HeapAllocator final : public BlockAllocator {
 public:
  // The allocator that pools share. Never destroyed, because arrays may be dropped during static
  // destruction.
  static HeapAllocator& Global();

  std::byte* Allocate(std::size_t bytes) override;
  void Free(std::byte* memory, std::size_t bytes) noexcept override;
  const char* name() const override { return "heap"; }
};

}  // namespace engine

#endif  // ENGINE_BATCH_BLOCK_ALLOCATOR_H_
