// The pass with vectors of 32 bytes, for processors with AVX2.
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/emulators/atari2600/picture.h"
#include "engine/envs/atari/pixels/pixel_tables.h"

// All code below, including templates, is compiled for AVX2; the headers above are not. No header
// may be included below if other files include it too.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#include "engine/envs/atari/pixels/avx2_vectors.h"
#include "engine/envs/atari/pixels/pixel_pass.h"

namespace engine::atari {

constinit const PixelKernel kAvx2Kernel{&Avx2Vectors::Prepare, &MakeFrame<Avx2Vectors>};

}  // namespace engine::atari

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
