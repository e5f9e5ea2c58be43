// The hardware for one cartridge: its mapper, the controllers, the positions of the switches, and
// the visible part of the picture. The values for each game are those of ale-py 0.12.1. Plain data,
// any thread.
#ifndef ENGINE_ENVS_ATARI_HARDWARE_H_
#define ENGINE_ENVS_ATARI_HARDWARE_H_

#include <cstdint>

#include "engine/emulators/atari2600/mapper.h"

namespace engine::atari {

using atari2600::Mapper;

enum class Controller : std::uint8_t { kJoystick, kPaddles };

enum class TvFormat : std::uint8_t { kNtsc, kPal };

struct Hardware {
  Mapper mapper = Mapper::k4K;
  Controller left = Controller::kJoystick;
  Controller right = Controller::kJoystick;
  bool swap_ports = false;         // the controller in the left port acts as the right one
  bool swap_paddles = false;       // the two paddles of a port are exchanged
  bool left_difficulty_a = false;  // the difficulty switches are at A until they are set
  bool right_difficulty_a = false;
  // The television standard for which the program draws. GameRom detects the same one; this value
  // is for use without a ROM.
  TvFormat format = TvFormat::kNtsc;
  int first_line = 34;       // the scanline that is the picture's first row
  int lines = 210;           // rows of the picture, but see PictureLines()
  bool hmove_blanks = true;  // HMOVE blanks the first eight pixels of its line
  int paddle_max = 790196;   // resistance at a paddle's far end, ohms
};

// Returns the rows of the picture: hardware.lines, but for PAL kUsualPalLines in place of the
// default.
constexpr int PictureLines(const Hardware& hardware, TvFormat format) {
  constexpr int kUsualPalLines = 250;
  const bool usual = hardware.lines == Hardware{}.lines;
  return usual && format == TvFormat::kPal ? kUsualPalLines : hardware.lines;
}

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_HARDWARE_H_
