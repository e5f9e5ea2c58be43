// The task that `guest.py` makes: its observation says where the environment is and who steps it.
#include <envpool.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>

namespace {

// A step reads and writes all of the environment's memory. The observation: an address in the
// middle of that memory (of the object, if it has no memory), the processors of the threads that
// made it and that last stepped it (-1: none yet), and zeros.
class NodeProbe {
 public:
  static constexpr bool kNeverWaits = true;

  static engine::ParamSchema Options() {
    return {{.name = "bytes",
             .default_value = std::int64_t{65'536},
             .doc = "The memory of one environment.",
             .low = 0.0,
             .high = 1e9},
            {.name = "row",
             .default_value = std::int64_t{3},
             .doc = "Numbers of one observation.",
             .low = 3.0,
             .high = 1e6}};
  }
  static engine::ParamSchema ResetOptions() { return {}; }
  static engine::EnvSpec Spec(const engine::ParamValues& options) {
    engine::EnvSpec spec;
    spec.observation = engine::SpaceSpec::Box<std::int64_t>(
        {options.Get<std::int64_t>("row")}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max());
    spec.action = engine::SpaceSpec::Discrete(2);
    return spec;
  }
  struct Config {
    explicit Config(const engine::ParamValues& options)
        : bytes(static_cast<std::size_t>(options.Get<std::int64_t>("bytes"))),
          row(static_cast<std::size_t>(options.Get<std::int64_t>("row"))) {}
    std::size_t bytes;
    std::size_t row;
  };
  struct Start {
    explicit Start(const engine::ParamValues&) {}
  };

  explicit NodeProbe(const Config& config)
      : config_(config), memory_(new unsigned char[config.bytes]), made_on_(sched_getcpu()) {
    std::memset(memory_.get(), 1, config.bytes);
  }
  void Reset(const Start&, engine::Rng&) {}
  engine::StepResult Step(engine::ActionView, engine::Rng&) {
    for (std::size_t at = 0; at < config_.bytes; at += 64) ++memory_[at];
    stepped_on_ = sched_getcpu();
    return {.reward = 1.0};
  }
  void Observe(engine::ObsRow row) const {
    auto* const out = row.Data<std::int64_t>();
    std::memset(out, 0, config_.row * sizeof(*out));
    out[0] = config_.bytes > 0 ? reinterpret_cast<std::intptr_t>(memory_.get() + config_.bytes / 2)
                               : reinterpret_cast<std::intptr_t>(this);
    out[1] = made_on_;
    out[2] = stepped_on_;
  }

 private:
  const Config& config_;
  std::unique_ptr<unsigned char[]> memory_;
  std::int64_t made_on_ = -1;
  std::int64_t stepped_on_ = -1;
};

}  // namespace

ENVPOOL_PLUGIN(node_probe) { registry.Add<NodeProbe>("NodeProbe-v0"); }
