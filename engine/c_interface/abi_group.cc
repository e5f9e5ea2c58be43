#include "engine/c_interface/abi_group.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/c_interface/abi_convert.h"
#include "engine/c_interface/abi_run.h"
#include "engine/group/stoppable_loop.h"

namespace engine {
namespace {

// Whether the plug-in's revision of the interface has these members.
bool HasAdopt(const envpool_task& task) {
  return task.size >= offsetof(envpool_task, adopt) + sizeof(task.adopt) && task.adopt != nullptr;
}
bool HasAttributeFunctions(const envpool_task& task) {
  return task.size >= offsetof(envpool_task, set_attribute) + sizeof(task.set_attribute) &&
         task.attributes != nullptr && task.set_attribute != nullptr;
}

EnvTraits TraitsOf(const envpool_task& task) {
  const auto has = [&](std::uint64_t traits) { return (task.traits & traits) != 0; };
  return {.receives_seed = has(ENVPOOL_RECEIVES_SEED),
          .never_waits = has(ENVPOOL_NEVER_WAITS),
          .steps_float64 = has(ENVPOOL_STEPS_FLOAT64 | ENVPOOL_KEEPS_FLOAT64),
          .steps_row = has(ENVPOOL_STEPS_LEAVES),
          .saves_state = task.save != nullptr && task.load != nullptr,
          .has_attributes = HasAttributeFunctions(task),
          .state_version = task.state_version};
}

struct Start final : ResetStart {
  explicit Start(const envpool_task& of) : task(of) {}
  ~Start() override {
    if (value != nullptr && task.destroy_start != nullptr) task.destroy_start(value);
  }
  const envpool_task& task;
  void* value = nullptr;
};

envpool_items ItemsOf(const EnvRange& range, std::uint32_t k, std::uint32_t n) {
  return range.ids == nullptr ? envpool_items{.ids = nullptr, .first = k, .count = n}
                              : envpool_items{.ids = range.ids + k, .first = 0, .count = n};
}

// Calls body(run, k, n) for chunks of the items of a call with rows.
template <class Body>
std::uint32_t RunRows(AbiGroup& group, const EnvRange& range, const ActionSlots& actions,
                      const StopCondition& stop, StepCounts& counts, const Body& body) {
  StepCounts local;
  AbiRun run(group, actions, local);
  std::array<Outcome, AbiRun::kMax> outcomes;
  const std::uint32_t max_items = group.never_waits() ? AbiRun::kMax : 1;
  const std::uint32_t done =
      InChunks(range.begin, range.end, max_items, stop, [&](std::uint32_t k, std::uint32_t n) {
        std::fill_n(outcomes.begin(), n, Outcome{});
        run.Begin(ItemsOf(range, k, n), outcomes.data());
        body(run, k, n);
        return false;
      });
  counts.Add(local);
  return done;
}

const GroupConfig& CheckDraws(const envpool_task& task, const EnvSpec& spec,
                              const GroupConfig& config) {
  if (config.renders && (spec.picture_bytes() == 0 || task.draw == nullptr)) {
    throw Error(ErrorKind::kRenderMode, "the environment does not render");
  }
  return config;
}

// The attributes of environments with the options of the plug-in's group.
std::vector<AttributeSpec> AttributesOfGroup(const envpool_task& task, void* group) {
  if (!HasAttributeFunctions(task)) return {};
  struct Received {
    std::vector<AttributeSpec> attributes;
    std::exception_ptr error;
  } received;
  const envpool_attributes_receiver receiver{
      .context = &received,
      .take = [](void* context, const envpool_attribute* attributes, std::uint64_t count) {
        auto& to = *static_cast<Received*>(context);
        try {
          to.attributes = AttributesOf(attributes, count);
        } catch (...) {  // must not unwind the plug-in
          to.error = std::current_exception();
        }
      }};
  AbiErrorSlot error;
  if (task.attributes(group, &receiver, error.errors()) != 0) error.Throw();
  if (received.error) std::rethrow_exception(received.error);
  return std::move(received.attributes);
}

}  // namespace

struct AbiGroup::PluginGroup final : EnvSetting {
  PluginGroup(const envpool_task& of, const ParamValues& given, const GroupConfig& config)
      : task(of) {
    AbiMemory memory;
    const envpool_make call{.size = sizeof(envpool_make),
                            .options = memory.Options(given),
                            .num_envs = config.num_envs,
                            .draws = config.renders ? 1U : 0U};
    AbiErrorSlot error;
    if (task.make(&task, &call, &group, error.errors()) != 0) error.Throw();
    try {
      attributes = AttributesOfGroup(task, group);
    } catch (...) {
      task.destroy(group);
      throw;
    }
  }
  ~PluginGroup() override { task.destroy(group); }

  std::string WhyNot(const EnvSetting& other) const override {
    const auto* const its = dynamic_cast<const PluginGroup*>(&other);
    if (its == nullptr || &its->task != &task) return "they are of different tasks";
    return HasAdopt(task) ? "" : "their plug-in has no function adopt (envpool_task)";
  }

  const envpool_task& task;
  void* group = nullptr;  // created and destroyed by the plug-in
};

EnvSpec DescribeAbiTask(const envpool_task& task, const ParamValues& options) {
  struct Received {
    EnvSpec spec;
    std::exception_ptr error;
    bool any = false;
  } received;
  const envpool_spec_receiver receiver{
      .context = &received, .take = [](void* context, const envpool_spec* spec) {
        auto& to = *static_cast<Received*>(context);
        to.any = true;
        try {
          if (spec == nullptr) {
            throw Error(ErrorKind::kInternal, "the plug-in has given a spec of null");
          }
          to.spec = EnvSpecOf(*spec);
        } catch (...) {  // must not unwind the plug-in
          to.error = std::current_exception();
        }
      }};
  AbiMemory memory;
  const envpool_options given = memory.Options(options);
  AbiErrorSlot error;
  if (task.describe(&task, &given, &receiver, error.errors()) != 0) error.Throw();
  if (received.error) std::rethrow_exception(received.error);
  if (!received.any) throw Error(ErrorKind::kInternal, "the plug-in has given no spec");
  return received.spec;
}

AbiGroup::AbiGroup(const envpool_task& task, const EnvSpec& spec, const ParamValues& options,
                   const GroupConfig& config)
    : EnvGroup(spec, config, TraitsOf(task)),
      task_(task),
      own_setting_(std::make_shared<PluginGroup>(task, options, CheckDraws(task, spec, config))),
      group_(own_setting_->group),
      progress_(config.num_envs) {}

std::shared_ptr<EnvSetting> AbiGroup::OwnSetting() const { return own_setting_; }

bool AbiGroup::TakeOverSetting(std::uint32_t env) {
  EnvSettingPtr replaced;
  if (!settings_->TakeOver(env, replaced)) [[likely]]
    return false;
  // Destroys the environment, which uses the replaced setting.
  task_.adopt(group_, env, static_cast<const PluginGroup&>(*settings_->Current(env)).group);
  given_attributes_.Clear(env);
  return true;
}

const std::vector<AttributeSpec>& AbiGroup::Attributes(const EnvSetting* setting) const {
  return (setting == nullptr ? *own_setting_ : *setting).attributes;
}

void AbiGroup::PassAttribute(std::uint32_t env, std::size_t index, std::span<const double> value) {
  AbiErrorSlot error;
  if (task_.set_attribute(group_, env, index, value.data(), value.size(), error.errors()) != 0)
    error.Throw();
}

void AbiGroup::SetAttribute(std::uint32_t env, std::size_t index, std::span<const double> value) {
  PassAttribute(env, index, value);
  EnvGroup::SetAttribute(env, index, value);
}

void AbiGroup::Construct(std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t env = begin; env < end; ++env) TakeOverSetting(env);
  AbiErrorSlot error;
  if (task_.construct(group_, begin, end, error.errors()) != 0) error.Throw();
}

std::unique_ptr<ResetStart> AbiGroup::ParseStart(const ParamValues& reset_options) const {
  auto start = std::make_unique<Start>(task_);
  if (task_.parse_start != nullptr) {
    AbiMemory memory;
    const envpool_options given = memory.Options(reset_options);
    AbiErrorSlot error;
    if (task_.parse_start(&task_, &given, &start->value, error.errors()) != 0) error.Throw();
  }
  return start;
}

std::uint32_t AbiGroup::StepRows(const EnvRange& range, ActionSlots actions, const BatchView& out,
                                 const StopCondition& stop, StepCounts& counts) {
  return RunRows(*this, range, actions, stop, counts,
                 [&](AbiRun& run, std::uint32_t k, std::uint32_t /*n*/) {
                   run.StepInto(range.first_row + k, out);
                 });
}

std::uint32_t AbiGroup::StepWithoutRows(const std::uint32_t* ids, std::uint32_t n,
                                        const std::uint8_t* reset_flags, ActionSlots actions,
                                        const BatchView& pending_final_frame, Outcome* outcomes,
                                        const StopCondition& stop, StepCounts& counts) {
  StepCounts local;
  AbiRun run(*this, actions, local);
  // `pending_final_frame` has one row, and a step cannot be undone. So in SameStep environments are
  // stepped one at a time.
  const bool one = !never_waits() || config_.autoreset == AutoresetMode::kSameStep;
  const std::uint32_t done =
      InChunks(0, n, one ? 1 : 16, stop, [&](std::uint32_t k, std::uint32_t count) {
        std::fill_n(outcomes + k, count, Outcome{});
        run.Begin({.ids = ids + k, .first = 0, .count = count}, outcomes + k);
        run.Advance(reset_flags, pending_final_frame.final_frame);
        return one && outcomes[k].pending_final_frame;
      });
  counts.Add(local);
  return done;
}

void AbiGroup::WriteRows(const std::uint32_t* ids, std::uint32_t n, const std::uint32_t* rows,
                         std::uint32_t first_row, const Outcome* outcomes,
                         const BatchView& pending_final_frame, const BatchView& out,
                         StepCounts& counts) {
  AbiRun run(*this, {}, counts);
  std::array<Outcome, AbiRun::kMax> results;
  InChunks(0, n, AbiRun::kMax, StopCondition::Never(), [&](std::uint32_t k, std::uint32_t count) {
    std::copy_n(outcomes + k, count, results.begin());
    run.Begin({.ids = ids + k, .first = 0, .count = count}, results.data());
    run.WriteRows(rows == nullptr ? nullptr : rows + k, first_row + k, out);
    for (std::uint32_t i = 0; i < count && out.final_mask != nullptr; ++i) {
      if (results[i].pending_final_frame) {
        CopyFrame(pending_final_frame.final_frame, 0, out.final_frame,
                  rows == nullptr ? first_row + k + i : rows[k + i]);
      }
    }
    return false;
  });
}

std::uint32_t AbiGroup::ResetRows(const EnvRange& range, const ResetPlan& plan,
                                  const BatchView& out, const StopCondition& stop,
                                  StepCounts& counts) {
  const void* const start =
      plan.start == nullptr ? nullptr : static_cast<const Start*>(plan.start)->value;
  return RunRows(*this, range, {}, stop, counts,
                 [&](AbiRun& run, std::uint32_t k, std::uint32_t n) {
                   run.Reset(plan, start, k);
                   run.WriteRows(nullptr, range.first_row + k, out);
                   for (std::uint32_t i = k; i < k + n; ++i) {
                     // As in Gymnasium, only environments that this call resets have infos.
                     if (plan.mask != nullptr && plan.mask[i] == 0 && plan.states == nullptr)
                       UnmarkInfos(out.frame, range.first_row + i);
                   }
                 });
}

std::uint32_t AbiGroup::RenderRows(const EnvRange& range, std::uint8_t* pictures,
                                   const StopCondition& stop, StepCounts& counts) {
  if (task_.draw == nullptr) return range.end - range.begin;
  return RunRows(*this, range, {}, stop, counts,
                 [&](AbiRun& run, std::uint32_t k, std::uint32_t /*n*/) {
                   run.Draw(pictures + k * spec_.picture_bytes());
                 });
}

std::uint8_t AbiGroup::PlanReset(std::uint32_t env, bool may_continue, std::uint64_t& seed) {
  // After an exception the state of the instance is undefined. With other options, there is none.
  const bool remakes = TakeOverSetting(env) || control_.failed(env);
  const bool seeded = !pending_seeds_.empty() && pending_seeds_[env].has_value();
  if (has(ENVPOOL_CONTINUES_GAMES) && may_continue && !progress_[env].game_over && !remakes &&
      !seeded) {
    return ENVPOOL_CONTINUE;
  }
  std::uint8_t flags = 0;
  if (remakes) {
    flags = ENVPOOL_REMAKE;
    if (!pending_seeds_.empty() && !seeded) pending_seeds_[env] = rngs_[env].NextUint64();
  }
  if (!pending_seeds_.empty() && pending_seeds_[env].has_value()) {
    flags = static_cast<std::uint8_t>(flags | ENVPOOL_SEED);
    seed = *std::exchange(pending_seeds_[env], std::nullopt);
  }
  return flags;
}

std::string AbiGroup::SaveState(std::uint32_t env) const {
  if (task_.save == nullptr) return EnvGroup::SaveState(env);
  std::string state;
  StateWriter writer(state);
  SaveEpisode(env, progress_[env], writer);
  struct Received {
    std::string bytes;
    std::exception_ptr error;
  } own;
  const envpool_bytes_receiver receiver{
      .context = &own, .append = [](void* context, const void* bytes, std::uint64_t count) {
        auto& to = *static_cast<Received*>(context);
        try {
          if (count == 0) return;
          if (bytes == nullptr) throw Error(ErrorKind::kState, "the plug-in has saved null");
          to.bytes.append(static_cast<const char*>(bytes), count);
        } catch (...) {  // must not unwind the plug-in
          to.error = std::current_exception();
        }
      }};
  AbiErrorSlot error;
  if (task_.save(group_, env, &receiver, error.errors()) != 0) error.Throw();
  if (own.error) std::rethrow_exception(own.error);
  return state + own.bytes;
}

void AbiGroup::LoadState(std::uint32_t env, const std::string& bytes) {
  const bool remakes = TakeOverSetting(env) || control_.failed(env);
  StateReader state(bytes);
  LoadEpisode(env, progress_[env], state);
  for (std::size_t index = 0; index < own_setting_->attributes.size(); ++index)
    PassAttribute(env, index, GetAttribute(env, index));
  const std::string_view own = std::string_view(bytes).substr(bytes.size() - state.left());
  AbiErrorSlot error;
  const std::uint32_t flags = remakes ? std::uint32_t{ENVPOOL_REMAKE} : 0U;
  if (task_.load(group_, env, own.data(), own.size(), flags, error.errors()) != 0) error.Throw();
}

}  // namespace engine
