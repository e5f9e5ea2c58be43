#include "engine/group/env_group.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/env/widen_spec.h"

namespace engine {
namespace {

void AddLeaves(const SpaceSpec& space, const std::string& name, std::vector<RowField>& fields) {
  if (space.is_leaf()) {
    fields.push_back({.name = name,
                      .dtype = space.dtype,
                      .elements = static_cast<std::size_t>(NumElements(space.shape))});
    return;
  }
  for (const auto& [key, child] : space.children) {
    AddLeaves(child, name.empty() ? key : name + "/" + key, fields);
  }
}

// Player rows are numbered with 32 bits, as environments are.
const GroupConfig& CheckRows(const EnvSpec& spec, const GroupConfig& config) {
  constexpr std::int64_t kMaxRows = std::numeric_limits<std::int32_t>::max();
  if (spec.max_players() > 1 && config.num_envs > kMaxRows / spec.max_players()) {
    throw Error(ErrorKind::kInput, "num_envs: with " + std::to_string(spec.max_players()) +
                                       " players in an environment it must be at most " +
                                       std::to_string(kMaxRows / spec.max_players()) + ", got " +
                                       std::to_string(config.num_envs));
  }
  return config;
}

}  // namespace

RowFields ObsFields(const EnvSpec& spec) {
  std::vector<RowField> fields;
  AddLeaves(spec.observation, "", fields);
  return {"observation leaf", std::move(fields)};
}

RowFields InfoFields(const std::vector<InfoSpec>& infos, const char* kind) {
  std::vector<RowField> fields;
  for (const InfoSpec& info : infos) {
    fields.push_back({.name = info.name,
                      .dtype = info.dtype,
                      .elements = static_cast<std::size_t>(NumElements(info.shape))});
  }
  return {kind, std::move(fields)};
}

GroupState::GroupState(const EnvSpec& spec, const GroupConfig& config, EnvTraits traits)
    : spec_(spec),
      config_(CheckRows(spec, config)),
      obs_fields_(ObsFields(spec)),
      info_fields_(InfoFields(spec.infos, "info")),
      player_info_fields_(InfoFields(spec.players ? spec.players->infos : std::vector<InfoSpec>{},
                                     "info of players")),
      rngs_(config.num_envs),
      pending_seeds_(traits.receives_seed ? config.num_envs : 0),
      control_({.num_envs = config.num_envs,
                .autoreset = config.autoreset,
                .max_episode_steps = config.max_episode_steps,
                .records_episodes = config.records_episodes}),
      players_(spec.players ? std::make_unique<PlayerTable>(*spec.players, config.num_envs,
                                                            config.records_episodes)
                            : nullptr),
      given_attributes_(traits.has_attributes ? config.num_envs : 0),
      traits_(traits),
      max_players_(static_cast<std::size_t>(spec.max_players())) {
  for (const SpaceSpec* leaf : spec_.observation.Leaves())
    leaf_bytes_.push_back(leaf->leaf_bytes());
}

void GroupState::SeedFromEntropy(std::uint64_t high, std::uint64_t low) {
  for (std::uint32_t env = 0; env < config_.num_envs; ++env) {
    rngs_[env] = Rng::FromEntropy({high, low, env});
    if (!pending_seeds_.empty()) pending_seeds_[env] = rngs_[env].NextUint64();
  }
}

std::unique_ptr<ResetStart> GroupState::ParseStart(const ParamValues& /*reset_options*/) const {
  throw Error(ErrorKind::kInternal, "reset options of environments of this kind have no schema");
}

std::shared_ptr<EnvSetting> GroupState::OwnSetting() const {
  throw Error(ErrorKind::kInternal, "environments of this kind have the same options");
}
void GroupState::WidenSpec(const EnvSpec& other) { Widen(spec_, other); }

const std::vector<AttributeSpec>& GroupState::Attributes(const EnvSetting* /*setting*/) const {
  static const std::vector<AttributeSpec> none;
  return none;
}

std::vector<double> GroupState::GetAttribute(std::uint32_t env, std::size_t index) const {
  const std::vector<AttributeSpec>& specs = Attributes(settings_->Current(env).get());
  const std::span<const double> given = given_attributes_.Find(env, specs, index);
  return given.empty() ? specs[index].value : std::vector<double>(given.begin(), given.end());
}

void GroupState::SetAttribute(std::uint32_t env, std::size_t index, std::span<const double> value) {
  given_attributes_.Set(env, Attributes(nullptr), index, value);
}

std::string GroupState::SaveState(std::uint32_t /*env*/) const {
  throw Error(ErrorKind::kInternal, "environments of this kind save no states");
}

namespace {

// Calls visit(field) for each field, because the padding bytes of a struct are not initialized.
template <class Episode, class Visit>
void VisitFields(Episode& episode, const Visit& visit) {
  visit(episode.elapsed);
  visit(episode.elapsed_before);
  visit(episode.game_over);
  visit(episode.episode_over);
  visit(episode.has_statistics);
  visit(episode.total_reward);
  visit(episode.seconds);
}

EpisodeState ReadEpisode(StateReader& state) {
  EpisodeState episode;
  VisitFields(episode, [&](auto& field) { state.Get(field); });
  return episode;
}

// Whether arithmetic with the numbers stays in the range of their types.
bool IsPossible(const EpisodeState& episode) {
  constexpr std::int64_t kMaxSteps = std::int64_t{1} << 62;
  constexpr double kMaxSeconds = 1e9;
  return 0 <= episode.elapsed_before && episode.elapsed_before <= episode.elapsed &&
         episode.elapsed <= kMaxSteps && 0.0 <= episode.seconds && episode.seconds <= kMaxSeconds;
}

}  // namespace

void GroupState::SaveEpisode(std::uint32_t env, const EpisodeProgress& progress,
                             StateWriter& state) const {
  const EpisodeState episode = control_.StateOf(env, progress);
  VisitFields(episode, [&](const auto& field) { state.Put(field); });
  state.Put(rngs_[env].State());
  const bool has_seed = !pending_seeds_.empty() && pending_seeds_[env].has_value();
  state.Put(has_seed);
  state.Put(has_seed ? *pending_seeds_[env] : std::uint64_t{0});
  state.PutAll(given_attributes_.Of(env));
  if (players_ != nullptr) players_->Save(env, state);
}

void GroupState::LoadEpisode(std::uint32_t env, EpisodeProgress& progress, StateReader& state) {
  const EpisodeState episode = ReadEpisode(state);
  rngs_[env] = Rng(state.Get<Pcg64State>());
  const bool has_seed = state.Get<bool>();
  const auto seed = state.Get<std::uint64_t>();
  if (!pending_seeds_.empty()) pending_seeds_[env] = has_seed ? std::optional(seed) : std::nullopt;
  given_attributes_.SetAll(env, state.GetVector<double>());
  control_.Restore(env, episode, progress);
  if (players_ != nullptr) players_->Load(env, state);
}

void GroupState::CheckState(std::uint32_t /*env*/, std::string_view state,
                            const std::string& where) const {
  StateReader reader(state);
  const EpisodeState episode = ReadEpisode(reader);
  const auto random = reader.Get<Pcg64State>();
  reader.Get<bool>();           // of the seed
  reader.Get<std::uint64_t>();  // the seed
  const auto attributes = reader.GetVector<double>();
  const auto refuse = [&](const char* why) { throw Error(ErrorKind::kState, where + ": " + why); };
  if (!IsPossible(episode)) refuse("the state has a place in an episode that no environment is at");
  // With an even increment some draws would never end.
  if (random.inc_low % 2 == 0) refuse("the state has a random generator that Save does not write");
  if (episode.episode_over && config_.autoreset == AutoresetMode::kSameStep) {
    refuse(
        "the state is the end of an episode, and with autoreset_mode \"SameStep\" no environment "
        "waits for a reset");
  }
  if (!GivenAttributes::Fit(Attributes(nullptr), attributes))
    refuse("the state has attributes that this task's environments cannot have");
  if (config_.records_episodes && !episode.has_statistics) {
    refuse(
        "expected a state that was saved with record_episode_statistics, as this pool has it, got "
        "one without");
  }
}

void EnvGroup::Discard(std::uint32_t env) {
  StepCounts counts;
  control_.Failed(env, "the environment was given up", counts);
  MakeResetDue(env);
}

std::uint32_t EnvGroup::CallMethodRows(const EnvRange& /*range*/, const void* /*call*/,
                                       const StopCondition& /*stop*/, StepCounts& /*counts*/) {
  throw Error(ErrorKind::kInternal, "environments of this kind have no methods to call");
}

void GroupState::WriteFailedRow(std::uint32_t env, const EpisodeProgress& progress,
                                std::uint32_t row, const BatchView& out) {
  for (std::size_t leaf = 0; leaf < leaf_bytes_.size(); ++leaf) {
    for (std::size_t k = row * max_players_; k < (row + 1) * max_players_; ++k)
      std::memset(out.frame.obs[leaf].Row(k), 0, leaf_bytes_[leaf]);
  }
  ClearInfos(out.frame, row);
  if (players_ != nullptr) {
    for (std::size_t k = row * max_players_; k < (row + 1) * max_players_; ++k)
      ClearPlayerInfos(*out.frame.players, k);
    players_->WriteFailedRow(env, row, *out.frame.players);
  }
  out.frame.elapsed_step[row] = progress.elapsed_step();
  control_.WriteFailed(env, row, out);
}

void GroupState::ClearInfos(const FrameColumns& frame, std::uint32_t row) const {
  for (std::size_t field = 0; field < spec_.infos.size(); ++field) {
    std::memset(frame.info[field].Row(row), 0, frame.info[field].row_bytes);
    *reinterpret_cast<bool*>(frame.info_mask[field].Row(row)) = false;
  }
}

void GroupState::UnmarkInfos(const FrameColumns& frame, std::uint32_t row) const {
  for (std::size_t field = 0; field < spec_.infos.size(); ++field) {
    *reinterpret_cast<bool*>(frame.info_mask[field].Row(row)) = false;
  }
}

void GroupState::ClearPlayerInfos(const PlayerColumns& players, std::size_t row) const {
  for (std::size_t field = 0; field < spec_.players->infos.size(); ++field) {
    *reinterpret_cast<bool*>(players.info_mask[field].Row(row)) = false;
    if (!players.keeps_infos)
      std::memset(players.info[field].Row(row), 0, spec_.players->infos[field].bytes());
  }
}

void GroupState::CheckEveryInfoIsSet(const FrameColumns& frame, std::uint32_t row) const {
  const auto marked = [&](std::size_t field) {
    return *reinterpret_cast<const bool*>(frame.info_mask[field].Row(row));
  };
  for (std::size_t field = 0; field < spec_.infos.size(); ++field) {
    const bool other_form = (spec_.infos[field].widens_previous && marked(field - 1)) ||
                            (field + 1 < spec_.infos.size() &&
                             spec_.infos[field + 1].widens_previous && marked(field + 1));
    if (!marked(field) && !other_form) {
      throw Error(ErrorKind::kInternal, "info \"" + spec_.infos[field].name +
                                            "\": expected Info() to set it, because of "
                                            "kSetsEveryInfo");
    }
  }
}

void GroupState::CopyFrame(const FrameColumns& from, std::uint32_t from_row, const FrameColumns& to,
                           std::uint32_t to_row) const {
  for (std::size_t leaf = 0; leaf < leaf_bytes_.size(); ++leaf) {
    for (std::size_t k = 0; k < max_players_; ++k) {
      std::memcpy(to.obs[leaf].Row(to_row * max_players_ + k),
                  from.obs[leaf].Row(from_row * max_players_ + k), leaf_bytes_[leaf]);
    }
  }
  if (players_ != nullptr) CopyPlayers(from, from_row, to, to_row);
  for (std::size_t field = 0; field < spec_.infos.size(); ++field) {
    std::memcpy(to.info[field].Row(to_row), from.info[field].Row(from_row),
                from.info[field].row_bytes);
    std::memcpy(to.info_mask[field].Row(to_row), from.info_mask[field].Row(from_row), sizeof(bool));
  }
  to.elapsed_step[to_row] = from.elapsed_step[from_row];
}

void GroupState::CopyPlayers(const FrameColumns& from, std::uint32_t from_row,
                             const FrameColumns& to, std::uint32_t to_row) const {
  const std::size_t first = from_row * max_players_;
  const std::size_t to_first = to_row * max_players_;
  const auto copy = [&](const auto* source, auto* target) {
    std::copy_n(source + first, max_players_, target + to_first);
  };
  const PlayerColumns& source = *from.players;
  const PlayerColumns& target = *to.players;
  copy(source.present, target.present);
  copy(source.env_id, target.env_id);
  copy(source.id, target.id);
  copy(source.reward, target.reward);
  copy(source.terminated, target.terminated);
  copy(source.truncated, target.truncated);
  for (std::size_t field = 0; field < spec_.players->infos.size(); ++field) {
    for (std::size_t k = 0; k < max_players_; ++k) {
      std::memcpy(target.info[field].Row(to_first + k), source.info[field].Row(first + k),
                  spec_.players->infos[field].bytes());
      std::memcpy(target.info_mask[field].Row(to_first + k), source.info_mask[field].Row(first + k),
                  sizeof(bool));
    }
  }
}

}  // namespace engine
