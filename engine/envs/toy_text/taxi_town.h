// The 5 by 5 town of Taxi with its walls and its four taxi stands, and the states of the taxi and
// the passenger. Immutable after construction.
#ifndef ENGINE_ENVS_TOY_TEXT_TAXI_TOWN_H_
#define ENGINE_ENVS_TOY_TEXT_TAXI_TOWN_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace engine::toy_text {

// Places are numbered row by row from the north-west corner.
class TaxiTown {
 public:
  static constexpr std::int32_t kSide = 5;
  static constexpr std::int32_t kNumPlaces = kSide * kSide;
  static constexpr std::size_t kNumHeadings = 4;  // south, north, east, west
  static constexpr std::int32_t kNumStands = 4;   // red, green, yellow, blue
  static constexpr std::int32_t kNoStand = -1;

  TaxiTown() {
    for (std::int32_t index = 0; index < kNumPlaces; ++index) {
      Place& place = places_[static_cast<std::size_t>(index)];
      for (std::size_t heading = 0; heading < kNumHeadings; ++heading) {
        // The taxi slips to a side only if it could move ahead.
        const bool open = IsOpen(index, heading);
        place.open[heading] = open ? 1 : 0;
        for (std::size_t outcome = 0; outcome < 3; ++outcome) {
          const std::size_t actual = kSlipsTo[heading][outcome];
          const bool goes = open && IsOpen(index, actual);
          place.moves[heading][outcome] = goes ? index + kStep[actual] : index;
        }
      }
    }
    constexpr std::size_t kStands[kNumStands] = {0, 4, 20, 23};
    for (std::int32_t stand = 0; stand < kNumStands; ++stand) {
      places_[kStands[stand]].stand = stand;
    }
  }

  // Returns the place where a taxi with this heading ends. Outcome 0 is ahead, 1 is left, 2 is
  // right.
  std::int32_t Move(std::int32_t place, std::size_t heading, std::size_t outcome) const {
    return At(place).moves[heading][outcome];
  }
  // Indexed by heading: 0 if a wall or the edge of the town is ahead, otherwise 1.
  const std::array<std::int8_t, kNumHeadings>& OpenHeadings(std::int32_t place) const {
    return At(place).open;
  }
  // The stand at this place, or kNoStand.
  std::int32_t StandAt(std::int32_t place) const { return At(place).stand; }

 private:
  enum Heading : std::uint8_t { kSouth, kNorth, kEast, kWest };

  struct Place {
    std::array<std::array<std::int32_t, 3>, kNumHeadings> moves{};
    std::array<std::int8_t, kNumHeadings> open{};
    std::int32_t stand = kNoStand;
  };

  static bool IsOpen(std::int32_t place, std::size_t heading) {
    const std::int32_t row = place / kSide;
    const std::int32_t column = place % kSide;
    switch (heading) {
      case kSouth:
        return row < kSide - 1;
      case kNorth:
        return row > 0;
      case kEast:
        return column < kSide - 1 && !HasWallInTheEast(row, column);
      default:
        return column > 0 && !HasWallInTheEast(row, column - 1);
    }
  }

  const Place& At(std::int32_t place) const { return places_[static_cast<std::size_t>(place)]; }

  static constexpr std::int32_t kStep[kNumHeadings] = {kSide, -kSide, 1, -1};
  static constexpr std::uint8_t kSlipsTo[kNumHeadings][3] = {{kSouth, kEast, kWest},
                                                             {kNorth, kWest, kEast},
                                                             {kEast, kNorth, kSouth},
                                                             {kWest, kSouth, kNorth}};

  static bool HasWallInTheEast(std::int32_t row, std::int32_t column) {
    if (row < 2) return column == 1;
    return row > 2 && (column == 0 || column == 2);
  }

  std::array<Place, kNumPlaces> places_{};
};

struct TaxiState {
  static constexpr std::int32_t kInTaxi = TaxiTown::kNumStands;
  static constexpr std::int32_t kCount =
      TaxiTown::kNumPlaces * (TaxiTown::kNumStands + 1) * TaxiTown::kNumStands;

  TaxiState() = default;
  explicit TaxiState(std::int32_t index)
      : taxi(index / (kCount / TaxiTown::kNumPlaces)),
        passenger(index / TaxiTown::kNumStands % (TaxiTown::kNumStands + 1)),
        destination(index % TaxiTown::kNumStands) {}

  std::int32_t Index() const {
    return (taxi * (TaxiTown::kNumStands + 1) + passenger) * TaxiTown::kNumStands + destination;
  }
  bool InTaxi() const { return passenger == kInTaxi; }

  // The states in which the passenger waits at a stand that is not the destination.
  static std::vector<std::int32_t> Starts() {
    std::vector<std::int32_t> starts;
    for (std::int32_t index = 0; index < kCount; ++index) {
      const TaxiState state(index);
      if (!state.InTaxi() && state.passenger != state.destination) starts.push_back(index);
    }
    return starts;
  }

  std::int32_t taxi = 0;         // place of the taxi
  std::int32_t passenger = 0;    // stand where the passenger waits, or kInTaxi
  std::int32_t destination = 0;  // a stand
};

}  // namespace engine::toy_text

#endif  // ENGINE_ENVS_TOY_TEXT_TAXI_TOWN_H_
