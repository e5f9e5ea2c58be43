#include "engine/physics2d/velocity_lanes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/base/vector_unit.h"

namespace engine::physics2d {
namespace {

// More joints or bodies are solved alone.
constexpr int kMostJoints = 8;
constexpr int kMostBodies = kMostJoints + 1;

// How the joints of an island connect its bodies, which are numbered in the order in which the
// joints name them, and which joints have a motor.
struct Pattern {
  struct Joint {
    int a = 0, b = 0;
    bool motor = false;
    friend bool operator==(const Joint&, const Joint&) = default;
  };
  int num_joints = 0;  // 0: the island is solved alone
  int num_bodies = 0;
  Joint joints[kMostJoints];
  friend bool operator==(const Pattern&, const Pattern&) = default;
};

struct LaneIsland {
  Island* island = nullptr;
  Pattern pattern;
  int bodies[kMostBodies];  // indices in the island
};

LaneIsland LookAt(Island* island) {
  LaneIsland found{.island = island, .pattern = {}, .bodies = {}};
  const auto constraints = island->joint_solver().constraints();
  if (constraints.size() > kMostJoints) return found;
  Pattern& pattern = found.pattern;
  const auto number_of = [&](int body) {
    int number = 0;
    while (number < pattern.num_bodies && found.bodies[number] != body) ++number;
    if (number == kMostBodies) return number;
    if (number == pattern.num_bodies) found.bodies[pattern.num_bodies++] = body;
    return number;
  };
  for (const JointConstraint& c : constraints) {
    const int a = number_of(c.a);
    const int b = number_of(c.b);
    if (a == kMostBodies || b == kMostBodies)
      return {.island = island, .pattern = {}, .bodies = {}};
    pattern.joints[pattern.num_joints++] = {a, b, c.motor};
  }
  return found;
}

#define LANES_TARGET
#define LANES [[gnu::always_inline]] inline
namespace four {
constexpr int kLanes = 4;
#include "engine/physics2d/velocity_lanes.inl"
}  // namespace four
#undef LANES
#undef LANES_TARGET

#if defined(__x86_64__)
#define LANES_TARGET [[gnu::target("avx2")]]
#define LANES [[gnu::always_inline]] LANES_TARGET inline
namespace eight {
constexpr int kLanes = 8;
#include "engine/physics2d/velocity_lanes.inl"
}  // namespace eight
#undef LANES
#undef LANES_TARGET
#endif

struct Lanes {
  int most;  // islands of a call
  void (*solve)(const LaneIsland* const* islands, int count, int iterations);
};

Lanes FindLanes() {
#if defined(__x86_64__)
  if (SupportsAvx2()) return {eight::kMostIslands, &eight::Solve};
#endif
  return {four::kMostIslands, &four::Solve};
}

}  // namespace

void SolveVelocities(std::span<Island* const> islands, int iterations) {
  static const Lanes lanes = FindLanes();
  constexpr std::size_t kMostAtOnce = 16;
  for (; islands.size() > kMostAtOnce; islands = islands.subspan(kMostAtOnce))
    SolveVelocities(islands.first(kMostAtOnce), iterations);
  std::array<LaneIsland, kMostAtOnce> all;
  for (std::size_t i = 0; i < islands.size(); ++i) all[i] = LookAt(islands[i]);
  std::array<bool, kMostAtOnce> solved{};
  for (std::size_t first = 0; first < islands.size(); ++first) {
    if (solved[first]) continue;
    std::array<const LaneIsland*, kMostAtOnce> alike;
    int count = 0;
    for (std::size_t i = first; i < islands.size(); ++i) {
      if (solved[i] || !(all[i].pattern == all[first].pattern)) continue;
      alike[static_cast<std::size_t>(count++)] = &all[i];
      solved[i] = true;
    }
    if (count == 1 || all[first].pattern.num_joints == 0) {
      for (int i = 0; i < count; ++i)
        alike[static_cast<std::size_t>(i)]->island->SolveVelocities(iterations, false);
      continue;
    }
    for (int i = 0; i < count; i += lanes.most)
      lanes.solve(alike.data() + i, std::min(count - i, lanes.most), iterations);
  }
}

}  // namespace engine::physics2d
