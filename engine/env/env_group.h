// All environments of one pool, behind the one virtual interface of the engine:
// a call covers a range of environments, so its cost vanishes and the loop
// inside is monomorphic. The pool decides who calls for which environments:
// calls for one environment never overlap, calls for different ones may come
// from different threads at once.
#ifndef ENGINE_ENV_ENV_GROUP_H_
#define ENGINE_ENV_ENV_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/rng.h"
#include "engine/env/batch_view.h"
#include "engine/env/params.h"
#include "engine/env/spec.h"

namespace engine {

enum class AutoresetMode : std::uint8_t {
  kNextStep,  // the step after an episode's end resets and ignores the action
  kSameStep,  // the step that ends an episode resets too; final_frame keeps its end
  kDisabled,  // the user resets
};

struct GroupConfig {
  std::uint32_t num_envs = 1;
  AutoresetMode autoreset = AutoresetMode::kNextStep;
  std::int64_t max_episode_steps = 0;  // 0: no limit
  bool renders = false;                // RenderRows may be called
  bool records_episodes = false;       // batches have the columns of ended episodes
};

// Why an environment cannot be stepped; 0: it can.
enum EnvStatus : std::uint8_t {
  kReadyToStep = 0,
  kNeverReset = 1,
  kFailed = 2,       // an exception left it undefined
  kEpisodeOver = 4,  // autoreset is disabled and its episode has ended
};

// The environments and rows of one call: item k is environment ids[k] (k itself
// where ids is null) and row first_row + k.
struct Items {
  const std::uint32_t* ids = nullptr;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t first_row = 0;

  std::uint32_t Env(std::uint32_t k) const { return ids == nullptr ? k : ids[k]; }
};

// One action per environment, at base + env * bytes.
struct ActionSlots {
  const std::byte* base = nullptr;
  std::size_t bytes = 0;

  ActionView Of(std::uint32_t env) const { return ActionView(base + env * bytes); }
};

// The checked options of one reset, in the environment's own type.
struct ResetStart {
  virtual ~ResetStart() = default;
};

struct ResetPlan {
  const ResetStart* start = nullptr;  // null: the defaults
  bool seed_by_env = false;           // environment i is seeded with first_seed + i
  std::uint64_t first_seed = 0;
  const std::uint64_t* seeds = nullptr;    // per item; null: none
  const std::uint8_t* has_seed = nullptr;  // per item, with seeds
  const std::uint8_t* mask = nullptr;      // per item: 0 only observes; null: all reset
};

// What a call did, for telemetry and for the pool's error path.
struct Tally {
  std::uint64_t steps = 0;     // Step calls; an autoreset in NextStep is none
  std::uint64_t episodes = 0;  // episodes that ended
  std::uint64_t resets = 0;    // resets, automatic ones included
  std::uint64_t failures = 0;  // environments that threw
};

// The result of a step whose row is not known yet.
struct Outcome {
  double reward = 0.0;
  bool terminated = false;
  bool truncated = false;
  bool after_reset = false;
  bool failed = false;
  bool stashed = false;  // its final frame lies in the stash
  // As in StepResult.
  bool reports_end = false;
  bool zero_discount = false;
};

// For statistics: when an environment's episode began, and the latest one that ended.
struct EpisodeRecord {
  std::uint64_t began = 0;  // by the TickClock
  double total_reward = 0.0;
  std::int64_t length = 0;
  double seconds = 0.0;
};

class EnvGroup {
 public:
  // `tells_seeds`: the environments are told their seeds (HasSeed).
  EnvGroup(const EnvSpec& spec, const GroupConfig& config, bool tells_seeds);
  virtual ~EnvGroup() = default;
  EnvGroup(const EnvGroup&) = delete;
  EnvGroup& operator=(const EnvGroup&) = delete;

  std::uint32_t num_envs() const { return config_.num_envs; }
  const EnvSpec& spec() const { return spec_; }
  const GroupConfig& config() const { return config_; }

  // Makes environments [begin, end), first touching their memory on the calling
  // thread. An exception of a constructor leaves as it is.
  virtual void Construct(std::uint32_t begin, std::uint32_t end) = 0;
  virtual std::unique_ptr<ResetStart> ParseStart(const ParamValues& reset_options) const = 0;

  // Rows known beforehand: one pass that steps (or resets) and writes.
  virtual void StepRows(const Items& items, ActionSlots actions, const BatchView& out,
                        Tally& tally) = 0;
  virtual void ResetRows(const Items& items, const ResetPlan& plan, const BatchView& out,
                         Tally& tally) = 0;

  // Draws the environments as they are now; item k's picture, or its scene (then
  // `pictures` is aligned for doubles), goes to pictures + k * spec().picture_bytes(),
  // all zero if it could not be drawn.
  // Requires: config().renders; none of them is failed or was never reset.
  virtual void RenderRows(const Items& items, std::uint8_t* pictures, Tally& tally) = 0;

  // First-ready: Advance steps environments ids[0..n) (those with reset_flags[env]
  // set are reset instead) and returns how many it did: fewer than n when it
  // had to put a final frame into `stash`, which holds one row. Deliver then
  // writes them: the i-th into row rows[i], or first_row + i where rows is null.
  virtual std::uint32_t Advance(const std::uint32_t* ids, std::uint32_t n,
                                const std::uint8_t* reset_flags, ActionSlots actions,
                                const BatchView& stash, Outcome* outcomes, Tally& tally) = 0;
  virtual void Deliver(const std::uint32_t* ids, std::uint32_t n, const std::uint32_t* rows,
                       std::uint32_t first_row, const Outcome* outcomes, const BatchView& stash,
                       const BatchView& out, Tally& tally) = 0;

  // For whoever holds the environment (the pool's caller while it is idle).
  void Seed(std::uint32_t env, std::uint64_t seed) {
    rngs_[env].Seed(seed);
    if (!seeds_.empty()) seeds_[env] = seed;
  }
  void SeedFromEntropy(std::uint64_t high, std::uint64_t low);
  std::uint8_t status(std::uint32_t env) const { return status_[env]; }
  const std::vector<std::uint8_t>& statuses() const { return status_; }
  // The message of the exception that made `env` fail.
  std::string FailureOf(std::uint32_t env) const;

 protected:
  void MarkFailed(std::uint32_t env, const char* what);
  void ZeroRow(const BatchView& out, std::uint32_t env, std::uint32_t row,
               std::int32_t elapsed_step) const;
  // For statistics of episodes, where records_episodes().
  bool records_episodes() const { return !returns_.empty(); }
  void BeginEpisode(std::uint32_t env);
  void EndEpisode(std::uint32_t env, std::int64_t length);
  void WriteEpisode(const EpisodeColumns& out, std::uint32_t env, std::uint32_t row) const;
  void ClearInfos(const FrameColumns& frame, std::uint32_t row) const;
  // Keeps the infos of a row, but as those of an environment that has none in this batch.
  void UnmarkInfos(const FrameColumns& frame, std::uint32_t row) const;
  void CopyFrame(const FrameColumns& from, std::uint32_t from_row, const FrameColumns& to,
                 std::uint32_t to_row) const;

  const EnvSpec spec_;
  const GroupConfig config_;
  // Indexed by environment; written by the thread that holds the environment.
  std::vector<Rng> rngs_;
  // Seeds that environments have not been told yet; empty where they never are.
  std::vector<std::optional<std::uint64_t>> seeds_;
  std::vector<std::uint8_t> status_;  // EnvStatus bits
  std::vector<double> returns_;       // of the episodes so far; empty where none are recorded
  std::vector<EpisodeRecord> episodes_;

 private:
  void ZeroFrame(const FrameColumns& frame, std::uint32_t row) const;

  std::vector<std::size_t> leaf_bytes_;
  mutable std::mutex failures_mutex_;
  std::unordered_map<std::uint32_t, std::string> failures_;  // guarded by failures_mutex_
};

}  // namespace engine

#endif  // ENGINE_ENV_ENV_GROUP_H_
