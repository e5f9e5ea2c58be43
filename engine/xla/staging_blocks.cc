#include "engine/xla/staging_blocks.h"

#include <algorithm>
#include <bit>

namespace engine::xla {

StagingBlocks::StagingBlocks(const CudaDriver& driver) : driver_(driver) {}
StagingBlocks::~StagingBlocks() = default;

StagingBlocks::Lease::Lease(StagingBlocks& blocks, CudaDriver::Context context,
                            CudaDriver::Stream stream, std::size_t bytes)
    : blocks_(blocks), stream_(stream), block_(blocks.Take(context, bytes)) {}

StagingBlocks::Lease::~Lease() {
  const CudaDriver& driver = blocks_.driver_;
  if (driver.event_record(block_.last_copy, stream_) != 0) driver.stream_synchronize(stream_);
  blocks_.Release(block_);
}

std::byte* StagingBlocks::Lease::data() const { return block_.data; }

StagingBlocks::Block& StagingBlocks::Take(CudaDriver::Context context, std::size_t bytes) {
  Block& block = Reserve(context, bytes);
  try {
    Prepare(block, bytes);
  } catch (...) {
    Release(block);
    throw;
  }
  return block;
}

StagingBlocks::Block& StagingBlocks::Reserve(CudaDriver::Context context, std::size_t bytes) {
  const ScopedLock lock(mutex_);
  Block* found = nullptr;
  for (const std::unique_ptr<Block>& block : blocks_) {
    if (block->in_use || block->context != context) continue;
    found = block.get();
    if (found->bytes >= bytes) break;
  }
  if (found == nullptr) {
    found = blocks_.emplace_back(std::make_unique<Block>()).get();
    found->context = context;
  }
  found->in_use = true;
  return *found;
}

void StagingBlocks::Prepare(Block& block, std::size_t bytes) const {
  if (block.last_copy == nullptr) {
    driver_.Check(driver_.event_create(&block.last_copy, CudaDriver::kDisableTiming),
                  "an event on the GPU");
  } else {
    driver_.Check(driver_.event_synchronize(block.last_copy), "a copy to the GPU");
  }
  if (block.bytes >= bytes) return;
  if (block.data != nullptr) driver_.mem_free_host(block.data);
  block.data = nullptr;
  block.bytes = 0;
  void* data = nullptr;
  const std::size_t rounded = std::bit_ceil(std::max<std::size_t>(bytes, 4096));
  driver_.Check(driver_.mem_host_alloc(&data, rounded, CudaDriver::kPortable),
                "page-locked memory");
  block.data = static_cast<std::byte*>(data);
  block.bytes = rounded;
}

void StagingBlocks::Release(Block& block) noexcept {
  const ScopedLock lock(mutex_);
  block.in_use = false;
}

}  // namespace engine::xla
