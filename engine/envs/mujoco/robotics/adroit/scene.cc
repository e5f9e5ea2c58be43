// See the header.
#include "engine/envs/mujoco/robotics/adroit/scene.h"

#include <algorithm>

#include "engine/envs/mujoco/library.h"
#include "engine/envs/mujoco/model_changes.h"

namespace engine::mujoco::robotics::adroit {
namespace {

constexpr const char* kGains = "actuator_gainprm";
constexpr const char* kBiases = "actuator_biasprm";

std::vector<Offset> OwnArrays(const Description& task) {
  std::vector<Offset> arrays = {PlaceOfField(kGains), PlaceOfField(kBiases)};
  for (const Place& place : task.places) arrays.push_back(PlaceOfField(place.field));
  return arrays;
}

// Makes the controls of the wrist and of the fingers weaker than in the file.
void WeakenControls(mjModel& model) {
  struct Group {
    const char* first;
    const char* last;
    double gain;
  };
  constexpr Group kGroups[] = {{"A_WRJ1", "A_WRJ0", 10.0}, {"A_FFJ3", "A_THJ0", 1.0}};
  constexpr int kColumns = 10;  // of both arrays; the first three are set
  double* const gains = MemberAt<double*>(&model, PlaceOfField(kGains));
  double* const biases = MemberAt<double*>(&model, PlaceOfField(kBiases));
  for (const Group& group : kGroups) {
    const int first = Library().name_to_id(&model, kObjectActuator, group.first);
    const int last = Library().name_to_id(&model, kObjectActuator, group.last);
    for (int i = std::max(first, 0); i <= last; ++i) {
      std::ranges::copy(std::array{group.gain, 0.0, 0.0}, gains + kColumns * i);
      std::ranges::copy(std::array{0.0, -group.gain, 0.0}, biases + kColumns * i);
    }
  }
}

}  // namespace

Scene::Scene(const Description& task, const BaseModelPtr& base, const ParamValues& options)
    : model_(base, options, OwnArrays(task), &WeakenControls),
      simulation_(model_),
      data_(ArmFieldsOf(*simulation_.get())) {
  for (const Place& place : task.places) {
    const int id = place.is_site ? model_.SiteId(place.object) : model_.BodyId(place.object);
    double* const field = MemberAt<double*>(model_.get(), PlaceOfField(place.field));
    places_.emplace_back(field + place.size * static_cast<std::size_t>(id), place.size);
  }
}

Quaternion Scene::Rotation(int body) const {
  const double* const found = data_.xquat + 4 * body;
  return {found[0], found[1], found[2], found[3]};
}

Vector Scene::At(const double* positions, int index) {
  const double* const found = positions + 3 * index;
  return {found[0], found[1], found[2]};
}

void Scene::Save(StateWriter& state) const {
  for (const std::span<double> place : places_) state.PutAll(std::span<const double>(place));
  state.Put(lengths);
  simulation_.Save(state);
}

void Scene::Load(StateReader& state) {
  for (const std::span<double> place : places_) state.GetAll(place);
  state.Get(lengths);
  simulation_.Load(state);
}

}  // namespace engine::mujoco::robotics::adroit
