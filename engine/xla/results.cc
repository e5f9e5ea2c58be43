#include "engine/xla/results.h"

#include <cstring>
#include <string>

#include "engine/base/cache_line.h"
#include "engine/base/error.h"

namespace engine::xla {
namespace {

// JAX has 64-bit types only if they are enabled. Otherwise it uses the 32-bit type.
bool Narrows(DType from, DType to) {
  return (from == DType::kFloat64 && to == DType::kFloat32) ||
         (from == DType::kInt64 && to == DType::kInt32) ||
         (from == DType::kUInt64 && to == DType::kUInt32);
}

template <class From, class To>
void Convert(const std::byte* from, const CallArray& to) {
  const auto* const source = reinterpret_cast<const From*>(from);
  auto* const target = reinterpret_cast<To*>(to.data);
  const std::int64_t size = to.size();
  for (std::int64_t i = 0; i < size; ++i) target[i] = static_cast<To>(source[i]);
}

void Write(const std::byte* from, DType dtype, const CallArray& to) {
  if (dtype == to.dtype) {
    std::memcpy(to.data, from, to.bytes());
  } else if (dtype == DType::kFloat64) {
    Convert<double, float>(from, to);
  } else if (dtype == DType::kInt64) {
    Convert<std::int64_t, std::int32_t>(from, to);
  } else {
    Convert<std::uint64_t, std::uint32_t>(from, to);
  }
}

// An info with the dtype of the actions is two fields, for float32 and for float64; a row is in one
// of them. Returns the other field of info `i`, or `i` if there is none.
std::uint32_t TwinOf(const EnvSpec& spec, std::uint32_t i) {
  if (spec.infos[i].widens_previous) return i - 1;
  return i + 1 < spec.infos.size() && spec.infos[i + 1].widens_previous ? i + 1 : i;
}

// Adds the rows of the other field to an array of such an info or of its mask, so that a program
// gets them whatever the dtype of the actions was.
void AddTwin(const Batch& batch, const EnvSpec& spec, FieldIndex field, const CallArray& to) {
  const BatchLayout& layout = batch.layout();
  for (const FrameFields* frame : {&layout.frame, &layout.final_frame}) {
    if (frame == &layout.final_frame && !(layout.extras.final_frames && batch.has_ends())) continue;
    const bool is_mask = field >= frame->info_mask && field < frame->info_mask + layout.num_infos;
    if (!is_mask && (field < frame->info || field >= frame->info + layout.num_infos)) continue;
    const std::uint32_t i = field - (is_mask ? frame->info_mask : frame->info);
    const std::uint32_t twin = TwinOf(spec, i);
    if (twin == i) return;
    const auto* const set =
        reinterpret_cast<const std::uint8_t*>(batch.At(frame->info_mask + twin));
    const auto elements = static_cast<std::size_t>(NumElements(spec.infos[i].shape));
    const std::byte* const from = batch.At(frame->info + twin);
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      if (set[row] == 0) continue;
      if (is_mask) {
        to.data[row] = std::byte{1};
        continue;
      }
      for (std::size_t k = row * elements; k < (row + 1) * elements; ++k) {
        const double value = spec.infos[twin].dtype == DType::kFloat64
                                 ? reinterpret_cast<const double*>(from)[k]
                                 : double{reinterpret_cast<const float*>(from)[k]};
        if (to.dtype == DType::kFloat64)
          reinterpret_cast<double*>(to.data)[k] = value;
        else
          reinterpret_cast<float*>(to.data)[k] = static_cast<float>(value);
      }
    }
    return;
  }
}

// Whether the array is undefined in this batch, because no episode has ended.
bool IsAbsent(const Batch& batch, FieldIndex field) {
  const BatchLayout& layout = batch.layout();
  if (layout.extras.final_frames && !batch.has_ends() && field >= layout.final_frame.obs &&
      field <= layout.final_info_mask) {
    return true;
  }
  return layout.extras.episodes && !batch.has_statistics() &&
         field >= layout.episode_total_reward && field <= layout.episode_mask;
}

FieldIndex IndexOf(const BatchLayout& layout, std::int64_t field) {
  if (field >= 0 && field < static_cast<std::int64_t>(layout.fields.size())) {
    return static_cast<FieldIndex>(field);
  }
  throw Error(ErrorKind::kInput, "attribute \"fields\": expected indices in [0, " +
                                     std::to_string(layout.fields.size() - 1) + "], got " +
                                     std::to_string(field));
}

[[noreturn]] void ThrowWrongResult(const BatchLayout& layout, std::size_t field,
                                   const CallArray& array, std::uint32_t rows) {
  Shape shape = layout.shapes[field];
  shape.insert(shape.begin(), rows);
  throw Error(ErrorKind::kInput, "result \"" + layout.names[field] + "\": expected " +
                                     NameOf(layout.fields[field].dtype) + " " +
                                     ShapeToString(shape.data(), shape.size()) + ", got " +
                                     NameOf(array.dtype) + " " +
                                     ShapeToString(array.shape, array.num_dims) +
                                     ": the program was compiled for a pool of another size");
}

}  // namespace

void Results::Read(const CallFrame& frame, const BatchLayout& layout, const Request& request) {
  const std::size_t n = request.fields.size();
  if (n + 1 != frame.num_results() || request.num_buffers > n) {
    throw Error(ErrorKind::kInput, "results: expected " + std::to_string(n + 1) + ", got " +
                                       std::to_string(frame.num_results()));
  }
  rows_ = request.rows;
  results_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const FieldIndex index = IndexOf(layout, request.fields[i]);
    const Field& field = layout.fields[index];
    CallArray array = frame.Result(i + 1);
    if (i + request.num_buffers >= n) array = ElementOf(array, request.at);
    const bool fits = array.dtype == field.dtype || Narrows(field.dtype, array.dtype);
    const std::size_t elements = field.row_bytes / SizeOf(field.dtype) * request.rows;
    if (!fits || array.size() != static_cast<std::int64_t>(elements)) {
      ThrowWrongResult(layout, index, array, request.rows);
    }
    results_.push_back({.field = index, .array = array, .in_place = false});
  }
}

RowTarget Results::InPlace(const BatchLayout& layout) {
  bool any = false;
  // Another owner of the target may still read it.
  if (target_ == nullptr || target_.use_count() > 1) target_ = std::make_shared<TargetMemory>();
  target_->fields.assign(layout.fields.size(), nullptr);
  target_->rows = rows_;
  for (Result& result : results_) {
    const CallArray& array = result.array;
    std::byte*& rows = target_->fields[result.field];
    if (rows != nullptr || array.dtype != layout.fields[result.field].dtype ||
        array.bytes() < kMinBytesInPlace ||
        reinterpret_cast<std::uintptr_t>(array.data) % kArrayAlignment != 0) {
      continue;
    }
    rows = array.data;
    any = result.in_place = true;
  }
  return any ? RowTarget{.memory = target_, .first_row = 0} : RowTarget{};
}

void Results::Fill(const Batch& batch, const EnvSpec& spec) const {
  if (batch.rows() != rows_) {  // the batch of an interrupted call from Python
    throw Error(ErrorKind::kInput, "results: expected " + std::to_string(rows_) + " rows, got " +
                                       std::to_string(batch.rows()) +
                                       " of a call from Python that was interrupted");
  }
  for (const Result& result : results_) {
    if (IsAbsent(batch, result.field)) {
      std::memset(result.array.data, 0, result.array.bytes());
    } else if (!result.in_place) {
      Write(batch.At(result.field), batch.layout().fields[result.field].dtype, result.array);
    }
    AddTwin(batch, spec, result.field, result.array);
  }
}

}  // namespace engine::xla
