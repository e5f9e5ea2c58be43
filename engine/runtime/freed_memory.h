// Gives memory that is no longer used back to the system. Any thread, with no lock held.
#ifndef ENGINE_RUNTIME_FREED_MEMORY_H_
#define ENGINE_RUNTIME_FREED_MEMORY_H_

namespace engine {

// Call after the environments of a pool are freed. The C library keeps the memory of small blocks
// (the bodies of a world, the pictures of a game), scattered over heaps of all threads. If the
// process has grown much since this function last gave memory back, it does so again; it then takes
// some milliseconds. Otherwise it reads one number.
void ReturnFreedMemory();

}  // namespace engine

#endif  // ENGINE_RUNTIME_FREED_MEMORY_H_
