// Environments of one group with constructor options of their own, in both kinds of groups and in
// groups of several tasks.
#include "engine/group/env_settings.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/c_interface/abi_class.h"
#include "engine/c_interface/abi_group.h"
#include "engine/group/env_group_of.h"
#include "engine/group/mixed_group.h"
#include "tests/engine/harness.h"

namespace engine::testing {
namespace env_settings_test {

// Observes its option. An episode ends after two steps. Counts the configurations that exist.
class Valued {
 public:
  static ParamSchema Options() {
    return {{.name = "value", .default_value = std::int64_t{1}, .low = {}, .high = {}}};
  }
  static EnvSpec Spec(const ParamValues&) {
    EnvSpec spec;
    spec.observation = SpaceSpec::Box<std::int64_t>({1}, INT64_MIN, INT64_MAX);
    spec.action = SpaceSpec::Discrete(2);
    spec.infos = {{.name = "value", .dtype = DType::kInt64, .shape = {}}};
    return spec;
  }
  struct Config {
    explicit Config(const ParamValues& options) : value(options.Get<std::int64_t>("value")) {
      ++configs;
    }
    ~Config() { --configs; }
    Config(const Config&) = delete;
    Config& operator=(const Config&) = delete;

    const std::int64_t value;
  };

  explicit Valued(const Config& config) : config_(&config) {
    if (config.value < 0) throw std::runtime_error("a negative value");
  }
  void Reset(Rng&) { steps_ = 0; }
  StepResult Step(ActionView, Rng&) { return {.terminated = ++steps_ == 2}; }
  void Observe(ObsRow row) const { *row.Data<std::int64_t>() = config_->value; }
  void Info(InfoRow row, bool) const { row.Set<std::int64_t>(0, config_->value); }

  static inline std::atomic<int> configs = 0;

 private:
  const Config* config_;
  std::int64_t steps_ = 0;
};

// Has another info in front of that of Valued.
class Other : public Valued {
 public:
  static EnvSpec Spec(const ParamValues& options) {
    EnvSpec spec = Valued::Spec(options);
    spec.infos.insert(spec.infos.begin(),
                      InfoSpec{.name = "own", .dtype = DType::kInt64, .shape = {}});
    return spec;
  }
  using Valued::Valued;
  void Info(InfoRow row, bool) const {
    row.Set<std::int64_t>(0, -5);
    row.Set<std::int64_t>(1, 7);
  }
};

constexpr std::uint32_t kEnvs = 4;

ParamValues OptionsOfValue(std::int64_t value) {
  return {Valued::Options(), {{"value", value}}, "option", "Valued"};
}

template <class E>
std::unique_ptr<EnvGroup> OfClass(const ParamValues& options, const GroupConfig& config) {
  return std::make_unique<EnvGroupOf<E>>(options, config);
}
std::unique_ptr<EnvGroup> ThroughAbi(const ParamValues& options, const GroupConfig& config) {
  static const envpool_task kTask = AbiClass<Valued>::Functions();
  return std::make_unique<AbiGroup>(kTask, DescribeAbiTask(kTask, options), options, config);
}
using MakeGroup = std::unique_ptr<EnvGroup> (*)(const ParamValues&, const GroupConfig&);
constexpr MakeGroup kKinds[] = {&OfClass<Valued>, &ThroughAbi};

EnvSettingPtr SettingOf(MakeGroup make, std::int64_t value) {
  return make(OptionsOfValue(value), {.num_envs = 1})->OwnSetting();
}

// One batch with a row for each environment.
struct Rows {
  Rows() {
    for (std::size_t info = 0; info < 3; ++info) {
      // The info "task" is int32, in the first half of its row.
      infos[info] = {reinterpret_cast<std::byte*>(values[info]), sizeof(std::int64_t)};
      masks[info] = {reinterpret_cast<std::byte*>(set[info]), sizeof(bool)};
      final_infos[info] = {reinterpret_cast<std::byte*>(final_values[info]), sizeof(std::int64_t)};
      final_masks[info] = {reinterpret_cast<std::byte*>(final_set[info]), sizeof(bool)};
    }
    out.frame = {.obs = &obs_column, .info = infos, .info_mask = masks, .elapsed_step = elapsed};
    out.final_frame = {.obs = &final_column,
                       .info = final_infos,
                       .info_mask = final_masks,
                       .elapsed_step = final_elapsed};
    out.reward = reward;
    out.terminated = terminated;
    out.truncated = truncated;
    out.env_id = env_id;
    out.final_mask = final_mask;
  }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  void Reset(EnvGroup& group) {
    group.ResetRows({.end = kEnvs}, {}, out, StopCondition::Never(), counts);
  }
  void Step(EnvGroup& group) {
    group.StepRows({.end = kEnvs}, Slots(), out, StopCondition::Never(), counts);
  }
  // As executors do when the rows are not known in advance. Returns the number of pieces.
  int StepWithoutRows(EnvGroup& group) {
    Rows pending;
    const std::uint32_t ids[kEnvs] = {3, 1, 0, 2};
    const std::uint8_t resets[kEnvs] = {};
    int pieces = 0;
    for (std::uint32_t done = 0; done < kEnvs; ++pieces) {
      engine::Outcome outcomes[kEnvs];
      const std::uint32_t m =
          group.StepWithoutRows(ids + done, kEnvs - done, resets, Slots(), pending.out, outcomes,
                                StopCondition::Never(), counts);
      group.WriteRows(ids + done, m, ids + done, 0, outcomes, pending.out, out, counts);
      done += m;
    }
    return pieces;
  }
  std::vector<std::int64_t> Observed() const { return {obs, obs + kEnvs}; }

  BatchView out;
  StepCounts counts;
  std::int64_t obs[kEnvs] = {}, final_obs[kEnvs] = {};
  std::int64_t values[3][kEnvs] = {}, final_values[3][kEnvs] = {};
  bool set[3][kEnvs] = {}, final_set[3][kEnvs] = {};
  std::int32_t elapsed[kEnvs] = {}, final_elapsed[kEnvs] = {}, env_id[kEnvs] = {};
  double reward[kEnvs] = {};
  bool terminated[kEnvs] = {}, truncated[kEnvs] = {}, final_mask[kEnvs] = {};

 private:
  static ActionSlots Slots() {
    static const std::int64_t kActions[kEnvs] = {};
    return {.base = reinterpret_cast<const std::byte*>(kActions), .bytes = sizeof(std::int64_t)};
  }
  Column obs_column{reinterpret_cast<std::byte*>(obs), sizeof(obs[0])};
  Column final_column{reinterpret_cast<std::byte*>(final_obs), sizeof(final_obs[0])};
  Column infos[3], masks[3], final_infos[3], final_masks[3];
};

TEST(EnvSettings, ApplyFromTheNextRestartOn) {
  for (const MakeGroup make : kKinds) {
    {
      const std::unique_ptr<EnvGroup> group =
          make(OptionsOfValue(1), {.num_envs = kEnvs, .autoreset = AutoresetMode::kSameStep});
      EXPECT_FALSE(group->settings().used());
      group->settings().Prepare(kEnvs);
      group->settings().SetNext(2, SettingOf(make, 5));
      group->Construct(0, kEnvs);
      EXPECT_TRUE(group->settings().Current(1) == nullptr);
      Rows rows;
      rows.Reset(*group);
      EXPECT_EQ(rows.Observed(), (std::vector<std::int64_t>{1, 1, 5, 1}));
      group->settings().SetNext(2, SettingOf(make, 6));
      group->settings().SetNext(2, SettingOf(make, 7));
      group->settings().SetNext(0, SettingOf(make, 8));
      rows.Step(*group);
      EXPECT_EQ(rows.Observed(), (std::vector<std::int64_t>{1, 1, 5, 1}));
      EXPECT_EQ(Valued::configs, 4) << "that of the group, of environment 2, and two that wait";
      rows.Step(*group);
      EXPECT_EQ(rows.final_obs[2], 5) << "the last observation of the old environment";
      EXPECT_EQ(rows.Observed(), (std::vector<std::int64_t>{8, 1, 7, 1}));
      EXPECT_EQ(Valued::configs, 3) << "the replaced one has ended";
    }
    EXPECT_EQ(Valued::configs, 0);
  }
}

TEST(EnvSettings, AnEnvironmentThatCannotBeMadeFails) {
  for (const MakeGroup make : kKinds) {
    const std::unique_ptr<EnvGroup> group = make(OptionsOfValue(1), {.num_envs = kEnvs});
    group->Construct(0, kEnvs);
    Rows rows;
    rows.Reset(*group);
    group->settings().Prepare(kEnvs);
    group->settings().SetNext(1, SettingOf(make, -1));
    rows.Reset(*group);
    EXPECT_EQ(group->FailureOf(1), std::string("a negative value"));
    EXPECT_EQ(rows.counts.failures, 1U);
    group->settings().SetNext(1, SettingOf(make, 3));
    rows.Reset(*group);
    EXPECT_EQ(rows.Observed(), (std::vector<std::int64_t>{1, 3, 1, 1}));
    EXPECT_EQ(group->status(1), EnvStatus::kReadyToStep);
  }
}

TEST(EnvSettings, OtherThreadsMaySetThemMeanwhile) {
  EnvSettings settings;
  constexpr std::uint32_t kRounds = 2'000;
  std::vector<EnvSettingPtr> given;
  for (int k = 0; k < 4; ++k) given.push_back(SettingOf(kKinds[0], k));
  settings.Prepare(kEnvs);
  std::thread sets([&] {
    for (std::uint32_t k = 0; k < kRounds; ++k) settings.SetNext(k % kEnvs, given[k % 4]);
  });
  int taken = 0;
  for (std::uint32_t k = 0; k < kRounds; ++k) {
    const std::uint32_t env = k % kEnvs;
    EnvSettingPtr replaced;
    taken += settings.TakeOver(env, replaced) ? 1 : 0;
    EXPECT_TRUE(settings.Next(env) == nullptr || settings.Next(env) == given[env]);
  }
  sets.join();
  for (std::uint32_t env = 0; env < kEnvs; ++env) {
    EnvSettingPtr replaced;
    taken += settings.TakeOver(env, replaced) ? 1 : 0;
    EXPECT_TRUE(settings.Current(env) == given[env]);
    EXPECT_FALSE(settings.TakeOver(env, replaced));
  }
  EXPECT_GE(taken, static_cast<int>(kEnvs));
}

std::unique_ptr<MixedGroup> TwoTasks(AutoresetMode autoreset) {
  const GroupConfig config{.num_envs = kEnvs, .autoreset = autoreset};
  std::vector<TaskShare> shares(2);
  shares[0] = {.group = OfClass<Valued>(OptionsOfValue(1), config), .num_envs = 3};
  shares[1] = {.group = OfClass<Other>(OptionsOfValue(2), config), .num_envs = 1};
  EXPECT_EQ(WhyNotMixed(*shares[0].group, *shares[1].group), std::string());
  auto group = std::make_unique<MixedGroup>(std::move(shares));
  group->Construct(0, kEnvs);
  return group;
}

TEST(MixedGroup, HasTheInfosOfAllTasks) {
  const auto group = TwoTasks(AutoresetMode::kSameStep);
  const std::vector<InfoSpec>& infos = group->spec().infos;
  EXPECT_EQ(infos.size(), 3U);
  EXPECT_EQ(infos[0].name, std::string("value"));
  EXPECT_EQ(infos[1].name, std::string("own"));
  EXPECT_EQ(infos[2].name, std::string("task"));
  for (const bool unplaced : {false, true}) {
    Rows rows;
    rows.Reset(*group);
    unplaced ? static_cast<void>(rows.StepWithoutRows(*group)) : rows.Step(*group);
    EXPECT_EQ(rows.values[0][0], 1);
    EXPECT_EQ(rows.values[0][3], 7);
    EXPECT_EQ(rows.values[1][3], -5);
    EXPECT_FALSE(rows.set[1][0]);
    EXPECT_TRUE(rows.set[1][3]);
    EXPECT_EQ(rows.values[2][3], 1);
    EXPECT_TRUE(rows.set[2][0] && rows.set[2][3]);
    if (unplaced) {
      // An environment whose episode ends needs the one row for last frames, whatever its task.
      EXPECT_EQ(rows.StepWithoutRows(*group), 4);
    } else {
      rows.Step(*group);
    }
    for (std::uint32_t env = 0; env < kEnvs; ++env) {
      EXPECT_TRUE(rows.final_mask[env]);
      EXPECT_EQ(rows.final_obs[env], env == 3 ? 2 : 1);
      EXPECT_EQ(rows.final_values[2][env], env == 3 ? 1 : 0);
      EXPECT_EQ(rows.final_set[1][env], env == 3);
    }
  }
}

TEST(MixedGroup, PassesSettingsAndFailuresOn) {
  const auto group = TwoTasks(AutoresetMode::kNextStep);
  Rows rows;
  rows.Reset(*group);
  group->settings().Prepare(kEnvs);
  group->settings().SetNext(1, SettingOf(&OfClass<Valued>, -1));
  group->settings().SetNext(3, SettingOf(&OfClass<Other>, 9));
  rows.Reset(*group);
  EXPECT_EQ(group->status(1), EnvStatus::kFailed);
  EXPECT_EQ(group->FailureOf(1), std::string("a negative value"));
  EXPECT_EQ(rows.obs[3], 9);
  group->settings().SetNext(1, SettingOf(&OfClass<Valued>, 4));
  rows.Reset(*group);
  EXPECT_EQ(rows.Observed(), (std::vector<std::int64_t>{1, 4, 1, 9}));
  EXPECT_EQ(group->status(1), EnvStatus::kReadyToStep);
  EXPECT_EQ(rows.counts.failures, 1U);
}

}  // namespace env_settings_test
}  // namespace engine::testing
