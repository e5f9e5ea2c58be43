#include "engine/envs/box2d/race_track.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "engine/base/error.h"

namespace engine::box2d {
namespace {

constexpr double kHalfTurn = std::numbers::pi;
constexpr double kRoadRadius = 900.0 / kTrackScale;  // m, of the area of the road
constexpr double kTurnRate = 0.31;                   // rad, largest turn from tile to tile
constexpr double kBorderWidth = 8.0 / kTrackScale;   // m
constexpr int kBorderTiles = 4;                      // sharp turns in one direction, for a border
constexpr int kLaps = 5;
constexpr double kStartAlpha = 2.0 * kHalfTurn * -0.5 / 12.0;

TrackPoint Across(const TrackNode& node, double distance) {
  return {node.x + distance * std::cos(node.beta), node.y + distance * std::sin(node.beta)};
}

}  // namespace

void RaceTrack::Generate(Rng& rng) {
  for (int i = 0; i < kMaxTries; ++i) {
    if (TryGenerate(rng)) return;
  }
  throw Error(ErrorKind::kInternal,
              "CarRacing: no road closed in " + std::to_string(kMaxTries) + " tries");
}

bool RaceTrack::TryGenerate(Rng& rng) {
  PlaceCheckpoints(rng);
  LayRoad();
  if (!CutOneLap()) return false;
  FindBorders();
  pieces_.clear();
  for (std::size_t i = 0; i < nodes_.size(); ++i) AddTile(i, borders_[i] != 0);
  return true;
}

void RaceTrack::PlaceCheckpoints(Rng& rng) {
  for (int i = 0; i < kCheckpoints; ++i) {
    const double noise = rng.Uniform(0.0, 2.0 * kHalfTurn * 1.0 / kCheckpoints);
    double alpha = 2.0 * kHalfTurn * i / kCheckpoints + noise;
    double radius = rng.Uniform(kRoadRadius / 3.0, kRoadRadius);
    if (i == 0) {
      alpha = 0.0;
      radius = 1.5 * kRoadRadius;
    }
    if (i == kCheckpoints - 1) {
      alpha = 2.0 * kHalfTurn * i / kCheckpoints;
      radius = 1.5 * kRoadRadius;
    }
    checkpoints_[static_cast<std::size_t>(i)] = {
        alpha, {radius * std::cos(alpha), radius * std::sin(alpha)}};
  }
}

// Lays several laps from checkpoint to checkpoint, because the first lap is not closed.
void RaceTrack::LayRoad() {
  nodes_.clear();
  TrackPoint at{1.5 * kRoadRadius, 0.0};
  double beta = 0.0;
  int target = 0;
  int laps = 0;
  bool on_other_side = false;
  while (laps < kLaps && nodes_.size() < kMaxNodes) {
    double alpha = std::atan2(at.y, at.x);
    if (on_other_side && alpha > 0.0) {
      ++laps;
      on_other_side = false;
    }
    if (alpha < 0.0) {
      on_other_side = true;
      alpha += 2.0 * kHalfTurn;
    }
    const TrackPoint goal = NextCheckpoint(alpha, target).at;
    const double across_x = std::cos(beta);
    const double across_y = std::sin(beta);
    const double to_the_side = across_x * (goal.x - at.x) + across_y * (goal.y - at.y);
    while (beta - alpha > 1.5 * kHalfTurn) beta -= 2.0 * kHalfTurn;
    while (beta - alpha < -1.5 * kHalfTurn) beta += 2.0 * kHalfTurn;
    const double turned_from = beta;
    const double off = to_the_side * kTrackScale;
    const double turn = std::min(kTurnRate, std::abs(0.001 * off));
    if (off > 0.3) beta -= turn;
    if (off < -0.3) beta += turn;
    at.x += -across_y * kTrackStep;
    at.y += across_x * kTrackStep;
    nodes_.push_back({alpha, turned_from * 0.5 + beta * 0.5, at.x, at.y});
  }
}

// Returns the first checkpoint from `target` on that is not behind the angle `alpha`. If there is
// none, subtracts a whole turn from `alpha` and searches again.
const RaceTrack::Checkpoint& RaceTrack::NextCheckpoint(double& alpha, int& target) const {
  while (true) {
    do {
      const Checkpoint& checkpoint = checkpoints_[static_cast<std::size_t>(target % kCheckpoints)];
      if (alpha <= checkpoint.alpha) return checkpoint;
      ++target;
    } while (target % kCheckpoints != 0);
    alpha -= 2.0 * kHalfTurn;
  }
}

// Keeps the last whole lap. Returns false if there is no whole lap, or if its ends do not meet.
bool RaceTrack::CutOneLap() {
  std::size_t end = 0;
  std::size_t begin = 0;
  for (std::size_t i = nodes_.size() - 1; i > 0 && begin == 0; --i) {
    if (!(nodes_[i].alpha > kStartAlpha && nodes_[i - 1].alpha <= kStartAlpha)) continue;
    (end == 0 ? end : begin) = i;
  }
  if (begin == 0) return false;
  nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(end) - 1, nodes_.end());
  nodes_.erase(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(begin));
  // Gymnasium would raise an IndexError for such a short lap. No seed with such a lap is known.
  if (nodes_.size() < kBorderTiles) return false;
  const TrackNode& first = nodes_.front();
  const TrackNode& last = nodes_.back();
  const double gap_x = std::cos(first.beta) * (first.x - last.x);
  const double gap_y = std::sin(first.beta) * (first.y - last.y);
  return !(std::sqrt(gap_x * gap_x + gap_y * gap_y) > kTrackStep);
}

void RaceTrack::FindBorders() {
  const std::size_t n = nodes_.size();
  const auto before = [n](std::size_t i, int steps) {
    return (i + n - static_cast<std::size_t>(steps)) % n;
  };
  borders_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    bool sharp = true;
    double direction = 0.0;
    for (int k = 0; k < kBorderTiles; ++k) {
      const double turn = nodes_[before(i, k)].beta - nodes_[before(i, k + 1)].beta;
      sharp = sharp && std::abs(turn) > kTurnRate * 0.2;
      direction += SignOf(turn);
    }
    borders_[i] = sharp && std::abs(direction) == kBorderTiles;
  }
  // This loop changes the array that it reads, as in the reference. Borders at the end of the lap
  // may therefore depend on borders at its start.
  for (std::size_t i = 0; i < n; ++i) {
    for (int k = 0; k < kBorderTiles; ++k) {
      if (borders_[i] != 0) borders_[before(i, k)] = 1;
    }
  }
}

void RaceTrack::AddTile(std::size_t i, bool has_border) {
  const TrackNode& to = nodes_[i];
  const TrackNode& from = nodes_[i == 0 ? nodes_.size() - 1 : i - 1];
  AddPiece({Across(to, -kTrackWidth), Across(to, kTrackWidth), Across(from, kTrackWidth),
            Across(from, -kTrackWidth)},
           RoadPiece::Kind::kTile);
  if (!has_border) return;
  const double side = SignOf(from.beta - to.beta);
  const double inner = side * kTrackWidth;
  const double outer = side * (kTrackWidth + kBorderWidth);
  AddPiece({Across(to, inner), Across(to, outer), Across(from, outer), Across(from, inner)},
           i % 2 == 0 ? RoadPiece::Kind::kWhiteBorder : RoadPiece::Kind::kRedBorder);
}

// A piece may have any length, because the gap between the ends of a lap is limited only in one
// direction.
void RaceTrack::AddPiece(const TrackQuad& corners, RoadPiece::Kind kind) {
  double reach = 0.0;
  for (const TrackPoint& corner : corners) {
    reach = std::max(reach, std::hypot(corner.x - corners[0].x, corner.y - corners[0].y));
  }
  pieces_.push_back({.corners = corners, .kind = kind, .reach = static_cast<float>(reach) + 0.01f});
}

}  // namespace engine::box2d
