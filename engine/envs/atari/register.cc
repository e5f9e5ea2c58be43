// The tasks of the Atari family: two ids for every game. Both classes have the game as an option,
// which the id sets.
#include "engine/envs/atari/register.h"

#include <cstdint>
#include <string>
#include <utility>

#include "engine/envs/atari/ale_env.h"
#include "engine/envs/atari/games/game_table.h"
#include "engine/envs/atari/preprocessed_env.h"

namespace engine::atari {
namespace {

// The step limit of `Pong-v5`: half an hour of play with four frames per step.
constexpr std::int64_t kMaxSteps = 27'000;

ParamSchema WithGame(ParamSchema options, const Game& game) {
  for (ParamSpec& option : options) {
    if (option.name == "game") option.default_value = std::string(game.id);
  }
  return options;
}

}  // namespace

std::string TaskName(const Game& game) {
  std::string name;
  bool starts_word = true;  // like Python's title(): after any character that is not a letter
  for (const char c : game.id) {
    const bool is_letter = c >= 'a' && c <= 'z';
    if (c != '_') name += is_letter && starts_word ? static_cast<char>(c - 'a' + 'A') : c;
    starts_word = !is_letter;
  }
  return name;
}

void RegisterAtari(Registry& registry) {
  for (const Game* game : AllGames()) {
    const std::string name = TaskName(*game);
    registry.Add<PreprocessedEnv>(name + "-v5", {.max_episode_steps = kMaxSteps},
                                  WithGame(PreprocessedEnv::Options(), *game));
    registry.Add<AleEnv>("ALE/" + name + "-v5", {}, WithGame(AleEnv::Options(), *game));
  }
}

}  // namespace engine::atari
