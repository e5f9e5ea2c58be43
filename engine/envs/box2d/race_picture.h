// The picture of CarRacing: the road around the car from above, the indicators and the score. It
// equals the picture that Gymnasium 1.4.0 draws with pygame-ce 2.5.
#ifndef ENGINE_ENVS_BOX2D_RACE_PICTURE_H_
#define ENGINE_ENVS_BOX2D_RACE_PICTURE_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/envs/box2d/pixel_surface.h"
#include "engine/envs/box2d/race_car.h"
#include "engine/envs/box2d/race_track.h"
#include "engine/envs/box2d/skid_marks.h"
#include "engine/physics2d/world.h"

namespace engine::box2d {

struct RaceColors {
  Rgb road{102, 102, 102};
  std::array<Rgb, 3> tiles{{{102, 102, 102}, {104, 104, 104}, {107, 107, 107}}};  // before a touch
  Rgb background{102, 204, 102};
  Rgb grass{102, 230, 102};
};

// All data that a picture depends on. The objects that the pointers refer to must outlive the call.
struct RaceScene {
  const std::vector<RoadPiece>* pieces;
  const std::vector<std::uint8_t>* touched;  // by tile: whether the car has touched it
  const RaceColors* colors;
  const RaceCar* car;
  const physics2d::World* world;
  const SkidMarks* marks;  // null: not drawn
  double time;             // since the reset, s
  double score;
};

// Writes a picture of 96 x 96 pixels, row by row in RGB.
inline constexpr int kRaceObservationSize = 96;
void DrawRaceObservation(const RaceScene& scene, std::uint8_t* rgb);

// The picture of render(), row by row in RGB.
inline constexpr int kRaceVideoWidth = 600;
inline constexpr int kRaceVideoHeight = 400;
void DrawRaceVideo(const RaceScene& scene, std::uint8_t* rgb);

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_RACE_PICTURE_H_
