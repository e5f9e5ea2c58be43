// All environments of one pool, behind the engine's virtual interface. A call processes a range of
// environments, so the virtual call costs little and the inner loop is compiled for one type. The
// pool decides which thread processes which environments. Calls for the same environment never
// overlap; calls for different environments may run concurrently.
#ifndef ENGINE_GROUP_ENV_GROUP_H_
#define ENGINE_GROUP_ENV_GROUP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/rng.h"
#include "engine/base/tick_clock.h"
#include "engine/control/episode_control.h"
#include "engine/env/action_slots.h"
#include "engine/env/attributes.h"
#include "engine/env/params.h"
#include "engine/env/spec.h"
#include "engine/env/state.h"
#include "engine/group/batch_view.h"
#include "engine/group/env_settings.h"
#include "engine/group/given_attributes.h"
#include "engine/group/player_table.h"

namespace engine {

struct GroupConfig {
  std::uint32_t num_envs = 1;
  AutoresetMode autoreset = AutoresetMode::kNextStep;
  std::int64_t max_episode_steps = 0;  // 0: no limit
  bool renders = false;                // RenderRows may be called
  bool records_episodes = false;       // batches have columns with episode statistics
};

// The environments and rows of one call: item k is environment ids[k] (k itself if ids is null) and
// row first_row + k.
struct EnvRange {
  const std::uint32_t* ids = nullptr;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t first_row = 0;

  std::uint32_t Env(std::uint32_t k) const { return ids == nullptr ? k : ids[k]; }
};

// The checked options of one reset, in the environment's own type.
struct ResetStart {
  virtual ~ResetStart() = default;
};

// An object that belongs to a row of a batch or of the result of a call. For environments whose
// infos or observations are objects instead of arrays. Only the group and the code that reads the
// object use its type.
struct RowObject {
  std::uint32_t row = 0;
  std::shared_ptr<void> value;
  std::size_t bytes = 0;  // size, if the value is an array of bytes
};

struct ResetPlan {
  const ResetStart* start = nullptr;  // null: the default options
  bool seed_by_env = false;           // environment i is seeded with first_seed + i
  std::uint64_t first_seed = 0;
  const std::uint64_t* seeds = nullptr;    // per item; null: none
  const std::uint8_t* has_seed = nullptr;  // per item; only with seeds
  const std::uint8_t* mask = nullptr;  // per item: 0: do not reset, only observe; null: reset all
  // Per item: the state to load instead of a reset, without the header (state_bytes.h). If this is
  // not null, the other members are not used.
  const std::string* states = nullptr;
};

// Decides when a loop over environments stops early: when the pool is closed, or at a time limit. A
// loop checks it after each environment. For environments that never wait, it checks after every 16
// or 64 environments, because reading the clock takes half as long as a light step.
class StopCondition {
 public:
  // No time limit.
  explicit StopCondition(const std::atomic<bool>& closed)
      : closed_(closed), deadline_(UINT64_MAX) {}
  // Never stops a loop early: for environments without a pool.
  static const StopCondition& Never() {
    static const std::atomic<bool> open{false};
    static const StopCondition never(open);
    return never;
  }
  StopCondition(const std::atomic<bool>& closed, std::uint64_t start_ticks, double limit_ns)
      : closed_(closed), deadline_(start_ticks + TickClock::Ticks(limit_ns)) {}

  bool ShouldStop() const {
    return closed_.load(std::memory_order_relaxed) || (deadline_ != UINT64_MAX && PastDeadline());
  }
  bool PastDeadline() const { return TickClock::Now() >= deadline_; }

 private:
  const std::atomic<bool>& closed_;
  const std::uint64_t deadline_;  // ticks
};

// Properties of an environment's class that the engine uses at run time.
struct EnvTraits {
  bool receives_seed = false;   // ReceivesSeed
  bool never_waits = false;     // NeverWaits
  bool steps_together = false;  // StepsMany and NeverWaits
  bool steps_float64 = false;   // StepsFloat64 or KeepsFloat64
  bool steps_row = false;       // StepsRow
  bool saves_state = false;     // SavesState
  bool has_attributes = false;  // HasAttributes
  std::uint32_t state_version = 0;
};

// Return the fields that an ObsRow or an InfoRow writes; `kind` as in RowFields.
RowFields ObsFields(const EnvSpec& spec);
RowFields InfoFields(const std::vector<InfoSpec>& infos, const char* kind);

// What is known of the environments of one pool, whoever steps them: their spec, seeds, generators,
// statuses, players and objects.
class GroupState {
 public:
  GroupState(const EnvSpec& spec, const GroupConfig& config, EnvTraits traits);
  virtual ~GroupState() = default;
  GroupState(const GroupState&) = delete;
  GroupState& operator=(const GroupState&) = delete;

  std::uint32_t num_envs() const { return config_.num_envs; }
  const EnvSpec& spec() const { return spec_; }
  const GroupConfig& config() const { return config_; }
  // Whether every Step and Reset is a short computation that never blocks.
  bool never_waits() const { return traits_.never_waits; }
  // Whether several environments are stepped in less time than one after the other.
  bool steps_together() const { return traits_.steps_together; }
  // Whether actions may be given as float64.
  bool steps_float64() const { return traits_.steps_float64; }
  // Whether the environments read actions as ActionRow.
  bool steps_row() const { return traits_.steps_row; }
  // Whether SaveState may be called and ResetPlan::states may be set.
  bool saves_state() const { return traits_.saves_state; }
  std::uint32_t state_version() const { return traits_.state_version; }
  // The players of the environments; null if they have none. The pool's caller may read the players
  // of an environment while the environment is idle.
  virtual const PlayerTable* players() const { return players_.get(); }

  // Checks the options of a reset. Only for environments whose options have a schema.
  virtual std::unique_ptr<ResetStart> ParseStart(const ParamValues& reset_options) const;
  // The same for each task of the group; most groups have one.
  virtual std::unique_ptr<ResetStart> ParseStarts(const std::vector<ParamValues>& of_tasks) const {
    return ParseStart(of_tasks.front());
  }

  // Returns the complete state of an environment: its object, its generator and its episode. Throws
  // the exceptions of Save. Call it on the thread that holds the environment.
  // Requires: saves_state(); the environment was reset and has not failed.
  virtual std::string SaveState(std::uint32_t env) const;
  // Throws Error{kState} if a state that SaveState returned cannot be loaded into this group; the
  // message begins with `where`.
  virtual void CheckState(std::uint32_t env, std::string_view state,
                          const std::string& where) const;

  // --- Environments that differ in their constructor options.
  // The setting that the group was made with. Throws Error{kInternal} for environments that are not
  // made from options.
  virtual std::shared_ptr<EnvSetting> OwnSetting() const;
  // The settings of single environments. One that is set before Construct applies from the
  // beginning.
  // Requires: OwnSetting()->WhyNot() is empty for each setting.
  virtual EnvSettings& settings() { return *settings_; }
  // Uses `settings` in place of its own, because this group has some of the environments of another
  // group.
  // Requires: before Construct; settings() are not used.
  virtual void ShareSettings(std::shared_ptr<EnvSettings> settings) {
    settings_ = std::move(settings);
  }
  // Widens the bounds of the spec, so that they include those of `other`.
  // Requires: DifferenceOf(spec(), other) is empty (widen_spec.h); nobody has used the spec yet.
  virtual void WidenSpec(const EnvSpec& other);

  // --- Attributes (attributes.h).
  // Those of environments with this setting, with the values that follow from it; null: with the
  // group's own. Names, types and bounds do not depend on the setting.
  virtual const std::vector<AttributeSpec>& Attributes(const EnvSetting* setting) const;
  // The value of attribute `index` of an environment. These two are called on the thread that holds
  // the environment.
  virtual std::vector<double> GetAttribute(std::uint32_t env, std::size_t index) const;
  // Changes the value, which the environment keeps until it takes over another setting. Throws the
  // exceptions of the class's SetAttribute, which should leave the value as it was.
  // Requires: Accepts(Attributes(nullptr)[index], value).
  virtual void SetAttribute(std::uint32_t env, std::size_t index, std::span<const double> value);

  // Moves the objects of finished environments into `objects`: the object of environment ids[k] (k
  // if ids is null) becomes the object of row k. Most groups have no objects.
  // Requires: these environments are not running.
  virtual void TakeObjects(const std::uint32_t* /*ids*/, std::uint32_t /*n*/,
                           std::vector<RowObject>& /*objects*/) {}

  // Call it on the thread that holds the environment (on the pool's caller while it is idle).
  virtual void Seed(std::uint32_t env, std::uint64_t seed) {
    rngs_[env].Seed(seed);
    if (!pending_seeds_.empty()) pending_seeds_[env] = seed;
  }
  virtual void SeedFromEntropy(std::uint64_t high, std::uint64_t low);
  std::uint8_t status(std::uint32_t env) const { return control_.status(env); }
  const std::vector<std::uint8_t>& statuses() const { return control_.statuses(); }
  // Makes the next step of an environment that has failed a reset. Called as Seed.
  virtual void MakeResetDue(std::uint32_t env) = 0;
  // The message of the exception that made `env` fail. Any thread.
  std::string FailureOf(std::uint32_t env) const { return control_.FailureOf(env); }

 protected:
  // Writes the row of an environment that failed: zeros, and its elapsed steps.
  void WriteFailedRow(std::uint32_t env, const EpisodeProgress& progress, std::uint32_t row,
                      const BatchView& out);
  void ClearInfos(const FrameColumns& frame, std::uint32_t row) const;
  // Clears the masks of the infos of a row; the values stay.
  void UnmarkInfos(const FrameColumns& frame, std::uint32_t row) const;
  // Clears the infos of one player, in row `row` of the player columns.
  void ClearPlayerInfos(const PlayerColumns& players, std::size_t row) const;
  // Throws Error{kInternal} if an info is not set; the message names it.
  void CheckEveryInfoIsSet(const FrameColumns& frame, std::uint32_t row) const;
  void CopyFrame(const FrameColumns& from, std::uint32_t from_row, const FrameColumns& to,
                 std::uint32_t to_row) const;

  // Save and load the part of a state that does not depend on the environment's class. LoadEpisode
  // must be followed by the environment's Load().
  void SaveEpisode(std::uint32_t env, const EpisodeProgress& progress, StateWriter& state) const;
  void LoadEpisode(std::uint32_t env, EpisodeProgress& progress, StateReader& state);

  EnvSpec spec_;  // changed by WidenSpec only
  const GroupConfig config_;
  const RowFields obs_fields_;
  const RowFields info_fields_;
  const RowFields player_info_fields_;
  // Indexed by environment; written by the thread that holds the environment.
  std::vector<Rng> rngs_;
  // Seeds that environments have not received yet; empty if the class has no Seed.
  std::vector<std::optional<std::uint64_t>> pending_seeds_;
  EpisodeControl control_;
  const std::unique_ptr<PlayerTable> players_;  // null without players
  std::shared_ptr<EnvSettings> settings_ = std::make_shared<EnvSettings>();
  GivenAttributes given_attributes_;

 private:
  const EnvTraits traits_;
  void CopyPlayers(const FrameColumns& from, std::uint32_t from_row, const FrameColumns& to,
                   std::uint32_t to_row) const;

  std::vector<std::size_t> leaf_bytes_;
  const std::size_t max_players_;  // observation rows per environment
};

// Environments that this process steps.
class EnvGroup : public GroupState {
 public:
  using GroupState::GroupState;

  // Constructs environments [begin, end), so that the calling thread is the first to touch their
  // memory. After an exception none of them exists, and the call may be repeated.
  // Requires: none of them exists.
  virtual void Construct(std::uint32_t begin, std::uint32_t end) = 0;

  // Makes the next step or reset of the environment begin with a new one, whatever state the
  // environment is in, and frees it before if that is possible.
  virtual void Discard(std::uint32_t env);

  // StepRows, ResetRows and RenderRows are for rows that are known in advance. StepRows and
  // ResetRows step (or reset) and write in one pass. Each returns the number of items it has
  // completed, counted from the first: at least one, and all of them unless `stop` ended the
  // loop.
  virtual std::uint32_t StepRows(const EnvRange& range, ActionSlots actions, const BatchView& out,
                                 const StopCondition& stop, StepCounts& counts) = 0;
  virtual std::uint32_t ResetRows(const EnvRange& range, const ResetPlan& plan,
                                  const BatchView& out, const StopCondition& stop,
                                  StepCounts& counts) = 0;

  // Draws the current state of the environments. Writes the picture of item k, or its scene
  // (`pictures` is then aligned for doubles), to pictures + k * spec().picture_bytes(). If drawing
  // fails, writes zeros.
  // Requires: config().renders; each environment was reset and has not failed.
  virtual std::uint32_t RenderRows(const EnvRange& range, std::uint8_t* pictures,
                                   const StopCondition& stop, StepCounts& counts) = 0;

  // Calls a method of each environment. The type of `call` is agreed between the group and its
  // caller. The results are row objects. Only for environments with additional methods.
  virtual std::uint32_t CallMethodRows(const EnvRange& range, const void* method,
                                       const StopCondition& stop, StepCounts& counts);

  // StepWithoutRows and WriteRows are for rows that are not known yet. StepWithoutRows steps
  // environments ids[0..n), or resets an environment if reset_flags[env] is set, and returns the
  // number of environments it has completed. It stops early if stop.ShouldStop(), and after a final
  // frame, because `pending_final_frame` has only one row. WriteRows then writes environment ids[i]
  // to row rows[i], or to first_row + i if rows is null.
  virtual std::uint32_t StepWithoutRows(const std::uint32_t* ids, std::uint32_t n,
                                        const std::uint8_t* reset_flags, ActionSlots actions,
                                        const BatchView& pending_final_frame, Outcome* outcomes,
                                        const StopCondition& stop, StepCounts& counts) = 0;
  virtual void WriteRows(const std::uint32_t* ids, std::uint32_t n, const std::uint32_t* rows,
                         std::uint32_t first_row, const Outcome* outcomes,
                         const BatchView& pending_final_frame, const BatchView& out,
                         StepCounts& counts) = 0;
};

}  // namespace engine

#endif  // ENGINE_GROUP_ENV_GROUP_H_
