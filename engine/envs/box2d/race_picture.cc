#include "engine/envs/box2d/race_picture.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "engine/envs/box2d/score_font.h"
#include "engine/envs/box2d/smooth_scale.h"

namespace engine::box2d {
namespace {

using physics2d::Body;
using physics2d::Vec2;

constexpr double kViewX = PixelSurface::kWidth;
constexpr double kViewY = PixelSurface::kHeight;
constexpr double kZoom = 2.7;
constexpr double kGrassSize = kPlayfield / 20.0;  // m, side of a patch of grass
// The largest diagonal of a drawn polygon, in pixels.
const double kGreatestSize = kGrassSize * std::sqrt(2.0) * kZoom * kTrackScale;
constexpr double kGreatestReach = 782.0;  // pixels, from the car to a corner of the picture
constexpr int kBarHeight = 100;           // pixels, height of the bar with the indicators

enum ColorNumber : std::uint8_t {
  kBlack,
  kBackground,
  kGrass,
  kTile,  // and the next two numbers
  kWhite = kTile + 3,
  kRed,
  kHullColor,
  kWheelMark,
  kBlue,
  kViolet,
  kGreen,
  kMud,
};

// Maps metres to pixels by a rotation, a scaling and a shift. Like pygame's Vector2.rotate_rad, it
// does not compute the sine and the cosine near right angles.
class Camera {
 public:
  Camera(const Body& hull, double time) {
    Turn(-static_cast<double>(hull.angle()));
    zoom_ =
        0.1 * kTrackScale * std::max(1.0 - time, 0.0) + kZoom * kTrackScale * std::min(time, 1.0);
    hull_ = {static_cast<double>(hull.position().x), static_cast<double>(hull.position().y)};
    const TrackPoint scroll = Rotate({-hull_.x * zoom_, -hull_.y * zoom_});
    shift_ = {kViewX / 2.0 + scroll.x, kViewY / 4.0 + scroll.y};
  }

  // Whether everything visible is within the square from -bound to bound (m).
  bool IsWithin(double bound) const {
    const double reach = (kGreatestReach + 4.0) / zoom_;
    return std::abs(hull_.x) + reach < bound && std::abs(hull_.y) + reach < bound;
  }
  TrackPoint At(TrackPoint point) const {
    const TrackPoint turned = Rotate(point);
    return {turned.x * zoom_ + shift_.x, turned.y * zoom_ + shift_.y};
  }
  // Returns false only if nothing within `reach` (m) of `point` is visible.
  bool MaySee(TrackPoint point, double reach) const {
    const TrackPoint at = At(point);
    const double margin = reach * zoom_ + 4.0;
    return at.x >= -margin && at.x <= kViewX + margin && at.y >= kBarHeight - margin &&
           at.y <= kViewY + margin;
  }

 private:
  void Turn(double angle) {
    constexpr double kTurn = 2.0 * std::numbers::pi;
    constexpr double kQuarter = std::numbers::pi / 2.0;
    constexpr double kEpsilon = 1e-6;
    angle = std::fmod(angle, kTurn);
    if (angle < 0.0) angle += kTurn;
    if (std::fmod(angle + kEpsilon, kQuarter) < 2.0 * kEpsilon) {
      quarters_ = static_cast<int>((angle + kEpsilon) / kQuarter) % 4;
      return;
    }
    sine_ = std::sin(angle);
    cosine_ = std::cos(angle);
  }
  TrackPoint Rotate(TrackPoint p) const {
    switch (quarters_) {
      case 0:
        return p;
      case 1:
        return {-p.y, p.x};
      case 2:
        return {-p.x, -p.y};
      case 3:
        return {p.y, -p.x};
      default:
        return {cosine_ * p.x - sine_ * p.y, sine_ * p.x + cosine_ * p.y};
    }
  }

  int quarters_ = -1;  // number of right angles, or -1 for any other angle
  double sine_ = 0.0;
  double cosine_ = 1.0;
  double zoom_ = 1.0;  // pixels per metre
  TrackPoint shift_;   // pixels
  TrackPoint hull_;    // m
};

// Coordinates beyond those of any point of a playfield with the car on it are cut off, so that the
// integers of PixelSurface do not overflow. Of NaN: -kFarthest.
int ToPixel(double value) {
  constexpr double kFarthest = 16384.0;
  return static_cast<int>(!(value > -kFarthest) ? -kFarthest
                          : value < kFarthest   ? value
                                                : kFarthest);
}
Pixel ToPixel(TrackPoint point) { return {ToPixel(point.x), ToPixel(point.y)}; }

TrackPoint Widen(Vec2 v) { return {static_cast<double>(v.x), static_cast<double>(v.y)}; }

void SetColors(const RaceColors& colors, PixelSurface& surface) {
  surface.SetColor(kBlack, {});
  surface.SetColor(kBackground, colors.background);
  surface.SetColor(kGrass, colors.grass);
  for (std::uint8_t i = 0; i < 3; ++i)
    surface.SetColor(static_cast<std::uint8_t>(kTile + i), colors.tiles[i]);
  surface.SetColor(kWhite, {255, 255, 255});
  surface.SetColor(kRed, {255, 0, 0});
  surface.SetColor(kHullColor, {204, 0, 0});
  surface.SetColor(kWheelMark, {77, 77, 77});
  surface.SetColor(kBlue, {0, 0, 255});
  surface.SetColor(kViolet, {51, 0, 255});
  surface.SetColor(kGreen, {0, 255, 0});
  surface.SetColor(kMud, {102, 102, 0});
}

// Draws a polygon of the ground. Skips it if it is far out of view, as the reference does.
void DrawQuad(const TrackQuad& quad, std::uint8_t color, bool always, const Camera& camera,
              PixelSurface& surface) {
  std::array<Pixel, 4> corners;
  bool near = always;
  for (std::size_t i = 0; i < 4; ++i) {
    const TrackPoint at = camera.At(quad[i]);
    near = near || (-kGreatestSize <= at.x && at.x <= kViewX + kGreatestSize &&
                    -kGreatestSize <= at.y && at.y <= kViewY + kGreatestSize);
    corners[i] = ToPixel(at);
  }
  if (!near) return;
  surface.DrawAntialiasedOutline(corners, color);
  surface.FillPolygon(corners, color);
}

void DrawGround(const Camera& camera, PixelSurface& surface) {
  // The reference always draws the whole field. If the view is well within the field, nothing else
  // is visible.
  if (camera.IsWithin(kPlayfield)) {
    surface.Clear(kBackground);
  } else {
    surface.Clear(kBlack);
    constexpr double b = kPlayfield;
    DrawQuad({{{b, b}, {b, -b}, {-b, -b}, {-b, b}}}, kBackground, true, camera, surface);
  }
  constexpr double g = kGrassSize;
  for (int i = -20; i < 20; i += 2) {
    for (int j = -20; j < 20; j += 2) {
      const double x = g * i;
      const double y = g * j;
      if (!camera.MaySee({x, y}, 1.5 * g)) continue;
      DrawQuad({{{x + g, y + 0.0}, {x + 0.0, y + 0.0}, {x + 0.0, y + g}, {x + g, y + g}}}, kGrass,
               false, camera, surface);
    }
  }
}

void DrawRoad(const RaceScene& scene, const Camera& camera, PixelSurface& surface) {
  std::size_t tile = 0;
  for (const RoadPiece& piece : *scene.pieces) {
    std::uint8_t color = piece.kind == RoadPiece::Kind::kWhiteBorder ? kWhite : kRed;
    if (piece.kind == RoadPiece::Kind::kTile) {
      // Tile number 0 has the color of the road.
      color = static_cast<std::uint8_t>(kTile + ((*scene.touched)[tile] != 0 ? 0 : tile % 3));
      ++tile;
    }
    if (camera.MaySee(piece.corners[0], static_cast<double>(piece.reach))) {
      DrawQuad(piece.corners, color, false, camera, surface);
    }
  }
}

void DrawShape(std::span<const Vec2> vertices, const Body& body, std::uint8_t color,
               const Camera& camera, PixelSurface& surface) {
  std::array<Pixel, physics2d::kMaxPolygonVertices> corners;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    corners[i] = ToPixel(camera.At(Widen(Apply(body.transform, vertices[i]))));
  }
  surface.DrawPolygon({corners.data(), vertices.size()}, color);
}

// Draws the mark on the tread of a wheel, while it is on the upper side.
void DrawWheelMark(const RaceWheel& wheel, const Body& body, const Camera& camera,
                   PixelSurface& surface) {
  const double begin = wheel.phase;
  const double end = wheel.phase + 1.2;
  const double sine1 = std::sin(begin);
  const double sine2 = std::sin(end);
  double cosine1 = std::cos(begin);
  double cosine2 = std::cos(end);
  if (sine1 > 0.0 && sine2 > 0.0) return;
  if (sine1 > 0.0) cosine1 = SignOf(cosine1);
  if (sine2 > 0.0) cosine2 = SignOf(cosine2);
  constexpr double kHalf = RaceCar::kWheelWidth * RaceCar::kSize;
  const auto y1 = static_cast<float>(RaceCar::kWheelRadius * cosine1 * RaceCar::kSize);
  const auto y2 = static_cast<float>(RaceCar::kWheelRadius * cosine2 * RaceCar::kSize);
  const auto x = static_cast<float>(kHalf);
  const std::array<Vec2, 4> mark{{{-x, y1}, {x, y1}, {x, y2}, {-x, y2}}};
  DrawShape(mark, body, kWheelMark, camera, surface);
}

void DrawCar(const RaceScene& scene, const Camera& camera, PixelSurface& surface) {
  const physics2d::World& world = *scene.world;
  const auto draw_body = [&](physics2d::BodyId id, std::uint8_t color) {
    const Body& body = world.body(id);
    for (physics2d::FixtureId f = body.first_fixture; f != physics2d::kNone;
         f = world.fixture(f).next) {
      DrawShape(world.fixture(f).shape.Vertices(), body, color, camera, surface);
    }
  };
  for (const RaceWheel& wheel : scene.car->wheels()) {
    draw_body(wheel.body, kBlack);
    DrawWheelMark(wheel, world.body(wheel.body), camera, surface);
  }
  draw_body(scene.car->hull(), kHullColor);
}

void DrawSkidMarks(const SkidMarks& marks, const Camera& camera, PixelSurface& surface) {
  marks.ForEach([&](const SkidMark& mark) {
    std::array<Pixel, SkidMark::kMaxPoints> points;
    const auto count = static_cast<std::size_t>(mark.count);
    for (std::size_t i = 0; i < count; ++i) points[i] = ToPixel(camera.At(Widen(mark.points[i])));
    surface.DrawLines({points.data(), count}, mark.on_grass ? kMud : kBlack);
  });
}

class Indicators {
 public:
  explicit Indicators(PixelSurface& surface) : surface_(surface) {
    Fill({{{kViewX, kViewY},
           {kViewX, kViewY - 5.0 * kRow},
           {0.0, kViewY - 5.0 * kRow},
           {0.0, kViewY}}},
         kBlack);
  }

  // If `value` is not near 0, draws a bar of `length` rows or columns.
  void Vertical(double place, double value, double length, std::uint8_t color) {
    if (!(std::abs(value) > 1e-4)) return;
    const double top = kViewY - (kRow + kRow * length);
    const double bottom = kViewY - kRow;
    Fill({{{place * kColumn, top},
           {(place + 1.0) * kColumn, top},
           {(place + 1.0) * kColumn, bottom},
           {(place + 0.0) * kColumn, bottom}}},
         color);
  }
  void Horizontal(double place, double value, double length, std::uint8_t color) {
    if (!(std::abs(value) > 1e-4)) return;
    const double top = kViewY - 4.0 * kRow;
    const double bottom = kViewY - 2.0 * kRow;
    Fill({{{(place + 0.0) * kColumn, top},
           {(place + length) * kColumn, top},
           {(place + length) * kColumn, bottom},
           {(place + 0.0) * kColumn, bottom}}},
         color);
  }

 private:
  static constexpr double kColumn = kViewX / 40.0;  // pixels
  static constexpr double kRow = kViewY / 40.0;

  void Fill(const TrackQuad& quad, std::uint8_t color) {
    std::array<Pixel, 4> corners;
    std::transform(quad.begin(), quad.end(), corners.begin(),
                   [](TrackPoint point) { return ToPixel(point); });
    surface_.DrawPolygon(corners, color);
  }

  PixelSurface& surface_;
};

void DrawIndicators(const RaceScene& scene, PixelSurface& surface) {
  Indicators indicators(surface);
  const Body& hull = scene.world->body(scene.car->hull());
  const auto& wheels = scene.car->wheels();
  const TrackPoint velocity = Widen(hull.velocity);
  const double speed = std::sqrt(velocity.x * velocity.x + velocity.y * velocity.y);
  indicators.Vertical(5.0, speed, 0.02 * speed, kWhite);
  constexpr std::array<std::uint8_t, RaceCar::kWheels> kColors{kBlue, kBlue, kViolet, kViolet};
  for (std::size_t i = 0; i < RaceCar::kWheels; ++i) {
    const double omega = wheels[i].omega;
    indicators.Vertical(7.0 + static_cast<double>(i), omega, 0.01 * omega, kColors[i]);
  }
  const auto steering = static_cast<double>(scene.world->JointAngle(wheels[0].joint));
  indicators.Horizontal(20.0, steering, -10.0 * steering, kGreen);
  const auto spin = static_cast<double>(hull.angular_velocity);
  indicators.Horizontal(30.0, spin, -0.8 * spin, kRed);
}

void DrawScene(const RaceScene& scene, PixelSurface& surface) {
  SetColors(*scene.colors, surface);
  surface.SetUpwards(true);
  // The bar covers the lowest rows.
  surface.SetDrawnRows(kBarHeight, PixelSurface::kHeight - 1);
  const Camera camera(scene.world->body(scene.car->hull()), scene.time);
  DrawGround(camera, surface);
  DrawRoad(scene, camera, surface);
  if (scene.marks != nullptr) DrawSkidMarks(*scene.marks, camera, surface);
  DrawCar(scene, camera, surface);
  surface.SetUpwards(false);
  surface.SetDrawnRows(0, PixelSurface::kHeight - 1);
  DrawIndicators(scene, surface);
  DrawScore(scene.score, 60, 750, surface, kBlack);
}

// One surface per thread, because a surface is large and keeps nothing between pictures.
PixelSurface& ScratchSurface() {
  thread_local const std::unique_ptr<PixelSurface> surface = std::make_unique<PixelSurface>();
  return *surface;
}

}  // namespace

void DrawRaceObservation(const RaceScene& scene, std::uint8_t* rgb) {
  static const SmoothScale scale(kRaceObservationSize, kRaceObservationSize);
  PixelSurface& surface = ScratchSurface();
  DrawScene(scene, surface);
  scale.Scale(surface, rgb);
}

void DrawRaceVideo(const RaceScene& scene, std::uint8_t* rgb) {
  static const SmoothScale scale(kRaceVideoWidth, kRaceVideoHeight);
  PixelSurface& surface = ScratchSurface();
  DrawScene(scene, surface);
  scale.Scale(surface, rgb);
}

}  // namespace engine::box2d
