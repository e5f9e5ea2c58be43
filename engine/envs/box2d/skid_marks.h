// The skid marks that CarRacing's car leaves on the ground where its wheels slip. Only the pictures
// of render() show them. The newest 30 are kept, with up to 30 points each.
#ifndef ENGINE_ENVS_BOX2D_SKID_MARKS_H_
#define ENGINE_ENVS_BOX2D_SKID_MARKS_H_

#include <array>
#include <cstdint>
#include <span>

#include "engine/base/copied_bool.h"
#include "engine/envs/box2d/race_car.h"
#include "engine/physics2d/geometry.h"

namespace engine::box2d {

struct SkidMark {
  static constexpr int kMaxPoints = 30;

  std::array<physics2d::Vec2, kMaxPoints> points;  // m
  std::int32_t count = 0;
  bool on_grass = false;
};

class SkidMarks {
 public:
  static constexpr std::int64_t kMaxMarks = 30;

  // Adds the slip of wheel `wheel` at `position` (m) in the current step.
  void AddSlip(std::size_t wheel, const RaceSlip& slip, physics2d::Vec2 position) {
    Wheel& state = wheels_[wheel];
    if (!slip.slips) {
      state = {};
      return;
    }
    if (state.mark >= 0 && state.on_grass == slip.on_grass && state.points < SkidMark::kMaxPoints) {
      Extend(state, position);
    } else if (!state.starts) {
      state.starts = true;
    } else {
      Begin(state, slip.on_grass, position);
    }
  }

  // Returns false only for marks that were loaded from bytes that Save did not write.
  bool IsConsistent() const {
    for (const SkidMark& mark : marks_) {
      if (mark.count < 0 || mark.count > SkidMark::kMaxPoints || !IsBool(mark.on_grass))
        return false;
    }
    for (const Wheel& wheel : wheels_) {
      if (wheel.mark < -1 || wheel.mark >= count_ || wheel.points < 0 ||
          wheel.points > SkidMark::kMaxPoints || !AreBools(wheel.on_grass, wheel.starts)) {
        return false;
      }
    }
    return 0 <= count_ && count_ <= kMaxCount;
  }

  // Calls visit(mark) for each mark, from the oldest on.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    const std::int64_t first = count_ < kMaxMarks ? 0 : count_ - kMaxMarks;
    for (std::int64_t i = first; i < count_; ++i) visit(At(i));
  }

 private:
  struct Wheel {
    std::int64_t mark = -1;   // mark that the wheel continues; -1: none
    std::int32_t points = 0;  // points of that mark
    bool on_grass = false;
    bool starts = false;  // the wheel has slipped for one step
  };

  const SkidMark& At(std::int64_t i) const {
    return marks_[static_cast<std::size_t>(i % kMaxMarks)];
  }
  // The points of a mark that is no longer kept are counted, but not stored.
  void Extend(Wheel& state, physics2d::Vec2 position) {
    ++state.points;
    if (state.mark < count_ - kMaxMarks) return;
    SkidMark& mark = marks_[static_cast<std::size_t>(state.mark % kMaxMarks)];
    if (mark.count >= SkidMark::kMaxPoints) return;
    mark.points[static_cast<std::size_t>(mark.count++)] = position;
  }
  // Begins a mark with two equal points: the first point of the reference is an object that moves
  // with the wheel.
  void Begin(Wheel& state, bool on_grass, physics2d::Vec2 position) {
    SkidMark& mark = marks_[static_cast<std::size_t>(count_ % kMaxMarks)];
    mark.points[0] = position;
    mark.points[1] = position;
    mark.count = 2;
    mark.on_grass = on_grass;
    state = {.mark = count_++, .points = 2, .on_grass = on_grass};
  }

  static constexpr std::int64_t kMaxCount = std::int64_t{1} << 62;

  std::array<SkidMark, kMaxMarks> marks_{};
  std::int64_t count_ = 0;  // number of all marks since the start
  std::array<Wheel, RaceCar::kWheels> wheels_{};
};

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_SKID_MARKS_H_
