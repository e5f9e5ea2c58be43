// The latest frames of one environment, in a ring: a step writes one frame in place, and an
// observation copies all of them in order. Used by one thread at a time.
#ifndef ENGINE_ENVS_ATARI_FRAME_STACK_H_
#define ENGINE_ENVS_ATARI_FRAME_STACK_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "engine/env/state.h"

namespace engine::atari {

class FrameStack {
 public:
  FrameStack(int frames, std::size_t frame_bytes)
      : frames_(static_cast<std::size_t>(frames)),
        frame_bytes_(frame_bytes),
        bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(frames_ * frame_bytes)) {}

  std::size_t frame_bytes() const { return frame_bytes_; }

  // Replaces the oldest frame by a new one and returns the new frame's memory: frame_bytes() bytes,
  // all of which the caller writes.
  std::uint8_t* Push() {
    newest_ = newest_ + 1 == frames_ ? 0 : newest_ + 1;
    return Frame(newest_);
  }
  // Adds a copy of the newest frame.
  void Repeat() {
    const std::uint8_t* const newest = Frame(newest_);
    std::uint8_t* const pushed = Push();
    if (pushed != newest) std::memcpy(pushed, newest, frame_bytes_);
  }
  // Copies the newest frame to all others.
  void PadWithNewest() {
    for (std::size_t i = 0; i < frames_; ++i) {
      if (i != newest_) std::memcpy(Frame(i), Frame(newest_), frame_bytes_);
    }
  }
  // Sets all frames except the newest to zero.
  void PadWithBlanks() {
    for (std::size_t i = 0; i < frames_; ++i) {
      if (i != newest_) std::memset(Frame(i), 0, frame_bytes_);
    }
  }

  void Save(StateWriter& state) const {
    state.Put(static_cast<std::uint64_t>(newest_));
    state.PutAll(std::span<const std::uint8_t>(bytes_.get(), frames_ * frame_bytes_));
  }
  void Load(StateReader& state) {
    newest_ = static_cast<std::size_t>(state.Get<std::uint64_t>() % frames_);
    state.GetAll(std::span(bytes_.get(), frames_ * frame_bytes_));
  }

  // Copies all frames, the oldest first.
  void CopyTo(std::uint8_t* out) const {
    const std::size_t oldest = newest_ + 1;
    const std::size_t tail = (frames_ - oldest) * frame_bytes_;
    std::memcpy(out, bytes_.get() + oldest * frame_bytes_, tail);
    std::memcpy(out + tail, bytes_.get(), oldest * frame_bytes_);
  }

 private:
  std::uint8_t* Frame(std::size_t i) { return bytes_.get() + i * frame_bytes_; }

  std::size_t frames_;
  std::size_t frame_bytes_;
  std::size_t newest_ = 0;
  std::unique_ptr<std::uint8_t[]> bytes_;
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_FRAME_STACK_H_
