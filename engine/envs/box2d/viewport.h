// Constants that the Box2D tasks share: the scale between pixels and metres, the time step, and the
// iterations of the solver. The values are those of Gymnasium 1.4.0.
#ifndef ENGINE_ENVS_BOX2D_VIEWPORT_H_
#define ENGINE_ENVS_BOX2D_VIEWPORT_H_

#include <cstdint>

#include "engine/physics2d/geometry.h"

namespace engine::box2d {

inline constexpr double kFps = 50.0;       // steps per second
inline constexpr float kTimeStep = 0.02f;  // s
inline constexpr int kVelocityIterations = 180;
inline constexpr int kPositionIterations = 60;
inline constexpr double kScale = 30.0;        // pixels per metre
inline constexpr double kViewWidth = 600.0;   // pixels
inline constexpr double kViewHeight = 400.0;  // pixels

inline constexpr std::uint16_t kGroundBits = 0x0001;  // category bits of the ground

// Positions and forces are computed in float64, as in Python. They are rounded to float32 when they
// are passed to the physics.
inline physics2d::Vec2 ToVec(double x, double y) {
  return {static_cast<float>(x), static_cast<float>(y)};
}

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_VIEWPORT_H_
