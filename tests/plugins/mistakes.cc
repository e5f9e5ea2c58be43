// Tasks with one mistake each. The environment variable MISTAKE selects the mistake of the task
// that is registered at import, and the option "mistake" of Rows-v0 selects the mistake of a step.
// test_mistakes.py reads the package's message for each.
#include <envpool.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

namespace {

std::string Mistake() {
  const char* const name = std::getenv("MISTAKE");
  return name == nullptr ? "" : name;
}
bool Is(const char* name) { return Mistake() == name; }

engine::EnvSpec SmallSpec() {
  engine::EnvSpec spec;
  spec.observation = engine::SpaceSpec::Box<float>({2}, -1.0f, 1.0f);
  spec.action = engine::SpaceSpec::Discrete(2);
  return spec;
}

// Mistakes in options and spaces.
class Registered {
 public:
  static engine::ParamSchema Options() {
    if (Is("reserved option")) {
      const char* const name = std::getenv("OPTION");
      return {{.name = name == nullptr ? "num_envs" : name, .default_value = std::int64_t{1}}};
    }
    if (Is("same option")) {
      return {{.name = "size", .default_value = 1.0}, {.name = "size", .default_value = 2.0}};
    }
    if (Is("option name")) return {{.name = "the size", .default_value = 1.0}};
    if (Is("no default")) return {{.name = "size", .default_value = std::monostate()}};
    if (Is("bounds of text")) {
      return {{.name = "map", .default_value = std::string("a"), .low = 0.0}};
    }
    if (Is("bounds")) {
      return {{.name = "size", .default_value = 1.0, .low = 2.0, .high = 1.0}};
    }
    if (Is("default out of range")) {
      return {{.name = "size", .default_value = std::int64_t{40}, .low = 2.0, .high = 10.0}};
    }
    if (Is("default not a choice")) {
      return {{.name = "map", .default_value = std::string("c"), .choices = {"a", "b"}}};
    }
    if (Is("choices of numbers")) {
      return {{.name = "size", .default_value = 1.0, .choices = {"a", "b"}}};
    }
    if (Is("list of text")) {
      return {{.name = "map", .default_value = std::string("a"), .one_is_list = true}};
    }
    return {{.name = "size", .default_value = 1.0}};
  }
  static engine::ParamSchema ResetOptions() {
    if (!Is("reserved reset option")) return {};
    return {{.name = "reset_mask", .default_value = true}};
  }
  static engine::EnvSpec Spec(const engine::ParamValues& options) {
    using engine::SpaceSpec;
    engine::EnvSpec spec = SmallSpec();
    if (Is("low bounds")) {
      spec.observation = SpaceSpec::Box<float>({4}, {0.0f, 0.0f, 0.0f}, {1.0f});
    }
    if (Is("high bounds")) {
      spec.action = SpaceSpec::Box<double>({2, 2}, {0.0}, {1.0, 1.0});
    }
    if (Is("empty range")) spec.action = SpaceSpec::Box<double>({2}, {0.0, 2.0}, {1.0, 1.0});
    if (Is("no actions")) spec.action = SpaceSpec::Discrete(0);
    if (Is("huge")) {
      spec.observation = SpaceSpec::Box<float>({1'000'000'000, 1'000'000'000}, 0.0f, 1.0f);
    }
    if (Is("same key")) {
      spec.observation =
          SpaceSpec::Dict({{"eye", SpaceSpec::Discrete(2)}, {"eye", SpaceSpec::Discrete(3)}});
    }
    if (Is("same path")) {
      spec.observation =
          SpaceSpec::Dict({{"eye/left", SpaceSpec::Discrete(2)},
                           {"eye", SpaceSpec::Dict({{"left", SmallSpec().action}})}});
    }
    if (Is("greatest value")) {
      spec.action = SpaceSpec::Discrete(2, std::numeric_limits<std::int64_t>::max());
    }
    if (Is("nested action")) spec.action = SpaceSpec::Tuple({SpaceSpec::Discrete(2)});
    if (Is("reserved info")) spec.infos = {{.name = "env_id"}};
    if (Is("same info")) spec.infos = {{.name = "bumps"}, {.name = "bumps"}};
    if (Is("info without Info")) spec.infos = {{.name = "bumps"}};
    if (Is("picture without Render")) spec.render = engine::RenderSpec{.height = 4, .width = 4};
    if (Is("scene without Scene")) spec.scene_size = 4;
    if (Is("players without Step")) spec.players = engine::PlayersSpec{};
    if (Is("unknown option")) options.Get<double>("sise");
    if (Is("other type of option")) options.Get<std::int64_t>("size");
    if (Is("spec throws")) throw std::runtime_error("no level file");
    if (Is("spec of an option") && options.Get<double>("size") > 1.0) {
      spec.observation = SpaceSpec::Box<float>({2}, {0.0f, 0.0f, 0.0f}, {1.0f});
    }
    return spec;
  }
  struct Config {
    explicit Config(const engine::ParamValues&) {}
  };
  struct Start {
    explicit Start(const engine::ParamValues&) {}
  };
  explicit Registered(const Config&) {}

  void Reset(const Start&, engine::Rng&) {}
  engine::StepResult Step(engine::ActionView, engine::Rng&) { return {}; }
  void Observe(engine::ObsRow row) const { row.Data<float>()[0] = row.Data<float>()[1] = 0.0f; }
};

// For mistakes in the names of infos.
class WithInfo : public Registered {
 public:
  using Registered::Registered;
  void Info(engine::InfoRow, bool) const {}
};

// A class without a mistake.
class Plain {
 public:
  static engine::EnvSpec Spec(const engine::ParamValues&) { return SmallSpec(); }
  void Reset(engine::Rng&) {}
  engine::StepResult Step(engine::ActionView, engine::Rng&) { return {}; }
  void Observe(engine::ObsRow row) const { row.Data<float>()[0] = row.Data<float>()[1] = 0.0f; }
};

// Mistakes in the writing of rows.
class Rows {
 public:
  static engine::ParamSchema Options() {
    return {{.name = "mistake", .default_value = std::string()}};
  }
  static engine::EnvSpec Spec(const engine::ParamValues&) {
    using engine::SpaceSpec;
    engine::EnvSpec spec = SmallSpec();
    spec.observation = SpaceSpec::Dict(
        {{"camera", SpaceSpec::Dict({{"left", SpaceSpec::Box<float>({2}, -1.0f, 1.0f)}})},
         {"speed", SpaceSpec::Box<double>({}, 0.0, 9.0)}});
    spec.infos = {{.name = "bumps", .dtype = engine::DType::kInt32, .shape = {}},
                  {.name = "place", .dtype = engine::DType::kFloat64, .shape = {2}},
                  {.name = "on_ice", .dtype = engine::DType::kBool, .shape = {}},
                  {.name = "level", .dtype = engine::DType::kUInt8, .shape = {}}};
    return spec;
  }
  struct Config {
    explicit Config(const engine::ParamValues& options)
        : mistake(options.Get<std::string>("mistake")) {}
    std::string mistake;
  };
  explicit Rows(const Config& config) : mistake_(config.mistake) {}

  void Reset(engine::Rng&) {}
  engine::StepResult Step(engine::ActionView, engine::Rng&) { return {}; }
  void Observe(engine::ObsRow row) const {
    row.Data<float>("camera/left")[0] = row.Data<float>(0)[1] = 0.5f;
    *row.Data<double>("speed") = 3.0;
    if (mistake_ == "leaf") row.Data<float>(2);
    if (mistake_ == "leaf type") row.Data<double>(0);
    if (mistake_ == "leaf name") row.Data<float>("camera/lift");
    if (mistake_ == "type of a named leaf") row.Data<float>("speed");
  }
  void Info(engine::InfoRow row, bool) const {
    row.Set("bumps", 7);
    row.Set("on_ice", true);
    row.Set("level", 255UL);
    row.Data<double>("place")[1] = 2.5;
    if (mistake_ == "info") row.Set<std::int32_t>(4, 1);
    if (mistake_ == "info type") row.Set<std::int64_t>(0, 1);
    if (mistake_ == "info name") row.Set("bump", 1);
    if (mistake_ == "value of another type") row.Set("bumps", 1.5);
    if (mistake_ == "value out of range") row.Set("level", 256);
    if (mistake_ == "negative value") row.Set("level", -1);
    if (mistake_ == "number for bool") row.Set("on_ice", 1);
    if (mistake_ == "array") row.Set("place", 1.0);
  }

 private:
  std::string mistake_;
};

// Declares that it sets every info, but it does not.
class Forgetful {
 public:
  static constexpr bool kSetsEveryInfo = true;
  static engine::EnvSpec Spec(const engine::ParamValues&) {
    engine::EnvSpec spec = SmallSpec();
    spec.infos = {{.name = "bumps"}, {.name = "falls"}};
    return spec;
  }
  void Reset(engine::Rng&) { ++resets_; }
  engine::StepResult Step(engine::ActionView, engine::Rng&) { return {}; }
  void Observe(engine::ObsRow row) const { row.Data<float>()[0] = row.Data<float>()[1] = 0.0f; }
  void Info(engine::InfoRow row, bool after_reset) const {
    row.Set("bumps", 1);
    if (after_reset) row.Set("falls", 2);
  }

 private:
  int resets_ = 0;
};

// Reads an action as another type than that of its space.
class Misread {
 public:
  static engine::EnvSpec Spec(const engine::ParamValues&) {
    engine::EnvSpec spec = SmallSpec();
    spec.action = engine::SpaceSpec::Box<float>({1}, -1.0f, 1.0f);
    return spec;
  }
  void Reset(engine::Rng&) {}
  engine::StepResult Step(engine::ActionView action, engine::Rng&) {
    return {.reward = static_cast<double>(action.Index())};
  }
  void Observe(engine::ObsRow row) const { row.Data<float>()[0] = row.Data<float>()[1] = 0.0f; }
};

// Mistakes of a class with players.
class Crowd {
 public:
  static engine::ParamSchema Options() {
    return {{.name = "mistake", .default_value = std::string()}};
  }
  static engine::EnvSpec Spec(const engine::ParamValues&) {
    engine::EnvSpec spec = SmallSpec();
    spec.players = engine::PlayersSpec{.max_players = 2};
    if (Is("crowd: none")) spec.players->max_players = 0;
    if (Is("crowd: varies")) spec.players->vary = true;
    if (Is("crowd: info")) spec.players->infos = {{.name = "mask"}};
    if (Is("crowd: reserved info")) spec.players->infos = {{.name = "id"}};
    if (Is("crowd: text")) spec.observation = engine::SpaceSpec::Text(8);
    if (Is("crowd: no players")) spec.players.reset();
    return spec;
  }
  struct Config {
    explicit Config(const engine::ParamValues& options)
        : mistake(options.Get<std::string>("mistake")) {}
    std::string mistake;
  };
  explicit Crowd(const Config& config) : mistake_(config.mistake) {}

  void Reset(engine::Rng&) {}
  engine::StepResult Step(engine::PlayerActions actions, std::span<engine::PlayerResult>,
                          engine::Rng&) {
    if (mistake_ == "player beyond the last") actions.Of(2);
    return {};
  }
  void Observe(std::size_t, engine::ObsRow row) const {
    row.Data<float>()[0] = row.Data<float>()[1] = 0.0f;
  }

 private:
  std::string mistake_;
};

class CrowdWithInfo : public Crowd {
 public:
  using Crowd::Crowd;
  void PlayerInfo(std::size_t, engine::InfoRow) const {}
};

}  // namespace

ENVPOOL_PLUGIN(mistakes) {
  registry.Add<Plain>("First-v0");  // a mistake in the next task also prevents this one
  if (Mistake().starts_with("id ")) {
    registry.Add<Plain>(Mistake().substr(3));
    return;
  }
  if (Is("same id")) registry.Add<Plain>("First-v0");
  if (Is("step limit")) registry.Add<Plain>("Bad-v0", {.max_episode_steps = -1});
  if (Is("threshold")) registry.Add<Plain>("Bad-v0", {.reward_threshold = std::nan("")});
  if (Is("something else")) throw 7;
  if (Is("same info") || Is("reserved info")) registry.Add<WithInfo>("Bad-v0");
  if (Is("crowd: reserved info")) registry.Add<CrowdWithInfo>("Bad-v0");
  if (Mistake().starts_with("crowd: ")) registry.Add<Crowd>("Bad-v0");
  registry.Add<Registered>("Bad-v0");
  registry.Add<Crowd>("Crowd-v0");
  registry.Add<Rows>("Rows-v0");
  registry.Add<Forgetful>("Forgetful-v0");
  registry.Add<Misread>("Misread-v0");
}
