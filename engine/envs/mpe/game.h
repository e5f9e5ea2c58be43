// A scenario as an environment of the engine: actions, messages, rewards, observations, the end of
// episodes and the scene, as in SimpleEnv of MPE2 1.1.1. A scenario is a class that describes the
// rest:
//
//   class Scenario {
//    public:
//     static ParamSchema Options();                  // besides those of every scenario
//     explicit Scenario(const ParamValues& options);
//     Layout MakeLayout() const;                     // the entities
//     // What a game has beside its world. Load checks indices.
//     struct State { explicit State(const Scenario&); void Save(StateWriter&) const;
//                    void Load(StateReader&); };
//     void Reset(World&, State&, Rng&) const;
//     double Reward(const World&, const State&, std::size_t agent) const;
//     // Puts the numbers of an observation (Put(double), Put(Vec), PutZeros(n)).
//     template <class Out>
//     void Observe(const World&, const State&, std::size_t agent, Out& out) const;
//     Color ColorOf(const World&, const State&, std::size_t entity) const;
//     // Optional. The part of the reward of all agents, and the weight of the agent's own part.
//     double SharedReward(const World&, State&) const;
//     double local_ratio() const;
//     // Optional. Called after the world has moved, before the rewards.
//     void AfterMove(World&, State&) const;
//     // Optional. Whether the episode ends.
//     bool Ends(const World&, const State&) const;
//     // Optional. Whether an entity is in the picture.
//     bool Shows(const World&, const State&, std::size_t entity) const;
//     // Optional. Puts the numbers of the info "benchmark_data".
//     template <class Out>
//     void Measure(const World&, const State&, std::size_t agent, Out& out) const;
//   };
//
// The players of the engine are the agents. Their observations and actions have different sizes;
// those of the spec are the largest. The rest of a smaller observation is zero. A number of an
// action space larger than the agent's own is taken modulo the agent's number of actions; the rest
// of a larger box is not used.
#ifndef ENGINE_ENVS_MPE_GAME_H_
#define ENGINE_ENVS_MPE_GAME_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/env/environment.h"
#include "engine/envs/mpe/options.h"
#include "engine/envs/mpe/world.h"

namespace engine::mpe {

// Red, green and blue; 1.0 is drawn as 200 of 255.
using Color = std::array<double, 3>;

// A reward for each of `count` events. Integers, because the reference adds Python's: without an
// event it is 0.0, not -0.0.
inline double RewardFor(std::size_t count, std::int64_t each) {
  return static_cast<double>(static_cast<std::int64_t>(count) * each);
}

// Where observations are written.
template <class T>
class Row {
 public:
  explicit Row(T* data) : next_(data) {}
  void Put(double value) { *next_++ = static_cast<T>(value); }
  void Put(Vec v) {
    Put(v.x);
    Put(v.y);
  }
  void PutZeros(std::size_t count) { next_ = std::fill_n(next_, count, T{0}); }
  T* end() const { return next_; }

 private:
  T* next_;
};

// Counts the numbers of an observation.
class Count {
 public:
  void Put(double) { ++count_; }
  void Put(Vec) { count_ += 2; }
  void PutZeros(std::size_t count) { count_ += count; }
  std::size_t count() const { return count_; }

 private:
  std::size_t count_ = 0;
};

template <class Out>
void PutColor(const Color& color, Out& out) {
  for (const double part : color) out.Put(part);
}

template <class S>
concept SharesReward = requires(const S& scenario, const World& world, typename S::State& state) {
  scenario.SharedReward(world, state);
};
template <class S>
concept ActsAfterMove = requires(const S& scenario, World& world, typename S::State& state) {
  scenario.AfterMove(world, state);
};
template <class S>
concept EndsGames = requires(const S& scenario, const World& world,
                             const typename S::State& state) { scenario.Ends(world, state); };
template <class S>
concept HidesEntities =
    requires(const S& scenario, const World& world, const typename S::State& state) {
      scenario.Shows(world, state, std::size_t{0});
    };
template <class S>
concept Measures = requires(const S& scenario, const World& world, const typename S::State& state,
                            Count& count) { scenario.Measure(world, state, 0, count); };

template <class S>
class Game {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() { return WithCommonOptions(S::Options()); }

  struct Config {
    explicit Config(const ParamValues& options)
        : scenario(options), layout(scenario.MakeLayout()), common(options, Measures<S>) {
      const World world(layout);
      const typename S::State state(scenario);
      for (std::size_t agent = 0; agent < layout.num_agents(); ++agent) {
        const Body& body = layout.body(agent);
        const std::size_t moves = body.movable ? kMoves : 0;
        const std::size_t words = body.silent ? 0 : layout.message_size();
        actions.push_back(common.continuous_actions
                              ? moves + words
                              : std::max<std::size_t>(moves, 1) * std::max<std::size_t>(words, 1));
        Count count;
        scenario.Observe(world, state, agent, count);
        observed.push_back(count.count());
        if constexpr (Measures<S>) {
          Count numbers;
          scenario.Measure(world, state, agent, numbers);
          measured = std::max(measured, numbers.count());
        }
      }
      row_size = *std::ranges::max_element(observed);
    }

    const S scenario;
    const Layout layout;
    const CommonOptions common;
    std::vector<std::size_t> actions;   // of each agent: their number, or the size of the box
    std::vector<std::size_t> observed;  // numbers that each agent observes
    std::size_t row_size = 0;           // the most of them
    std::size_t measured = 0;           // the most numbers of "benchmark_data"
  };

  static EnvSpec Spec(const ParamValues& options) {
    const Config config(options);
    EnvSpec spec;
    spec.observation = ObservationSpace(config.row_size);
    spec.action = ActionSpace(config, *std::ranges::max_element(config.actions));
    if (config.common.continuous_actions) spec.action_out_of_bounds = OutOfBounds::kEnvClips;
    spec.players = PlayersSpec{.max_players = static_cast<std::int64_t>(config.layout.num_agents()),
                               .infos = {}};
    for (std::size_t agent = 0; agent < config.layout.num_agents(); ++agent) {
      spec.players->each.push_back({.name = config.layout.name(agent),
                                    .observation = ObservationSpace(config.observed[agent]),
                                    .action = ActionSpace(config, config.actions[agent])});
    }
    if (config.common.benchmark_data) {
      spec.players->infos.push_back({.name = "benchmark_data",
                                     .dtype = DType::kFloat64,
                                     .shape = {static_cast<std::int64_t>(config.measured)}});
    }
    spec.scene_size =
        static_cast<std::int64_t>(1 + kSceneOfEntity * config.layout.size() +
                                  config.layout.message_size() * config.layout.num_agents());
    return spec;
  }

  explicit Game(const Config& config)
      : config_(&config), world_(config.layout), state_(config.scenario) {}

  void Reset(Rng& rng) {
    scenario().Reset(world_, state_, rng);
    extent_after_reset_ = world_.Extent();
    cycles_ = 0;
  }

  StepResult Step(PlayerActions actions, std::span<PlayerResult> results, Rng&) {
    for (std::size_t agent = 0; agent < world_.num_agents(); ++agent) Act(agent, actions.Of(agent));
    world_.Step();
    if constexpr (ActsAfterMove<S>) scenario().AfterMove(world_, state_);
    SetRewards(results);
    ++cycles_;
    if (cycles_ >= config_->common.max_cycles) return {.truncated = true};
    if constexpr (EndsGames<S>) return {.terminated = scenario().Ends(world_, state_)};
    return {};
  }

  void Observe(std::size_t agent, ObsRow row) const {
    Row<float> out(row.Data<float>());
    scenario().Observe(world_, state_, agent, out);
    std::fill(out.end(), row.Data<float>() + config_->row_size, 0.0F);
  }

  // As in the reference, a reset has no "benchmark_data".
  void PlayerInfo(std::size_t agent, InfoRow row) const {
    if (!config_->common.benchmark_data || cycles_ == 0) return;
    if constexpr (Measures<S>) {
      double* const numbers = row.Data<double>(0);
      std::fill_n(numbers, config_->measured, 0.0);
      Row<double> out(numbers);
      scenario().Measure(world_, state_, agent, out);
    }
  }

  // The largest coordinate after the reset; of each entity its position, color, and whether it is
  // in the picture; the message of each agent.
  void Scene(std::span<double> scene) const {
    Row<double> out(scene.data());
    out.Put(extent_after_reset_);
    for (std::size_t entity = 0; entity < world_.size(); ++entity) {
      out.Put(world_.position(entity));
      PutColor(scenario().ColorOf(world_, state_, entity), out);
      bool shows = true;
      if constexpr (HidesEntities<S>) shows = scenario().Shows(world_, state_, entity);
      out.Put(shows ? 1.0 : 0.0);
    }
    for (std::size_t agent = 0; agent < world_.num_agents(); ++agent) {
      for (const double number : world_.message(agent)) out.Put(number);
    }
  }

  void Save(StateWriter& state) const {
    world_.Save(state);
    state_.Save(state);
    state.Put(extent_after_reset_);
    state.Put(cycles_);
  }
  void Load(StateReader& state) {
    world_.Load(state);
    state_.Load(state);
    state.Get(extent_after_reset_);
    state.GetWithin("the step of the episode", cycles_, 0, config_->common.max_cycles);
  }

 private:
  // Actions of a movable agent: none, left, right, down, up.
  static constexpr std::size_t kMoves = 5;
  static constexpr std::size_t kSceneOfEntity = 6;

  static SpaceSpec ObservationSpace(std::size_t size) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    return SpaceSpec::Box<float>({static_cast<std::int64_t>(size)}, -kInfinity, kInfinity);
  }
  static SpaceSpec ActionSpace(const Config& config, std::size_t size) {
    const auto count = static_cast<std::int64_t>(size);
    return config.common.continuous_actions ? SpaceSpec::Box<float>({count}, 0.0F, 1.0F)
                                            : SpaceSpec::Discrete(count);
  }

  const S& scenario() const { return config_->scenario; }

  void Act(std::size_t agent, ActionView action) {
    if (config_->common.continuous_actions) {
      ActContinuously(agent, action.Data<float>());
      return;
    }
    const Body& body = config_->layout.body(agent);
    std::size_t index = static_cast<std::size_t>(action.Index()) % config_->actions[agent];
    if (body.movable) {
      constexpr std::array<Vec, kMoves> kDirections = {
          {{0.0, 0.0}, {-1.0, 0.0}, {1.0, 0.0}, {0.0, -1.0}, {0.0, 1.0}}};
      world_.Control(agent, body.accel * kDirections[index % kMoves]);
      index /= kMoves;
    }
    if (!body.silent) {
      const std::span<double> message = world_.NextMessage(agent);
      std::ranges::fill(message, 0.0);
      message[index] = 1.0;
    }
  }

  // The differences are those of float32 numbers, as in the reference.
  void ActContinuously(std::size_t agent, const float* action) {
    const Body& body = config_->layout.body(agent);
    if (body.movable) {
      const float x = Clip(action[2]) - Clip(action[1]);
      const float y = Clip(action[4]) - Clip(action[3]);
      world_.Control(agent, body.accel * Vec{double{x}, double{y}});
      action += kMoves;
    }
    if (!body.silent) {
      for (double& number : world_.NextMessage(agent)) number = double{Clip(*action++)} + 0.0;
    }
  }

  static float Clip(float value) { return value < 0.0F ? 0.0F : (value > 1.0F ? 1.0F : value); }

  void SetRewards(std::span<PlayerResult> results) {
    if constexpr (SharesReward<S>) {
      const double local = scenario().local_ratio();
      const double shared = scenario().SharedReward(world_, state_) * (1.0 - local);
      for (std::size_t agent = 0; agent < world_.num_agents(); ++agent)
        results[agent].reward = shared + scenario().Reward(world_, state_, agent) * local;
    } else {
      for (std::size_t agent = 0; agent < world_.num_agents(); ++agent)
        results[agent].reward = scenario().Reward(world_, state_, agent);
    }
  }

  const Config* config_;
  World world_;
  typename S::State state_;
  double extent_after_reset_ = 0.0;
  std::int64_t cycles_ = 0;  // steps of the episode
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_GAME_H_
