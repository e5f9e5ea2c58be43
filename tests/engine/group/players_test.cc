// Groups of environments with players: the two ways to step give the same rows in each autoreset
// mode.
#include "engine/env/players.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/batch/batch_memory.h"
#include "engine/batch/row_staging.h"
#include "engine/group/env_group_of.h"
#include "engine/group/renewable_group.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace players_test {

constexpr std::int64_t kMax = 3;
constexpr std::uint32_t kEnvs = 4;

// Players leave after a random number of steps and come back.
class Guests {
 public:
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({2}, 0, 1 << 30);
    spec.action = SpaceSpec::Discrete(10);
    spec.players = PlayersSpec{
        .max_players = kMax, .vary = true, .infos = {{.name = "odd", .dtype = DType::kInt32}}};
    return spec;
  }
  void Reset(Rng& rng) {
    steps_ = 0;
    for (std::int64_t& left : left_) left = rng.Integers(0, 4);
  }
  StepResult Step(PlayerActions actions, std::span<PlayerResult> results, Rng& rng) {
    ++steps_;
    for (std::size_t player = 0; player < left_.size(); ++player) {
      if (!actions.Has(player)) {
        if (rng.Random() < 0.3) left_[player] = rng.Integers(1, 4);
        continue;
      }
      results[player].reward = static_cast<double>(actions.Of(player).Index());
      results[player].terminated = --left_[player] == 0;
    }
    return {.truncated = steps_ == 7};
  }
  bool Plays(std::size_t player) const { return left_[player] > 0; }
  void Observe(std::size_t player, ObsRow row) const {
    row.Data<std::int64_t>()[0] = steps_;
    row.Data<std::int64_t>()[1] = left_[player];
  }
  void PlayerInfo(std::size_t player, InfoRow row) const {
    if (left_[player] % 2 == 1) row.Set<std::int32_t>(0, static_cast<std::int32_t>(steps_));
  }

 private:
  std::int64_t steps_ = 0;
  std::array<std::int64_t, kMax> left_ = {};
};

struct Run {
  explicit Run(AutoresetMode mode)
      : group(ParamValues({}, {}, "option", ""),
              GroupConfig{.num_envs = kEnvs, .autoreset = mode, .records_episodes = true}),
        extras{.final_frames = mode == AutoresetMode::kSameStep, .episodes = true},
        memory(group.spec(), kEnvs, extras, HeapAllocator::Global(), 0),
        frame_memory(group.spec(), 1, {.final_frames = extras.final_frames},
                     HeapAllocator::Global(), 0),
        pending(frame_memory.Take()),
        batch(memory.Take()),
        staging(MakeStaging(group)) {
    group.Construct(0, kEnvs);
    for (std::uint32_t env = 0; env < kEnvs; ++env) group.Seed(env, 50 + env);
    StepCounts counts;
    group.ResetRows({.begin = 0, .end = kEnvs}, {}, batch->view(), StopCondition::Never(), counts);
  }
  ~Run() {
    memory.Return(batch);
    frame_memory.Return(pending);
  }

  // Stages one action for each player that the latest results contain.
  void Stage(int step) {
    std::vector<std::int64_t> actions;
    for (std::uint32_t env = 0; env < kEnvs; ++env) {
      for (std::size_t player = 0; player < kMax; ++player) {
        if (group.players()->States(env)[player] != PlayerState::kAbsent)
          actions.push_back((static_cast<std::int64_t>(env + player) + step) % 10);
      }
    }
    const auto n = static_cast<std::int64_t>(actions.size());
    staging->Stage({.data = reinterpret_cast<const std::byte*>(actions.data()),
                    .dtype = DType::kInt64,
                    .shape = &n,
                    .num_dims = 1},
                   nullptr, kEnvs);
  }

  EnvGroupOf<Guests> group;
  BatchExtras extras;
  BatchMemory memory, frame_memory;
  OpenBatch* pending;
  OpenBatch* batch;
  std::shared_ptr<ActionSink> staging;
};

void ExpectSameFrame(const FrameColumns& a, const FrameColumns& b, std::uint32_t env) {
  for (std::size_t k = env * kMax; k < (env + 1) * kMax; ++k) {
    EXPECT_EQ(a.players->present[k], b.players->present[k]);
    if (!a.players->present[k]) continue;
    EXPECT_EQ(a.players->id[k], b.players->id[k]);
    EXPECT_EQ(a.players->env_id[k], static_cast<std::int32_t>(env));
    EXPECT_EQ(a.players->reward[k], b.players->reward[k]);
    EXPECT_EQ(a.players->terminated[k], b.players->terminated[k]);
    EXPECT_EQ(a.players->truncated[k], b.players->truncated[k]);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(reinterpret_cast<const std::int64_t*>(a.obs[0].Row(k))[i],
                reinterpret_cast<const std::int64_t*>(b.obs[0].Row(k))[i]);
    }
    EXPECT_EQ(*reinterpret_cast<const std::int32_t*>(a.players->info[0].Row(k)),
              *reinterpret_cast<const std::int32_t*>(b.players->info[0].Row(k)));
  }
}

void StepByQueue(Run& run, int step, StepCounts& counts) {
  run.Stage(step);
  const std::vector<std::uint8_t> resets(kEnvs, 0);
  for (std::uint32_t env = 0; env < kEnvs; ++env) {
    engine::Outcome outcome;
    run.group.StepWithoutRows(&env, 1, resets.data(), run.staging->slots(), run.pending->view(),
                              &outcome, StopCondition::Never(), counts);
    run.group.WriteRows(&env, 1, nullptr, env, &outcome, run.pending->view(), run.batch->view(),
                        counts);
  }
}

TEST(Players, BothWaysToStepGiveTheSameRows) {
  for (const AutoresetMode mode : {AutoresetMode::kNextStep, AutoresetMode::kSameStep}) {
    Run first(mode);
    Run second(mode);
    std::uint64_t present = 0;
    for (int step = 0; step < 40; ++step) {
      StepCounts counts;
      StepCounts other;
      first.Stage(step);
      first.group.StepRows({.begin = 0, .end = kEnvs}, first.staging->slots(), first.batch->view(),
                           StopCondition::Never(), counts);
      StepByQueue(second, step, other);
      EXPECT_EQ(counts.steps, other.steps);
      EXPECT_EQ(counts.failures, 0U);
      EXPECT_EQ(other.failures, 0U);
      const BatchView& a = first.batch->view();
      const BatchView& b = second.batch->view();
      for (std::uint32_t env = 0; env < kEnvs; ++env) {
        EXPECT_EQ(a.truncated[env], b.truncated[env]);
        ExpectSameFrame(a.frame, b.frame, env);
        if (a.final_mask != nullptr) {
          EXPECT_EQ(a.final_mask[env], b.final_mask[env]);
          if (a.final_mask[env]) ExpectSameFrame(a.final_frame, b.final_frame, env);
        }
        for (std::size_t player = 0; player < kMax; ++player)
          present += a.frame.players->present[env * kMax + player] ? 1U : 0U;
      }
    }
    EXPECT_LT(0U, present);
    EXPECT_LT(present, 40U * kEnvs * kMax);
  }
}

TEST(Players, AStateHasThePlayersThatHaveEnded) {
  StepCounts counts;
  Run run(AutoresetMode::kNextStep);
  bool seen = false;
  for (int step = 0; step < 30 && !seen; ++step) {
    run.Stage(step);
    run.group.StepRows({.begin = 0, .end = kEnvs}, run.staging->slots(), run.batch->view(),
                       StopCondition::Never(), counts);
    for (const PlayerState state : run.group.players()->States(0))
      seen = seen || state == PlayerState::kEnded;
  }
  EXPECT_TRUE(seen);
  PlayerTable table(*run.group.spec().players, 1, false);
  std::string bytes;
  StateWriter writer(bytes);
  run.group.players()->Save(0, writer);
  StateReader reader(bytes);
  table.Load(0, reader);
  reader.ExpectEnd();
  for (std::size_t player = 0; player < kMax; ++player) {
    EXPECT_EQ(table.Results(0)[player].ended(), run.group.players()->Results(0)[player].ended());
  }
}

TEST(Players, AStepTimeoutIsRefused) {
  const auto make = [] {
    return std::make_unique<EnvGroupOf<Guests>>(ParamValues({}, {}, "option", ""),
                                                GroupConfig{.num_envs = kEnvs});
  };
  EXPECT_THROW_MESSAGE(RenewableGroup(make(), make), Error, "step_timeout");
}

TEST(Players, AnActionIsMissedByName) {
  const std::vector<PlayerState> states = {PlayerState::kPlays, PlayerState::kEnded,
                                           PlayerState::kAbsent};
  const PlayerActions actions(states, {.bytes = 8}, {}, 0);
  EXPECT_TRUE(actions.Has(0));
  EXPECT_FALSE(actions.Has(1));
  EXPECT_FALSE(actions.Has(2));
  EXPECT_FALSE(actions.Has(3));
}

TEST(Players, ActionsMayBeKeptInFloat64) {
  const std::vector<PlayerState> states(3, PlayerState::kPlays);
  const std::array<float, 6> narrow = {0, 1, 2, 3, 4, 5};
  const std::array<double, 6> wide = {10, 11, 12, 13, 14, 15};
  const std::array<std::uint8_t, 3> is_float64 = {0, 1, 0};
  const ActionSlots slots = {.base = reinterpret_cast<const std::byte*>(narrow.data()),
                             .bytes = sizeof(float),
                             .dtype = DType::kFloat32,
                             .float64_base = reinterpret_cast<const std::byte*>(wide.data()),
                             .is_float64 = is_float64.data()};
  const PlayerActions actions = slots.PlayersOf(0, states);
  EXPECT_FALSE(actions.IsFloat64(0));
  EXPECT_TRUE(actions.IsFloat64(1));
  EXPECT_EQ(*actions.Of(0).Data<float>(), 0.0F);
  EXPECT_EQ(*actions.Of(1).Data<double>(), 11.0);
  EXPECT_EQ(*actions.Of(2).Data<float>(), 2.0F);

  const std::vector<std::uint8_t> of_two = {0, 0, 0, 1, 0, 1};
  ActionSlots second = slots;
  second.is_float64 = of_two.data();
  const PlayerActions others = second.PlayersOf(1, states);
  EXPECT_EQ(*others.Of(0).Data<double>(), 13.0);
  EXPECT_EQ(*others.Of(1).Data<float>(), 4.0F);
  EXPECT_EQ(*others.Of(2).Data<double>(), 15.0);
}

}  // namespace players_test
}  // namespace engine::testing
