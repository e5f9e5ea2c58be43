// What a worker of a pool needs for itself; part of the pool's implementation.
#ifndef ENGINE_RUNTIME_POOL_SCRATCH_H_
#define ENGINE_RUNTIME_POOL_SCRATCH_H_

#include <array>

#include "engine/runtime/pool.h"

namespace engine {

// Used by its worker only.
struct Pool::Scratch {
  Scratch(const EnvSpec& spec, BatchExtras extras, std::uint32_t epoch, std::uint32_t lane)
      : epoch_seen(epoch),
        taker(lane),
        stash_memory(spec, 1, extras, HeapAllocator::Global(), 0),
        stash(stash_memory.Take()) {}

  std::uint32_t epoch_seen;  // the job this worker looked at last
  ActionQueue<>::Taker taker;
  std::array<std::uint32_t, kMaxChunk> ids;
  std::array<Outcome, kMaxChunk> outcomes;
  // SameStep: one row for the last frame of an episode whose row in the batch
  // is not known yet.
  BatchMemory stash_memory;
  OpenBatch* const stash;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_POOL_SCRATCH_H_
