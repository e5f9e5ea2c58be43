// StepMany of the classic-control classes beside Step: states, observations, rewards, ends and
// generators are equal bit by bit, with each instruction set of this processor.
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/envs/classic_control/acrobot.h"
#include "engine/envs/classic_control/cartpole.h"
#include "engine/envs/classic_control/mountain_car.h"
#include "engine/envs/classic_control/pendulum.h"
#include "engine/group/env_slots.h"
#include "tests/engine/harness.h"

namespace engine::classic_control::testing {
namespace lane_steps_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// Uses other functions until the end of the scope.
class UseLanes {
 public:
  explicit UseLanes(const LaneFunctions& functions) { lanes_in_use = functions; }
  UseLanes(const UseLanes&) = delete;
  UseLanes& operator=(const UseLanes&) = delete;
  ~UseLanes() { lanes_in_use = *FindLanes(); }
};

// What the tests need to know of a class. A round has about 33 environments and 8 steps.
template <class E>
struct Traits;
template <>
struct Traits<CartPole> {
  static constexpr int kRounds = 400;
  static constexpr std::size_t kVariables = 4;
  static constexpr double kScale[] = {3.0, 0.3, 4.0, 4.0};
  static constexpr std::int64_t kActions = 2;
  static constexpr std::size_t kObservation = 4;
};
template <>
struct Traits<MountainCar> {
  static constexpr int kRounds = 400;
  static constexpr std::size_t kVariables = 2;
  static constexpr double kScale[] = {1.3, 0.08};
  static constexpr std::int64_t kActions = 3;
  static constexpr std::size_t kObservation = 2;
};
template <>
struct Traits<Pendulum> {
  static constexpr int kRounds = 300;
  static constexpr std::size_t kVariables = 2;
  static constexpr double kScale[] = {20.0, 8.0};
  static constexpr std::int64_t kActions = 0;  // a float32 box
  static constexpr std::size_t kObservation = 3;
};
template <>
struct Traits<Acrobot> {
  static constexpr int kRounds = 60;
  static constexpr std::size_t kVariables = 4;
  static constexpr double kScale[] = {std::numbers::pi, std::numbers::pi, 12.0, 28.0};
  static constexpr std::int64_t kActions = 3;
  static constexpr std::size_t kObservation = 6;
};

template <class E>
std::string Saved(const E& env) {
  std::string bytes;
  StateWriter writer(bytes);
  env.Save(writer);
  return bytes;
}

template <class E>
void LoadVariables(E& env, std::span<const double> variables) {
  std::string bytes = Saved(env);  // with what follows the variables
  std::memcpy(bytes.data(), variables.data(), variables.size_bytes());
  if constexpr (std::same_as<E, Acrobot>) bytes.back() = 0;  // not after a reset
  StateReader reader(bytes);
  env.Load(reader);
}

template <class E>
std::array<float, Traits<E>::kObservation> Observed(const E& env) {
  std::array<float, Traits<E>::kObservation> observation{};
  const Column column{reinterpret_cast<std::byte*>(observation.data()), sizeof(observation)};
  env.Observe(ObsRow(&column, 0));
  return observation;
}

bool AreEqual(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

struct Counts {
  int stepped = 0;
  int left = 0;
  int unequal = 0;
  int ended = 0;
};

// Environments, their generators and actions.
template <class E>
struct Many {
  explicit Many(const ParamValues& options) : config(options) {
    for (std::uint32_t k = 0; k < kMostTogether; ++k) {
      envs.push_back(E(config));
      rngs.emplace_back(k);
    }
  }

  void DrawActions(Rng& rng) {
    const bool all_float64 = rng.Integers(3) == 0;
    for (std::uint32_t k = 0; k < kMostTogether; ++k) {
      is_float64[k] = all_float64 || (mixes_dtypes && rng.Integers(4) == 0) ? 1 : 0;
      if constexpr (Traits<E>::kActions == 0) {
        doubles[k] = rng.Uniform(-3.0, 3.0);
        floats[k] = static_cast<float>(doubles[k]);
      } else {
        integers[k] = rng.Integers(Traits<E>::kActions);
      }
    }
  }
  ActionSlots Actions() const {
    if constexpr (Traits<E>::kActions == 0) {
      return {.base = reinterpret_cast<const std::byte*>(floats.data()),
              .bytes = sizeof(float),
              .dtype = DType::kFloat32,
              .float64_base = reinterpret_cast<const std::byte*>(doubles.data()),
              .is_float64 = is_float64.data()};
    } else {
      return {.base = reinterpret_cast<const std::byte*>(integers.data()),
              .bytes = sizeof(std::int64_t)};
    }
  }

  // Steps environments `ids` together, and copies of them one by one.
  void Step(const std::vector<std::uint32_t>& ids, Counts& counts) {
    const std::vector<E> before(envs.begin(), envs.end());
    const std::vector<Rng> rngs_before = rngs;
    std::vector<double> rewards(ids.size(), kNan);
    std::vector<std::uint8_t> ends(ids.size(), 77);
    const ActionSlots actions = Actions();
    E::StepMany(StepRange<E>(
        {ids.data(), 0, static_cast<std::uint32_t>(ids.size()), rewards.data(), ends.data()},
        envs.data(), sizeof(E), rngs.data(), actions));
    for (std::size_t k = 0; k < ids.size(); ++k) {
      const std::uint32_t id = ids[k];
      E one = before[id];
      Rng rng = rngs_before[id];
      StepResult result;
      bool throws = false;
      try {
        result = StepOne(one, id, actions, rng);
      } catch (const std::domain_error&) {
        throws = true;
      }
      bool equal = true;
      if (ends[k] == EndBits::kNotStepped) {
        ++counts.left;
        equal = (Observed(envs[id]) == Observed(before[id]) || ContainsNan(before[id])) &&
                rngs_before[id].State() == rngs[id].State();
      } else {
        ++counts.stepped;
        counts.ended += result.terminated ? 1 : 0;
        const std::uint8_t end = result.terminated ? EndBits::kTerminated : std::uint8_t{0};
        equal = !throws && AreEqual(rewards[k], result.reward) && ends[k] == end &&
                (Observed(envs[id]) == Observed(one) || ContainsNan(one));
        equal = equal && Saved(envs[id]) == Saved(one) && rng.State() == rngs[id].State();
      }
      counts.unequal += equal ? 0 : 1;
    }
  }
  static bool ContainsNan(const E& env) {
    for (const float value : Observed(env))
      if (std::isnan(value)) return true;
    return false;
  }

  const typename E::Config config;
  bool mixes_dtypes = false;  // of the actions of one call
  std::vector<E> envs;
  std::vector<Rng> rngs;
  std::array<std::int64_t, kMostTogether> integers{};
  std::array<float, kMostTogether> floats{};
  std::array<double, kMostTogether> doubles{};
  std::array<std::uint8_t, kMostTogether> is_float64{};
};

using Change = void (*)(Rng& rng, double& variable);

// Random subsets of the environments, from random states that `change` may alter, for some steps.
template <class E, class Prepare>
Counts Compare(const ParamValues& options, const Prepare& prepare, Change change = nullptr) {
  Counts counts;
  Many<E> many(options);
  prepare(many);
  Rng rng(5);
  for (int round = 0; round < Traits<E>::kRounds; ++round) {
    for (E& env : many.envs) {
      std::array<double, Traits<E>::kVariables> variables;
      for (std::size_t i = 0; i < variables.size(); ++i) {
        variables[i] = rng.Uniform(-1.0, 1.0) * Traits<E>::kScale[i];
        if (change != nullptr && rng.Integers(5) == 0) change(rng, variables[i]);
      }
      LoadVariables(env, variables);
    }
    std::vector<std::uint32_t> ids(kMostTogether);
    for (std::uint32_t k = 0; k < kMostTogether; ++k) ids[k] = k;
    for (std::uint32_t k = kMostTogether - 1; k > 0; --k)
      std::swap(ids[k], ids[static_cast<std::size_t>(rng.Integers(k + 1))]);
    ids.resize(static_cast<std::size_t>(rng.Integers(1, kMostTogether)) + 1);
    for (int step = 0; step < 8; ++step) {
      many.DrawActions(rng);
      many.Step(ids, counts);
    }
  }
  EXPECT_EQ(counts.unequal, 0) << Lanes().name << " stepped " << counts.stepped;
  return counts;
}

template <class E>
ParamValues Options(const std::vector<std::pair<std::string, ParamValue>>& given = {}) {
  return ParamValues(E::Options(), given, "option", "");
}

constexpr auto kNothing = [](auto&) {};

// Gives every second environment attributes of its own.
template <class E>
void Vary(Many<E>& many) {
  const std::vector<AttributeSpec> attributes = E::Attributes(many.config);
  Rng rng(9);
  for (std::size_t k = 0; k < many.envs.size(); k += 2) {
    for (std::size_t index = 0; index < attributes.size(); ++index) {
      if (attributes[index].type != AttributeType::kFloat) continue;
      std::vector<double> value = attributes[index].value;
      for (double& number : value) number *= rng.Uniform(0.9, 1.1);
      many.envs[k].SetAttribute(index, value);
    }
  }
}

template <class E>
void SetIn(Many<E>& many, std::size_t env, const std::string& name, double value) {
  const std::vector<AttributeSpec> attributes = E::Attributes(many.config);
  for (std::size_t index = 0; index < attributes.size(); ++index)
    if (attributes[index].name == name) many.envs[env].SetAttribute(index, {&value, 1});
}

template <class E>
void SetInAll(Many<E>& many, const std::string& name, double value) {
  for (std::size_t k = 0; k < many.envs.size(); ++k) SetIn(many, k, name, value);
}

template <class Body>
void WithAllLanes(const Body& body) {
  for (const LaneFunctions* functions = FindLanes(); functions->lanes != 0; ++functions) {
    const UseLanes use(*functions);
    body();
  }
  EXPECT_TRUE(FindLanes() != nullptr);
}

template <class E>
void CompareAll() {
  WithAllLanes([] {
    const Counts shared = Compare<E>(Options<E>(), kNothing);
    EXPECT_EQ(shared.left, 0);
    EXPECT_GT(shared.stepped, Traits<E>::kRounds * 8 * 10);
    const Counts own = Compare<E>(Options<E>(), [](Many<E>& many) { Vary(many); });
    EXPECT_LE(own.left, own.stepped / 1000);
  });
}

// States that lanes leave to Step, and states on bounds.
template <class E>
void CompareEdges() {
  WithAllLanes([] {
    const Counts counts = Compare<E>(Options<E>(), kNothing, [](Rng& rng, double& variable) {
      constexpr double kEdges[] = {0.0,   -0.0,      1e-300, 5e-324, 1e9,  1e20,  1e200, kNan,
                                   1e307, kInfinity, -0.5,   0.5,    3e15, 1e-20, 0.07,  8.0,
                                   -8.0,  -0.07,     -1.2,   0.6,    2e4,  -9e3,  60.0,  -100.0};
      variable = kEdges[rng.Integers(std::size(kEdges))];
    });
    EXPECT_GT(counts.left, 0);
    EXPECT_GT(counts.stepped, counts.left);
  });
}

TEST(LaneSteps, CartPole) {
  CompareAll<CartPole>();
  CompareEdges<CartPole>();
  WithAllLanes([] {
    const Counts negative =
        Compare<CartPole>(Options<CartPole>({{"sutton_barto_reward", true}}), kNothing);
    EXPECT_GT(negative.ended, 0);
    const Counts implicit = Compare<CartPole>(Options<CartPole>(), [](Many<CartPole>& many) {
      SetInAll(many, "kinematics_integrator", 1.0);
    });
    EXPECT_EQ(implicit.left, 0);
    const Counts mixed = Compare<CartPole>(Options<CartPole>(), [](Many<CartPole>& many) {
      SetIn(many, 3, "kinematics_integrator", 1.0);
      SetIn(many, 5, "_sutton_barto_reward", 1.0);
    });
    EXPECT_TRUE(mixed.left > 0 && mixed.left < mixed.stepped);
  });
}

TEST(LaneSteps, MountainCar) {
  CompareAll<MountainCar>();
  CompareEdges<MountainCar>();
}

TEST(LaneSteps, Pendulum) {
  CompareAll<Pendulum>();
  CompareEdges<Pendulum>();
  WithAllLanes([] {
    const Counts first =
        Compare<Pendulum>(Options<Pendulum>({{"version", std::int64_t{0}}}), kNothing);
    EXPECT_EQ(first.left, 0);
    const Counts far = Compare<Pendulum>(Options<Pendulum>(), kNothing, [](Rng& rng, double& x) {
      x = std::round(rng.Uniform(-1e6, 1e6)) * std::numbers::pi;  // near the ends of turns
    });
    EXPECT_EQ(far.left, 0);
    const Counts mixed = Compare<Pendulum>(Options<Pendulum>(),
                                           [](Many<Pendulum>& many) { many.mixes_dtypes = true; });
    EXPECT_TRUE(mixed.left > 0 && mixed.stepped > mixed.left / 2) << mixed.left;
  });
}

TEST(LaneSteps, Acrobot) {
  CompareAll<Acrobot>();
  CompareEdges<Acrobot>();
  WithAllLanes([] {
    for (const char* equations : {"book", "nips"}) {
      const Counts noisy = Compare<Acrobot>(
          Options<Acrobot>({{"book_or_nips", std::string(equations)}, {"torque_noise_max", 1.0}}),
          kNothing);
      EXPECT_EQ(noisy.left, 0);
      EXPECT_GT(noisy.ended, 0);
    }
    // The noise of an environment that is left to Step is drawn once.
    const Counts edges = Compare<Acrobot>(Options<Acrobot>({{"torque_noise_max", 1.0}}), kNothing,
                                          [](Rng&, double& variable) { variable = 3e7; });
    EXPECT_GT(edges.left, 0);
    const Counts mixed = Compare<Acrobot>(
        Options<Acrobot>(), [](Many<Acrobot>& many) { SetIn(many, 3, "book_or_nips", 1.0); });
    EXPECT_TRUE(mixed.left > 0 && mixed.left < mixed.stepped);
  });
}

TEST(LaneSteps, AReset) {
  WithAllLanes([] {
    Many<Acrobot> many(Options<Acrobot>());
    const Acrobot::Start start(ParamValues(Acrobot::ResetOptions(), {}, "reset option", ""));
    for (std::size_t k = 0; k < many.envs.size(); ++k) many.envs[k].Reset(start, many.rngs[k]);
    std::vector<std::uint32_t> ids;
    for (std::uint32_t k = 0; k < kMostTogether; ++k) ids.push_back(k);
    Counts counts;
    many.Step(ids, counts);
    EXPECT_EQ(counts.unequal, 0);
    EXPECT_EQ(counts.left, 0);
  });
}

TEST(LaneSteps, AreNotUsedWithoutFunctions) {
  const std::uint32_t never = std::numeric_limits<std::uint32_t>::max();
  {
    const UseLanes none{LaneFunctions{}};
    EXPECT_EQ(LeastTogether<CartPole>(), never);
    EXPECT_EQ(LeastTogether<MountainCar>(), never);
  }
  if (FindLanes()->lanes == 0) return;
  EXPECT_EQ(LeastTogether<CartPole>(), 2U);
  // NumPy's sines are not the C library's.
  numpy_internal::shortcuts.cos = false;
  EXPECT_EQ(LeastTogether<CartPole>(), never);
  EXPECT_EQ(LeastTogether<Acrobot>(), never);
  EXPECT_EQ(LeastTogether<Pendulum>(), never);
  EXPECT_EQ(LeastTogether<MountainCar>(), 2U) << "its cosine is that of Python's math";
  numpy_internal::shortcuts.cos = true;
}

}  // namespace lane_steps_test
}  // namespace engine::classic_control::testing
