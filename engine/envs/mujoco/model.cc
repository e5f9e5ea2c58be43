// See the header.
#include "engine/envs/mujoco/model.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/envs/mujoco/library.h"

namespace engine::mujoco {
namespace {

// Returns the signature that selects all parts of a state, one bit for each value of MuJoCo's
// mjtState. The number of parts depends on the version, and MuJoCo reports an error for too many
// parts.
int SignatureOfAll(const mjModel& model) {
  constexpr int kMaxParts = 20;
  for (int parts = kMaxParts; parts > 1; --parts) {
    const int signature = (1 << parts) - 1;
    try {
      Guarded([&] { Library().state_size(&model, signature); });
      return signature;
    } catch (const Error&) {
      continue;
    }
  }
  throw Error(ErrorKind::kInternal, "expected parts of a state in the MuJoCo library, found none");
}

}  // namespace

Model::Model(BaseModelPtr base, const ParamValues& options, std::span<const Offset> own,
             Preparation prepare)
    : base_(std::move(base)),
      unchanged_(FieldsOf(UsedLayout().model, *base_->get())),
      variant_(*base_->get(), ModelChanges(options), own, prepare),
      fields_(FieldsOf(UsedLayout().model, *variant_.get())),
      physics_(std::make_unique<const PhysicsModel>(*variant_.get())),
      state_signature_(SignatureOfAll(*variant_.get())),
      state_size_(
          static_cast<std::size_t>(Library().state_size(variant_.get(), state_signature_))) {}

int Model::Id(int type, const char* kind, const std::string& name) const {
  const int id = Library().name_to_id(get(), type, name.c_str());
  if (id < 0) ThrowUnfit(base_->name(), std::string("it has no ") + kind + " \"" + name + "\"");
  return id;
}

void Model::RequireAtLeast(int needed, std::int64_t present, const char* what) const {
  if (present >= needed) return;
  ThrowUnfit(base_->name(), "it has " + std::to_string(present) + " " + what + ", the task needs " +
                                std::to_string(needed));
}

std::int64_t Model::num_equalities() const {
  const ModelLayout& at = UsedLayout().model;
  return CountAt(at, *get(), at.neq);
}

void Model::GrowPictures(int width, int height) {
  const ModelLayout& at = UsedLayout().model;
  const auto grow = [&](Offset member, int size) {
    int& own = MemberAt<int>(variant_.get(), member);
    own = std::max(own, size);
  };
  grow(at.offwidth, width);
  grow(at.offheight, height);
}

SpaceSpec Model::ActionSpace() const {
  std::vector<float> low;
  std::vector<float> high;
  for (int i = 0; i < unchanged_.nu; ++i) {
    low.push_back(static_cast<float>(unchanged_.actuator_ctrlrange[2 * i]));
    high.push_back(static_cast<float>(unchanged_.actuator_ctrlrange[2 * i + 1]));
  }
  return SpaceSpec::Box<float>({unchanged_.nu}, low, high);
}

SpaceSpec ObservationSpace(std::int64_t size) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return SpaceSpec::Box<double>({size}, -kInfinity, kInfinity);
}

}  // namespace engine::mujoco
