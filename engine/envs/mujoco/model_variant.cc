// See the header.
#include "engine/envs/mujoco/model_variant.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/library.h"

namespace engine::mujoco {
namespace {

constexpr std::size_t kAlignment = 64;  // that of the arrays of mjModel

std::atomic<std::int64_t> bytes_of_all{0};

struct DataDeleter {
  void operator()(mjData* data) const { Library().delete_data(data); }
};

// Returns a copy of the whole model with the changes.
OwnedModel Changed(const mjModel& base, const ModelChanges& changes) {
  mjModel* copied = nullptr;
  Guarded([&] { copied = Library().copy_model(nullptr, &base); });
  OwnedModel full(copied);
  if (full == nullptr) throw std::bad_alloc();
  changes.Write(*full);
  if (!changes.recomputes_constants) return full;
  try {
    mjData* made = nullptr;
    Guarded([&] { made = Library().make_data(full.get()); });
    const std::unique_ptr<mjData, DataDeleter> data(made);
    if (data == nullptr) throw std::bad_alloc();
    Guarded([&] { Library().set_const(full.get(), data.get()); });
  } catch (const Error& error) {
    throw Error(ErrorKind::kOption, std::string("model: expected numbers for which MuJoCo can "
                                                "compute constants (mj_setConst), got others: ") +
                                        error.what());
  }
  return full;
}

// Where an array begins in the memory of all arrays; nothing if it is not there.
bool IsWithin(const std::byte* array, const std::byte* buffer, std::size_t size) {
  return array != nullptr && buffer <= array && array < buffer + size;
}

}  // namespace

ModelVariant::ModelVariant(const mjModel& base, const ModelChanges& changes,
                           std::span<const Offset> own)
    : copy_(base) {
  if (changes.fields.empty()) {
    Adopt(base, base, own);
  } else {
    const OwnedModel full = Changed(base, changes);
    std::memcpy(copy_.get(), full.get(), UsedLayout().model.bytes);
    Adopt(base, *full, own);
  }
  bytes_of_all.fetch_add(static_cast<std::int64_t>(bytes_), std::memory_order_relaxed);
}

ModelVariant::~ModelVariant() {
  bytes_of_all.fetch_sub(static_cast<std::int64_t>(bytes_), std::memory_order_relaxed);
}

void ModelVariant::Deleter::operator()(std::byte* bytes) const {
  ::operator delete(bytes, std::align_val_t(kAlignment));
}

// MuJoCo lays out the arrays of a model one after another in one buffer, in all models of the same
// sizes alike. So an array ends where the next one begins.
void ModelVariant::Adopt(const mjModel& base, const mjModel& full, std::span<const Offset> own) {
  const ModelFieldRow& at = UsedModelFields();
  const auto size = static_cast<std::size_t>(MemberAt<std::int64_t>(&base, at.nbuffer));
  const auto* const from = MemberAt<const std::byte*>(&base, at.buffer);
  const auto* const changed = MemberAt<const std::byte*>(&full, at.buffer);
  copy_.Set(at.buffer, from);
  std::vector<std::size_t> begins;
  for (Offset member = at.first; member <= at.last; member += sizeof(void*)) {
    const auto* const array = MemberAt<const std::byte*>(&base, member);
    copy_.Set(member, array);
    if (IsWithin(array, from, size)) begins.push_back(static_cast<std::size_t>(array - from));
  }
  std::ranges::sort(begins);
  begins.erase(std::ranges::unique(begins).begin(), begins.end());

  struct Part {
    std::size_t begin, size, at;
  };
  std::vector<Part> parts;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::size_t begin = begins[i];
    const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : size;
    const bool is_own = std::ranges::any_of(own, [&](Offset member) {
      return MemberAt<const std::byte*>(&base, member) == from + begin;
    });
    if (!is_own && std::memcmp(from + begin, changed + begin, end - begin) == 0) continue;
    parts.push_back({.begin = begin, .size = end - begin, .at = bytes_});
    bytes_ += (end - begin + kAlignment - 1) / kAlignment * kAlignment;
  }
  if (parts.empty()) return;
  arrays_.reset(static_cast<std::byte*>(::operator new(bytes_, std::align_val_t(kAlignment))));
  for (const Part& part : parts) {
    std::memcpy(arrays_.get() + part.at, changed + part.begin, part.size);
    for (Offset member = at.first; member <= at.last; member += sizeof(void*)) {
      if (MemberAt<const std::byte*>(&base, member) != from + part.begin) continue;
      copy_.Set(member, arrays_.get() + part.at);
    }
  }
}

std::int64_t ModelVariant::BytesOfAll() { return bytes_of_all.load(std::memory_order_relaxed); }

}  // namespace engine::mujoco
