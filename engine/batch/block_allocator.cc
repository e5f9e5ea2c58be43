#include "engine/batch/block_allocator.h"

#include <new>

#include "engine/base/cache_line.h"

namespace engine {

HeapAllocator& HeapAllocator::Global() {
  static auto* const allocator = new HeapAllocator;
  return *allocator;
}

std::byte* HeapAllocator::Allocate(std::size_t bytes) {
  return static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kCacheLineBytes)));
}

void HeapAllocator::Free(std::byte* memory, std::size_t bytes) noexcept {
  ::operator delete(memory, bytes, std::align_val_t(kCacheLineBytes));
}

}  // namespace engine
