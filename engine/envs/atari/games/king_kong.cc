// King Kong (Tigervision, 1982). The game ends when the last life is lost.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::king_kong {
namespace {

constexpr ModeCounter kCounter{.address = 0xEC, .frames = 2, .scale = 2};

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.score = 0;
  progress.terminal = false;
  progress.lives = 3;
}

void Observe(RamView ram, Progress& progress) {
  progress.Score(ram.Bcd(0x83, 0x82));
  progress.lives = ram[0xEE];
  progress.terminal = progress.lives == 0;
}

}  // namespace

extern constinit const Game kKingKong{
    .id = "king_kong",
    .rom_md5 = "0dd4c69b5f9a7ae96a7a08329496779a",
    .hardware = {.mapper = Mapper::k4K, .format = TvFormat::kPal},
    .minimal = {Action::kNoop, Action::kFire, Action::kUp, Action::kRight, Action::kLeft,
                Action::kDown},
    .modes = kRange<4>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = LivesUntilEnd,
};

}  // namespace engine::atari::king_kong
