// See the header.
#include "engine/envs/mujoco/model_variant.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/envs/mujoco/library.h"

namespace engine::mujoco {
namespace {

constexpr std::size_t kAlignment = 64;  // that of the arrays of mjModel

std::atomic<std::int64_t> bytes_of_all{0};

ArraysPtr AlignedBytes(std::size_t size) {
  return ArraysPtr(static_cast<std::byte*>(::operator new(size, std::align_val_t(kAlignment))));
}

struct DataDeleter {
  void operator()(mjData* data) const { Library().delete_data(data); }
};

// The part of the buffer of a model that has meshes and textures, which are megabytes in some
// models and do not change.
struct Assets {
  explicit Assets(const mjModel& model)
      : begin(Place(model, UsedModelFields().first_asset)),
        end(Place(model, UsedModelFields().after_asset)) {}

  bool Have(std::size_t place) const { return begin <= place && place < end; }

  // Where an array begins in the buffer.
  static std::size_t Place(const mjModel& model, Offset member) {
    return static_cast<std::size_t>(MemberAt<const std::byte*>(&model, member) -
                                    MemberAt<const std::byte*>(&model, UsedModelFields().buffer));
  }

  std::size_t begin, end;
};

// A copy of a whole model, with all arrays but the assets.
class WholeCopy {
 public:
  explicit WholeCopy(const mjModel& base) : copy_(base) {
    const ModelFieldRow& at = UsedModelFields();
    const auto size = static_cast<std::size_t>(MemberAt<std::int64_t>(&base, at.nbuffer));
    const auto* const from = MemberAt<const std::byte*>(&base, at.buffer);
    const Assets assets(base);
    const std::size_t left_out = assets.end - assets.begin;
    buffer_ = AlignedBytes(size - left_out);
    std::byte* const to = buffer_.get();
    std::memcpy(to, from, assets.begin);
    std::memcpy(to + assets.begin, from + assets.end, size - assets.end);
    for (Offset member = at.first; member <= at.last; member += sizeof(void*)) {
      const std::size_t place = Assets::Place(base, member);
      if (assets.Have(place)) continue;
      copy_.Set(member, to + (place < assets.end ? place : place - left_out));
    }
  }

  mjModel& operator*() { return *copy_.get(); }
  mjModel* get() { return copy_.get(); }

 private:
  ModelCopy copy_;
  ArraysPtr buffer_;
};

// Computes the constants that follow from the numbers of a model.
void Recompute(mjModel& model) {
  try {
    mjData* made = nullptr;
    Guarded([&] { made = Library().make_data(&model); });
    const std::unique_ptr<mjData, DataDeleter> data(made);
    if (data == nullptr) throw std::bad_alloc();
    Guarded([&] { Library().set_const(&model, data.get()); });
  } catch (const Error& error) {
    throw Error(ErrorKind::kOption, std::string("model: expected numbers for which MuJoCo can "
                                                "compute constants (mj_setConst), got others: ") +
                                        error.what());
  }
}

}  // namespace

ModelVariant::ModelVariant(const mjModel& base, const ModelChanges& changes,
                           std::span<const Offset> own, Preparation prepare)
    : copy_(base) {
  if (changes.fields.empty()) {
    Adopt(base, base, own);
    if (prepare != nullptr) prepare(*copy_.get());
  } else {
    WholeCopy whole(base);
    if (prepare != nullptr) prepare(*whole);
    changes.Write(*whole);
    if (changes.recomputes_constants) Recompute(*whole);
    std::memcpy(copy_.get(), whole.get(), UsedLayout().model.bytes);
    Adopt(base, *whole, own);
  }
  bytes_of_all.fetch_add(static_cast<std::int64_t>(bytes_), std::memory_order_relaxed);
}

ModelVariant::~ModelVariant() {
  bytes_of_all.fetch_sub(static_cast<std::int64_t>(bytes_), std::memory_order_relaxed);
}

void ArraysDeleter::operator()(std::byte* bytes) const {
  ::operator delete(bytes, std::align_val_t(kAlignment));
}

// MuJoCo lays out the arrays of a model one after another in one buffer, in all models of the same
// sizes alike. So an array ends where the next one begins.
void ModelVariant::Adopt(const mjModel& base, const mjModel& whole, std::span<const Offset> own) {
  const ModelFieldRow& at = UsedModelFields();
  const auto size = static_cast<std::size_t>(MemberAt<std::int64_t>(&base, at.nbuffer));
  const auto* const from = MemberAt<const std::byte*>(&base, at.buffer);
  copy_.Set(at.buffer, from);
  std::map<std::size_t, const std::byte*> begins;  // with the array of `whole`
  for (Offset member = at.first; member <= at.last; member += sizeof(void*)) {
    copy_.Set(member, MemberAt<const std::byte*>(&base, member));
    begins[Assets::Place(base, member)] = MemberAt<const std::byte*>(&whole, member);
  }

  struct Part {
    std::size_t begin, size, at;
    const std::byte* changed;
  };
  std::vector<Part> parts;
  const Assets assets(base);
  for (auto next = begins.begin(); next != begins.end();) {
    const auto [begin, changed] = *next++;
    if (assets.Have(begin)) continue;
    const std::size_t end = next == begins.end() ? size : next->first;
    const bool is_own = std::ranges::any_of(
        own, [&, place = begin](Offset member) { return Assets::Place(base, member) == place; });
    if (!is_own && std::memcmp(from + begin, changed, end - begin) == 0) continue;
    parts.push_back({.begin = begin, .size = end - begin, .at = bytes_, .changed = changed});
    bytes_ += (end - begin + kAlignment - 1) / kAlignment * kAlignment;
  }
  if (parts.empty()) return;
  arrays_ = AlignedBytes(bytes_);
  for (const Part& part : parts) {
    std::memcpy(arrays_.get() + part.at, part.changed, part.size);
    for (Offset member = at.first; member <= at.last; member += sizeof(void*)) {
      if (MemberAt<const std::byte*>(&base, member) != from + part.begin) continue;
      copy_.Set(member, arrays_.get() + part.at);
    }
  }
}

std::int64_t ModelVariant::BytesOfAll() { return bytes_of_all.load(std::memory_order_relaxed); }

}  // namespace engine::mujoco
