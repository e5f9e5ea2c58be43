#include "engine/processes/remote_group.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace engine {

void RemoteGroup::ReadReport(std::uint32_t env, StepCounts& counts) {
  const WorkItem& item = state_.item(env);
  if (item.failed) {
    const std::string what(state_.Outgoing(env));
    control_.Failed(env, what.c_str(), counts);
    return;
  }
  SetStatus(env, item.status);
  counts.episodes += item.ended ? 1 : 0;
  counts.games += item.game_over ? 1 : 0;
}

void RemoteGroup::SetStatus(std::uint32_t env, std::uint8_t status) {
  control_.SetStatus(env, status & (EnvStatus::kNeverReset | EnvStatus::kEpisodeOver));
}

void RemoteGroup::ReadCall(std::uint32_t env) {
  WorkItem& item = state_.item(env);
  if (std::exchange(item.restored, false)) SetStatus(env, item.status);
}

void RemoteGroup::WriteFailed(std::uint32_t env, std::uint32_t row, const std::string& why,
                              const BatchView& out) {
  WriteFailedRow(env, EpisodeProgress{}, row, out);
  WorkItem& item = state_.item(env);
  item.failed = true;
  item.has_object = false;
  item.out_bytes = std::min<std::uint64_t>(why.size(), state_.geometry().buffer_bytes);
  std::memcpy(state_.outbox(env), why.data(), item.out_bytes);
}

void RemoteGroup::ReportFailedCall(std::uint32_t env, const std::string& why) {
  WorkItem& item = state_.item(env);
  const std::string text = kFailedCall + why;
  item.has_object = true;
  item.out_bytes = std::min<std::uint64_t>(text.size(), state_.geometry().buffer_bytes);
  std::memcpy(state_.outbox(env), text.data(), item.out_bytes);
}

void RemoteGroup::TakeObjects(const std::uint32_t* ids, std::uint32_t n,
                              std::vector<RowObject>& objects) {
  const auto env_of = [ids](std::uint32_t k) { return ids == nullptr ? k : ids[k]; };
  std::size_t bytes = 0;
  std::size_t count = 0;
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t env = env_of(k);
    if (!state_.item(env).has_object) continue;
    bytes += state_.Outgoing(env).size();
    ++count;
  }
  if (count == 0 && num_large_ == 0) return;
  const std::size_t all = bytes;
  objects.reserve(objects.size() + count);
  // One allocation for all objects.
  const auto copies = std::make_shared_for_overwrite<std::byte[]>(bytes);
  std::byte* to = copies.get();
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t env = env_of(k);
    WorkItem& item = state_.item(env);
    if (!std::exchange(item.has_object, false)) {
      if (num_large_ > 0) UseOutbox(env, 0);
      continue;
    }
    // A broken worker may have changed the number since it was added up.
    const std::string_view written = state_.Outgoing(env);
    const std::size_t size =
        std::min(written.size(), static_cast<std::size_t>(copies.get() + all - to));
    std::memcpy(to, written.data(), size);
    objects.push_back({.row = k, .value = {copies, to}, .bytes = size});
    to += size;
    UseOutbox(env, size);
  }
}

// The environment is idle: its worker does not write into the outbox.
void RemoteGroup::UseOutbox(std::uint32_t env, std::size_t bytes) {
  BufferPages& pages = outbox_pages_[env];
  num_large_ -= pages.large() ? 1 : 0;
  pages.Use(state_.outbox(env), bytes);
  num_large_ += pages.large() ? 1 : 0;
}

}  // namespace engine
