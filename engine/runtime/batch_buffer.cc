#include "engine/runtime/batch_buffer.h"

#include <bit>
#include <cstring>
#include <new>

namespace engine {
namespace {

std::uint32_t SegmentOf(std::uint32_t index) {
  return static_cast<std::uint32_t>(std::bit_width(index + 1) - 1);
}

std::uint32_t OffsetIn(std::uint32_t segment, std::uint32_t index) {
  return index + 1 - (1U << segment);
}

}  // namespace

BatchLayout::BatchLayout(const EnvSpec& spec, std::uint32_t num_rows, BatchExtras batch_extras)
    : rows(num_rows), extras(batch_extras) {
  for (const SpaceSpec* leaf : spec.observation.Leaves()) leaf_bytes.push_back(leaf->leaf_bytes());
  for (const InfoSpec& info : spec.infos) info_bytes.push_back(info.bytes());
  frame = PlaceFrame(spec);
  reward = Place(sizeof(double));
  terminated = Place(sizeof(bool));
  truncated = Place(sizeof(bool));
  env_id = Place(sizeof(std::int32_t));
  env_id_mask = Place(sizeof(bool));
  if (extras.final_frames) {
    final_frame = PlaceFrame(spec);
    final_mask = Place(sizeof(bool));
    final_info_mask = Place(sizeof(bool));
  }
  if (extras.dm_columns) {
    step_type = Place(sizeof(std::int32_t));
    discount = Place(sizeof(double));
  }
  if (extras.episodes) {
    episode_total_reward = Place(sizeof(double));
    episode_length = Place(sizeof(std::int64_t));
    episode_seconds = Place(sizeof(double));
    episode_mask = Place(sizeof(bool));
  }
}

BatchLayout::Frame BatchLayout::PlaceFrame(const EnvSpec& spec) {
  Frame placed;
  for (const std::size_t row_bytes : leaf_bytes) placed.obs.push_back(Place(row_bytes));
  for (const InfoSpec& info : spec.infos) {
    placed.info.push_back(Place(info.bytes()));
    placed.info_mask.push_back(Place(sizeof(bool)));
  }
  placed.elapsed_step = Place(sizeof(std::int32_t));
  placed.elapsed_step_mask = Place(sizeof(bool));
  return placed;
}

std::size_t BatchLayout::Place(std::size_t bytes_per_row) {
  const std::size_t offset = bytes;
  bytes = RoundUpToCacheLine(bytes + bytes_per_row * rows);
  return offset;
}

Block::Block(const BatchLayout& layout, std::uint32_t index, BatchBuffer* buffer)
    : layout_(layout),
      index_(index),
      buffer_(buffer),
      memory_(static_cast<std::byte*>(
          ::operator new(layout.bytes, std::align_val_t(kCacheLineBytes)))) {
  BuildColumns(layout.frame, columns_, view_.frame);
  view_.reward = reinterpret_cast<double*>(At(layout.reward));
  view_.terminated = reinterpret_cast<bool*>(At(layout.terminated));
  view_.truncated = reinterpret_cast<bool*>(At(layout.truncated));
  view_.env_id = reinterpret_cast<std::int32_t*>(At(layout.env_id));
  if (layout.extras.dm_columns) view_.discount = reinterpret_cast<double*>(At(layout.discount));
  if (layout.extras.final_frames) {
    BuildColumns(layout.final_frame, final_columns_, view_.final_frame);
    view_.final_mask = reinterpret_cast<bool*>(At(layout.final_mask));
  }
  if (layout.extras.episodes) {
    view_.episode = {.total_reward = reinterpret_cast<double*>(At(layout.episode_total_reward)),
                     .length = reinterpret_cast<std::int64_t*>(At(layout.episode_length)),
                     .seconds = reinterpret_cast<double*>(At(layout.episode_seconds)),
                     .mask = reinterpret_cast<bool*>(At(layout.episode_mask))};
  }
}

Block::~Block() { ::operator delete(memory_, std::align_val_t(kCacheLineBytes)); }

void Block::BuildColumns(const BatchLayout::Frame& frame, std::vector<Column>& columns,
                         FrameColumns& view) {
  const std::size_t num_infos = frame.info.size();
  for (std::size_t i = 0; i < frame.obs.size(); ++i) {
    columns.push_back({At(frame.obs[i]), layout_.leaf_bytes[i]});
  }
  for (std::size_t i = 0; i < num_infos; ++i) {
    columns.push_back({At(frame.info[i]), layout_.info_bytes[i]});
  }
  for (std::size_t i = 0; i < num_infos; ++i) {
    columns.push_back({At(frame.info_mask[i]), sizeof(bool)});
  }
  view.obs = columns.data();
  view.info = view.obs + frame.obs.size();
  view.info_mask = view.info + num_infos;
  view.elapsed_step = reinterpret_cast<std::int32_t*>(At(frame.elapsed_step));
}

namespace {

void CompleteFinalFrames(Block& block, std::uint32_t rows) {
  const BatchLayout& layout = block.layout();
  const BatchView& view = block.view();
  const BatchLayout::Frame& frame = layout.final_frame;
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (view.final_mask[row]) continue;
    for (std::size_t i = 0; i < layout.leaf_bytes.size(); ++i) {
      std::memset(view.final_frame.obs[i].Row(row), 0, layout.leaf_bytes[i]);
    }
    for (std::size_t i = 0; i < layout.info_bytes.size(); ++i) {
      std::memset(view.final_frame.info[i].Row(row), 0, layout.info_bytes[i]);
      *reinterpret_cast<bool*>(view.final_frame.info_mask[i].Row(row)) = false;
    }
    view.final_frame.elapsed_step[row] = 0;
  }
  std::memcpy(block.At(layout.final_info_mask), view.final_mask, rows);
  std::memcpy(block.At(frame.elapsed_step_mask), view.final_mask, rows);
}

void CompleteEpisodes(const EpisodeColumns& episode, std::uint32_t rows) {
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (episode.mask[row]) continue;
    episode.total_reward[row] = episode.seconds[row] = 0.0;
    episode.length[row] = 0;
  }
}

void CompleteStepTypes(Block& block, std::uint32_t rows) {
  // dm_env.StepType.
  constexpr std::int32_t kFirst = 0, kMid = 1, kLast = 2;
  const BatchView& view = block.view();
  auto* const step_type = reinterpret_cast<std::int32_t*>(block.At(block.layout().step_type));
  for (std::uint32_t row = 0; row < rows; ++row) {
    const bool last = view.terminated[row] || view.truncated[row];
    step_type[row] = last ? kLast : view.frame.elapsed_step[row] == 0 ? kFirst : kMid;
  }
}

}  // namespace

void CompleteBlock(Block& block, std::uint32_t rows) {
  const BatchLayout& layout = block.layout();
  std::memset(block.At(layout.env_id_mask), 1, rows);
  std::memset(block.At(layout.frame.elapsed_step_mask), 1, rows);
  // Where no episode ended the final frames are not handed out at all.
  if (layout.extras.final_frames && block.episodes() > 0) CompleteFinalFrames(block, rows);
  if (layout.extras.episodes && block.episodes() > 0) CompleteEpisodes(block.view().episode, rows);
  if (layout.extras.dm_columns) CompleteStepTypes(block, rows);
}

BatchBuffer::BatchBuffer(const EnvSpec& spec, std::uint32_t rows, BatchExtras extras)
    : layout_(spec, rows, extras) {}

Block* BatchBuffer::Take() {
  const std::uint32_t index = free_.Pop();
  Block* block = nullptr;
  if (index != FreeStack<>::kNone) {
    const std::uint32_t segment = SegmentOf(index);
    block = by_index_[segment][OffsetIn(segment, index)];
  } else {
    const std::lock_guard lock(grow_mutex_);
    const std::uint32_t added = free_.AddIndex();
    owned_.push_back(std::make_unique<Block>(layout_, added, this));
    block = owned_.back().get();
    const std::uint32_t segment = SegmentOf(added);
    if (by_index_[segment] == nullptr) {
      by_index_[segment] = std::make_unique<Block*[]>(std::size_t{1} << segment);
    }
    by_index_[segment][OffsetIn(segment, added)] = block;
    num_blocks_.fetch_add(1, std::memory_order_relaxed);
  }
  block->ResetCounts();
  return block;
}

void BatchBuffer::Unref() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

}  // namespace engine
