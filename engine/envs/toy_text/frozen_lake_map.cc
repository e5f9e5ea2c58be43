#include "engine/envs/toy_text/frozen_lake_map.h"

#include <array>
#include <span>

#include "engine/base/error.h"

namespace engine::toy_text {
namespace {

constexpr int kDrawnSize = 8;

std::vector<std::string> MapOfName(const std::string& name) {
  if (name == "4x4") return {"SFFF", "FHFH", "FFFH", "HFFG"};
  return {"SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF",
          "FFFHFFFF", "FHHFFFHF", "FHFFHFHF", "FFFHFFFG"};
}

[[noreturn]] void BadMap(const std::string& expected, const std::string& actual) {
  throw Error(ErrorKind::kOption, "option \"desc\": expected " + expected + ", got " + actual);
}

// Whether the last tile can be reached from the first. Each pass extends the reached tiles by one
// move in all four directions.
bool GoalIsReachable(std::uint64_t holes) {
  constexpr std::uint64_t kFirstColumn = 0x0101010101010101U;
  constexpr std::uint64_t kLastColumn = kFirstColumn << (kDrawnSize - 1);
  constexpr std::uint64_t kGoal = std::uint64_t{1} << 63;
  std::uint64_t reached = 1;
  while (true) {
    const std::uint64_t next = (reached | reached << kDrawnSize | reached >> kDrawnSize |
                                (reached & ~kLastColumn) << 1 | (reached & ~kFirstColumn) >> 1) &
                               ~holes;
    if ((next & kGoal) != 0) return true;
    if (next == reached) return false;
    reached = next;
  }
}

}  // namespace

ParamSchema FrozenLakeMap::Options(const std::string& name) {
  return {
      {.name = "desc",
       .default_value = std::vector<std::string>(),
       .doc = "Map, one string per row: S start, F frozen, H hole, G goal. None uses map_name.",
       .low = {},
       .high = {},
       .none = NonePolicy::kDefault},
      {.name = "map_name",
       .default_value = name,
       .doc = "Name of a map. If it and desc are None, each environment draws an 8x8 map from its "
              "seed.",
       .low = {},
       .high = {},
       .choices = {"4x4", "8x8"},
       .none = NonePolicy::kAccepted}};
}

FrozenLakeMap::FrozenLakeMap(const ParamValues& options) {
  if (!options.Holds<std::monostate>("desc")) {
    rows_ = options.Get<std::vector<std::string>>("desc");
    Check();
    return;
  }
  holes_are_drawn_ = options.Holds<std::monostate>("map_name");
  if (holes_are_drawn_) {
    rows_.assign(kDrawnSize, std::string(kDrawnSize, 'F'));
    rows_.front().front() = 'S';
    rows_.back().back() = 'G';
  } else {
    rows_ = MapOfName(options.Get<std::string>("map_name"));
  }
}

void FrozenLakeMap::Check() const {
  if (rows_.empty()) BadMap("at least one row", "none");
  bool has_start = false;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const std::string where = "row " + std::to_string(row);
    if (rows_[row].empty()) BadMap("at least one tile in " + where, "none");
    for (std::size_t column = 0; column < rows_[row].size(); ++column) {
      const char letter = rows_[row][column];
      if (std::string("SFHG").find(letter) == std::string::npos) {
        const std::string got = letter >= ' ' && letter <= '~'
                                    ? std::string("'") + letter + "'"
                                    : "byte " + std::to_string(static_cast<unsigned char>(letter));
        BadMap("tiles of S, F, H and G",
               got + " in " + where + ", column " + std::to_string(column));
      }
      has_start = has_start || letter == 'S';
    }
    if (rows_[row].size() != rows_[0].size()) {
      BadMap("rows of one length (" + std::to_string(rows_[0].size()) + ", as row 0)",
             std::to_string(rows_[row].size()) + " in " + where);
    }
    if ((row + 1) * rows_[0].size() > kMaxTiles) {
      BadMap("at most " + std::to_string(kMaxTiles) + " tiles",
             std::to_string(rows_.size()) + " rows of " + std::to_string(rows_[0].size()));
    }
  }
  if (!has_start) BadMap("a tile S, where episodes start", "none");
}

std::uint64_t DrawFrozenLakeHoles(std::uint64_t seed) {
  constexpr double kFrozen = 0.8;
  constexpr std::array<double, 2> kChances = {kFrozen, 1.0 - kFrozen};  // frozen tile, hole
  constexpr std::uint64_t kStartAndGoal = std::uint64_t{1} << 63 | 1;
  Rng rng(seed);
  while (true) {
    std::uint64_t holes = 0;
    for (int tile = 0; tile < kDrawnSize * kDrawnSize; ++tile) {
      holes |= static_cast<std::uint64_t>(rng.Choice(kChances)) << tile;
    }
    holes &= ~kStartAndGoal;
    if (GoalIsReachable(holes)) return holes;
  }
}

}  // namespace engine::toy_text
