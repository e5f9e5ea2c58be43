#include "engine/physics2d/time_of_impact.h"

#include <cstdint>

#include "engine/physics2d/constants.h"
#include "engine/physics2d/distance.h"

namespace engine::physics2d {
namespace {

struct Motion {
  const Shape& a;
  Sweep sweep_a;
  const Shape& b;
  Sweep sweep_b;
};

// The distance between the shapes along an axis that moves with one of them.
class SeparationAxis {
 public:
  SeparationAxis(const Motion& motion, const NearestFeatures& features, float t) : motion_(motion) {
    const Transform xf_a = motion.sweep_a.At(t);
    const Transform xf_b = motion.sweep_b.At(t);
    const Vec2 a0 = motion.a.vertices[features.index_a[0]];
    const Vec2 b0 = motion.b.vertices[features.index_b[0]];
    if (features.count == 1) {
      kind_ = Kind::kPoints;
      axis_ = Apply(xf_b, b0) - Apply(xf_a, a0);
      Normalize(axis_);
    } else if (features.index_a[0] == features.index_a[1]) {
      kind_ = Kind::kFaceB;
      SetFace(b0, motion.b.vertices[features.index_b[1]], xf_b, Apply(xf_a, a0));
    } else {
      kind_ = Kind::kFaceA;
      SetFace(a0, motion.a.vertices[features.index_a[1]], xf_a, Apply(xf_b, b0));
    }
  }

  // The smallest separation at time t, and the vertices that have it.
  struct Deepest {
    int index_a = 0;
    int index_b = 0;
    float separation = 0.0f;
  };
  Deepest Least(float t) const {
    const Transform xf_a = motion_.sweep_a.At(t);
    const Transform xf_b = motion_.sweep_b.At(t);
    Deepest deepest;
    switch (kind_) {
      case Kind::kPoints:
        deepest.index_a = FarthestVertex(motion_.a.Vertices(), RotateBack(xf_a.q, axis_));
        deepest.index_b = FarthestVertex(motion_.b.Vertices(), RotateBack(xf_b.q, -axis_));
        break;
      case Kind::kFaceA:
        deepest.index_b =
            FarthestVertex(motion_.b.Vertices(), RotateBack(xf_b.q, -Rotate(xf_a.q, axis_)));
        break;
      case Kind::kFaceB:
        deepest.index_a =
            FarthestVertex(motion_.a.Vertices(), RotateBack(xf_a.q, -Rotate(xf_b.q, axis_)));
        break;
    }
    deepest.separation = Of(deepest, xf_a, xf_b);
    return deepest;
  }

  // The separation of the same vertices at another time.
  float At(const Deepest& vertices, float t) const {
    return Of(vertices, motion_.sweep_a.At(t), motion_.sweep_b.At(t));
  }

 private:
  enum class Kind : std::uint8_t { kPoints, kFaceA, kFaceB };

  // Sets the axis to the normal of one shape's face from p1 to p2, on the side of `opposite`, a
  // point of the other shape.
  void SetFace(Vec2 p1, Vec2 p2, const Transform& xf, Vec2 opposite) {
    axis_ = Cross(p2 - p1, 1.0f);
    Normalize(axis_);
    const Vec2 normal = Rotate(xf.q, axis_);
    local_point_ = 0.5f * (p1 + p2);
    if (Dot(opposite - Apply(xf, local_point_), normal) < 0.0f) axis_ = -axis_;
  }

  float Of(const Deepest& vertices, const Transform& xf_a, const Transform& xf_b) const {
    switch (kind_) {
      case Kind::kPoints:
        return Dot(Apply(xf_b, motion_.b.vertices[vertices.index_b]) -
                       Apply(xf_a, motion_.a.vertices[vertices.index_a]),
                   axis_);
      case Kind::kFaceA:
        return Dot(Apply(xf_b, motion_.b.vertices[vertices.index_b]) - Apply(xf_a, local_point_),
                   Rotate(xf_a.q, axis_));
      default:
        return Dot(Apply(xf_a, motion_.a.vertices[vertices.index_a]) - Apply(xf_b, local_point_),
                   Rotate(xf_b.q, axis_));
    }
  }

  const Motion& motion_;
  Kind kind_ = Kind::kPoints;
  Vec2 local_point_;
  Vec2 axis_;  // kPoints: in world coordinates; else in the frame of the face's shape
};

struct Target {
  float separation;  // at which the shapes count as touching
  float tolerance;
};

// Finds the time between t1, where the separation s1 is above the target, and t2, where s2 is
// below, at which the separation reaches the target. Alternates bisection and the secant rule.
// After too many iterations returns t2.
float FindRoot(const SeparationAxis& axis, const SeparationAxis::Deepest& vertices, float t1,
               float s1, float t2, float s2, Target target) {
  constexpr int kMaxIterations = 50;
  float a1 = t1;
  float a2 = t2;
  for (int i = 0; i < kMaxIterations; ++i) {
    const float t =
        (i & 1) != 0 ? a1 + (target.separation - s1) * (a2 - a1) / (s2 - s1) : 0.5f * (a1 + a2);
    const float s = axis.At(vertices, t);
    if (Abs(s - target.separation) < target.tolerance) return t;
    if (s > target.separation) {
      a1 = t;
      s1 = s;
    } else {
      a2 = t;
      s2 = s;
    }
  }
  return t2;
}

enum class Outcome : std::uint8_t { kGoesOn, kSeparated, kTouching, kFailed };

// Advances `t1` to the time at which the shapes reach the target distance along the axis.
Outcome AdvanceAlong(const SeparationAxis& axis, float& t1, Target target) {
  constexpr int kMaxPushBacks = 16;
  float t2 = 1.0f;
  for (int i = 0; i < kMaxPushBacks; ++i) {
    const SeparationAxis::Deepest deepest = axis.Least(t2);
    const float s2 = deepest.separation;
    if (s2 > target.separation + target.tolerance) return Outcome::kSeparated;
    if (s2 > target.separation - target.tolerance) {
      t1 = t2;
      return Outcome::kGoesOn;
    }
    const float s1 = axis.At(deepest, t1);
    if (s1 < target.separation - target.tolerance) return Outcome::kFailed;
    if (s1 <= target.separation + target.tolerance) return Outcome::kTouching;
    t2 = FindRoot(axis, deepest, t1, s1, t2, s2, target);
  }
  return Outcome::kGoesOn;
}

}  // namespace

std::optional<float> TimeOfImpact(const Shape& a, const Sweep& sweep_a, const Shape& b,
                                  const Sweep& sweep_b) {
  constexpr int kMaxIterations = 20;
  Motion motion{a, sweep_a, b, sweep_b};
  motion.sweep_a.NormalizeAngles();
  motion.sweep_b.NormalizeAngles();
  const Target target{Max(kLinearSlop, a.radius + b.radius - 3.0f * kLinearSlop),
                      0.25f * kLinearSlop};
  NearestFeatures features;
  float t1 = 0.0f;
  for (int i = 0; i < kMaxIterations; ++i) {
    const float distance =
        CoreDistance(a, motion.sweep_a.At(t1), b, motion.sweep_b.At(t1), features);
    if (distance <= 0.0f) return {};  // they overlap
    if (distance < target.separation + target.tolerance) return t1;
    switch (AdvanceAlong(SeparationAxis(motion, features, t1), t1, target)) {
      case Outcome::kSeparated:
      case Outcome::kFailed:
        return {};
      case Outcome::kTouching:
        return t1;
      case Outcome::kGoesOn:
        break;
    }
  }
  return {};
}

}  // namespace engine::physics2d
