// The picture of CarRacing: the road about the car from above, indicators and the score, as
// Gymnasium 1.4.0 draws it with pygame-ce 2.5, equal to the pixel.
#ifndef ENGINE_ENVS_BOX2D_RACE_PICTURE_H_
#define ENGINE_ENVS_BOX2D_RACE_PICTURE_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/envs/box2d/pixel_surface.h"
#include "engine/envs/box2d/race_car.h"
#include "engine/envs/box2d/race_traces.h"
#include "engine/envs/box2d/race_track.h"
#include "engine/physics2d/world.h"

namespace engine::box2d {

struct RaceColors {
  Rgb road{102, 102, 102};
  std::array<Rgb, 3> tiles{{{102, 102, 102}, {104, 104, 104}, {107, 107, 107}}};  // not touched yet
  Rgb background{102, 204, 102};
  Rgb grass{102, 230, 102};
};

// All that a picture depends on; what it points to outlives the call.
struct RaceScene {
  const std::vector<RoadPiece>* pieces;
  const std::vector<std::uint8_t>* touched;  // by tile: the car has been on it
  const RaceColors* colors;
  const RaceCar* car;
  const physics2d::World* world;
  const RaceTraces* traces;  // of the wheels; null: they are not drawn
  double time;               // since the reset, s
  double score;
};

// 96 x 96 pixels.
inline constexpr int kRaceObservationSize = 96;
void DrawRaceObservation(const RaceScene& scene, std::uint8_t* rgb);

// For render().
inline constexpr int kRaceVideoWidth = 600;
inline constexpr int kRaceVideoHeight = 400;
void DrawRaceVideo(const RaceScene& scene, std::uint8_t* rgb);

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_RACE_PICTURE_H_
