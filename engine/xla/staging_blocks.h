// Page-locked memory through which arrays are copied from and to GPUs. Page-locking is slow, so
// blocks are reused, and are not freed before the process ends. Any thread.
#ifndef ENGINE_XLA_STAGING_BLOCKS_H_
#define ENGINE_XLA_STAGING_BLOCKS_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/xla/cuda_driver.h"

namespace engine::xla {

class StagingBlocks {
  struct Block;

 public:
  explicit StagingBlocks(const CudaDriver& driver);
  ~StagingBlocks();  // leaves the page-locked memory to the driver
  StagingBlocks(const StagingBlocks&) = delete;
  StagingBlocks& operator=(const StagingBlocks&) = delete;

  const CudaDriver& driver() const { return driver_; }

  // A block for one call.
  class Lease {
   public:
    // Waits until the copies of the block's previous user have ended. `context` is the context of
    // the stream, and current. Throws Error{kResources} if the driver refuses memory.
    Lease(StagingBlocks& blocks, CudaDriver::Context context, CudaDriver::Stream stream,
          std::size_t bytes);
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    // The copies on the stream may still run.
    ~Lease();

    std::byte* data() const;  // aligned to a page

   private:
    StagingBlocks& blocks_;
    const CudaDriver::Stream stream_;
    Block& block_;
  };

 private:
  struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    CudaDriver::Context context = nullptr;
    CudaDriver::Event last_copy = nullptr;  // an event belongs to a context, so a block does, too
    bool in_use = true;                     // guarded by mutex_
  };

  Block& Take(CudaDriver::Context context, std::size_t bytes);
  // Returns a free block or a new one, marked as in use.
  Block& Reserve(CudaDriver::Context context, std::size_t bytes);
  void Prepare(Block& block, std::size_t bytes) const;
  void Release(Block& block) noexcept;

  const CudaDriver driver_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Block>> blocks_ ENGINE_GUARDED_BY(mutex_);
};

}  // namespace engine::xla

#endif  // ENGINE_XLA_STAGING_BLOCKS_H_
