// Cartridges for tests: programs by hand, random ones, and a game of no rules
// to play them as. One thread at a time.
#ifndef ENGINE_TESTS_ENGINE_ENVS_ATARI_PROGRAMS_H_
#define ENGINE_TESTS_ENGINE_ENVS_ATARI_PROGRAMS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "engine/envs/atari/console/console.h"
#include "engine/envs/atari/console/opcodes.h"

namespace engine::atari::testing {

using Bytes = std::vector<std::uint8_t>;

inline std::size_t RomSize(Mapper mapper) {
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

// A 4 KiB image with the program at 0xF000, or where `start` says; the rest does nothing.
inline Bytes Rom(const Bytes& program, int start = 0xF000) {
  Bytes rom(4096, 0xEA);
  std::copy(program.begin(), program.end(), rom.begin());
  rom[0xFFC] = rom[0xFFE] = static_cast<std::uint8_t>(start);
  rom[0xFFD] = rom[0xFFF] = static_cast<std::uint8_t>(start >> 8);
  return rom;
}

inline bool Jams(std::uint8_t code) { return kOpcodes[code].operation == Operation::kJam; }

// Random bytes without those that halt the processor, with more than their share of writes to the
// zero page, where the TIA is, and of its registers.
inline Bytes LivelyRom(Mapper mapper, std::mt19937& random) {
  Bytes rom(RomSize(mapper));
  for (std::size_t i = 0; i < rom.size(); ++i) {
    constexpr std::uint8_t kStores[] = {0x85, 0x86, 0x84, 0x95, 0x8D, 0x91};
    auto byte = static_cast<std::uint8_t>(random());
    if (random() % 4 == 0) byte = kStores[random() % 6];
    if (random() % 4 == 0) byte = static_cast<std::uint8_t>(random() % 0x30);
    while (Jams(byte)) byte = static_cast<std::uint8_t>(random());
    rom[i] = byte;
  }
  return rom;
}

inline constexpr std::uint8_t kHalt = 0xA7;

// Draws whole frames that depend on memory and on the joystick. Halts when 0x90
// holds kHalt.
inline Bytes DrawingRom() {
  return Rom({0xA9, 0x02,              // F000 LDA #2
              0x85, 0x00,              //      STA VSYNC
              0x85, 0x02, 0x85, 0x02,  //      STA WSYNC, three times
              0x85, 0x02,              //
              0xA9, 0x00,              //      LDA #0
              0x85, 0x00,              //      STA VSYNC
              0xE6, 0x80,              // F00E INC $80
              0xA5, 0x90,              //      LDA $90
              0xC9, 0xA7,              //      CMP #$A7
              0xD0, 0x01,              //      BNE F017
              0x02,                    //      JAM
              0xA5, 0x80,              // F017 LDA $80
              0x6D, 0x80, 0x02,        //      ADC SWCHA
              0x85, 0x81,              //      STA $81
              0xA2, 0x00,              //      LDX #0
              0x85, 0x02,              // F020 STA WSYNC
              0x65, 0x81,              //      ADC $81
              0x85, 0x09,              //      STA COLUBK
              0x85, 0x1B,              //      STA GRP0
              0x85, 0x0F,              //      STA PF2
              0xCA,                    //      DEX
              0xD0, 0xF3,              //      BNE F020
              0x4C, 0x00, 0xF0});      //      JMP F000
}

// A console with the cartridge, switched on.
inline std::unique_ptr<Console> ConsoleWith(Mapper mapper, const Bytes& rom, std::mt19937& random,
                                            const TiaSetup& setup = {}) {
  auto console =
      std::make_unique<Console>(std::make_shared<const Cartridge>(mapper, rom), setup, random);
  console->Reset(random);
  return console;
}

inline ConsoleInputs RandomInputs(std::mt19937& random) {
  ConsoleInputs inputs;
  inputs.riot.port_a = static_cast<std::uint8_t>(random());
  inputs.riot.switches = static_cast<std::uint8_t>(random());
  for (std::int32_t& needed : inputs.tia.charge_cycles) {
    needed = static_cast<std::int32_t>(random() % 20'000) - 2;
  }
  inputs.tia.button_up[0] = random() % 2 == 0;
  inputs.tia.button_up[1] = random() % 2 == 0;
  return inputs;
}

}  // namespace engine::atari::testing

#endif  // ENGINE_TESTS_ENGINE_ENVS_ATARI_PROGRAMS_H_
