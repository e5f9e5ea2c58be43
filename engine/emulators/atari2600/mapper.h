// The mappers: how a cartridge with more than 4 KiB maps its banks into the processor's address
// space. Plain data, any thread.
#ifndef ENGINE_EMULATORS_ATARI2600_MAPPER_H_
#define ENGINE_EMULATORS_ATARI2600_MAPPER_H_

#include <cstdint>

namespace engine::atari2600 {

enum class Mapper : std::uint8_t { k2K, k4K, kF8, kF8SC, kF6, kF6SC, kE0, kFE, kDPC };
inline constexpr Mapper kAllMappers[] = {Mapper::k2K,   Mapper::k4K, Mapper::kF8,
                                         Mapper::kF8SC, Mapper::kF6, Mapper::kF6SC,
                                         Mapper::kE0,   Mapper::kFE, Mapper::kDPC};

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_MAPPER_H_
