// From the console's pictures to the frames that an agent learns from, in one
// pass: colours made visible, the maximum over two pictures, grey or colour,
// another size. The values are those of ale-py's getScreenGrayscale or
// getScreenRGB, np.maximum and cv2.resize, to the bit. Immutable: one is shared
// by all environments of a pool, on any threads at once.
#ifndef ENGINE_ENVS_ATARI_PIXELS_PIXEL_PATH_H_
#define ENGINE_ENVS_ATARI_PIXELS_PIXEL_PATH_H_

#include <cstddef>
#include <cstdint>

#include "engine/envs/atari/hardware.h"
#include "engine/envs/atari/pixels/pixel_tables.h"
#include "engine/envs/atari/pixels/resize_plan.h"

namespace engine::atari {

// Where the three values of a pixel lie.
enum class ChannelOrder : std::uint8_t {
  kInterleaved,  // (height, width, 3)
  kPlanar,       // (3, height, width)
};

struct PixelOptions {
  int lines = 210;  // rows of the console's picture, in [1, kMaxLines]
  TvFormat format = TvFormat::kNtsc;
  bool grey = true;  // one value a pixel, not three
  int height = 84;   // of a frame, in [1, kMaxSide]
  int width = 84;    // likewise
  Interpolation interpolation = Interpolation::kArea;
  ChannelOrder order = ChannelOrder::kInterleaved;  // of three values
};

// What a pass is written for; all of them give the same.
enum class VectorUnit : std::uint8_t { kPortable, kAvx2 };

// Whether this processor has it.
bool Supports(VectorUnit unit);

class PixelPath {
 public:
  static constexpr int kMaxLines = kMaxPictureLines;
  static constexpr int kMaxSide = kMaxFrameSide;

  // With the best pass that this processor has, `most` being the best one considered.
  // Throws Error{kOption}: a number out of its range.
  explicit PixelPath(const PixelOptions& options, VectorUnit most = VectorUnit::kAvx2);

  const PixelOptions& options() const { return options_; }
  std::size_t frame_bytes() const;

  // `newest`: a picture, lines x 160 colour numbers. `before`: the one to take the maximum with,
  // value by value, or null. Writes frame_bytes() bytes. A thread's first frame of a size allocates
  // what it needs to work on; the others allocate nothing.
  void Run(const std::uint8_t* newest, const std::uint8_t* before, std::uint8_t* out) const;

 private:
  PixelOptions options_;
  PixelTables tables_;
  PixelPass pass_;
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_PIXELS_PIXEL_PATH_H_
