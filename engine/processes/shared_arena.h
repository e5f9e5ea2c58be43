// Memory that worker processes share with the pool's process: one anonymous file, which each
// process maps whole. The file is far larger than needed, because only touched pages take memory.
// Offsets into it mean the same in every process. The system frees it when the last process that
// maps it has ended, even if that process was killed.
#ifndef ENGINE_PROCESSES_SHARED_ARENA_H_
#define ENGINE_PROCESSES_SHARED_ARENA_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/base/fork_guard.h"
#include "engine/base/mutex.h"
#include "engine/batch/block_allocator.h"

namespace engine {

// The size of a page on this system: 4 KiB on most, 16 or 64 KiB on some ARM machines.
std::size_t PageBytes();
std::size_t RoundUpToPage(std::size_t bytes);

// The number of bytes of such a file from `offset` on, at most `bytes`, that lie before the first
// page that no process has written.
std::size_t WrittenBytes(int fd, std::size_t offset, std::size_t bytes) noexcept;

// A mapping of such a file.
class SharedMapping {
 public:
  // Maps `bytes` of the file. Throws Error{kMemory}.
  SharedMapping(int fd, std::size_t bytes);
  ~SharedMapping();
  SharedMapping(const SharedMapping&) = delete;
  SharedMapping& operator=(const SharedMapping&) = delete;

  std::byte* base() const { return base_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
};

// The pool's side. Blocks of batch memory come from here, and outlive the pool while arrays refer
// to them, so the arena counts its users: the owner, and each block.
class SharedArena final : public BlockAllocator {
 public:
  // Makes the file and maps it. The first `reserved` bytes and all bytes from `end_of_blocks` on
  // belong to the owner. Throws Error{kMemory}.
  struct Layout {
    std::size_t reserved = 0;
    std::size_t end_of_blocks = 0;
    std::size_t bytes = 0;
  };
  static SharedArena* Create(const Layout& layout);
  // The size of a file, in bytes: a multiple of this machine's memory, or less if the process has
  // limits. If its addresses are limited, it is at most a quarter of those that are left.
  static std::size_t MaxBytes();

  // Ends the owner's use; deletes this when no block is in use.
  void Release() noexcept;

  int fd() const { return fd_; }
  std::byte* base() const { return mapping_.base(); }
  std::size_t OffsetOf(const std::byte* memory) const {
    return static_cast<std::size_t>(memory - mapping_.base());
  }

  // --- BlockAllocator
  std::byte* Allocate(std::size_t bytes) override;
  // Returns the pages to the system. Does nothing in a forked child, which does not own the memory.
  void Free(std::byte* memory, std::size_t bytes) noexcept override;
  const char* name() const override { return "shared"; }

 private:
  SharedArena(int fd, const Layout& layout);
  ~SharedArena() override;

  const ForkGuard fork_guard_;
  const int fd_;
  const SharedMapping mapping_;
  const std::size_t end_of_blocks_;
  std::atomic<std::uint64_t> users_{1};
  Mutex mutex_;
  std::size_t end_ ENGINE_GUARDED_BY(mutex_) = 0;  // offset
  // Offsets by size.
  std::map<std::size_t, std::vector<std::size_t>> free_ ENGINE_GUARDED_BY(mutex_);
};

}  // namespace engine

#endif  // ENGINE_PROCESSES_SHARED_ARENA_H_
