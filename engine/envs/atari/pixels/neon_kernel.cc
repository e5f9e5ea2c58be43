// The pass with vectors of 16 bytes, which every ARM processor of 64 bits has.
#if defined(__aarch64__)
#include "engine/envs/atari/pixels/neon_vectors.h"
#include "engine/envs/atari/pixels/pixel_pass.h"

namespace engine::atari {

constinit const PixelKernel kNeonKernel{&NeonVectors::Prepare, &MakeFrame<NeonVectors>};

}  // namespace engine::atari
#endif
