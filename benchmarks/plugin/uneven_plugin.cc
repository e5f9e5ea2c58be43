// The plug-in of `python -m benchmarks.uneven`: an environment whose steps last as long as asked.
#include <envpool.h>

#include <cstdint>

namespace {

// A step with action a does (1 + a) times the work of one with action 0. The observation is the
// state of the arithmetic.
class Uneven {
 public:
  static engine::ParamSchema Options() {
    return {{.name = "work",
             .default_value = std::int64_t{20'000},
             .doc = "Iterations of a step with action 0, about a nanosecond each.",
             .low = 0.0}};
  }
  static engine::ParamSchema ResetOptions() { return {}; }
  static engine::EnvSpec Spec(const engine::ParamValues&) {
    engine::EnvSpec spec;
    spec.observation = engine::SpaceSpec::Box<double>({1}, 0.0, 1.0);
    spec.action = engine::SpaceSpec::Discrete(100);
    return spec;
  }
  struct Config {
    explicit Config(const engine::ParamValues& options) : work(options.Get<std::int64_t>("work")) {}
    std::int64_t work;
  };
  struct Start {
    explicit Start(const engine::ParamValues&) {}
  };

  explicit Uneven(const Config& config) : config_(config) {}
  void Reset(const Start&, engine::Rng& rng) { state_ = rng.NextUint64(); }
  engine::StepResult Step(engine::ActionView action, engine::Rng&) {
    const std::int64_t iterations = config_.work * (1 + action.Index());
    for (std::int64_t i = 0; i < iterations; ++i) {
      state_ = state_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    }
    return {};
  }
  void Observe(engine::ObsRow row) const {
    row.Data<double>()[0] = static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  const Config& config_;
  std::uint64_t state_ = 0;
};

}  // namespace

ENVPOOL_PLUGIN(uneven_plugin) { registry.Add<Uneven>("Uneven-v0"); }
