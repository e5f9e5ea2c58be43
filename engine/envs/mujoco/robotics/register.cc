// The ids and limits of Gymnasium-Robotics 1.4.2.
#include "engine/envs/mujoco/robotics/register.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/robotics/adroit/hand.h"
#include "engine/envs/mujoco/robotics/adroit/rules.h"
#include "engine/envs/mujoco/robotics/ant_maze.h"
#include "engine/envs/mujoco/robotics/fetch.h"
#include "engine/envs/mujoco/robotics/hand_manipulate.h"
#include "engine/envs/mujoco/robotics/hand_reach.h"
#include "engine/envs/mujoco/robotics/kitchen/kitchen.h"
#include "engine/envs/mujoco/robotics/point_maze.h"
#include "engine/tasks/registry.h"

namespace engine::mujoco::robotics {
namespace {

// The maps, with the limits of a point and of an ant in them.
struct NamedMap {
  const char* name;
  std::int64_t point_steps;
  std::int64_t ant_steps;
  std::vector<std::string> rows;
};

std::vector<NamedMap> NamedMaps() {
  return {
      {"UMaze", 300, 700, {"11111", "10001", "11101", "10001", "11111"}},
      {"Open", 300, 700, {"1111111", "1000001", "1000001", "1000001", "1111111"}},
      {"Open_Diverse_G", 300, 700, {"1111111", "1rgggg1", "1ggggg1", "1ggggg1", "1111111"}},
      {"Open_Diverse_GR", 300, 700, {"1111111", "1ccccc1", "1ccccc1", "1ccccc1", "1111111"}},
      {"Medium",
       600,
       1000,
       {"11111111", "10011001", "10010001", "11000111", "10010001", "10100101", "10001001",
        "11111111"}},
      {"Medium_Diverse_G",
       600,
       1000,
       {"11111111", "1r011001", "100100g1", "11000111", "10010001", "1g100101", "10001g01",
        "11111111"}},
      {"Medium_Diverse_GR",
       600,
       1000,
       {"11111111", "1c011001", "100100c1", "11000111", "10010001", "1c100101", "10001c01",
        "11111111"}},
      {"Large",
       800,
       1000,
       {"111111111111", "100001000001", "101101010101", "100000010001", "101111011101",
        "100101000001", "110101010111", "100100010001", "111111111111"}},
      {"Large_Diverse_G",
       800,
       1000,
       {"111111111111", "1r0001g00001", "101101010101", "10000g0100g1", "101111011101",
        "10g101000001", "110101010111", "1001g0g10g01", "111111111111"}},
      {"Large_Diverse_GR",
       800,
       1000,
       {"111111111111", "1c0001c00001", "101101010101", "10000c0100c1", "101111011101",
        "10c101000001", "110101010111", "1001c0c10c01", "111111111111"}},
  };
}

void AddMazes(Registry& registry) {
  // The specs of the ants need their model. As long as it is in use, it is compiled only once.
  const BaseModelPtr ant = LoadModel("ant.xml");
  for (const NamedMap& map : NamedMaps()) {
    for (const bool is_dense : {false, true}) {
      const std::string name = std::string(map.name) + (is_dense ? "Dense" : "");
      registry.Add<PointMaze>("PointMaze_" + name + "-v3", {.max_episode_steps = map.point_steps},
                              PointMaze::OptionsOf(map.rows, is_dense));
      const std::string ant_name = "AntMaze_" + name;
      registry.Add<AntMazeV3>(ant_name + "-v3", {.max_episode_steps = map.ant_steps},
                              AntMazeV3::OptionsOf(map.rows, is_dense));
      registry.Add<AntMazeV4>(ant_name + "-v4", {.max_episode_steps = map.ant_steps},
                              AntMazeV4::OptionsOf(map.rows, is_dense));
      registry.Add<AntMazeV5>(ant_name + "-v5", {.max_episode_steps = map.ant_steps},
                              AntMazeV5::OptionsOf(map.rows, is_dense));
    }
  }
}

// The rewards of robots, with the ends of ids.
constexpr std::pair<RewardType, const char*> kRewardNames[] = {{RewardType::kSparse, ""},
                                                               {RewardType::kDense, "Dense"}};

void AddFetch(Registry& registry) {
  constexpr TaskLimits kLimits = {.max_episode_steps = 50};
  constexpr std::pair<const char*, FetchTask> kTasks[] = {
      {"FetchReach", FetchTask::kReach},
      {"FetchPush", FetchTask::kPush},
      {"FetchSlide", FetchTask::kSlide},
      {"FetchPickAndPlace", FetchTask::kPickAndPlace}};
  for (const auto& [name, task] : kTasks) {
    for (const auto& [reward, suffix] : kRewardNames) {
      registry.Add<Fetch>(std::string(name) + suffix + "-v4", kLimits,
                          Fetch::OptionsOf(task, reward));
    }
  }
}

void AddHandReach(Registry& registry) {
  for (const auto& [reward, suffix] : kRewardNames) {
    registry.Add<HandReach>(std::string("HandReach") + suffix + "-v3", {.max_episode_steps = 50},
                            HandReach::OptionsOf(reward));
  }
}

void AddHandManipulate(Registry& registry) {
  struct Named {
    const char* name;
    const char* object;
    TargetPosition position;
    TargetRotation rotation;
    bool has_touch_ids;
  };
  constexpr auto kRandom = TargetPosition::kRandom;
  constexpr auto kIgnore = TargetPosition::kIgnore;
  constexpr auto kXyz = TargetRotation::kXyz;
  constexpr Named kTasks[] = {
      {"Block", "block", kRandom, kXyz, true},
      {"BlockFull", "block", kRandom, kXyz, false},
      {"BlockRotateXYZ", "block", kIgnore, kXyz, true},
      {"BlockRotateZ", "block", kIgnore, TargetRotation::kZ, true},
      {"BlockRotateParallel", "block", kIgnore, TargetRotation::kParallel, true},
      {"Egg", "egg", kRandom, kXyz, true},
      {"EggFull", "egg", kRandom, kXyz, false},
      {"EggRotate", "egg", kIgnore, kXyz, true},
      {"Pen", "pen", kRandom, kXyz, true},
      {"PenFull", "pen", kRandom, kXyz, false},
      {"PenRotate", "pen", kIgnore, kXyz, true}};
  constexpr std::pair<const char*, std::optional<TouchReading>> kTouchNames[] = {
      {"", std::nullopt},
      {"_BooleanTouchSensors", TouchReading::kBooleans},
      {"_ContinuousTouchSensors", TouchReading::kForces}};
  for (const Named& task : kTasks) {
    for (const auto& [touch_name, touch] : kTouchNames) {
      if (touch && !task.has_touch_ids) continue;
      for (const auto& [reward, suffix] : kRewardNames) {
        registry.Add<HandManipulate>(
            std::string("HandManipulate") + task.name + touch_name + suffix + "-v1",
            {.max_episode_steps = 100},
            HandManipulate::OptionsOf({.object = task.object,
                                       .position = task.position,
                                       .rotation = task.rotation,
                                       .touch = touch,
                                       .reward = reward}));
      }
    }
  }
}

void AddAdroit(Registry& registry) {
  constexpr TaskLimits kLimits = {.max_episode_steps = 200};
  for (const adroit::TaskEntry& entry : adroit::AllTasks()) {
    const std::string name = std::string("AdroitHand") + entry.description.name;
    registry.Add<adroit::Hand>(name + "-v1", kLimits,
                               adroit::Hand::OptionsOf(entry.description, false));
    registry.Add<adroit::Hand>(name + "Sparse-v1", kLimits,
                               adroit::Hand::OptionsOf(entry.description, true));
  }
}

}  // namespace

void RegisterRobotics(Registry& registry) {
  AddMazes(registry);
  AddFetch(registry);
  AddHandReach(registry);
  AddHandManipulate(registry);
  AddAdroit(registry);
  registry.Add<kitchen::Kitchen>("FrankaKitchen-v1", {.max_episode_steps = 280});
}

}  // namespace engine::mujoco::robotics
