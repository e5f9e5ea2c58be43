#include "engine/emulators/atari2600/cartridge.h"

#include <string>

#include "engine/base/error.h"
#include "engine/emulators/atari2600/machine.h"

namespace engine::atari2600 {

std::string_view MapperName(Mapper mapper) {
  constexpr std::string_view kNames[] = {"2K", "4K", "F8", "F8SC", "F6", "F6SC", "E0", "FE", "DPC"};
  return kNames[static_cast<std::size_t>(mapper)];
}

namespace {

// The size of an image: the program, and for DPC the graphics after it.
std::size_t SizeOf(Mapper mapper) {
  switch (mapper) {
    case Mapper::k2K:
      return 2048;
    case Mapper::k4K:
      return 4096;
    case Mapper::kF6:
    case Mapper::kF6SC:
      return 16384;
    case Mapper::kDPC:
      return 10240;
    default:
      return 8192;
  }
}

}  // namespace

Cartridge::Cartridge(Mapper mapper, std::span<const std::uint8_t> image)
    : mapper_(mapper), rom_(image.begin(), image.end()) {
  const std::size_t size = SizeOf(mapper);
  // Dumps of the DPC cartridge may have up to 256 more bytes, of unknown meaning.
  const std::size_t max_size = mapper == Mapper::kDPC ? size + 256 : size;
  if (rom_.size() < size || rom_.size() > max_size) {
    throw Error(ErrorKind::kInput, "rom: expected " + std::to_string(size) + " bytes for a " +
                                       std::string(MapperName(mapper)) + " cartridge, got " +
                                       std::to_string(rom_.size()));
  }
  rom_.resize(size);
  if (mapper == Mapper::k2K) rom_.insert(rom_.end(), image.begin(), image.end());
  program_ = WithMapper(mapper, [this]<Mapper kMapper>() { return DecodeMachine<kMapper>(*this); });
}

int Cartridge::ram_size() const {
  return mapper_ == Mapper::kF8SC || mapper_ == Mapper::kF6SC ? 128 : 0;
}

}  // namespace engine::atari2600
