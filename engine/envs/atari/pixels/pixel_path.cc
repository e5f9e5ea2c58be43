// See the header.
#include "engine/envs/atari/pixels/pixel_path.h"

#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/vector_unit.h"
#include "engine/envs/atari/pixels/palette.h"

namespace engine::atari {
namespace {

void CheckRange(const char* name, int value, int limit) {
  if (value >= 1 && value <= limit) return;
  throw Error(ErrorKind::kOption, std::string(name) + ": expected an integer in [1, " +
                                      std::to_string(limit) + "], got " + std::to_string(value));
}

const PixelOptions& Checked(const PixelOptions& options) {
  CheckRange("lines", options.lines, PixelPath::kMaxLines);
  CheckRange("height", options.height, PixelPath::kMaxSide);
  CheckRange("width", options.width, PixelPath::kMaxSide);
  return options;
}

PixelTables MakeTables(const PixelOptions& options) {
  const Palette& palette = PaletteOf(options.format);
  PixelTables tables;
  tables.height = options.height;
  tables.width = options.width;
  if (options.grey) {
    tables.levels[0] = &palette.grey;
    tables.lost_levels[0] = &palette.lost_grey;
  } else {
    tables.planes = 3;
    tables.interleaved = options.order == ChannelOrder::kInterleaved;
    tables.levels[0] = &palette.red;
    tables.levels[1] = &palette.green;
    tables.levels[2] = &palette.blue;
    for (const Levels*& lost : tables.lost_levels) lost = &palette.grey;
  }
  FillTables(options.lines, options.interpolation, tables);
  return tables;
}

// Returns the pass of the best kernel, up to `widest`, that supports this processor and these
// sizes. Adds that kernel's shuffles to the tables.
//
// Rejected: a pass with vectors of 64 bytes (AVX-512 with VBMI). It took a third of AVX2's time on
// noise, but the step rate without it was 0.97 to 1.00 of that with it when nothing was done
// between batches, 0.99 with a consumer of 0.1 ms and 1.00 with one of 1 or 10 ms (Pong, 32
// environments in batches of 16 and 8 in order, two threads). On one thread, without a consumer,
// 0.99 (Pong), 0.98 (Breakout, SpaceInvaders) and 0.97 (Seaquest).
PixelPass Prepare([[maybe_unused]] PixelTables& tables, VectorUnit widest) {
  if (widest == VectorUnit::kVectors && Supports(widest)) {
#if defined(__x86_64__)
    if (kAvx2Kernel.prepare(tables)) return kAvx2Kernel.pass;
#elif defined(__aarch64__)
    if (kNeonKernel.prepare(tables)) return kNeonKernel.pass;
#endif
  }
  return kPortableKernel.pass;
}

// Returns the calling thread's working memory, at least `bytes` bytes. The memory grows as needed
// and is freed when the thread ends. It is not on the stack, because the largest sizes exceed the
// stacks of some threads.
std::byte* ScratchBytes(std::size_t bytes) {
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  thread_local std::vector<Line> scratch;
  const std::size_t lines = (bytes + sizeof(Line) - 1) / sizeof(Line);
  if (scratch.size() < lines) scratch.resize(lines);
  return scratch.front().bytes;
}

}  // namespace

bool Supports(VectorUnit unit) {
#if defined(__aarch64__)
  constexpr bool has_vectors = true;
#else
  const bool has_vectors = SupportsAvx2();
#endif
  return unit == VectorUnit::kPortable || has_vectors;
}

PixelPath::PixelPath(const PixelOptions& options, VectorUnit widest)
    : options_(Checked(options)), tables_(MakeTables(options)), pass_(Prepare(tables_, widest)) {}

std::size_t PixelPath::frame_bytes() const {
  return static_cast<std::size_t>(options_.height) * static_cast<std::size_t>(options_.width) *
         (options_.grey ? 1 : 3);
}

void PixelPath::Run(const std::uint8_t* newest, const std::uint8_t* before,
                    std::uint8_t* out) const {
  pass_(tables_, newest, before, out, ScratchBytes(tables_.scratch_bytes));
}

}  // namespace engine::atari
