// The pages of a buffer in shared memory. A buffer has room for the largest object; the pages that
// a large one has touched are returned to the system when later objects need far fewer.
#ifndef ENGINE_PROCESSES_BUFFER_PAGES_H_
#define ENGINE_PROCESSES_BUFFER_PAGES_H_

#include <cstddef>
#include <cstdint>

#include "engine/base/os/memory_file.h"
#include "engine/processes/shared_arena.h"

namespace engine {

class BufferPages {
 public:
  // The buffer holds an object of `bytes` bytes, or is about to.
  // Requires: nothing beyond these bytes is needed, and no process writes there meanwhile.
  void Use(std::byte* buffer, std::size_t bytes) {
    if (bytes <= kKeptBytes && !large()) [[likely]]
      return;
    if (bytes >= touched_ / 4) {
      touched_ = bytes > touched_ ? bytes : touched_;
      unneeded_ = 0;
    } else if (++unneeded_ == kUsesBeforeFree) {
      // Not at once: freeing pages, and touching them again, takes longer than writing them.
      const std::size_t kept = RoundUpToPage(bytes);
      FreePages(buffer + kept, RoundUpToPage(touched_) - kept);
      touched_ = bytes > kKeptBytes ? bytes : 0;
      unneeded_ = 0;
    }
  }
  // Whether there are more pages than are kept in any case.
  bool large() const { return touched_ > 0; }

 private:
  static constexpr std::size_t kKeptBytes = std::size_t{64} << 10;
  static constexpr std::uint32_t kUsesBeforeFree = 16;

  std::size_t touched_ = 0;     // bytes; 0: at most kKeptBytes
  std::uint32_t unneeded_ = 0;  // the latest uses that needed far less
};

}  // namespace engine

#endif  // ENGINE_PROCESSES_BUFFER_PAGES_H_
