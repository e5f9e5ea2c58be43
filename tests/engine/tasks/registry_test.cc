// The table of tasks: several tasks are added together or not at all, also by several threads.
#include "engine/tasks/registry.h"

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/engine/harness.h"

namespace engine::testing {
namespace registry_test {

class Nothing {
 public:
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<float>({1}, 0.0f, 1.0f);
    spec.action = SpaceSpec::Discrete(2);
    return spec;
  }
  void Reset(Rng&) {}
  StepResult Step(ActionView, Rng&) { return {}; }
  void Observe(ObsRow row) const { *row.Data<float>() = 0.0f; }
};

std::vector<TaskEntry> Entries(const std::vector<std::string>& ids) {
  std::vector<TaskEntry> entries;
  for (const std::string& id : ids) {
    entries.push_back(Registry::EntryOf<Nothing>(id, {}, OptionsOf<Nothing>()));
  }
  return entries;
}

TEST(Registry, AddsAllOrNone) {
  Registry registry;
  registry.AddAll(Entries({"First-v0", "Second-v0"}));
  EXPECT_THROW_MESSAGE(registry.AddAll(Entries({"Third-v0", "Second-v0", "Fourth-v0"})), Error,
                       "Second-v0: a task of this id is registered already");
  EXPECT_THROW_MESSAGE(registry.AddAll(Entries({"Third-v0", "Third-v0"})), Error,
                       "Third-v0: a task of this id is registered already");
  EXPECT_THROW_MESSAGE(registry.AddAll(Entries({"Third-v0", "not an id"})), Error, "not an id");
  EXPECT_TRUE((registry.Ids() == std::vector<std::string>{"First-v0", "Second-v0"}));
}

TEST(Registry, ThreadsAddAllOrNone) {
  for (int round = 0; round < 50; ++round) {
    Registry registry;
    int added[2] = {0, 0};
    const auto add = [&](int& mine, const char* own) {
      try {
        registry.AddAll(Entries({own, "Common-v0"}));
        ++mine;
      } catch (const Error&) {
      }
    };
    std::thread other([&] { add(added[0], "Zero-v0"); });
    add(added[1], "One-v0");
    other.join();
    EXPECT_EQ(added[0] + added[1], 1);
    EXPECT_TRUE(registry.Has("Common-v0"));
    EXPECT_EQ(registry.Has("Zero-v0"), added[0] == 1);
    EXPECT_EQ(registry.Has("One-v0"), added[1] == 1);
  }
}

}  // namespace registry_test
}  // namespace engine::testing
