// Stages the actions of environments with players: one row for each player in the latest result of
// each environment. Called by the pool on the caller's thread, one call at a time.
#ifndef ENGINE_BATCH_PLAYER_STAGING_H_
#define ENGINE_BATCH_PLAYER_STAGING_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/batch/action_staging.h"
#include "engine/group/player_table.h"

namespace engine {

class PlayerStaging final : public ActionSink {
 public:
  // `rows` has a slot for each player number of each environment. `players` outlives this object.
  PlayerStaging(std::unique_ptr<ActionSink> rows, const PlayerTable& players,
                std::uint32_t num_envs);

  // Row k is for the k-th player in the latest results of the environments, in the order of the ids
  // and then of the players' numbers. Throws as `rows` does.
  // Requires: the environments are idle.
  void Stage(const ArrayView& actions, const std::uint32_t* ids, std::uint32_t n) override;
  ActionSlots slots() const override { return rows_->slots(); }

 private:
  const std::unique_ptr<ActionSink> rows_;
  const PlayerTable& players_;
  std::vector<std::uint32_t> slots_of_rows_;  // in the latest call
};

}  // namespace engine

#endif  // ENGINE_BATCH_PLAYER_STAGING_H_
