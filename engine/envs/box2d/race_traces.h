// The traces that the wheels of CarRacing's car leave on the ground where they slip. Only the
// pictures of render() show the traces. The newest 30 traces are kept, with up to 30 points each.
#ifndef ENGINE_ENVS_BOX2D_RACE_TRACES_H_
#define ENGINE_ENVS_BOX2D_RACE_TRACES_H_

#include <array>
#include <cstdint>
#include <span>

#include "engine/envs/box2d/race_car.h"
#include "engine/physics2d/geometry.h"

namespace engine::box2d {

struct RaceTrace {
  static constexpr int kMaxPoints = 30;

  std::array<physics2d::Vec2, kMaxPoints> points;  // m
  std::int32_t count = 0;
  bool on_grass = false;
};

class RaceTraces {
 public:
  static constexpr std::int64_t kMaxTraces = 30;

  // Adds the slip of wheel `wheel` at `position` (m) in the current step.
  void AddSlip(std::size_t wheel, const RaceSlip& slip, physics2d::Vec2 position) {
    Wheel& state = wheels_[wheel];
    if (!slip.slips) {
      state = {};
      return;
    }
    if (state.trace >= 0 && state.on_grass == slip.on_grass &&
        state.points < RaceTrace::kMaxPoints) {
      Extend(state, position);
    } else if (!state.starts) {
      state.starts = true;
    } else {
      Begin(state, slip.on_grass, position);
    }
  }

  // Returns false only for traces that were loaded from bytes that Save did not write.
  bool IsConsistent() const {
    for (const RaceTrace& trace : traces_) {
      if (trace.count < 0 || trace.count > RaceTrace::kMaxPoints) return false;
    }
    for (const Wheel& wheel : wheels_) {
      if (wheel.trace >= count_) return false;
    }
    return count_ >= 0;
  }

  // Calls visit(trace) for each trace, from the oldest on.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    const std::int64_t first = count_ < kMaxTraces ? 0 : count_ - kMaxTraces;
    for (std::int64_t i = first; i < count_; ++i) visit(At(i));
  }

 private:
  struct Wheel {
    std::int64_t trace = -1;  // trace that the wheel continues; -1: none
    std::int32_t points = 0;  // points of that trace
    bool on_grass = false;
    bool starts = false;  // the wheel has slipped for one step
  };

  const RaceTrace& At(std::int64_t i) const {
    return traces_[static_cast<std::size_t>(i % kMaxTraces)];
  }
  // The points of a trace that is no longer kept are counted, but not stored.
  void Extend(Wheel& state, physics2d::Vec2 position) {
    ++state.points;
    if (state.trace < count_ - kMaxTraces) return;
    RaceTrace& trace = traces_[static_cast<std::size_t>(state.trace % kMaxTraces)];
    if (trace.count >= RaceTrace::kMaxPoints) return;
    trace.points[static_cast<std::size_t>(trace.count++)] = position;
  }
  // Begins a trace with two equal points: the first point of the reference is an object that moves
  // with the wheel.
  void Begin(Wheel& state, bool on_grass, physics2d::Vec2 position) {
    RaceTrace& trace = traces_[static_cast<std::size_t>(count_ % kMaxTraces)];
    trace.points[0] = position;
    trace.points[1] = position;
    trace.count = 2;
    trace.on_grass = on_grass;
    state = {.trace = count_++, .points = 2, .on_grass = on_grass};
  }

  std::array<RaceTrace, kMaxTraces> traces_{};
  std::int64_t count_ = 0;  // number of all traces since the start
  std::array<Wheel, RaceCar::kWheels> wheels_{};
};

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_RACE_TRACES_H_
