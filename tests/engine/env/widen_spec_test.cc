// Specs whose environments may or may not be in one pool, and the spec of both.
#include "engine/env/widen_spec.h"

#include <cstdint>
#include <string>
#include <vector>

#include "engine/env/spec.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace widen_spec_test {

EnvSpec Boxes() {
  EnvSpec spec;
  spec.observation =
      SpaceSpec::Dict({{"image", SpaceSpec::Box<std::uint8_t>({7, 7}, 0, 10)},
                       {"place", SpaceSpec::Box<double>({2}, {-1.0, 0.0}, {1.0, 5.0})},
                       {"is_set", SpaceSpec::Box<bool>({1}, false, false)},
                       {"mission", SpaceSpec::Discrete(4)}});
  spec.action = SpaceSpec::Box<float>({1}, -1.0F, 1.0F);
  spec.infos = {{.name = "speed", .dtype = DType::kFloat64, .shape = {2}}};
  return spec;
}

SpaceSpec& Part(EnvSpec& spec, std::size_t part) { return spec.observation.children[part].second; }

template <class Change>
std::string AfterChange(const Change& change) {
  EnvSpec other = Boxes();
  change(other);
  return DifferenceOf(Boxes(), other, true);
}

TEST(WidenSpec, NamesTheFirstDifference) {
  EXPECT_EQ(DifferenceOf(Boxes(), Boxes(), true), std::string());
  EXPECT_EQ(AfterChange([](EnvSpec& spec) { Part(spec, 0).shape = {9, 7}; }),
            std::string("observation \"image\": shape (7, 7) and (9, 7)"));
  EXPECT_EQ(AfterChange([](EnvSpec& spec) { Part(spec, 3) = SpaceSpec::MultiBinary(4); }),
            std::string("observation \"mission\": kind discrete and multi-binary"));
  EXPECT_EQ(AfterChange([](EnvSpec& spec) { Part(spec, 1).dtype = DType::kFloat32; }),
            std::string("observation \"place\": dtype float64 and float32"));
  EXPECT_EQ(AfterChange([](EnvSpec& spec) { spec.observation.children.pop_back(); }),
            std::string("observation: number of parts 4 and 3"));
  EXPECT_EQ(AfterChange([](EnvSpec& spec) { spec.infos[0].shape = {3}; }),
            std::string("info \"speed\": shape (2,) and (3,)"));
  EXPECT_EQ(AfterChange([](EnvSpec& spec) { spec.infos.clear(); }),
            std::string("info \"speed\": only one of them has it"));
  EXPECT_EQ(AfterChange([](EnvSpec& spec) { spec.has_terminal_observation = false; }),
            std::string("observation: only one of them has one of the state that terminates an "
                        "episode"));
  EXPECT_EQ(
      AfterChange([](EnvSpec& spec) { spec.action = SpaceSpec::Box<float>({1}, -2.0F, 1.0F); }),
      std::string("action: other bounds"));
}

TEST(WidenSpec, ActionsThatTheEnvironmentClipsMayHaveOtherBounds) {
  EnvSpec one = Boxes();
  one.action_out_of_bounds = OutOfBounds::kEnvClips;
  EnvSpec other = one;
  other.action = SpaceSpec::Box<float>({1}, -2.0F, 0.5F);
  EXPECT_EQ(DifferenceOf(one, other, true), std::string());
  Widen(one, other);
  EXPECT_EQ(one.action.low, other.action.low);
  EXPECT_EQ(one.action.high, Boxes().action.high);
}

TEST(WidenSpec, WidensEachElement) {
  EnvSpec one = Boxes();
  EnvSpec other = Boxes();
  Part(other, 0) = SpaceSpec::Box<std::uint8_t>({7, 7}, 1, 11);
  Part(other, 1) = SpaceSpec::Box<double>({2}, {-2.0, 1.0}, {0.5, 6.0});
  Part(other, 2) = SpaceSpec::Box<bool>({1}, false, true);
  Part(other, 3) = SpaceSpec::Discrete(3, 2);
  other.max_seed = 7;
  EXPECT_EQ(DifferenceOf(one, other, true), std::string());
  EXPECT_FALSE(Includes(one, other));
  Widen(one, other);
  EXPECT_TRUE(Includes(one, other));
  EXPECT_TRUE(Includes(one, Boxes()) || one.max_seed != Boxes().max_seed);
  // One bound for all elements became one for each.
  EXPECT_EQ(Part(one, 0).low.size(), 49U);
  const SpaceSpec place = SpaceSpec::Box<double>({2}, {-2.0, 0.0}, {1.0, 6.0});
  EXPECT_EQ(Part(one, 1).low, place.low);
  EXPECT_EQ(Part(one, 1).high, place.high);
  EXPECT_EQ(Part(one, 2).high, SpaceSpec::Box<bool>({1}, false, true).high);
  EXPECT_EQ(Part(one, 3).start, 0);
  EXPECT_EQ(Part(one, 3).n, 5);
  EXPECT_EQ(one.max_seed, 7U);
  one.Validate("Widened");
}

TEST(WidenSpec, InfosOfBothAreAdded) {
  EnvSpec one = Boxes();
  EnvSpec other = Boxes();
  other.infos = {{.name = "cost", .dtype = DType::kFloat32, .shape = {}},
                 {.name = "cost", .dtype = DType::kFloat64, .shape = {}, .widens_previous = true},
                 {.name = "speed", .dtype = DType::kFloat64, .shape = {2}}};
  EXPECT_EQ(FormDifference(one, other, true), std::string());
  EXPECT_EQ(InfoConflict(one, other), std::string());
  AddInfos(one, other);
  EXPECT_EQ(one.infos.size(), 3U);
  EXPECT_EQ(one.infos[0].name, std::string("speed"));
  EXPECT_TRUE(one.infos[2].widens_previous);
  other.infos.erase(other.infos.begin() + 1);
  EXPECT_EQ(InfoConflict(one, other),
            std::string("info \"cost\": only one of them has the dtype of the action"));
  other.infos = {{.name = "speed", .dtype = DType::kFloat32, .shape = {2}}};
  EXPECT_EQ(InfoConflict(one, other), std::string("info \"speed\": dtype float64 and float32"));
}

}  // namespace widen_spec_test
}  // namespace engine::testing
