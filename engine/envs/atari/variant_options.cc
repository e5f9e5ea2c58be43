// See the header.
#include "engine/envs/atari/variant_options.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "engine/base/error.h"

namespace engine::atari {
namespace {

ParamSpec Option(const char* name, const char* doc) {
  return {.name = name,
          .default_value = std::int64_t{Variant::kOwn},
          .doc = doc,
          .low = std::nullopt,
          .high = std::nullopt};
}

// Returns the value of the option: kOwn or one of `listed`. Throws Error{kOption} with the valid
// values for any other value. The option has no bounds, because this error replaces them.
int ReadListed(const char* name, const Game& game, std::span<const std::uint16_t> listed,
               const ParamValues& options) {
  const auto value = options.Get<std::int64_t>(name);
  if (value == Variant::kOwn || std::ranges::find(listed, value) != listed.end()) {
    return static_cast<int>(value);
  }
  std::string known;
  for (const std::uint16_t one : listed) {
    known += (known.empty() ? "" : ", ") + std::to_string(one);
  }
  throw Error(ErrorKind::kOption, std::string(name) + ": expected one that " +
                                      std::string(game.id) + " has (" + known +
                                      ") or -1 for its own, got " + std::to_string(value));
}

}  // namespace

void Variant::Select(GameRunner& runner) const {
  if (mode != kOwn) runner.set_mode(mode);
  if (difficulty != kOwn) runner.set_difficulty(difficulty);
}

ParamSpec ModeOption() { return Option("mode", "Mode of the game; -1 selects its default."); }

ParamSpec DifficultyOption() {
  return Option("difficulty", "Difficulty of the game; -1 selects its default.");
}

Variant ReadVariant(const Game& game, const ParamValues& options) {
  return {.mode = ReadListed("mode", game, game.modes, options),
          .difficulty = ReadListed("difficulty", game, game.difficulties, options)};
}

std::vector<Action> ActionsOf(const Game& game, bool full_action_space) {
  const ActionSet set = full_action_space ? game.legal : game.minimal - (kAllActions - game.legal);
  std::vector<Action> actions;
  for (int number = 0; number < kNumActions; ++number) {
    const auto action = static_cast<Action>(number);
    if (set.Contains(action)) actions.push_back(action);
  }
  return actions;
}

}  // namespace engine::atari
