// Draws boards of square tiles, for environments whose pictures the engine draws. Immutable; any
// thread.
#ifndef ENGINE_ENVS_TOY_TEXT_BOARD_PICTURE_H_
#define ENGINE_ENVS_TOY_TEXT_BOARD_PICTURE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/env/spec.h"

namespace engine::toy_text {

struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};

class BoardPicture {
 public:
  static constexpr Rgb kLine{200, 200, 200};
  static constexpr Rgb kTile{255, 255, 255};

  BoardPicture(std::int64_t rows, std::int64_t columns)
      : rows_(rows), columns_(columns), side_(SideOf(std::max(rows, columns))) {}

  RenderSpec spec() const {
    return {.height = rows_ * side_, .width = columns_ * side_, .fps = kStepsPerSecond};
  }

  // Fills the picture with the colour of the lines.
  void Clear(std::span<std::uint8_t> rgb) const {
    Fill(rgb, {.bottom = rows_ * side_, .right = columns_ * side_}, kLine);
  }

  // Fills a tile, except the lines above and to the left of it.
  void Tile(std::span<std::uint8_t> rgb, std::int64_t row, std::int64_t column, Rgb colour) const {
    Square(rgb, row, column, side_ > kMinWithLines ? 1 : 0, 0, colour);
  }

  // Fills the middle of a tile; a tile of few pixels is filled completely.
  void Piece(std::span<std::uint8_t> rgb, std::int64_t row, std::int64_t column, Rgb colour) const {
    Square(rgb, row, column, side_ / 4, side_ / 4, colour);
  }

 private:
  struct Area {
    std::int64_t top = 0;
    std::int64_t left = 0;
    std::int64_t bottom = 0;  // exclusive, like `right`
    std::int64_t right = 0;
  };

  // Returns the largest tile side, in pixels, with which the picture stays within kPictureSide; at
  // least 1 and at most kLargestSide.
  static std::int64_t SideOf(std::int64_t tiles) {
    return std::clamp(kPictureSide / tiles, std::int64_t{1}, kLargestSide);
  }

  void Square(std::span<std::uint8_t> rgb, std::int64_t row, std::int64_t column,
              std::int64_t before, std::int64_t behind, Rgb colour) const {
    Fill(rgb,
         {.top = row * side_ + before,
          .left = column * side_ + before,
          .bottom = (row + 1) * side_ - behind,
          .right = (column + 1) * side_ - behind},
         colour);
  }

  void Fill(std::span<std::uint8_t> rgb, const Area& area, Rgb colour) const {
    for (std::int64_t y = area.top; y < area.bottom; ++y) {
      for (std::int64_t x = area.left; x < area.right; ++x) {
        const auto at = static_cast<std::size_t>((y * columns_ * side_ + x) * 3);
        rgb[at] = colour.red;
        rgb[at + 1] = colour.green;
        rgb[at + 2] = colour.blue;
      }
    }
  }

  static constexpr std::int64_t kPictureSide = 512;  // pixels
  static constexpr std::int64_t kLargestSide = 32;
  static constexpr std::int64_t kMinWithLines = 3;
  static constexpr std::int64_t kStepsPerSecond = 4;  // as in Gymnasium

  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t side_;
};

}  // namespace engine::toy_text

#endif  // ENGINE_ENVS_TOY_TEXT_BOARD_PICTURE_H_
