// Simple tag: slow adversaries catch fast good agents between obstacles. The rules are those of
// simple_tag_v3 of MPE2 1.1.1.
#ifndef ENGINE_ENVS_MPE_TAG_H_
#define ENGINE_ENVS_MPE_TAG_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/envs/mpe/chase.h"
#include "engine/envs/mpe/game.h"
#include "engine/envs/mpe/nearest.h"

namespace engine::mpe {

class Tag {
 public:
  static ParamSchema Options() {
    ParamSchema schema = {
        CountOption("num_good", 1, 0, "Number of good agents."),
        CountOption("num_adversaries", 3, 0, "Number of adversaries."),
        CountOption("num_obstacles", 2, 0, "Number of obstacles."),
        SwitchOption("curriculum", "Whether curriculum_stage applies."),
        CurriculumStageOption(2,
                              "Stage of the curriculum: good agents have 0.5, 0.75 or all of "
                              "their speed."),
        SwitchOption("terminate_on_success",
                     "Whether an episode ends when all good agents are caught.")};
    Neighbors::AddOptions(schema);
    return schema;
  }

  explicit Tag(const ParamValues& options)
      : num_good_(CountOf(options, "num_good")),
        num_adversaries_(CountOf(options, "num_adversaries")),
        num_obstacles_(CountOf(options, "num_obstacles")),
        ends_(options.Get<bool>("terminate_on_success")),
        neighbors_(options) {
    ExpectAgents(num_good_ + num_adversaries_, "num_good and num_adversaries");
    constexpr std::array kSpeeds = {0.5, 0.75, 1.0};
    if (options.Get<bool>("curriculum")) speed_ = kSpeeds[CountOf(options, "curriculum_stage")];
  }

  Layout MakeLayout() const {
    Layout layout;
    for (std::size_t i = 0; i < num_adversaries_; ++i) {
      layout.AddAgent(
          "adversary_" + std::to_string(i),
          {.size = 0.075, .movable = true, .collides = true, .accel = 3.0, .max_speed = 1.0});
    }
    for (std::size_t i = 0; i < num_good_; ++i) {
      layout.AddAgent("agent_" + std::to_string(i), {.size = 0.05,
                                                     .movable = true,
                                                     .collides = true,
                                                     .accel = 4.0 * speed_,
                                                     .max_speed = 1.3 * speed_});
    }
    for (std::size_t i = 0; i < num_obstacles_; ++i)
      layout.AddLandmark({.size = 0.2, .collides = true});
    return layout;
  }

  struct State {
    explicit State(const Tag&) {}
    void Save(StateWriter&) const {}
    void Load(StateReader&) {}
  };

  void Reset(World& world, State&, Rng& rng) const {
    world.PlaceAgents(rng);
    world.PlaceLandmarks(0.9, rng);
  }

  double Reward(const World& world, const State&, std::size_t agent) const {
    if (agent < num_adversaries_) return RewardFor(Catches(world, num_adversaries_), 10);
    const Vec position = world.position(agent);
    double reward = RewardFor(Catchers(world, num_adversaries_, agent), -10);
    reward -= BorderPenalty(position.x);
    reward -= BorderPenalty(position.y);
    return reward;
  }

  bool Ends(const World& world, const State&) const {
    if (!ends_) return false;
    for (std::size_t good = num_adversaries_; good < world.num_agents(); ++good) {
      if (Catchers(world, num_adversaries_, good) == 0) return false;
    }
    return true;
  }

  template <class Out>
  void Observe(const World& world, const State&, std::size_t agent, Out& out) const {
    out.Put(world.velocity(agent));
    out.Put(world.position(agent));
    PutLandmarks(world, agent, neighbors_.landmarks, out);
    PutOthers(world, agent, neighbors_.agents, out);
    PutVelocities(world, agent, num_adversaries_, neighbors_.agents, out);
  }

  // The good agents that an adversary touches.
  template <class Out>
  void Measure(const World& world, const State&, std::size_t agent, Out& out) const {
    out.Put(static_cast<double>(CaughtBy(world, num_adversaries_, agent)));
  }

  Color ColorOf(const World& world, const State&, std::size_t entity) const {
    if (entity < num_adversaries_) return {0.85, 0.35, 0.35};
    return entity < world.num_agents() ? Color{0.35, 0.85, 0.35} : Color{0.25, 0.25, 0.25};
  }

 private:
  std::size_t num_good_;
  std::size_t num_adversaries_;
  std::size_t num_obstacles_;
  bool ends_;
  Neighbors neighbors_;
  double speed_ = 1.0;  // of good agents, as a fraction
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_TAG_H_
