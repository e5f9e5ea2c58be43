// Tennis (Activision, 1981). The player plays one set, and the game ends with it. The reward of a
// frame is the change of the player's lead in games or, if that is 0, of the lead in points.
#include "engine/envs/atari/games/game.h"

namespace engine::atari::tennis {
namespace {

constexpr ModeCounter kCounter{.address = 0x80, .frames = 2};

// Indices in Progress::memory of our lead in games and in points.
constexpr int kGamesLead = 0;
constexpr int kPointsLead = 1;

void Begin(Progress& progress) {
  progress.reward = 0;
  progress.terminal = false;
  progress.memory[kGamesLead] = 0;
  progress.memory[kPointsLead] = 0;
}

void Observe(RamView ram, Progress& progress) {
  const int our_games = ram[0xC7];
  const int their_games = ram[0xC8];
  const int games = our_games - their_games;
  const int points = ram[0xC5] - ram[0xC6];
  const int games_gained = games - progress.memory[kGamesLead];
  const int points_gained = points - progress.memory[kPointsLead];
  // The points return to zero at the end of a game, so the change of points does not count then.
  progress.reward = games_gained != 0 ? games_gained : points_gained;
  progress.memory[kGamesLead] = games;
  progress.memory[kPointsLead] = points;
  progress.terminal = (our_games >= 6 && games >= 2) || (their_games >= 6 && games <= -2) ||
                      our_games == 7 || their_games == 7;
}

}  // namespace

extern constinit const Game kTennis{
    .id = "tennis",
    .rom_md5 = "42cdd6a9e42a3639e190722b8ea3fc51",
    .hardware = {.mapper = Mapper::k2K},
    .modes = kRange<2, 2>,
    .difficulties = kRange<4>,
    .counter = &kCounter,
    .begin = Begin,
    .observe = Observe,
    .lives = NoLives,
};

}  // namespace engine::atari::tennis
