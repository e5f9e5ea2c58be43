// Cartridges for tests: handwritten programs, random programs, and a game without rules that runs
// them. Not thread-safe.
#ifndef ENGINE_TESTS_ENGINE_EMULATORS_ATARI2600_PROGRAMS_H_
#define ENGINE_TESTS_ENGINE_EMULATORS_ATARI2600_PROGRAMS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "engine/emulators/atari2600/console.h"
#include "engine/emulators/atari2600/opcodes.h"

namespace engine::atari2600::testing {

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

// A 4 KiB image with the program at `start` and NOP everywhere else.
inline Bytes Rom(const Bytes& program, int start = 0xF000) {
  Bytes rom(4096, 0xEA);
  std::copy(program.begin(), program.end(), rom.begin());
  rom[0xFFC] = rom[0xFFE] = static_cast<std::uint8_t>(start);
  rom[0xFFD] = rom[0xFFF] = static_cast<std::uint8_t>(start >> 8);
  return rom;
}

inline bool Jams(std::uint8_t code) { return kOpcodes[code].operation == Operation::kJam; }

// Random bytes without the opcodes that halt the processor. Writes to the zero page, where the TIA
// is, and addresses of TIA registers are more frequent than by chance.
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

// Random instructions that are typical of games: loads, sums, shifts, tests, tables, pointers,
// flags for the stack and short branches, mostly on memory. They often form the sequences that the
// interpreter runs together.
inline Bytes BusyRom(Mapper mapper, std::mt19937& random) {
  constexpr std::uint8_t kCodes[] = {0x08, 0x0A, 0x10, 0x18, 0x25, 0x29, 0x30, 0x31, 0x38, 0x45,
                                     0x4A, 0x65, 0x69, 0x85, 0x88, 0x8A, 0x90, 0x9A, 0xA0, 0xA2,
                                     0xA4, 0xA5, 0xA6, 0xA8, 0xA9, 0xAA, 0xB0, 0xB1, 0xB5, 0xB9,
                                     0xBD, 0xC0, 0xC4, 0xC5, 0xC6, 0xC8, 0xC9, 0xCA, 0xD0, 0xE0,
                                     0xE4, 0xE5, 0xE8, 0xE9, 0xEA, 0xF0};
  Bytes rom(RomSize(mapper));
  const auto byte = [&random](unsigned modulus) {
    return static_cast<std::uint8_t>(random() % modulus);
  };
  std::uint8_t before = 0;
  for (std::size_t i = 0; i + 3 < rom.size();) {
    std::uint8_t code = kCodes[byte(sizeof(kCodes))];
    if (byte(4) == 0) code = before;                        // a run of one opcode
    if (byte(12) == 0) code = byte(2) == 0 ? 0x38 : 0xE5;   // a subtraction
    if (byte(40) == 0) code = 0x4C;                         // JMP
    if (byte(200) == 0) code = byte(2) == 0 ? 0xF8 : 0xD8;  // SED or CLD
    before = code;
    const Mode mode = kOpcodes[code].mode;
    rom[i] = code;
    if (mode == Mode::kRelative) {
      rom[i + 1] = static_cast<std::uint8_t>(byte(3) == 0 ? 0 - byte(12) : byte(9));
    } else if (mode == Mode::kImmediate) {
      rom[i + 1] = byte(256);
    } else if (Length(mode) == 2) {
      rom[i + 1] = static_cast<std::uint8_t>(byte(6) == 0 ? byte(0x30) : 0x80 + byte(0x80));
    } else if (Length(mode) == 3) {
      rom[i + 1] = byte(256);
      rom[i + 2] = static_cast<std::uint8_t>(byte(4) == 0 && code != 0x4C ? 0 : 0xF0 + byte(16));
    }
    i += static_cast<std::size_t>(Length(mode));
  }
  for (std::size_t bank = 4096; bank <= rom.size(); bank += 4096) {
    for (const std::size_t vector : {bank - 4, bank - 2}) {
      rom[vector] = byte(256);
      rom[vector + 1] = static_cast<std::uint8_t>(0xF0 + byte(15));
    }
  }
  return rom;
}

inline constexpr std::uint8_t kHalt = 0xA7;

// Draws whole frames that depend on memory and on the joystick. Halts when RAM[0x90] is kHalt.
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

// A console with the cartridge, after power-on.
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

}  // namespace engine::atari2600::testing

#endif  // ENGINE_TESTS_ENGINE_EMULATORS_ATARI2600_PROGRAMS_H_
