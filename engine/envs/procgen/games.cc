// See the header. Which game has which mode, and the levels of the mode "exploration", are those of
// procgen 0.10.7.
#include "engine/envs/procgen/games.h"

#include <algorithm>

namespace engine::procgen {
namespace {

constexpr Mode kEasy{"easy", 0};
constexpr Mode kHard{"hard", 1};
constexpr Mode kExtreme{"extreme", 2};
constexpr Mode kMemory{"memory", 10};
// The library has no such mode: it is one level of the mode "hard".
constexpr Mode kExploration{"exploration", kHard.number};

constexpr Game kGames[] = {
    {.name = "bigfish"},
    {.name = "bossfight"},
    {.name = "caveflyer", .has_memory = true, .exploration_level = 1'259'048'185},
    {.name = "chaser", .has_extreme = true},
    {.name = "climber", .exploration_level = 1'561'126'160},
    {.name = "coinrun", .exploration_level = 1'949'448'038},
    {.name = "dodgeball", .has_extreme = true, .has_memory = true},
    {.name = "fruitbot"},
    {.name = "heist", .has_memory = true, .exploration_level = 876'640'971},
    {.name = "jumper", .has_memory = true, .exploration_level = 1'434'825'276},
    {.name = "leaper", .has_extreme = true, .exploration_level = 1'318'677'581},
    {.name = "maze", .has_memory = true, .exploration_level = 158'988'835},
    {.name = "miner", .has_memory = true},
    {.name = "ninja", .exploration_level = 1'123'500'215},
    {.name = "plunder"},
    {.name = "starpilot", .has_extreme = true},
};

}  // namespace

std::vector<Mode> Game::Modes() const {
  std::vector<Mode> modes = {kEasy, kHard};
  if (has_extreme) modes.push_back(kExtreme);
  if (has_memory) modes.push_back(kMemory);
  if (exploration_level != 0) modes.push_back(kExploration);
  return modes;
}

const Game& FindGame(std::string_view name) {
  return *std::ranges::find(kGames, name, &Game::name);
}

}  // namespace engine::procgen
