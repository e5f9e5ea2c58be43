// Klax (Atari, 1990). The game ends when too many tiles have been missed, the bin is full, or the
// level counter is at 99. Score, level and variant are in the cartridge's memory.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::klax {
namespace {

constexpr std::array kStart{Action::kFire, Action::kNoop};
constexpr int kBin = 0xB3;  // address of its first place
constexpr int kPlaces = 25;
constexpr int kPlaying = 4;  // value of the phase's byte
constexpr int kLastLevel = 0x99;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

bool BinIsFull(RamView ram) {
  for (int place = 0; place < kPlaces; ++place) {
    const int tile = ram[kBin + place];
    // 0: no tile. The other values fill the free places while the bonus is counted.
    if (tile == 0 || tile == 2 || tile == 6 || tile == 10 || tile == 14) return false;
  }
  return true;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.CartridgeBcd(0xB4, 0xB5, 0xB6));
  const int missed = ram.Cartridge(0xEE);
  const int max_missed = ram.Cartridge(0xE9);  // 0 until a game begins
  const bool dropped_out = max_missed > 0 && missed == max_missed;
  const bool playing = ram[0xA8] == kPlaying;
  progress.terminal =
      dropped_out || (playing && BinIsFull(ram)) || ram.Cartridge(0x9D) == kLastLevel;
}

void Select(int mode, ModeDriver& driver, Progress&) {
  driver.SelectUntil(mode, 2, [](RamView ram) { return ram.Cartridge(0xEA); });
  driver.SoftReset();
}

}  // namespace

extern constinit const Game kKlax{
    .id = "klax",
    .rom_md5 = "eed9eaf1a0b6a2b9bc4c8032cb43e3fb",
    .hardware = {.mapper = Mapper::kF6SC, .format = TvFormat::kPal},
    .start = kStart,
    .modes = kRange<3>,
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::klax
