#include "engine/batch/batch_memory.h"

#include <utility>

namespace engine {

OpenBatch::OpenBatch(const BatchLayout& layout) : layout_(layout) {
  const std::size_t columns = layout.num_leaves + std::size_t{2} * layout.num_infos;
  columns_.resize(columns);
  if (layout.extras.final_frames) final_columns_.resize(columns);
  if (!layout.has_players) return;
  players_ = std::make_unique<Players>();
  players_->columns.resize(std::size_t{2} * layout.num_player_infos);
  players_->final_columns.resize(players_->columns.size());
}

// Finds the address of each field: in the target if that has the field, otherwise in the blocks.
class OpenBatch::Addresses {
 public:
  Addresses(const BatchLayout& layout, const Memory& memory, const RowTarget& target)
      : layout_(layout), fields_(layout.fields.data()), memory_(memory), target_(target) {}

  const BatchLayout& layout() const { return layout_; }
  template <class T>
  T* Data(FieldIndex field) const {
    return reinterpret_cast<T*>(Of(field).base);
  }
  Column Of(FieldIndex field) const {
    const Field& at = fields_[field];
    std::byte* const redirected = target_.At(layout_, field);
    // A field without elements stays in the block, see BatchLayout::AssignOffsets.
    if (redirected != nullptr && at.row_bytes > 0) return {redirected, at.row_bytes};
    return {memory_[static_cast<std::size_t>(at.region)] + at.offset, at.row_bytes};
  }

 private:
  const BatchLayout& layout_;
  const Field* const fields_;
  const Memory memory_;
  const RowTarget& target_;
};

void OpenBatch::PointTo(const Memory& memory) {
  memory_ = memory;
  SetView(Addresses(layout_, memory_, target_));
}

void OpenBatch::Redirect(const RowTarget& target) {
  target_ = target;
  SetView(Addresses(layout_, memory_, target_));
}

// Ends a redirection and returns its target.
RowTarget OpenBatch::TakeTarget() {
  if (target_) [[unlikely]]
    memory_ = {};  // so that Take sets the view again
  return std::exchange(target_, {});
}

void OpenBatch::SetView(const Addresses& addresses) {
  SetFrame(addresses, layout_.frame, columns_, view_.frame);
  view_.reward = addresses.Data<double>(layout_.reward);
  view_.terminated = addresses.Data<bool>(layout_.terminated);
  view_.truncated = addresses.Data<bool>(layout_.truncated);
  view_.env_id = addresses.Data<std::int32_t>(layout_.env_id);
  if (layout_.extras.dm_columns) view_.discount = addresses.Data<double>(layout_.discount);
  if (layout_.extras.final_frames) {
    SetFrame(addresses, layout_.final_frame, final_columns_, view_.final_frame);
    view_.final_mask = addresses.Data<bool>(layout_.final_mask);
  }
  if (layout_.extras.episodes) {
    view_.episode = {.total_reward = addresses.Data<double>(layout_.episode_total_reward),
                     .length = addresses.Data<std::int64_t>(layout_.episode_length),
                     .seconds = addresses.Data<double>(layout_.episode_seconds),
                     .mask = addresses.Data<bool>(layout_.episode_mask)};
  }
  if (layout_.has_players) SetPlayers(addresses);
}

void OpenBatch::SetPlayers(const Addresses& addresses) {
  const auto set = [&](const PlayerFields& fields, std::vector<Column>& infos,
                       PlayerColumns& view) {
    const std::uint32_t count = layout_.num_player_infos;
    for (std::uint32_t i = 0; i < count; ++i) {
      infos[i] = addresses.Of(fields.info + i);
      infos[count + i] = addresses.Of(fields.info_mask + i);
    }
    view = {.present = addresses.Data<bool>(fields.present),
            .env_id = addresses.Data<std::int32_t>(fields.env_id),
            .id = addresses.Data<std::int32_t>(fields.id),
            .reward = addresses.Data<double>(fields.reward),
            .terminated = addresses.Data<bool>(fields.terminated),
            .truncated = addresses.Data<bool>(fields.truncated),
            .info = infos.data(),
            .info_mask = infos.data() + count};
  };
  set(layout_.frame.players, players_->columns, players_->view);
  view_.frame.players = &players_->view;
  if (layout_.extras.final_frames) {
    set(layout_.final_frame.players, players_->final_columns, players_->final_view);
    view_.final_frame.players = &players_->final_view;
  }
  if (layout_.extras.episodes) {
    players_->episode = {.total_reward = addresses.Data<double>(layout_.player_total_reward),
                         .length = addresses.Data<std::int64_t>(layout_.player_episode_length)};
    view_.player_episode = &players_->episode;
  }
}

void OpenBatch::SetFrame(const Addresses& addresses, const FrameFields& frame,
                         std::vector<Column>& columns, FrameColumns& view) {
  const std::uint32_t leaves = addresses.layout().num_leaves;
  const std::uint32_t infos = addresses.layout().num_infos;
  Column* const obs = columns.data();
  Column* const info = obs + leaves;
  Column* const info_mask = info + infos;
  for (std::uint32_t i = 0; i < leaves; ++i) obs[i] = addresses.Of(frame.obs + i);
  for (std::uint32_t i = 0; i < infos; ++i) {
    info[i] = addresses.Of(frame.info + i);
    info_mask[i] = addresses.Of(frame.info_mask + i);
  }
  view = {.obs = obs,
          .info = info,
          .info_mask = info_mask,
          .elapsed_step = addresses.Data<std::int32_t>(frame.elapsed_step)};
}

BatchMemory::BatchMemory(const EnvSpec& spec, std::uint32_t rows, BatchExtras extras,
                         BlockAllocator& allocator, std::uint64_t max_blocks)
    : layout_(std::make_shared<const BatchLayout>(spec, rows, extras)) {
  for (std::uint32_t region = 0; region < layout_->num_regions; ++region) {
    stores_[region].reset(
        new BlockStore(layout_, static_cast<Region>(region), allocator, max_blocks));
  }
}

BatchMemory::~BatchMemory() {
  for (const auto& batch : open_batches_) {
    if (batch != nullptr && batch->blocks_[0] != nullptr) Return(batch.get());
  }
}

OpenBatch* BatchMemory::Take() {
  const Blocks blocks = TakeBlocks();
  OpenBatch* batch = nullptr;
  try {
    batch = OpenBatchOf(blocks[0]->index);
  } catch (...) {
    ReturnBlocks(blocks);
    throw;
  }
  batch->blocks_ = blocks;
  // Usually the same memory as for the previous batch in this block.
  const OpenBatch::Memory memory = {blocks[0]->memory,
                                    blocks[1] == nullptr ? nullptr : blocks[1]->memory};
  // Not by operator!=, which calls memcmp.
  if (batch->memory_[0] != memory[0] || batch->memory_[1] != memory[1]) batch->PointTo(memory);
  batch->ResetCounts();
  return batch;
}

BatchMemory::Blocks BatchMemory::TakeBlocks() {
  Blocks blocks = {stores_[0]->Take()};
  if (stores_[1] == nullptr) return blocks;
  try {
    blocks[1] = stores_[1]->Take();
  } catch (...) {
    stores_[0]->Return(blocks[0]);
    throw;
  }
  return blocks;
}

void BatchMemory::ReturnBlocks(const Blocks& blocks) noexcept {
  for (std::uint32_t region = 0; region < layout_->num_regions; ++region) {
    stores_[region]->Return(blocks[region]);
  }
}

OpenBatch* BatchMemory::OpenBatchOf(std::uint32_t index) {
  if (index >= open_batches_.size()) open_batches_.resize(std::size_t{index} + 1);
  std::unique_ptr<OpenBatch>& batch = open_batches_[index];
  if (batch == nullptr) batch = std::make_unique<OpenBatch>(*layout_);
  return batch.get();
}

void BatchMemory::Return(OpenBatch* batch) noexcept {
  batch->TakeTarget();
  ReturnBlocks(std::exchange(batch->blocks_, {}));
}

Batch BatchMemory::Finish(OpenBatch* batch, std::uint32_t rows) noexcept {
  for (std::uint32_t region = 0; region < layout_->num_regions; ++region) {
    stores_[region]->Lease();
  }
  return Batch(std::exchange(batch->blocks_, {}), batch->TakeTarget(), rows, batch->episodes() > 0,
               batch->games() > 0);
}

void BatchMemory::Close() noexcept {
  for (const auto& store : stores_) {
    if (store != nullptr) store->Close();
  }
}

BlockStats BatchMemory::stats() const {
  BlockStats sum;
  for (const auto& store : stores_) {
    if (store == nullptr) continue;
    const BlockStats stats = store->stats();
    sum.blocks += stats.blocks;
    sum.bytes += stats.bytes;
    sum.leased_blocks += stats.leased_blocks;
    sum.leased_bytes += stats.leased_bytes;
  }
  return sum;
}

}  // namespace engine
