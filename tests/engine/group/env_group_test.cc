// Both kinds of groups: the state after a constructor or a reset throws, the properties of the
// class, and the two ways to step, which must give the same rows.
#include "engine/group/env_group.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/c_interface/abi_class.h"
#include "engine/c_interface/abi_group.h"
#include "engine/group/env_group_of.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace env_group_test {

// Observes its number of steps since the reset. The episode ends after two steps. Throws where the
// test requests it, and counts its instances.
class Fragile {
 public:
  static ParamSchema Options() { return {}; }
  static ParamSchema ResetOptions() { return {}; }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({1}, INT64_MIN, INT64_MAX);
    spec.action = SpaceSpec::Discrete(2);
    spec.scene_size = 1;
    return spec;
  }
  struct Config {
    explicit Config(const ParamValues&) {}
  };
  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Fragile(const Config&) {
    if (constructor_fails_in-- == 0) throw std::runtime_error("no instance");
    ++alive;
  }
  Fragile(const Fragile&) = delete;
  Fragile& operator=(const Fragile&) = delete;
  ~Fragile() { --alive; }

  void EnableRender() {
    if (enable_fails_in-- == 0) throw std::runtime_error("no renderer");
  }
  void Reset(const Start&, Rng&) {
    if (reset_fails) throw std::runtime_error("no reset");
    steps_ = 0;
  }
  StepResult Step(ActionView action, Rng&) {
    if (action.Index() == 1) throw std::runtime_error("no step");
    ++steps_;
    return {.reward = static_cast<double>(steps_), .terminated = steps_ == 2};
  }
  void Observe(ObsRow row) const { *row.Data<std::int64_t>() = steps_; }
  void Scene(std::span<double> scene) const { scene[0] = 0.0; }

  static void Heal() {
    constructor_fails_in = enable_fails_in = -1;
    reset_fails = false;
  }

  static inline int alive = 0;
  // The number of calls that succeed before one fails. If negative, none fails.
  static inline int constructor_fails_in = -1;
  static inline int enable_fails_in = -1;
  static inline bool reset_fails = false;

 private:
  std::int64_t steps_ = 0;
};

// Fragile with kNeverWaits.
class NeverWaiting : public Fragile {
 public:
  static constexpr bool kNeverWaits = true;
  using Fragile::Fragile;
};

class MayWait : public Fragile {
 public:
  static constexpr bool kNeverWaits = false;
  using Fragile::Fragile;
};

constexpr std::uint32_t kEnvs = 4;

// The ways in which a group steps a class: directly, or through the C interface of plug-ins, either
// one environment or several environments per call.
enum class Kind : std::uint8_t { kOfClass, kAbi, kAbiTogether };
constexpr Kind kKinds[] = {Kind::kOfClass, Kind::kAbi, Kind::kAbiTogether};

template <class E>
std::unique_ptr<EnvGroup> ThroughAbi(const GroupConfig& config) {
  static const envpool_task kTask = AbiClass<E>::Functions();
  const ParamValues options({}, {}, "option", "Fragile");
  return std::make_unique<AbiGroup>(kTask, DescribeAbiTask(kTask, options), options, config);
}

std::unique_ptr<EnvGroup> MakeGroup(Kind kind, const GroupConfig& config) {
  switch (kind) {
    case Kind::kAbi:
      return ThroughAbi<Fragile>(config);
    case Kind::kAbiTogether:
      return ThroughAbi<NeverWaiting>(config);
    default:
      return std::make_unique<EnvGroupOf<Fragile>>(ParamValues({}, {}, "option", "Fragile"),
                                                   config);
  }
}

// A group of Fragile and one batch with a row for each environment.
class Fixture {
 public:
  explicit Fixture(Kind kind, AutoresetMode autoreset = AutoresetMode::kSameStep,
                   bool renders = false)
      : owned(MakeGroup(kind, {.num_envs = kEnvs, .autoreset = autoreset, .renders = renders})),
        group(*owned) {
    Fragile::Heal();
    out.frame = {.obs = &obs_column, .elapsed_step = elapsed};
    out.final_frame = {.obs = &final_column, .elapsed_step = final_elapsed};
    out.reward = reward;
    out.terminated = terminated;
    out.truncated = truncated;
    out.env_id = env_id;
    out.final_mask = final_mask;
  }
  ~Fixture() { Fragile::Heal(); }

  void Construct() { group.Construct(0, kEnvs); }
  void Reset() { group.ResetRows({.end = kEnvs}, {}, out, StopCondition::Never(), counts); }
  void Reset(std::uint32_t env) {
    group.ResetRows({.ids = &env, .end = 1, .first_row = env}, {}, out, StopCondition::Never(),
                    counts);
  }
  void Step(const std::vector<std::int64_t>& actions) {
    group.StepRows({.end = kEnvs}, Slots(actions), out, StopCondition::Never(), counts);
  }
  // Steps through outcomes, as executors do when the rows are not known in advance.
  void StepWithoutRows(const std::vector<std::int64_t>& actions) {
    std::int64_t pending_obs = -1;
    std::int32_t pending_elapsed = -1;
    const Column column{reinterpret_cast<std::byte*>(&pending_obs), sizeof(pending_obs)};
    BatchView pending;
    pending.final_frame = {.obs = &column, .elapsed_step = &pending_elapsed};
    const std::uint32_t ids[kEnvs] = {0, 1, 2, 3};
    const std::uint8_t resets[kEnvs] = {};
    for (std::uint32_t done = 0; done < kEnvs;) {
      engine::Outcome outcomes[kEnvs];
      const std::uint32_t m =
          group.StepWithoutRows(ids + done, kEnvs - done, resets, Slots(actions), pending, outcomes,
                                StopCondition::Never(), counts);
      group.WriteRows(ids + done, m, nullptr, done, outcomes, pending, out, counts);
      done += m;
    }
  }

  const std::unique_ptr<EnvGroup> owned;
  EnvGroup& group;
  BatchView out;
  StepCounts counts;
  std::int64_t obs[kEnvs] = {}, final_obs[kEnvs] = {};
  std::int32_t elapsed[kEnvs] = {}, final_elapsed[kEnvs] = {}, env_id[kEnvs] = {};
  double reward[kEnvs] = {};
  bool terminated[kEnvs] = {}, truncated[kEnvs] = {}, final_mask[kEnvs] = {};

 private:
  static ActionSlots Slots(const std::vector<std::int64_t>& actions) {
    return {.base = reinterpret_cast<const std::byte*>(actions.data()),
            .bytes = sizeof(std::int64_t)};
  }

  Column obs_column{reinterpret_cast<std::byte*>(obs), sizeof(obs[0])};
  Column final_column{reinterpret_cast<std::byte*>(final_obs), sizeof(final_obs[0])};
};

// Observes the number that it was seeded with. Its constructor, Step and Scene are those of
// Fragile.
class Numbered : public Fragile {
 public:
  using Fragile::Fragile;
  void Seed(std::uint64_t seed, std::uint32_t number, Rng&) {
    seed_ = seed;
    number_ = number;
  }
  void Observe(ObsRow row) const {
    *row.Data<std::int64_t>() = static_cast<std::int64_t>(100 * seed_ + number_);
  }

 private:
  std::uint64_t seed_ = 0;
  std::uint32_t number_ = 0;
};

TEST(EnvGroup, SeedGetsTheNumberOfTheEnvironment) {
  for (const Kind kind : {Kind::kOfClass, Kind::kAbi}) {
    Fixture fixture(kind);  // its columns
    const GroupConfig config{.num_envs = kEnvs};
    const std::unique_ptr<EnvGroup> group =
        kind == Kind::kAbi ? ThroughAbi<Numbered>(config)
                           : std::make_unique<EnvGroupOf<Numbered>>(
                                 ParamValues({}, {}, "option", "Numbered"), config);
    group->Construct(0, kEnvs);
    const std::uint64_t seeds[] = {8, 0};
    const std::uint8_t has_seed[] = {1, 0};
    const std::uint32_t ids[] = {3, 1};
    for (std::uint32_t env = 0; env < kEnvs; ++env) group->Seed(env, 5);
    group->ResetRows({.end = kEnvs}, {}, fixture.out, StopCondition::Never(), fixture.counts);
    for (std::uint32_t env = 0; env < kEnvs; ++env) EXPECT_EQ(fixture.obs[env], 500 + env);
    group->ResetRows({.ids = ids, .end = 2}, {.seeds = seeds, .has_seed = has_seed}, fixture.out,
                     StopCondition::Never(), fixture.counts);
    EXPECT_EQ(fixture.obs[0], 803);
    EXPECT_EQ(fixture.obs[1], 501);
  }
}

template <class E>
bool SaysItNeverWaits() {
  return EnvGroupOf<E>(ParamValues({}, {}, "option", "E"), GroupConfig{}).never_waits();
}

TEST(EnvGroup, SaysWhatItsClassSaysOfWaiting) {
  EXPECT_FALSE(SaysItNeverWaits<Fragile>());
  EXPECT_TRUE(SaysItNeverWaits<NeverWaiting>());
  EXPECT_FALSE(SaysItNeverWaits<MayWait>());
}

// Fragile with other action spaces.
struct NestedAction : Fragile {
  static EnvSpec Spec(const ParamValues& options) {
    EnvSpec spec = Fragile::Spec(options);
    spec.action = SpaceSpec::Tuple({SpaceSpec::Discrete(2), SpaceSpec::MultiBinary(3)});
    return spec;
  }
  using Fragile::Fragile;
};
struct ReadsRow : NestedAction {
  StepResult Step(ActionRow action, Rng&) {
    return {.reward = static_cast<double>(action.Index(0))};
  }
  using NestedAction::NestedAction;
};
struct KeepsFloat64WithoutFloat32 : ReadsRow {
  static constexpr bool kKeepsFloat64 = true;
  using ReadsRow::ReadsRow;
};

template <class E>
bool ReadsARow() {
  return EnvGroupOf<E>(ParamValues({}, {}, "option", "E"), GroupConfig{}).steps_row();
}

TEST(EnvGroup, ActionSpacesWithChildrenNeedAStepWithActionRow) {
  EXPECT_FALSE(ReadsARow<Fragile>());
  EXPECT_TRUE(ReadsARow<ReadsRow>());
  EXPECT_THROW_MESSAGE(ReadsARow<NestedAction>(), Error,
                       "Step(engine::ActionRow action, engine::Rng& rng)");
  EXPECT_THROW_MESSAGE(ReadsARow<KeepsFloat64WithoutFloat32>(), Error,
                       "the class has kKeepsFloat64, and the action space no float32 box");
}

TEST(EnvGroup, AFailedConstructLeavesNothing) {
  for (const Kind kind : kKinds) {
    for (int succeed = 0; succeed < 3; ++succeed) {
      Fixture fixture(kind);
      fixture.group.Construct(0, 1);
      Fragile::constructor_fails_in = succeed;
      EXPECT_THROW(fixture.group.Construct(1, kEnvs), std::runtime_error);
      EXPECT_EQ(Fragile::alive, 1) << "only the first call's is left";
      Fragile::Heal();
      fixture.group.Construct(1, kEnvs);
      EXPECT_EQ(Fragile::alive, static_cast<int>(kEnvs));
      fixture.Reset();
      EXPECT_EQ(fixture.counts.failures, 0U);
    }
    EXPECT_EQ(Fragile::alive, 0);
  }
}

TEST(EnvGroup, ARendererThatFailsLeavesNothing) {
  for (const Kind kind : kKinds) {
    {
      Fixture fixture(kind, AutoresetMode::kNextStep, true);
      Fragile::enable_fails_in = 2;
      EXPECT_THROW(fixture.Construct(), std::runtime_error);
      EXPECT_EQ(Fragile::alive, 0);
      Fragile::Heal();
      fixture.Construct();
      EXPECT_EQ(Fragile::alive, static_cast<int>(kEnvs));
    }
    EXPECT_EQ(Fragile::alive, 0);
  }
}

TEST(EnvGroup, RestartsAFailedOneUntilItsConstructorSucceeds) {
  for (const Kind kind : kKinds) {
    for (const bool renderer : {false, true}) {
      Fixture fixture(kind, AutoresetMode::kSameStep, renderer);
      fixture.Construct();
      fixture.Reset();
      fixture.Step({0, 1, 0, 0});
      EXPECT_EQ(fixture.group.status(1), EnvStatus::kFailed);
      EXPECT_EQ(fixture.group.FailureOf(1), std::string("no step"));
      EXPECT_EQ(fixture.obs[1], 0);
      EXPECT_EQ(fixture.env_id[1], 1);
      for (int attempt = 0; attempt < 2; ++attempt) {
        (renderer ? Fragile::enable_fails_in : Fragile::constructor_fails_in) = 0;
        fixture.Reset(1);
        EXPECT_EQ(fixture.group.status(1), EnvStatus::kFailed);
        EXPECT_EQ(fixture.group.FailureOf(1),
                  std::string(renderer ? "no renderer" : "no instance"));
        EXPECT_EQ(Fragile::alive, static_cast<int>(kEnvs) - (renderer ? 0 : 1));
      }
      EXPECT_EQ(fixture.counts.failures, 3U);
      fixture.Reset(1);
      EXPECT_EQ(fixture.group.statuses(),
                std::vector<std::uint8_t>(kEnvs, EnvStatus::kReadyToStep));
      EXPECT_EQ(Fragile::alive, static_cast<int>(kEnvs));
      fixture.Step({0, 0, 0, 0});
      EXPECT_EQ(fixture.obs[1], 1);
      EXPECT_EQ(fixture.reward[1], 1.0);
    }
    EXPECT_EQ(Fragile::alive, 0);
  }
}

TEST(EnvGroup, IsDestroyedAfterARestartThatLeftNoInstance) {
  for (const Kind kind : kKinds) {
    {
      Fixture fixture(kind);
      fixture.Construct();
      fixture.Reset();
      fixture.Step({1, 0, 0, 0});
      Fragile::constructor_fails_in = 0;
      fixture.Reset(0);
      EXPECT_EQ(Fragile::alive, 3);
    }
    EXPECT_EQ(Fragile::alive, 0);
  }
}

TEST(EnvGroup, AResetThatFailsInSameStepIsTheRowsFailure) {
  for (const Kind kind : kKinds) {
    for (const bool unplaced : {false, true}) {
      Fixture fixture(kind);
      fixture.Construct();
      fixture.Reset();
      fixture.Step({0, 0, 0, 0});
      Fragile::reset_fails = true;
      unplaced ? fixture.StepWithoutRows({0, 0, 0, 0}) : fixture.Step({0, 0, 0, 0});
      for (std::uint32_t env = 0; env < kEnvs; ++env) {
        EXPECT_EQ(fixture.group.FailureOf(env), std::string("no reset"));
        EXPECT_FALSE(fixture.final_mask[env]);
        EXPECT_FALSE(fixture.terminated[env]);
        EXPECT_EQ(fixture.reward[env], 0.0);
        EXPECT_EQ(fixture.elapsed[env], 2);
      }
      EXPECT_EQ(fixture.counts.failures, 4U);
      EXPECT_EQ(fixture.counts.episodes, 4U);
      EXPECT_EQ(fixture.counts.resets, 4U);
    }
  }
}

// Whether the columns are equal byte by byte.
template <class T>
bool Same(const T (&a)[kEnvs], const T (&b)[kEnvs]) {
  return std::memcmp(a, b, sizeof(a)) == 0;
}

TEST(EnvGroup, BothWaysToStepGiveTheSameRows) {
  for (const Kind kind : kKinds) {
    for (const AutoresetMode mode : {AutoresetMode::kNextStep, AutoresetMode::kSameStep}) {
      Fixture placed(kind, mode);
      Fixture unplaced(kind, mode);
      for (Fixture* const fixture : {&placed, &unplaced}) {
        fixture->Construct();
        fixture->Reset();
        fixture->Step({0, 0, 0, 0});
        fixture->Reset(2);  // its episodes now end at other steps
      }
      for (int step = 0; step < 7; ++step) {
        const std::vector<std::int64_t> actions = {0, 0, 0, step == 3 ? 1 : 0};
        placed.Step(actions);
        unplaced.StepWithoutRows(actions);
        EXPECT_TRUE(Same(placed.obs, unplaced.obs));
        EXPECT_TRUE(Same(placed.elapsed, unplaced.elapsed));
        EXPECT_TRUE(Same(placed.reward, unplaced.reward));
        EXPECT_TRUE(Same(placed.terminated, unplaced.terminated));
        EXPECT_TRUE(Same(placed.truncated, unplaced.truncated));
        EXPECT_TRUE(Same(placed.env_id, unplaced.env_id));
        EXPECT_TRUE(Same(placed.final_mask, unplaced.final_mask));
        for (std::uint32_t env = 0; env < kEnvs; ++env) {
          EXPECT_EQ(placed.final_mask[env],
                    mode == AutoresetMode::kSameStep && placed.terminated[env]);
          if (!placed.final_mask[env]) continue;
          EXPECT_EQ(placed.final_obs[env], 2);
          EXPECT_EQ(unplaced.final_obs[env], 2);
          EXPECT_EQ(placed.final_elapsed[env], 2);
          EXPECT_EQ(unplaced.final_elapsed[env], 2);
        }
        if (step == 3) {
          for (Fixture* const fixture : {&placed, &unplaced}) fixture->Reset(3);
        }
      }
      EXPECT_EQ(placed.counts.steps, unplaced.counts.steps);
      EXPECT_EQ(placed.counts.episodes, unplaced.counts.episodes);
      EXPECT_EQ(placed.counts.resets, unplaced.counts.resets);
      EXPECT_EQ(placed.counts.failures, unplaced.counts.failures);
    }
  }
}

}  // namespace env_group_test
}  // namespace engine::testing
