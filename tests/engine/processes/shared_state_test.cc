// The layout of the shared state: its parts are disjoint and aligned, and every process finds them
// at the same offsets.
#include "engine/processes/shared_state.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/processes/shared_arena.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace shared_state_test {

constexpr std::size_t kBytes = std::size_t{1} << 28;

struct Part {
  std::string name;
  std::size_t begin, end;
};

struct Arena {
  explicit Arena(Geometry plan)
      : geometry(SharedState::Plan(plan, kBytes)),
        arena(SharedArena::Create({.reserved = SharedState::Bytes(geometry),
                                   .end_of_blocks = geometry.end_of_blocks,
                                   .bytes = geometry.total_bytes})) {
    SharedState::Make(arena->base(), geometry);
  }
  ~Arena() { arena->Release(); }

  const Geometry geometry;
  SharedArena* const arena;
};

std::vector<Part> PartsOf(SharedState& state) {
  const Geometry& geometry = state.geometry();
  std::vector<Part> parts;
  const auto add = [&](const std::string& name, const void* at, std::size_t bytes) {
    const auto begin = static_cast<std::size_t>(static_cast<const std::byte*>(at) - state.base());
    parts.push_back({name, begin, begin + bytes});
  };
  add("header", &state.header(), sizeof(SharedHeader));
  for (std::uint32_t worker = 0; worker < geometry.num_workers; ++worker) {
    add("worker " + std::to_string(worker), &state.worker(worker), sizeof(WorkerLine));
  }
  for (std::uint32_t writer = 0; writer <= geometry.num_workers; ++writer) {
    add("writer " + std::to_string(writer), &state.rows().writer(writer), sizeof(Tickets::Writer));
  }
  for (std::uint32_t slot = 0; slot < geometry.num_slots(); ++slot) {
    add("slot " + std::to_string(slot), &state.rows().slot(slot), sizeof(Tickets::Slot));
  }
  for (std::uint32_t env = 0; env < geometry.num_envs; ++env) {
    add("item " + std::to_string(env), &state.item(env), sizeof(WorkItem));
    add("action " + std::to_string(env), state.action_slots() + env * geometry.action_bytes,
        geometry.action_bytes);
    add("inbox " + std::to_string(env), state.inbox(env), geometry.buffer_bytes);
    add("outbox " + std::to_string(env), state.outbox(env), geometry.buffer_bytes);
  }
  add("job buffer", state.job_buffer(), geometry.buffer_bytes);
  return parts;
}

const std::vector<Geometry>& Geometries() {
  static const std::vector<Geometry> geometries = {
      {.num_envs = 1, .num_workers = 1, .batch_size = 1, .action_bytes = 64},
      {.num_envs = 7, .num_workers = 3, .batch_size = 7, .action_bytes = 128},
      {.num_envs = 64, .num_workers = 8, .batch_size = 5, .action_bytes = 64},
      {.num_envs = 300, .num_workers = 299, .batch_size = 128, .action_bytes = 192},
  };
  return geometries;
}

TEST(SharedState, PartsAreDisjointAndInTheirPlaces) {
  for (const Geometry& plan : Geometries()) {
    const Arena shared(plan);
    SharedState state(shared.arena->base());
    std::vector<Part> parts = PartsOf(state);
    std::ranges::sort(parts, {}, &Part::begin);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      EXPECT_LE(parts[i].end, parts[i + 1].begin) << parts[i].name << ", " << parts[i + 1].name;
    }
    const Geometry& geometry = state.geometry();
    EXPECT_LE(parts.back().end, geometry.total_bytes);
    EXPECT_GT(geometry.buffer_bytes, 0U);
    for (const Part& part : parts) {
      const bool is_buffer =
          part.name.find("box") != std::string::npos || part.name == "job buffer";
      if (is_buffer) {
        EXPECT_LE(geometry.end_of_blocks, part.begin) << part.name;
      } else {
        EXPECT_LE(part.end, SharedState::Bytes(geometry)) << part.name;
      }
    }
    EXPECT_LT(SharedState::Bytes(geometry), geometry.end_of_blocks);
  }
}

TEST(SharedState, WhatABrokenWorkerSaysItHasWrittenIsNotRead) {
  Arena arena({.num_envs = 2, .num_workers = 2, .batch_size = 2, .action_bytes = 8});
  SharedState state(arena.arena->base(), arena.arena->fd());
  std::memset(state.outbox(1), 'x', 100'000);
  state.item(1).out_bytes = 99'999;
  EXPECT_EQ(state.Outgoing(1), std::string(99'999, 'x'));
  for (const std::uint64_t bytes : {std::uint64_t{1} << 20, ~std::uint64_t{0}}) {
    state.item(0).out_bytes = state.item(1).out_bytes = bytes;
    EXPECT_EQ(state.Outgoing(1).size(), RoundUpToPage(100'000));
    EXPECT_EQ(state.Outgoing(0).size(), std::size_t{0});
  }
  state.item(0).out_bytes = 5;  // such a page costs little
  EXPECT_EQ(state.Outgoing(0), std::string(5, '\0'));
}

TEST(SharedState, AFileThatIsTooSmallIsAnError) {
  Geometry plan{.num_envs = 64, .num_workers = 2, .batch_size = 64, .action_bytes = 64};
  const std::size_t kEnough = std::size_t{129} * 4 * PageBytes();  // a page for each buffer
  const Geometry geometry = SharedState::Plan(plan, kEnough);
  EXPECT_EQ(geometry.buffer_bytes, PageBytes());
  EXPECT_EQ(geometry.end_of_blocks, kEnough / 4 * 3);
  const auto expect_too_small = [&](std::size_t bytes) {
    EXPECT_THROW_MESSAGE(SharedState::Plan(plan, bytes), Error,
                         "bytes for 64 environments in 2 worker processes, got " +
                             std::to_string(bytes) +
                             ", as the process's limits RLIMIT_FSIZE and RLIMIT_AS allow");
  };
  for (const std::size_t bytes : {kEnough - 1, std::size_t{4096}, std::size_t{0}}) {
    expect_too_small(bytes);
  }
  plan.action_bytes = kEnough;  // the state does not fit
  expect_too_small(2 * kEnough);
}

TEST(SharedState, FieldsThatDifferentProcessesWriteDoNotShareCacheLines) {
  const Arena shared(
      {.num_envs = 7, .num_workers = 3, .batch_size = 2, .action_bytes = kCacheLineBytes});
  SharedState state(shared.arena->base());
  for (const Part& part : PartsOf(state)) {
    const bool mapped_by_line = part.name.starts_with("worker") || part.name.starts_with("item") ||
                                part.name.starts_with("action") || part.name.starts_with("writer");
    if (mapped_by_line) EXPECT_EQ(part.begin % kCacheLineBytes, 0U) << part.name;
  }
}

TEST(SharedState, EachEnvironmentHasOneWorker) {
  for (const Geometry& geometry : Geometries()) {
    std::vector<std::uint32_t> envs(geometry.num_workers, 0);
    for (std::uint32_t env = 0; env < geometry.num_envs; ++env) ++envs[geometry.worker_of(env)];
    EXPECT_EQ(*std::ranges::max_element(envs), geometry.envs_per_worker());
    EXPECT_EQ(geometry.ordered(), geometry.num_envs == geometry.batch_size);
    EXPECT_GE(geometry.num_slots() * geometry.batch_size, geometry.num_envs);
  }
}

TEST(SharedState, AnotherMappingHasTheSameContents) {
  const Arena shared({.num_envs = 7, .num_workers = 3, .batch_size = 2, .action_bytes = 64});
  SharedState ours(shared.arena->base());
  const SharedMapping mapping(shared.arena->fd(), shared.geometry.total_bytes);
  EXPECT_NE(mapping.base(), shared.arena->base());
  SharedState theirs(mapping.base());
  EXPECT_EQ(theirs.geometry().num_envs, 7U);

  // A request and a report, as between the pool and a worker.
  const std::uint32_t env = 5;
  const std::uint32_t worker = ours.geometry().worker_of(env);
  ours.item(env).kind = ItemKind::kQueuedStep;
  ours.inbox(env)[3] = std::byte{9};
  Ring pushed = ours.ring(worker);
  const std::uint64_t position = pushed.pushed();
  pushed.Put(position, env);
  EXPECT_TRUE(theirs.ring(worker).empty());
  pushed.Publish(position + 1);

  Ring taken = theirs.ring(worker);
  ASSERT_FALSE(taken.empty());
  EXPECT_EQ(taken.Front(), env);
  EXPECT_EQ(theirs.item(env).kind, ItemKind::kQueuedStep);
  EXPECT_EQ(theirs.inbox(env)[3], std::byte{9});
  const Tickets::Position row = theirs.rows().Reserve(theirs.rows().writer(worker), env);
  theirs.outbox(env)[0] = std::byte{4};
  EXPECT_FALSE(theirs.rows().Commit(theirs.rows().writer(worker), row));
  taken.Finish();

  EXPECT_TRUE(ours.ring(worker).empty());
  EXPECT_EQ(ours.ring(worker).finished(), position + 1);
  EXPECT_EQ(ours.rows().WrittenInHead(), 1U);
  EXPECT_TRUE(ours.rows().IsCommitted(row.batch, row.row));
  EXPECT_EQ(ours.outbox(env)[0], std::byte{4});
  EXPECT_FALSE(ours.rows().Ready());
}

}  // namespace shared_state_test
}  // namespace engine::testing
