// See the header.
#include "engine/envs/atari/action_map.h"

#include <numbers>

#include "engine/base/numpy_kernels.h"
#include "engine/envs/atari/variant_options.h"

namespace engine::atari {
namespace {

// Indexed by [up - down + 1][right - left + 1].
constexpr Action kStick[3][3] = {
    {Action::kDownLeft, Action::kDown, Action::kDownRight},
    {Action::kLeft, Action::kNoop, Action::kRight},
    {Action::kUpLeft, Action::kUp, Action::kUpRight},
};
constexpr Action kFiringStick[3][3] = {
    {Action::kDownLeftFire, Action::kDownFire, Action::kDownRightFire},
    {Action::kLeftFire, Action::kFire, Action::kRightFire},
    {Action::kUpLeftFire, Action::kUpFire, Action::kUpRightFire},
};

}  // namespace

ActionMap::ActionMap(const Game& game, bool full, bool continuous, float threshold)
    : actions_(ActionsOf(game, full || continuous)),
      continuous_(continuous),
      threshold_(threshold) {}

SpaceSpec ActionMap::space() const {
  if (!continuous_) return SpaceSpec::Discrete(static_cast<std::int64_t>(actions_.size()));
  constexpr auto kPi = static_cast<float>(std::numbers::pi);
  return SpaceSpec::Box<float>({3}, {0.0f, -kPi, 0.0f}, {1.0f, kPi, 1.0f});
}

Move ActionMap::Of(ActionView action) const {
  if (!continuous_) return {.action = actions_[static_cast<std::size_t>(action.Index())]};
  const float* const stick = action.Data<float>();
  return OfStick(stick[0], stick[1], stick[2]);
}

Move ActionMap::OfStick(float radius, float angle, float fire) const {
  const auto direction = [this](float deflection) {
    return 1 + (deflection > threshold_ ? 1 : 0) - (deflection < -threshold_ ? 1 : 0);
  };
  const int horizontal = direction(radius * NumpyCos(angle));
  const int vertical = direction(radius * NumpySin(angle));
  const auto& positions = fire > threshold_ ? kFiringStick : kStick;
  return {.action = positions[vertical][horizontal], .strength = radius};
}

}  // namespace engine::atari
