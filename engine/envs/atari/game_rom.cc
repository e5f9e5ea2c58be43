// See the header.
#include "engine/envs/atari/game_rom.h"

#include "engine/base/error.h"
#include "engine/emulators/atari2600/console.h"
#include "engine/envs/atari/controls.h"

namespace engine::atari {
namespace {

// ale-py draws all random content of a console from one generator with this seed.
constexpr std::uint32_t kPowerOnSeed = 4753849;

atari2600::TiaSetup SetupFor(const Hardware& hardware, TvFormat format) {
  const bool pal = format == TvFormat::kPal;
  atari2600::TiaSetup setup;
  setup.first_line = hardware.first_line;
  setup.lines = PictureLines(hardware, format);
  setup.max_lines = pal ? 342 : 290;
  setup.hmove_blanks = hardware.hmove_blanks;
  setup.color_loss = pal;
  return setup;
}

// Runs the program for 60 frames, and detects its television standard from the lengths of the last
// 30 frames.
TvFormat Detect(atari2600::Console& console) {
  int long_frames = 0;
  for (int frame = 0; frame < 60; ++frame) {
    console.RunFrame();
    if (frame >= 30 && console.scanline() > 285) ++long_frames;
  }
  return long_frames >= 15 ? TvFormat::kPal : TvFormat::kNtsc;
}

}  // namespace

GameRom::GameRom(const Game& game, std::span<const std::uint8_t> image)
    : game_(&game), random_(kPowerOnSeed) {
  if (const std::string digest = Md5(image); digest != game.rom_md5) {
    throw Error(ErrorKind::kInput, "rom: expected the image of " + std::string(game.id) +
                                       " with MD5 " + std::string(game.rom_md5) + ", got " +
                                       std::to_string(image.size()) + " bytes with MD5 " + digest);
  }
  cartridge_ = std::make_shared<const atari2600::Cartridge>(game.hardware.mapper, image);
  atari2600::Console console(cartridge_, SetupFor(game.hardware, TvFormat::kNtsc), random_);
  console.inputs() = PowerOnInputs(game.hardware);
  console.Reset(random_);
  format_ = Detect(console);
  console.Reset(SetupFor(game.hardware, format_), random_);
  state_ = console.state();
}

}  // namespace engine::atari
