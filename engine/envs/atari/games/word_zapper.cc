// Word Zapper (US Games, 1982). The player completes three words, each worth one point. The game
// ends with the third word, at the time limit, or when an asteroid sets the time left to zero.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::word_zapper {
namespace {

constexpr ModeCounter kCounter{.address = 0xDB, .frames = 2};

// The button has no effect during the title, which takes eight seconds.
constexpr auto kStart = [] {
  std::array<Action, 489> actions{};
  actions[486] = Action::kFire;
  return actions;
}();

constexpr int kWords = 3;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
}

void Observe(RamView ram, Progress& progress) {
  const int clock = ram.Bcd(0xCF);
  if (clock == 0) return;  // the game is paused: all values stay, even the reward
  // The number of words after this one; negative after the last word.
  const auto words_left = static_cast<std::int8_t>(ram[0xDC]);
  progress.Score(kWords - 1 - words_left);
  const int time_left = ram.Bcd(0xDE);  // an asteroid sets it to zero
  progress.terminal = progress.score == kWords || time_left == 0;
}

}  // namespace

extern constinit const Game kWordZapper{
    .id = "word_zapper",
    .rom_md5 = "ec3beb6d8b5689e867bafb5d5f507491",
    .hardware = {.mapper = Mapper::k4K},
    .start = kStart,
    .modes = kRange<24>,
    .difficulties = kRange<4>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = OneUntilEnd,
};

}  // namespace engine::atari::word_zapper
