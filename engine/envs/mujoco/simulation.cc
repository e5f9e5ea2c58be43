// See the header. These functions are compiled once, not for each task, because the time of a call
// is short compared with a step of MuJoCo.
#include "engine/envs/mujoco/simulation.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <new>
#include <span>

#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/library.h"

namespace engine::mujoco {

namespace {

bool StepsInParts(const mjModel& model) {
  const Layout& layout = UsedLayout();
  const int enabled = MemberAt<int>(&model, layout.model.enableflags);
  return MemberAt<int>(&model, layout.model.integrator) != kIntegratorRk4 && !layout.keeps_stages &&
         (enabled & (layout.flags.enable_sleep | layout.flags.enable_override)) == 0;
}

// Whether mj_step finds nothing wrong with these numbers (mjMAXVAL).
bool AreSound(std::span<const double> numbers) {
  constexpr double kLargestState = 1e10;
  return std::ranges::all_of(numbers, [](double x) { return std::abs(x) <= kLargestState; });
}

}  // namespace

Simulation::Simulation(const Model& model)
    : model_(model), steps_in_parts_(StepsInParts(*model.physics())) {
  mjData* data = nullptr;
  Guarded([&] { data = Library().make_data(model_.get()); });
  if (data == nullptr) throw std::bad_alloc();
  data_.reset(data);
  fields_ = FieldsOf(UsedLayout().data, *data);
}

Simulation::Simulation(const Simulation& other) : Simulation(other.model_) {
  computed_ = other.computed_;
  before_ = other.before_;
  camera_ = other.camera_;
  Guarded([&] { Library().copy_data(data_.get(), model_.get(), other.data_.get()); });
  fields_ = FieldsOf(UsedLayout().data, *data_);
}

void Simulation::BeginReset() {
  Guarded([&] { Library().reset_data(model_.get(), data_.get()); });
  // Gymnasium's init_qpos, which it reads before a program can change the model.
  std::copy_n(model_.unchanged().qpos0, model_->nq, fields_.qpos);
}

void Simulation::EndReset() {
  computed_ = Computed::kForward;
  before_.resize(model_.state_size());
  Guarded([&] {
    KeepState();
    Library().forward(model_.physics(), data_.get());
  });
}

void Simulation::KeepState() {
  Library().get_state(model_.physics(), data_.get(), before_.data(), model_.state_signature());
}

template <std::floating_point T>
void Simulation::Step(std::span<const T> controls, int frames, BodyForces forces,
                      const mjModel* before_last) {
  if (before_last == nullptr) before_last = model_.physics();
  std::ranges::copy(controls, fields_.ctrl);
  computed_ = forces == BodyForces::kYes ? Computed::kStepAndForces : Computed::kStep;
  Guarded([&] {
    const Functions& mj = Library();
    for (int frame = 1; frame < frames; ++frame) mj.step(before_last, data_.get());
    KeepState();
    mj.step(model_.physics(), data_.get());
    if (forces == BodyForces::kYes) mj.rne_post_constraint(model_.physics(), data_.get());
  });
}

template void Simulation::Step(std::span<const float> controls, int frames, BodyForces forces,
                               const mjModel* before_last);
template void Simulation::Step(std::span<const double> controls, int frames, BodyForces forces,
                               const mjModel* before_last);

void Simulation::ComputeBodyForces() {
  computed_ = Computed::kStepAndForces;
  Guarded([&] { Library().rne_post_constraint(model_.physics(), data_.get()); });
}

template <std::floating_point T>
void Simulation::StepAfterReset(std::span<const T> controls) {
  if (!steps_in_parts_ || !AreSound(qpos()) || !AreSound(qvel())) {
    Step(controls, 1, BodyForces::kNo);
    return;
  }
  std::ranges::copy(controls, fields_.ctrl);
  computed_ = Computed::kStep;
  Guarded([&] {
    const Functions& mj = Library();
    const mjModel* const model = model_.physics();
    KeepState();
    mj.kinematics(model, data_.get());
    mj.make_constraint(model, data_.get());
    mj.island(model, data_.get());
    mj.project_constraint(model, data_.get());
    mj.reference_constraint(model, data_.get());
    mj.step2(model, data_.get());
  });
}

template void Simulation::StepAfterReset(std::span<const double> controls);

template <std::floating_point T>
void Simulation::ForwardAndStep(std::span<const T> controls) {
  computed_ = Computed::kStep;
  const bool in_parts = steps_in_parts_ && AreSound(qpos()) && AreSound(qvel());
  Guarded([&] {
    const Functions& mj = Library();
    mj.forward(model_.physics(), data_.get());
    std::ranges::copy(controls, fields_.ctrl);
    KeepState();
    (in_parts ? mj.step2 : mj.step)(model_.physics(), data_.get());
  });
}

template void Simulation::ForwardAndStep(std::span<const float> controls);
template void Simulation::ForwardAndStep(std::span<const double> controls);

void Simulation::Save(StateWriter& state) const {
  state.Put(computed_);
  state.PutAll(std::span(before_));
}

void Simulation::Load(StateReader& state) {
  state.Get(computed_);
  ExpectState(computed_ <= Computed::kStepAndForces, "a latest call of MuJoCo");
  before_.resize(model_.state_size());
  state.GetAll(std::span(before_));
  Guarded([&] {
    const Functions& mj = Library();
    mj.reset_data(model_.physics(), data_.get());
    mj.set_state(model_.physics(), data_.get(), before_.data(), model_.state_signature());
    if (computed_ == Computed::kForward) {
      mj.forward(model_.physics(), data_.get());
      return;
    }
    mj.step(model_.physics(), data_.get());
    if (computed_ == Computed::kStepAndForces)
      mj.rne_post_constraint(model_.physics(), data_.get());
  });
}

void Simulation::Deleter::operator()(mjData* data) const { Library().delete_data(data); }

void AddUniform(std::span<double> values, double scale, Rng& rng) {
  for (double& value : values) value += rng.Uniform(-scale, scale);
}

void AddNormal(std::span<double> values, double scale, Rng& rng) {
  for (double& value : values) value += scale * rng.StandardNormal();
}

}  // namespace engine::mujoco
