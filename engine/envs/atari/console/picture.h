// The frames of one console as rows of 160 colour numbers (the TIA's own, hue
// and luminance; a palette makes them visible). Two buffers take turns, because
// a frame that ends early shows below its last line what the frame before the
// previous one had there. Used by one thread at a time.
#ifndef ENGINE_ENVS_ATARI_CONSOLE_PICTURE_H_
#define ENGINE_ENVS_ATARI_CONSOLE_PICTURE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace engine::atari {

inline constexpr int kWidth = 160;

class Picture {
 public:
  explicit Picture(int lines)
      : size_(static_cast<std::size_t>(lines) * kWidth),
        pixels_(std::make_unique<std::uint8_t[]>(2 * size_)) {}

  void Clear() { std::memset(pixels_.get(), 0, 2 * size_); }
  void Swap() { second_ = !second_; }

  std::uint8_t* Row(int line) { return current() + static_cast<std::size_t>(line) * kWidth; }
  std::span<const std::uint8_t> pixels() const {
    return {pixels_.get() + (second_ ? size_ : 0), size_};
  }
  std::size_t size() const { return size_; }

  void CopyFrom(const Picture& other) {
    std::memcpy(pixels_.get(), other.pixels_.get(), 2 * size_);
    second_ = other.second_;
  }

 private:
  std::uint8_t* current() { return pixels_.get() + (second_ ? size_ : 0); }

  std::size_t size_;
  bool second_ = false;
  std::unique_ptr<std::uint8_t[]> pixels_;
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_CONSOLE_PICTURE_H_
