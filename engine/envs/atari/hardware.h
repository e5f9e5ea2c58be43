// What is plugged into the console for one cartridge: its mapper, the
// controllers and the switches it expects, and the part of the picture that is
// shown. The values per game are facts of the cartridges, as ale-py 0.12.1 uses
// them. Plain data, any thread.
#ifndef ENGINE_ENVS_ATARI_HARDWARE_H_
#define ENGINE_ENVS_ATARI_HARDWARE_H_

#include <cstdint>

namespace engine::atari {

// How a cartridge with more than 4 KiB shows its banks to the processor.
enum class Mapper : std::uint8_t { k2K, k4K, kF8, kF8SC, kF6, kF6SC, kE0, kFE, kDPC };
inline constexpr Mapper kAllMappers[] = {Mapper::k2K,   Mapper::k4K, Mapper::kF8,
                                         Mapper::kF8SC, Mapper::kF6, Mapper::kF6SC,
                                         Mapper::kE0,   Mapper::kFE, Mapper::kDPC};

enum class Controller : std::uint8_t { kJoystick, kPaddles };

enum class TvFormat : std::uint8_t { kNtsc, kPal };

struct Hardware {
  Mapper mapper = Mapper::k4K;
  Controller left = Controller::kJoystick;
  Controller right = Controller::kJoystick;
  bool swap_ports = false;         // what is plugged into the left port acts as the right one
  bool swap_paddles = false;       // the two paddles of a port trade places
  bool left_difficulty_a = false;  // the console's difficulty switches until a player sets them
  bool right_difficulty_a = false;
  TvFormat format = TvFormat::kNtsc;
  int first_line = 34;       // the scanline that is the picture's first row
  int lines = 210;           // rows of the picture
  bool hmove_blanks = true;  // HMOVE blanks the first eight pixels of its line
  int paddle_max = 790196;   // resistance at a paddle's far end, ohms
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_HARDWARE_H_
