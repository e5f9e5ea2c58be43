#include "engine/physics2d/distance.h"

#include "engine/physics2d/constants.h"
#include "engine/physics2d/numbered.h"

namespace engine::physics2d {
namespace {

// A point of the Minkowski difference of the shapes.
struct Corner {
  Vec2 on_a;
  Vec2 on_b;
  Vec2 w;              // on_b - on_a
  float share = 0.0f;  // barycentric weight in the point nearest to the origin
  int index_a = 0;
  int index_b = 0;
};

struct Pair {
  const Shape& a;
  const Transform& xf_a;
  const Shape& b;
  const Transform& xf_b;

  Corner CornerOf(int index_a, int index_b) const {
    Corner corner;
    corner.index_a = index_a;
    corner.index_b = index_b;
    corner.on_a = Apply(xf_a, a.vertices[index_a]);
    corner.on_b = Apply(xf_b, b.vertices[index_b]);
    corner.w = corner.on_b - corner.on_a;
    return corner;
  }
  Corner Farthest(Vec2 direction) const {
    const int index_a = FarthestVertex(a.Vertices(), RotateBack(xf_a.q, -direction));
    const int index_b = FarthestVertex(b.Vertices(), RotateBack(xf_b.q, direction));
    return CornerOf(index_a, index_b);
  }
};

// One to three corners: the smallest set whose convex hull contains the point nearest to the
// origin.
class Simplex {
 public:
  Simplex(const Pair& pair, const NearestFeatures& features) {
    for (int i = 0; i < features.count; ++i) {
      corners_[i] = pair.CornerOf(features.index_a[i], features.index_b[i]);
    }
    count_ = features.count;
    if (count_ > 1) {
      // If the simplex has changed much since then, it is not a good start.
      const float metric = Metric();
      if (metric < 0.5f * features.metric || 2.0f * features.metric < metric || metric < kEpsilon) {
        count_ = 0;
      }
    }
    if (count_ == 0) {
      corners_[0] = pair.CornerOf(0, 0);
      corners_[0].share = 1.0f;
      count_ = 1;
    }
  }

  int count() const { return count_; }
  const Corner& operator[](int i) const { return corners_[i]; }
  void Add(const Corner& corner) { corners_[count_++] = corner; }

  // Removes the corners that do not contribute to the nearest point.
  void Reduce() {
    if (count_ == 2) Reduce2();
    if (count_ == 3) Reduce3();
  }

  // The direction from the nearest point to the origin. Requires: one or two corners.
  Vec2 Direction() const {
    if (count_ == 1) return -corners_[0].w;
    const Vec2 e = corners_[1].w - corners_[0].w;
    const float side = Cross(e, -corners_[0].w);
    return side > 0.0f ? Cross(1.0f, e) : Cross(e, 1.0f);
  }

  float Distance() const {
    Vec2 on_a;
    Vec2 on_b;
    NearestPoints(on_a, on_b);
    return Length(on_a - on_b);
  }

  void NearestPoints(Vec2& on_a, Vec2& on_b) const {
    const auto& [c1, c2, c3] = corners_;
    if (count_ == 1) {
      on_a = c1.on_a;
      on_b = c1.on_b;
    } else if (count_ == 2) {
      on_a = c1.share * c1.on_a + c2.share * c2.on_a;
      on_b = c1.share * c1.on_b + c2.share * c2.on_b;
    } else {
      on_a = c1.share * c1.on_a + c2.share * c2.on_a + c3.share * c3.on_a;
      on_b = on_a;
    }
  }

  void Store(NearestFeatures& features) const {
    features.metric = Metric();
    features.count = count_;
    for (int i = 0; i < count_; ++i) {
      features.index_a[i] = static_cast<std::uint8_t>(corners_[i].index_a);
      features.index_b[i] = static_cast<std::uint8_t>(corners_[i].index_b);
    }
  }

 private:
  float Metric() const {
    if (count_ == 2) return Length(corners_[0].w - corners_[1].w);
    if (count_ == 3) {
      return Cross(corners_[1].w - corners_[0].w, corners_[2].w - corners_[0].w);
    }
    return 0.0f;
  }

  void Keep(int i) {
    corners_[0] = corners_[i];
    corners_[0].share = 1.0f;
    count_ = 1;
  }
  // Keeps corners i and j with normalized weights. Moves corner j to the second place, or, if it is
  // there already, corner i to the first place.
  void Keep(int i, int j, float weight_i, float weight_j) {
    const float inverse = 1.0f / (weight_i + weight_j);
    corners_[i].share = weight_i * inverse;
    corners_[j].share = weight_j * inverse;
    count_ = 2;
    if (i == 0 && j == 2) corners_[1] = corners_[2];
    if (i == 1 && j == 2) corners_[0] = corners_[2];
  }

  void Reduce2() {
    const Vec2 w1 = corners_[0].w;
    const Vec2 w2 = corners_[1].w;
    const Vec2 e = w2 - w1;
    const float weight2 = -Dot(w1, e);
    if (weight2 <= 0.0f) return Keep(0);
    const float weight1 = Dot(w2, e);
    if (weight1 <= 0.0f) return Keep(1);
    Keep(0, 1, weight1, weight2);
  }

  void Reduce3() {
    const Vec2 w1 = corners_[0].w;
    const Vec2 w2 = corners_[1].w;
    const Vec2 w3 = corners_[2].w;
    const Vec2 e12 = w2 - w1;
    const Vec2 e13 = w3 - w1;
    const Vec2 e23 = w3 - w2;
    const float d12_1 = Dot(w2, e12);
    const float d12_2 = -Dot(w1, e12);
    const float d13_1 = Dot(w3, e13);
    const float d13_2 = -Dot(w1, e13);
    const float d23_1 = Dot(w3, e23);
    const float d23_2 = -Dot(w2, e23);
    const float area = Cross(e12, e13);
    const float d123_1 = area * Cross(w2, w3);
    const float d123_2 = area * Cross(w3, w1);
    const float d123_3 = area * Cross(w1, w2);

    if (d12_2 <= 0.0f && d13_2 <= 0.0f) return Keep(0);
    if (d12_1 > 0.0f && d12_2 > 0.0f && d123_3 <= 0.0f) return Keep(0, 1, d12_1, d12_2);
    if (d13_1 > 0.0f && d13_2 > 0.0f && d123_2 <= 0.0f) return Keep(0, 2, d13_1, d13_2);
    if (d12_1 <= 0.0f && d23_2 <= 0.0f) return Keep(1);
    if (d13_1 <= 0.0f && d23_1 <= 0.0f) return Keep(2);
    if (d23_1 > 0.0f && d23_2 > 0.0f && d123_1 <= 0.0f) return Keep(1, 2, d23_1, d23_2);
    const float inverse = 1.0f / (d123_1 + d123_2 + d123_3);
    corners_[0].share = d123_1 * inverse;
    corners_[1].share = d123_2 * inverse;
    corners_[2].share = d123_3 * inverse;
  }

  NumberedArray<Corner, 3> corners_;
  int count_ = 0;
};

// Whether the corner was in the simplex before it was reduced. If so, the search makes no progress.
bool IsIn(const Simplex& simplex, const Corner& corner) {
  for (int i = 0; i < simplex.count(); ++i) {
    if (simplex[i].index_a == corner.index_a && simplex[i].index_b == corner.index_b) return true;
  }
  return false;
}

Simplex Search(const Pair& pair, NearestFeatures& features) {
  constexpr int kMaxIterations = 20;
  Simplex simplex(pair, features);
  for (int i = 0; i < kMaxIterations; ++i) {
    const Simplex before = simplex;
    simplex.Reduce();
    if (simplex.count() == 3) break;  // the origin is inside
    const Vec2 direction = simplex.Direction();
    if (LengthSquared(direction) < kEpsilon * kEpsilon) break;  // the origin is on the simplex
    const Corner corner = pair.Farthest(direction);
    if (IsIn(before, corner)) break;
    simplex.Add(corner);
  }
  simplex.Store(features);
  return simplex;
}

}  // namespace

int FarthestVertex(NumberedSpan<const Vec2> vertices, Vec2 direction) {
  int best = 0;
  float best_value = Dot(vertices[0], direction);
  for (int i = 1; i < static_cast<int>(vertices.size()); ++i) {
    const float value = Dot(vertices[i], direction);
    if (value > best_value) {
      best = i;
      best_value = value;
    }
  }
  return best;
}

float CoreDistance(const Shape& a, const Transform& xf_a, const Shape& b, const Transform& xf_b,
                   NearestFeatures& features) {
  return Search({a, xf_a, b, xf_b}, features).Distance();
}

bool Touch(const Shape& a, const Transform& xf_a, const Shape& b, const Transform& xf_b) {
  NearestFeatures features;
  float distance = CoreDistance(a, xf_a, b, xf_b, features);
  const float radii = a.radius + b.radius;
  distance = distance > radii && distance > kEpsilon ? distance - radii : 0.0f;
  return distance < 10.0f * kEpsilon;
}

}  // namespace engine::physics2d
