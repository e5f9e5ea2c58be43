// Files in memory that have no name, so that processes can share them, and their pages. Called by
// SharedArena and what lies in it, on any thread.
#ifndef ENGINE_BASE_OS_MEMORY_FILE_H_
#define ENGINE_BASE_OS_MEMORY_FILE_H_

#include <cstddef>

namespace engine {

// Makes an empty file. Its descriptor is closed at exec; the system frees it when no process has a
// descriptor or a mapping. Returns -1 on an error, with errno.
int MakeMemoryFile();

// Returns whole pages of a mapping of such a file to the system, for all processes; they read as
// zeros then. The system frees the rest of the last page, too. Returns false, and leaves the pages
// as they are, if the system cannot do this. Requires: `memory` is the start of a page.
bool FreePages(std::byte* memory, std::size_t bytes) noexcept;

// A core dump does not include the mapping, if the system can leave it out.
void LeaveOutOfCoreDumps(std::byte* memory, std::size_t bytes) noexcept;

}  // namespace engine

#endif  // ENGINE_BASE_OS_MEMORY_FILE_H_
