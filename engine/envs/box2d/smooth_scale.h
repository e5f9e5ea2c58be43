// Scales a PixelSurface down by area averages, as transform.smoothscale of pygame-ce 2.5 does on
// x86-64: first along x, then along y, in 16-bit fixed point with the rounding of its SSE2 code.
#ifndef ENGINE_ENVS_BOX2D_SMOOTH_SCALE_H_
#define ENGINE_ENVS_BOX2D_SMOOTH_SCALE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "engine/base/vector_unit.h"
#include "engine/envs/box2d/pixel_surface.h"

namespace engine::box2d {

// The pixels whose average is one pixel of the result, along one axis: a part of `begin`, all
// pixels between, and a part of `end`. `begin` may be the `end` of the previous tap.
struct ScaleTap {
  int begin = 0;
  int end = 0;
  std::uint32_t begin_weight = 0;  // in 1 / 16384
  std::uint32_t end_weight = 0;
  int whole_begin = 0;  // the first pixel that counts fully
  // A mask of 16 bytes from `begin` on: 255 for the bytes up to and including `end`, otherwise 0.
  std::array<std::uint8_t, 16> mask{};
  // The same for the pixels that count fully.
  std::array<std::uint8_t, 16> whole_mask{};
};

// Scales one axis from `from` pixels to `to` pixels. Requires to < from.
class ScaleAxis {
 public:
  ScaleAxis(int from, int to);

  int size() const { return static_cast<int>(taps_.size()); }
  const ScaleTap& tap(int i) const { return taps_[static_cast<std::size_t>(i)]; }
  std::uint32_t reciprocal() const { return reciprocal_; }
  // Returns the results of tap i if all its pixels have one value, by this value.
  const std::uint8_t* Uniform(int i) const { return &uniform_[static_cast<std::size_t>(i) * 256]; }

 private:
  std::vector<ScaleTap> taps_;
  std::uint32_t reciprocal_;  // 65536 / (source pixels per result pixel)
  std::vector<std::uint8_t> uniform_;
};

class SmoothScale {
 public:
  // `wide`: whether vectors of 32 bytes are used. The result is the same.
  SmoothScale(int width, int height, bool wide = SupportsAvx2())
      : columns_(PixelSurface::kWidth, width),
        rows_(PixelSurface::kHeight, height),
        wide_(wide && SupportsAvx2()) {}

  // Writes rows of RGB, in total height * width * 3 bytes.
  void Scale(const PixelSurface& surface, std::uint8_t* rgb) const;

 private:
  void ScalePortably(const PixelSurface& surface, std::uint8_t* rgb) const;

  ScaleAxis columns_;
  ScaleAxis rows_;
  bool wide_;
};

#if defined(__x86_64__)
void ScaleWithAvx2(const PixelSurface& surface, const ScaleAxis& columns, const ScaleAxis& rows,
                   std::uint8_t* rgb);
#endif

}  // namespace engine::box2d

#endif  // ENGINE_ENVS_BOX2D_SMOOTH_SCALE_H_
