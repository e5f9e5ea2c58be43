// See the header.
#include "engine/envs/mujoco/model.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "engine/envs/mujoco/library.h"

namespace engine::mujoco {

Model::Model(const ParamValues& options)
    : Model(LoadModel(options.Get<std::string>("xml_file")), options) {}

Model::Model(BaseModelPtr base, const ParamValues& options, std::span<const Offset> own)
    : base_(std::move(base)),
      unchanged_(FieldsOf(UsedLayout().model, *base_->get())),
      variant_(*base_->get(), ModelChanges(options), own),
      fields_(FieldsOf(UsedLayout().model, *variant_.get())),
      physics_(std::make_unique<const PhysicsModel>(*variant_.get())) {}

int Model::BodyId(const std::string& name) const {
  const int id = Library().name_to_id(get(), kObjectBody, name.c_str());
  if (id < 0) ThrowUnfit(base_->name(), "it has no body \"" + name + "\"");
  return id;
}

void Model::RequireAtLeast(int needed, std::int64_t present, const char* what) const {
  if (present >= needed) return;
  ThrowUnfit(base_->name(), "it has " + std::to_string(present) + " " + what + ", the task needs " +
                                std::to_string(needed));
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
