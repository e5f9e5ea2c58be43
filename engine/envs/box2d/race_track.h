// A random closed road for CarRacing, as Gymnasium 1.4.0 generates it: with the same random draws
// and the same float64 arithmetic, including the functions of the C library, so that roads are
// bit-equal.
#ifndef ENGINE_ENVS_BOX2D_RACE_TRACK_H_
#define ENGINE_ENVS_BOX2D_RACE_TRACK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/rng.h"

namespace engine::box2d {

inline constexpr double kTrackScale = 6.0;
inline constexpr double kPlayfield = 2000.0 / kTrackScale;  // m, half the side of the playfield
inline constexpr double kTrackWidth = 40.0 / kTrackScale;   // m, half the width of the road
inline constexpr double kTrackStep = 21.0 / kTrackScale;    // m, length of a tile

inline double SignOf(double value) { return value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : 0.0; }

struct TrackPoint {
  double x = 0.0;  // m
  double y = 0.0;
};
using TrackQuad = std::array<TrackPoint, 4>;

// A tile of the road, or a piece of the red and white border in a sharp bend.
struct RoadPiece {
  enum class Kind : std::uint8_t { kTile, kWhiteBorder, kRedBorder };

  TrackQuad corners;
  Kind kind = Kind::kTile;
  float reach = 0.0f;  // m, from the first corner to the farthest corner
};

// A point in the middle of the road, and the direction across the road.
struct TrackNode {
  double alpha = 0.0;  // rad, position angle from the centre of the playfield
  double beta = 0.0;   // rad, direction across the road
  double x = 0.0;      // m
  double y = 0.0;
};

class RaceTrack {
 public:
  // Generates roads until one is closed, at most `kMaxTries` times. Throws Error{kInternal} if none
  // is closed.
  void Generate(Rng& rng);

  // Allocates memory for roads of `tiles` tiles.
  void Reserve(std::size_t tiles) {
    nodes_.reserve(kMaxNodes);
    pieces_.reserve(2 * tiles);
    borders_.reserve(tiles);
  }

  // The nodes in the order of the tiles. Empty after Load.
  const std::vector<TrackNode>& nodes() const { return nodes_; }
  // The pieces in the order in which they are drawn. The tiles among them have the order of the
  // nodes.
  const std::vector<RoadPiece>& pieces() const { return pieces_; }

  // Writes the complete state (engine/env/state.h has such writers and readers).
  template <class Writer>
  void Save(Writer& state) const {
    state.PutAll(std::span(pieces_));
  }
  template <class Reader>
  void Load(Reader& state) {
    pieces_ = state.template GetVector<RoadPiece>();
  }

 private:
  static constexpr int kCheckpoints = 12;
  static constexpr int kMaxTries = 10000;
  static constexpr int kMaxNodes = 2500;

  struct Checkpoint {
    double alpha;
    TrackPoint at;
  };
  bool TryGenerate(Rng& rng);
  void PlaceCheckpoints(Rng& rng);
  void LayRoad();
  const Checkpoint& NextCheckpoint(double& alpha, int& target) const;
  bool CutOneLap();
  void FindBorders();
  void AddTile(std::size_t i, bool has_border);
  void AddPiece(const TrackQuad& corners, RoadPiece::Kind kind);

  std::array<Checkpoint, kCheckpoints> checkpoints_{};
  std::vector<TrackNode> nodes_;
  std::vector<RoadPiece> pieces_;
  std::vector<std::uint8_t> borders_;  // by node; used only while a road is generated
};

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_RACE_TRACK_H_
