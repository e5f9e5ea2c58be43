// The tolerances and limits of the solver, in metres, kilograms, seconds and radians. They are the
// constants of Box2D 2.3, whose results this engine reproduces bit by bit.
#ifndef ENGINE_PHYSICS2D_CONSTANTS_H_
#define ENGINE_PHYSICS2D_CONSTANTS_H_

#include <cstdint>
#include <limits>

namespace engine::physics2d {

inline constexpr float kPi = 3.14159265359f;
inline constexpr float kEpsilon = std::numeric_limits<float>::epsilon();
inline constexpr float kMaxFloat = std::numeric_limits<float>::max();

// The invalid index: no body, no fixture, the end of a list.
inline constexpr std::int32_t kNone = -1;

// Shapes.
inline constexpr int kMaxPolygonVertices = 8;
inline constexpr float kLinearSlop = 0.005f;                 // allowed penetration, m
inline constexpr float kAngularSlop = 2.0f / 180.0f * kPi;   // allowed joint error, rad
inline constexpr float kPolygonRadius = 2.0f * kLinearSlop;  // skin of polygons and edges, m

// Broad phase: boxes in the tree are larger than their shapes, so that a small motion does not
// change the tree.
inline constexpr float kBoxMargin = 0.1f;      // m
inline constexpr float kBoxPrediction = 2.0f;  // displacements ahead

// Position correction.
inline constexpr float kMaxLinearCorrection = 0.2f;                  // m per iteration
inline constexpr float kMaxAngularCorrection = 8.0f / 180.0f * kPi;  // rad per iteration
inline constexpr float kContactCorrection = 0.2f;  // share of the error removed per iteration
inline constexpr float kImpactCorrection = 0.75f;  // as above, at a time of impact

// Motion within one step.
inline constexpr float kMaxTranslation = 2.0f;        // m
inline constexpr float kMaxRotation = 0.5f * kPi;     // rad
inline constexpr float kRestitutionThreshold = 1.0f;  // slower impacts do not bounce, m/s

// Continuous collision.
inline constexpr int kMaxSubSteps = 8;         // per contact and step
inline constexpr int kMaxImpactContacts = 32;  // solved together at one time of impact

// Sleep.
inline constexpr float kTimeToSleep = 0.5f;                       // s
inline constexpr float kLinearSleepSpeed = 0.01f;                 // m/s
inline constexpr float kAngularSleepSpeed = 2.0f / 180.0f * kPi;  // rad/s

}  // namespace engine::physics2d

#endif  // ENGINE_PHYSICS2D_CONSTANTS_H_
