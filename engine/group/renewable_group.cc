#include "engine/group/renewable_group.h"

#include <utility>

#include "engine/base/error.h"

namespace engine {

struct RenewableGroup::Generation {
  enum Place : std::uint8_t { kUnmade, kMade, kDiscarded };

  explicit Generation(std::unique_ptr<EnvGroup> made)
      : group(std::move(made)),
        places(group->num_envs(), kUnmade),
        given_up(new std::atomic<std::int32_t>[group->num_envs()]()) {}

  const std::unique_ptr<EnvGroup> group;
  // By environment; for the thread that holds it or, once it is given up, is still in its call.
  std::vector<std::uint8_t> places;
  // By environment: 1 while the thread of a call that was given up uses it. GiveUp adds 1 and
  // Hold::Discard subtracts 1, in any order.
  const std::unique_ptr<std::atomic<std::int32_t>[]> given_up;
};

namespace {

EnvTraits TraitsOf(const EnvGroup& group) {
  // The generations keep the seeds and the generators of their environments.
  return {.receives_seed = false,
          .never_waits = false,
          .steps_float64 = group.steps_float64(),
          .steps_row = group.steps_row(),
          .saves_state = group.saves_state(),
          .has_attributes = !group.Attributes(nullptr).empty(),
          .state_version = group.state_version()};
}

}  // namespace

// --- A call --------------------------------------------------------------------------------------

EnvGroup& RenewableGroup::Hold::group() const { return *generation_->group; }

void RenewableGroup::Hold::Construct() {
  EnvGroup& group = *generation_->group;
  if (setting_ != nullptr) {
    group.settings().Prepare(group.num_envs());
    group.settings().SetNext(env_, setting_);
  }
  if (!is_new_) return;
  std::uint8_t& place = generation_->places[env_];
  group.Seed(env_, seed_);
  if (place == Generation::kUnmade) group.Construct(env_, env_ + 1);
  try {
    for (const auto& [index, value] : attributes_) group.SetAttribute(env_, index, value);
  } catch (...) {
    group.Discard(env_);
    place = Generation::kDiscarded;
    throw;
  }
  place = Generation::kMade;
}

void RenewableGroup::Hold::Discard() noexcept {
  std::uint8_t& place = generation_->places[env_];
  try {
    if (place == Generation::kMade) {
      generation_->group->Discard(env_);
      place = Generation::kDiscarded;
    }
    generation_->given_up[env_].fetch_sub(1,
                                          std::memory_order_release);  // pairs with FreeGeneration
  } catch (...) {                                                      // no other call uses it
  }
}

// --- The environments ----------------------------------------------------------------------------

RenewableGroup::RenewableGroup(std::unique_ptr<EnvGroup> first, MakeGroup make)
    : GroupState(first->spec(), first->config(), TraitsOf(*first)),
      make_(std::move(make)),
      first_(std::make_shared<Generation>(std::move(first))),
      at_(config_.num_envs, 0),
      elapsed_(config_.num_envs, 0),
      seeds_(config_.num_envs),
      seeded_(config_.num_envs, 0) {
  if (spec_.players) {
    throw Error(ErrorKind::kOption,
                "step_timeout: expected None for environments of several players");
  }
  generations_.push_back(first_);
  const EnvSettings& given = first_->group->settings();
  if (!given.used()) return;
  settings_->Prepare(config_.num_envs);
  for (std::uint32_t env = 0; env < config_.num_envs; ++env) {
    if (EnvSettingPtr setting = given.Pending(env)) settings_->SetNext(env, std::move(setting));
  }
}

RenewableGroup::~RenewableGroup() {
  // A thread in a call that was given up keeps its generation. Frees the other environments in it.
  for (const std::shared_ptr<Generation>& at : generations_) {
    if (at.use_count() == (at == first_ ? 2 : 1)) continue;
    for (std::uint32_t env = 0; env < config_.num_envs; ++env) {
      if (at->given_up[env].load(std::memory_order_acquire) != 0) continue;
      if (at->places[env] == Generation::kMade) at->group->Discard(env);
    }
  }
}

EnvGroup* RenewableGroup::GroupOf(std::uint32_t env) const {
  if (at_[env] == kNowhere) return nullptr;
  const ScopedLock lock(mutex_);
  const Generation& at = *generations_[at_[env]];
  return at.places[env] == Generation::kMade ? at.group.get() : nullptr;
}

// The first generation in which no call uses the environment's place. An environment with
// attributes gets a place that was never used, because the first reset in a discarded one may take
// over a setting, which would end them.
std::uint32_t RenewableGroup::FreeGeneration(std::uint32_t env) {
  const bool unused = !given_attributes_.Of(env).empty();
  for (;;) {
    {
      const ScopedLock lock(mutex_);
      for (std::uint32_t index = 0; index < generations_.size(); ++index) {
        const Generation& at = *generations_[index];
        if (at.given_up[env].load(std::memory_order_acquire) != 0) continue;
        if (!unused || at.places[env] == Generation::kUnmade) return index;
      }
    }
    auto made = std::make_shared<Generation>(make_());  // may take long
    const ScopedLock lock(mutex_);
    generations_.push_back(std::move(made));
  }
}

RenewableGroup::Hold RenewableGroup::HoldOf(std::uint32_t env, Known& known) {
  if (at_[env] == kNowhere) at_[env] = FreeGeneration(env);
  if (at_[env] >= known.generations_.size()) [[unlikely]] {
    const ScopedLock lock(mutex_);
    known.generations_ = generations_;
  }
  Hold hold;
  hold.env_ = env;
  hold.generation_ = known.generations_[at_[env]].get();
  hold.setting_ = settings_->Pending(env);
  hold.is_pending_ = hold.setting_ != nullptr;
  hold.is_new_ = hold.generation_->places[env] != Generation::kMade;
  if (hold.is_new_) [[unlikely]] {
    // The stream of the environment that was given up belongs to the thread that is in its step.
    hold.seed_ = seeded_[env] != 0 ? *seeds_[env] : rngs_[env].NextUint64();
    if (!hold.is_pending_) hold.setting_ = settings_->Current(env);
    const std::vector<AttributeSpec>& specs = Attributes(settings_->Current(env).get());
    for (std::size_t index = 0; index < specs.size() && !hold.is_pending_; ++index) {
      const std::span<const double> given = given_attributes_.Find(env, specs, index);
      if (!given.empty())
        hold.attributes_.emplace_back(index, std::vector(given.begin(), given.end()));
    }
  }
  return hold;
}

void RenewableGroup::Take(const Hold& hold, std::int32_t elapsed_step, bool loaded) {
  const std::uint32_t env = hold.env_;
  EnvGroup& group = hold.group();
  seeded_[env] = 0;
  elapsed_[env] = elapsed_step;
  if (hold.is_pending_ && group.settings().Pending(env) == nullptr) {
    settings_->Took(env, hold.setting_);
    given_attributes_.Clear(env);
  }
  if (loaded) {
    for (std::size_t index = 0; index < Attributes(nullptr).size(); ++index)
      GroupState::SetAttribute(env, index, group.GetAttribute(env, index));
  }
  const std::uint8_t status = group.status(env);
  if ((status & EnvStatus::kFailed) != 0) [[unlikely]] {
    StepCounts counted;  // by the environment's group
    control_.Failed(env, group.FailureOf(env).c_str(), counted);
  } else if (status != control_.status(env)) {
    control_.SetStatus(env, status);
  }
}

void RenewableGroup::GiveUp(std::uint32_t env, const char* what, StepCounts& counts) {
  {
    const ScopedLock lock(mutex_);
    generations_[at_[env]]->given_up[env].fetch_add(1, std::memory_order_relaxed);
  }
  at_[env] = kNowhere;
  seeded_[env] = 0;
  control_.Failed(env, what, counts);
}

void RenewableGroup::CopyRow(const BatchView& from, const BatchView& to, std::uint32_t row) const {
  CopyFrame(from.frame, 0, to.frame, row);
  to.reward[row] = from.reward[0];
  to.terminated[row] = from.terminated[0];
  to.truncated[row] = from.truncated[0];
  to.env_id[row] = from.env_id[0];
  if (to.discount != nullptr) to.discount[row] = from.discount[0];
  if (to.final_mask != nullptr) {
    to.final_mask[row] = from.final_mask[0];
    if (from.final_mask[0]) CopyFrame(from.final_frame, 0, to.final_frame, row);
  }
  if (to.episode.mask == nullptr) return;
  to.episode.mask[row] = from.episode.mask[0];
  if (!from.episode.mask[0]) return;
  to.episode.total_reward[row] = from.episode.total_reward[0];
  to.episode.length[row] = from.episode.length[0];
  to.episode.seconds[row] = from.episode.seconds[0];
}

void RenewableGroup::WriteFailed(std::uint32_t env, const BatchView& to, std::uint32_t row) {
  WriteFailedRow(env, EpisodeProgress{.elapsed = elapsed_[env]}, row, to);
}

void RenewableGroup::NoteSeed(std::uint32_t env, std::uint64_t seed) {
  GroupState::Seed(env, seed);
  seeds_[env] = seed;
}

// --- GroupState ----------------------------------------------------------------------------------

std::unique_ptr<ResetStart> RenewableGroup::ParseStarts(
    const std::vector<ParamValues>& of_tasks) const {
  return first_->group->ParseStarts(of_tasks);
}

void RenewableGroup::CheckState(std::uint32_t env, std::string_view state,
                                const std::string& where) const {
  first_->group->CheckState(env, state, where);
}

std::string RenewableGroup::SaveState(std::uint32_t env) const {
  return GroupOf(env)->SaveState(env);
}

std::shared_ptr<EnvSetting> RenewableGroup::OwnSetting() const {
  return first_->group->OwnSetting();
}

const std::vector<AttributeSpec>& RenewableGroup::Attributes(const EnvSetting* setting) const {
  return first_->group->Attributes(setting);
}

std::vector<double> RenewableGroup::GetAttribute(std::uint32_t env, std::size_t index) const {
  const EnvGroup* const group = GroupOf(env);
  return group == nullptr ? GroupState::GetAttribute(env, index) : group->GetAttribute(env, index);
}

void RenewableGroup::SetAttribute(std::uint32_t env, std::size_t index,
                                  std::span<const double> value) {
  if (EnvGroup* const group = GroupOf(env)) group->SetAttribute(env, index, value);
  GroupState::SetAttribute(env, index, value);
}

void RenewableGroup::Seed(std::uint32_t env, std::uint64_t seed) {
  NoteSeed(env, seed);
  seeded_[env] = 1;
  if (EnvGroup* const group = GroupOf(env)) group->Seed(env, seed);
}

void RenewableGroup::SeedFromEntropy(std::uint64_t high, std::uint64_t low) {
  GroupState::SeedFromEntropy(high, low);
  // The group's environments may have received the first number of these streams as their seed.
  for (Rng& rng : rngs_) rng.NextUint64();
  first_->group->SeedFromEntropy(high, low);
}

void RenewableGroup::MakeResetDue(std::uint32_t env) {
  if (EnvGroup* const group = GroupOf(env)) group->MakeResetDue(env);
}

}  // namespace engine
