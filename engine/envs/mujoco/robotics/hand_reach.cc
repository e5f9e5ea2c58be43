// See the header.
#include "engine/envs/mujoco/robotics/hand_reach.h"

#include <algorithm>
#include <string>

#include "engine/base/error.h"
#include "engine/envs/mujoco/options.h"
#include "engine/envs/mujoco/robotics/model_source.h"
#include "engine/envs/mujoco/rows.h"

namespace engine::mujoco::robotics {
namespace {

constexpr const char* kReachModel = "hand/reach.xml";
constexpr const char* kStart = "initial_qpos";
constexpr std::array<const char*, kFingers> kTips = {
    "robot0:S_fftip", "robot0:S_mftip", "robot0:S_rftip", "robot0:S_lftip", "robot0:S_thtip"};

// The positions of the joints at the start of an episode, radians.
NumberTable StartOfHand() {
  return {{"robot0:WRJ1", {-0.16514339750464327}},   {"robot0:WRJ0", {-0.31973286565062153}},
          {"robot0:FFJ3", {0.14340512546557435}},    {"robot0:FFJ2", {0.32028208333591573}},
          {"robot0:FFJ1", {0.7126053607727917}},     {"robot0:FFJ0", {0.6705281001412586}},
          {"robot0:MFJ3", {0.000246444303701037}},   {"robot0:MFJ2", {0.3152655251085491}},
          {"robot0:MFJ1", {0.7659800313729842}},     {"robot0:MFJ0", {0.7323156897425923}},
          {"robot0:RFJ3", {0.00038520700007378114}}, {"robot0:RFJ2", {0.36743546201985233}},
          {"robot0:RFJ1", {0.7119514095008576}},     {"robot0:RFJ0", {0.6699446327514138}},
          {"robot0:LFJ4", {0.0525442258033891}},     {"robot0:LFJ3", {-0.13615534724474673}},
          {"robot0:LFJ2", {0.39872030433433003}},    {"robot0:LFJ1", {0.7415570009679252}},
          {"robot0:LFJ0", {0.704096378652974}},      {"robot0:THJ4", {0.003673823825070126}},
          {"robot0:THJ3", {0.5506291436028695}},     {"robot0:THJ2", {-0.014515151997119306}},
          {"robot0:THJ1", {-0.0015229223564485414}}, {"robot0:THJ0", {-0.7894883021600622}}};
}

std::array<int, kFingers> NumberedSites(const Model& model, const std::string& name) {
  std::array<int, kFingers> sites;
  for (std::size_t i = 0; i < kFingers; ++i) sites[i] = model.SiteId(name + std::to_string(i));
  return sites;
}

HandReach::Goal TipsOf(const Simulation& simulation, const std::array<int, kFingers>& sites) {
  HandReach::Goal tips;
  auto* to = tips.data();
  for (const int site : sites) {
    to = std::ranges::copy(At(simulation.data().site_xpos, site), to).out;
  }
  return tips;
}

}  // namespace

const std::array<Attribute<HandReach::Constants>, 2> HandReach::kAttributes = {
    ChoiceOf<&Constants::reward>(kRewardType, kRewardTypes),
    AttributeOf<&Constants::threshold>(kThreshold)};

ParamSchema HandReach::OptionsOf(RewardType reward) {
  return WithRobot({RewardOfDistance(reward),
                    Weight(kThreshold, 0.01, "Distance (m) at which a goal is reached."),
                    {.name = kStart,
                     .default_value = StartOfHand(),
                     .doc = "Positions of joints (radians) at the start of an episode, by name; "
                            "other joints start at 0."}},
                   HandCamera());
}

HandReach::Config::Config(const ParamValues& options)
    : Basics(PackageModel(kReachModel), options),
      constants{.reward = ReadReward(options), .threshold = options.Get<double>(kThreshold)},
      hand(model, kReachModel),
      targets(NumberedSites(model, "target")),
      fingers(NumberedSites(model, "finger")) {
  std::ranges::transform(kTips, tips.begin(), [&](const char* name) { return model.SiteId(name); });
  const ArmModelFields fields = ArmFieldsOf(*model.get());
  Simulation simulation(model);
  for (const auto& [joint, position] : options.Get<NumberTable>(kStart)) {
    if (position.size() != 1) {
      throw Error(ErrorKind::kOption, std::string(kStart) + ": expected one number as \"" + joint +
                                          "\", got " + std::to_string(position.size()));
    }
    simulation.qpos()[static_cast<std::size_t>(fields.jnt_qposadr[model.JointId(joint)])] =
        position[0];
  }
  simulation.EndReset();
  qpos.assign(simulation.qpos().begin(), simulation.qpos().end());
  tips_at_start = TipsOf(simulation, tips);
  palm = At(simulation.data().xpos, model.BodyId("robot0:palm"));
}

void HandReach::Reset(const Start&, Rng& rng) {
  simulation_.BeginReset();
  std::ranges::copy(config_.qpos, simulation_.qpos().begin());
  simulation_.EndReset();
  DrawGoal(rng);
  is_success_ = false;
  ObserveAll();
}

void HandReach::DrawGoal(Rng& rng) {
  constexpr std::size_t kThumb = kFingers - 1;
  constexpr Vector kAbovePalm = {0.0, -0.09, 0.05};  // m, where tips meet
  constexpr double kNoise = 0.005;                   // m
  constexpr double kApart = 0.005;                   // m, of a tip from there
  const auto finger = static_cast<std::size_t>(rng.Choice(kThumb));
  Vector meeting;
  for (std::size_t i = 0; i < 3; ++i) {
    meeting[i] = config_.palm[i] + kAbovePalm[i] + rng.Normal(0.0, kNoise);
  }
  goal_ = config_.tips_at_start;
  for (const std::size_t each : {kThumb, finger}) {
    double* const tip = goal_.data() + 3 * each;
    Vector direction;
    for (std::size_t i = 0; i < 3; ++i) direction[i] = meeting[i] - tip[i];
    Normalize(direction);
    for (std::size_t i = 0; i < 3; ++i) tip[i] = meeting[i] - kApart * direction[i];
  }
  // Otherwise thumbs would stay near their goal.
  constexpr double kProbabilityOfStart = 0.1;
  if (rng.Random() < kProbabilityOfStart) goal_ = config_.tips_at_start;
}

template <std::floating_point T>
StepResult HandReach::Act(const T* action) {
  config_.hand.Step(simulation_, action, 1);
  ObserveAll();
  return Reach(Distance(tips_, goal_), constants_->threshold, constants_->reward);
}

void HandReach::ObserveAll() {
  RowWriter writer(observation_.data());
  config_.hand.PutJoints(writer, simulation_);
  tips_ = TipsOf(simulation_, config_.tips);
  writer.Put(tips_);
}

void HandReach::Render(std::span<std::uint8_t> rgb) const {
  Simulation scene(simulation_);
  scene.EndReset();
  const auto put = [&](const std::array<int, kFingers>& sites, const Goal& positions) {
    for (std::size_t i = 0; i < kFingers; ++i) {
      std::ranges::copy(std::span(positions).subspan(3 * i, 3),
                        scene.data().site_xpos + 3 * static_cast<std::ptrdiff_t>(sites[i]));
    }
  };
  put(config_.targets, goal_);
  put(config_.fingers, tips_);
  scene.Render(config_.renderer, rgb);
  simulation_.TakeCamera(scene);
}

template StepResult HandReach::Act(const float* action);
template StepResult HandReach::Act(const double* action);

}  // namespace engine::mujoco::robotics
