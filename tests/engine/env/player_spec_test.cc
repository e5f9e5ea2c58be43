// Players with names and spaces of their own: what EnvSpec::Validate refuses.
#include <functional>
#include <string>

#include "engine/base/error.h"
#include "engine/env/spec.h"
#include "engine/env/widen_spec.h"
#include "tests/engine/harness.h"

namespace engine {
namespace player_spec_test {

SpaceSpec Line(std::int64_t size) { return SpaceSpec::Box<float>({size}, -1.0F, 1.0F); }

EnvSpec TwoPlayers() {
  EnvSpec spec;
  spec.observation = Line(4);
  spec.action = SpaceSpec::Discrete(5);
  spec.players = PlayersSpec{
      .max_players = 2,
      .each = {{.name = "prey", .observation = Line(4), .action = SpaceSpec::Discrete(3)},
               {.name = "hunter", .observation = Line(2), .action = SpaceSpec::Discrete(5)}}};
  return spec;
}

void ExpectRefused(const std::function<void(EnvSpec&)>& change, const std::string& message) {
  EnvSpec spec = TwoPlayers();
  change(spec);
  EXPECT_THROW_MESSAGE(spec.Validate("Hunt-v0"), Error, message.c_str());
}

TEST(PlayerSpec, OwnSpacesAreAPartOfTheCommonOnes) {
  TwoPlayers().Validate("Hunt-v0");
  ExpectRefused([](EnvSpec& spec) { spec.players->each[0].observation = Line(5); },
                "Hunt-v0 player prey: expected the spaces of all players, or smaller ones");
  ExpectRefused([](EnvSpec& spec) { spec.players->each[1].action = SpaceSpec::Discrete(6); },
                "Hunt-v0 player hunter");
  ExpectRefused([](EnvSpec& spec) { spec.players->each[1].action = Line(2); }, "player hunter");
  ExpectRefused(
      [](EnvSpec& spec) {
        spec.players->each[1].observation = SpaceSpec::Box<double>({2}, -1.0, 1.0);
      },
      "player hunter");
}

TEST(PlayerSpec, EqualSpacesOfAnyKindAreAPart) {
  EnvSpec spec = TwoPlayers();
  spec.observation = SpaceSpec::Dict({{"place", Line(2)}, {"tile", SpaceSpec::Discrete(4)}});
  for (PlayerSpec& player : spec.players->each) player.observation = spec.observation;
  spec.Validate("Hunt-v0");
  spec.players->each[1].observation.children[0].second = Line(1);
  EXPECT_THROW_MESSAGE(spec.Validate("Hunt-v0"), Error, "player hunter");
}

TEST(PlayerSpec, EveryPlayerHasANameOfItsOwn) {
  ExpectRefused([](EnvSpec& spec) { spec.players->each.pop_back(); },
                "expected players->each of 2 players, got 1");
  ExpectRefused([](EnvSpec& spec) { spec.players->each[1].name = ""; }, "a name of each player");
  ExpectRefused([](EnvSpec& spec) { spec.players->each[1].name = "prey"; },
                "two players have the name \"prey\"");
  ExpectRefused([](EnvSpec& spec) { spec.players->infos = {{.name = "name"}}; },
                "info of players name \"name\" is reserved");
}

TEST(PlayerSpec, EnvironmentsWithOtherPlayersDiffer) {
  const EnvSpec spec = TwoPlayers();
  EXPECT_EQ(DifferenceOf(spec, spec, false), std::string(""));
  EnvSpec other = spec;
  other.players->each[0].name = "guest";
  EXPECT_EQ(DifferenceOf(spec, other, false), std::string("player 0: name \"prey\" and \"guest\""));
  other = spec;
  other.players->each[1].observation = Line(3);
  EXPECT_EQ(DifferenceOf(spec, other, false),
            std::string("player \"hunter\" observation: shape (2,) and (3,)"));
  other = spec;
  other.players->each[0].action = SpaceSpec::Discrete(4);
  EXPECT_EQ(DifferenceOf(spec, other, false), std::string("player \"prey\" action: n 3 and 4"));
  other = spec;
  other.players->each.clear();
  EXPECT_EQ(DifferenceOf(spec, other, false), std::string("players: only those of one have names"));
}

}  // namespace player_spec_test
}  // namespace engine
