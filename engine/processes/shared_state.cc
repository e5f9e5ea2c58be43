#include "engine/processes/shared_state.h"

#include <algorithm>
#include <memory>
#include <string>

#include "engine/base/error.h"
#include "engine/base/os/memory_file.h"
#include "engine/processes/shared_arena.h"

namespace engine {
namespace {

// Of an outbox: so many are read without asking the system whether they were written.
constexpr std::size_t kFewBytes = std::size_t{64} << 10;

}  // namespace

// Offsets of the parts of the state. Both sides compute the same offsets.
struct SharedState::Offsets {
  std::size_t workers, items, writers, ids, slots, rows, actions, end;

  explicit Offsets(const Geometry& geometry) {
    std::size_t at = 0;
    const auto append = [&at](std::size_t bytes) {
      const std::size_t begin = at;
      at = RoundUpToCacheLine(begin + bytes);
      return begin;
    };
    append(sizeof(SharedHeader));
    workers = append(sizeof(WorkerLine) * geometry.num_workers);
    items = append(sizeof(WorkItem) * geometry.num_envs);
    writers = append(sizeof(Tickets::Writer) * (geometry.num_workers + 1));
    ids = append(sizeof(Ring::Id) * Ring::Capacity(geometry.envs_per_worker()) *
                 geometry.num_workers);
    slots = append(sizeof(Tickets::Slot) * geometry.num_slots());
    rows = append(sizeof(Tickets::Row) * geometry.num_slots() * geometry.batch_size);
    actions = append(geometry.action_bytes * geometry.num_envs);
    end = at;
  }
};

std::size_t SharedState::Bytes(const Geometry& geometry) { return Offsets(geometry).end; }

// The last quarter of the addresses is divided among the buffers: two for each environment and one
// for jobs. Only pages that are written take memory.
Geometry SharedState::Plan(Geometry geometry, std::size_t total_bytes) {
  geometry.total_bytes = total_bytes;
  const std::size_t buffers = std::size_t{geometry.num_envs} * 2 + 1;
  geometry.buffer_bytes = total_bytes / 4 / buffers / PageBytes() * PageBytes();
  geometry.end_of_blocks = total_bytes - geometry.buffer_bytes * buffers;
  const std::size_t state = RoundUpToPage(Bytes(geometry));
  if (geometry.buffer_bytes == 0 || state > geometry.end_of_blocks) {
    throw Error(ErrorKind::kMemory,
                "shared memory: expected at least " +
                    std::to_string(std::max(state * 4 / 3, buffers * PageBytes() * 4)) +
                    " bytes for " + std::to_string(geometry.num_envs) + " environments in " +
                    std::to_string(geometry.num_workers) + " worker processes, got " +
                    std::to_string(total_bytes) +
                    ", as the process's limits RLIMIT_FSIZE and RLIMIT_AS allow");
  }
  return geometry;
}

void SharedState::Make(std::byte* base, const Geometry& geometry) {
  const Offsets offsets(geometry);
  std::construct_at(reinterpret_cast<SharedHeader*>(base))->geometry = geometry;
  const auto make = [base]<class T>(std::size_t offset, std::size_t n, T* /*type*/) {
    std::uninitialized_default_construct_n(reinterpret_cast<T*>(base + offset), n);
  };
  make(offsets.workers, geometry.num_workers, static_cast<WorkerLine*>(nullptr));
  make(offsets.items, geometry.num_envs, static_cast<WorkItem*>(nullptr));
  make(offsets.writers, geometry.num_workers + 1, static_cast<Tickets::Writer*>(nullptr));
  make(offsets.slots, geometry.num_slots(), static_cast<Tickets::Slot*>(nullptr));
  make(offsets.rows, std::size_t{geometry.num_slots()} * geometry.batch_size,
       static_cast<Tickets::Row*>(nullptr));
}

SharedState::SharedState(std::byte* base, int fd)
    : base_(base),
      fd_(fd),
      geometry_(reinterpret_cast<SharedHeader*>(base)->geometry),
      rows_(header().rows, reinterpret_cast<Tickets::Slot*>(base + Offsets(geometry()).slots),
            reinterpret_cast<Tickets::Row*>(base + Offsets(geometry()).rows), geometry().batch_size,
            geometry().num_slots(),
            reinterpret_cast<Tickets::Writer*>(base + Offsets(geometry()).writers),
            geometry().num_workers + 1) {
  const Offsets offsets(geometry());
  workers_ = reinterpret_cast<WorkerLine*>(base + offsets.workers);
  items_ = reinterpret_cast<WorkItem*>(base + offsets.items);
  ids_ = reinterpret_cast<Ring::Id*>(base + offsets.ids);
  actions_ = base + offsets.actions;
}

Ring SharedState::ring(std::uint32_t worker) const {
  const std::uint32_t max_ids = geometry().envs_per_worker();
  return Ring(workers_[worker].ring, ids_ + worker * Ring::Capacity(max_ids), max_ids);
}

std::byte* SharedState::inbox(std::uint32_t env) const {
  return base_ + geometry().end_of_blocks + std::size_t{env} * 2 * geometry().buffer_bytes;
}

std::byte* SharedState::outbox(std::uint32_t env) const {
  return inbox(env) + geometry().buffer_bytes;
}

std::string_view SharedState::Outgoing(std::uint32_t env) const {
  const std::byte* const begin = outbox(env);
  const std::uint64_t said = *static_cast<const volatile std::uint64_t*>(&item(env).out_bytes);
  const std::size_t bytes = std::min(said, geometry_.buffer_bytes);
  return {reinterpret_cast<const char*>(begin),
          bytes <= kFewBytes ? bytes
                             : WrittenBytes(fd_, static_cast<std::size_t>(begin - base_), bytes)};
}

std::byte* SharedState::job_buffer() const {
  return base_ + geometry().total_bytes - geometry().buffer_bytes;
}

void SharedState::FreeBuffers() const {
  FreePages(base_ + geometry().end_of_blocks, geometry().total_bytes - geometry().end_of_blocks);
}

}  // namespace engine
