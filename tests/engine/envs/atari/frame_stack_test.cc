// The ring of frames: the order in which it returns frames, and its first frames.
#include "engine/envs/atari/frame_stack.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/engine/harness.h"

namespace engine::atari::testing {
namespace frame_stack_test {

using Bytes = std::vector<std::uint8_t>;

void PushFrame(FrameStack& stack, std::uint8_t value) {
  std::uint8_t* const frame = stack.Push();
  for (std::size_t i = 0; i < stack.frame_bytes(); ++i) {
    frame[i] = static_cast<std::uint8_t>(value + i);
  }
}

Bytes Copy(const FrameStack& stack, std::size_t frames) {
  Bytes out(frames * stack.frame_bytes());
  stack.CopyTo(out.data());
  return out;
}

TEST(FrameStack, TheOldestComesFirst) {
  FrameStack stack(3, 2);
  PushFrame(stack, 10);
  stack.PadWithNewest();
  EXPECT_TRUE(Copy(stack, 3) == (Bytes{10, 11, 10, 11, 10, 11}));
  PushFrame(stack, 20);
  EXPECT_TRUE(Copy(stack, 3) == (Bytes{10, 11, 10, 11, 20, 21}));
  PushFrame(stack, 30);
  PushFrame(stack, 40);
  EXPECT_TRUE(Copy(stack, 3) == (Bytes{20, 21, 30, 31, 40, 41}));
  PushFrame(stack, 50);
  EXPECT_TRUE(Copy(stack, 3) == (Bytes{30, 31, 40, 41, 50, 51}));
}

TEST(FrameStack, BlanksBeforeTheNewest) {
  FrameStack stack(3, 2);
  for (std::uint8_t value = 1; value <= 4; ++value) PushFrame(stack, value);
  stack.PadWithBlanks();
  EXPECT_TRUE(Copy(stack, 3) == (Bytes{0, 0, 0, 0, 4, 5}));
}

TEST(FrameStack, TheNewestOnceMore) {
  FrameStack stack(2, 3);
  PushFrame(stack, 1);
  PushFrame(stack, 9);
  stack.Repeat();
  EXPECT_TRUE(Copy(stack, 2) == (Bytes{9, 10, 11, 9, 10, 11}));
}

TEST(FrameStack, OfOneFrame) {
  FrameStack stack(1, 2);
  PushFrame(stack, 1);
  stack.PadWithNewest();
  stack.PadWithBlanks();
  stack.Repeat();
  EXPECT_TRUE(Copy(stack, 1) == (Bytes{1, 2}));
  PushFrame(stack, 5);
  EXPECT_TRUE(Copy(stack, 1) == (Bytes{5, 6}));
}

}  // namespace frame_stack_test
}  // namespace engine::atari::testing
