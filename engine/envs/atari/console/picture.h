// The frames of one console as rows of 160 colour numbers (the TIA's own, hue
// and luminance; a palette makes them visible). Two buffers take turns, because
// a frame that ends early shows below its last line what the frame before the
// previous one had there. The second one can be done without (see Console): it
// takes memory only after a Swap(). Used by one thread at a time.
#ifndef ENGINE_ENVS_ATARI_CONSOLE_PICTURE_H_
#define ENGINE_ENVS_ATARI_CONSOLE_PICTURE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace engine::atari {

inline constexpr int kWidth = 160;

class Picture {
 public:
  // Blank.
  explicit Picture(int lines)
      : size_(static_cast<std::size_t>(lines) * kWidth),
        front_(std::make_unique<std::uint8_t[]>(size_)) {}

  // Both buffers, the other one by doing without it.
  void Clear() {
    ClearFront();
    DropBack();
  }
  void ClearFront() { std::memset(front_.get(), 0, size_); }
  // The buffers change places; one that has no memory yet is blank.
  void Swap() {
    if (back_ == nullptr) back_ = std::make_unique<std::uint8_t[]>(size_);
    std::swap(front_, back_);
  }
  bool has_back() const { return back_ != nullptr; }
  void DropBack() { back_.reset(); }

  std::uint8_t* Row(int line) { return front_.get() + static_cast<std::size_t>(line) * kWidth; }
  std::span<const std::uint8_t> pixels() const { return {front_.get(), size_}; }
  std::size_t size() const { return size_; }

  // A picture with as many lines.
  void CopyFrom(const Picture& other) {
    std::memcpy(front_.get(), other.front_.get(), size_);
    if (other.back_ == nullptr) {
      DropBack();
    } else {
      if (back_ == nullptr) back_ = std::make_unique<std::uint8_t[]>(size_);
      std::memcpy(back_.get(), other.back_.get(), size_);
    }
  }

 private:
  std::size_t size_;
  std::unique_ptr<std::uint8_t[]> front_;
  std::unique_ptr<std::uint8_t[]> back_;
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_CONSOLE_PICTURE_H_
