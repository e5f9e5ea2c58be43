// Double Dunk (Atari, 1989). The player plays basketball; the score is the player's lead. The game
// ends when one side has 24 points or more and the last play is over. Variants are selected in
// a menu.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::double_dunk {
namespace {

constexpr std::array<Action, 1> kStart{Action::kUpFire};  // leaves the menu

struct Option {
  int mode_bit;
  int memory_bit;  // in the byte of all options
};
// In the menu's order: three-pointers, ten seconds, three seconds, fouls.
constexpr std::array<Option, 4> kOptions{{{1, 0x08}, {2, 0x10}, {4, 0x04}, {8, 0x20}}};

void NextEntry(ModeDriver& driver) {
  constexpr int kEntry = 0xB0;
  const int here = driver.ram()[kEntry];
  driver.ActUntil({Action::kDown, Action::kNoop},
                  [here](RamView ram) { return ram[kEntry] != here; });
}

// Right switches an option on and left switches it off.
void Choose(const Option& option, bool on, ModeDriver& driver) {
  driver.ActUntil({on ? Action::kRight : Action::kLeft, Action::kNoop}, [&option, on](RamView ram) {
    return ((ram[0x80] & option.memory_bit) != 0) == on;
  });
}

void Select(int mode, ModeDriver& driver, Progress&) {
  driver.PressSelect(1);
  NextEntry(driver);  // the first two entries are not part of the mode
  for (const Option& option : kOptions) {
    NextEntry(driver);
    Choose(option, (mode & option.mode_bit) != 0, driver);
  }
  driver.SoftReset();
  driver.Play(Action::kUpFire);
  driver.Play(Action::kNoop);
}

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  const int ours = ram.Bcd(0xF6);
  const int theirs = ram.Bcd(0xF7);
  progress.Score(ours - theirs);
  // The score alone does not show the end. Byte 0xFE, which is scratch memory, shows when the last
  // play is over.
  progress.terminal = (ours >= 24 || theirs >= 24) && ram[0xFE] == 0xE7;
}

}  // namespace

extern constinit const Game kDoubleDunk{
    .id = "double_dunk",
    .rom_md5 = "368d88a6c071caba60b4f778615aae94",
    .hardware = {.mapper = Mapper::kF6},
    .start = kStart,
    .modes = kRange<16>,
    .select = Select,
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::double_dunk
