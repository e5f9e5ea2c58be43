// Memory for one row of a batch that CheckedGroup makes its inner group write. Every array lies
// between guards and is filled with a pattern. With players, each array of a player has its own
// guards. One thread at a time.
#ifndef ENGINE_CHECKS_CHECKED_ROW_H_
#define ENGINE_CHECKS_CHECKED_ROW_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/checks/row_checks.h"
#include "engine/env/spec.h"
#include "engine/group/batch_view.h"

namespace engine {

class CheckedRow {
 public:
  // `leaves` describes the observation of `spec`. Both outlive the row.
  CheckedRow(const EnvSpec& spec, const std::vector<ArrayDescription>& leaves);

  void Fill(GuardedArray::Look look);
  // The columns of a frame whose only row is this one.
  FrameColumns frame();
  // The columns of a batch whose only row is this one. It has the columns that `out` has, except
  // those of a final frame.
  BatchView view(const BatchView& out);
  std::int32_t elapsed_step() const { return elapsed_; }

  // Returns the first mistake in this row and in `second`, which was written for the same state, or
  // "". `second` is null if the row was written only once.
  std::string Mistake(const CheckedRow* second) const;

  // Copies the observations and infos to row `row`.
  void CopyFrameTo(const FrameColumns& to, std::uint32_t row) const;
  // Copies everything except the frame and final_mask.
  void CopyOutcomeTo(std::uint32_t row, const BatchView& out) const;

 private:
  // Infos, in one row or in one row for each player.
  struct Infos {
    Infos(const std::vector<InfoSpec>& infos, std::size_t num_rows);
    void Fill(GuardedArray::Look look);
    bool Has(std::size_t field, std::size_t row) const {
      return std::to_integer<std::uint8_t>(*masks[field][row].data()) == 1;
    }
    std::string Mistake(const Infos* second, std::size_t row, const std::string& of) const;
    void CopyTo(std::size_t from_row, const Column* to, const Column* to_masks,
                std::size_t to_row) const;

    const std::vector<InfoSpec>& specs;
    std::vector<std::vector<GuardedArray>> values, masks;  // by field, then by row
    std::vector<Column> value_columns, mask_columns;
  };
  // The columns of players.
  struct Players {
    Players(const PlayersSpec& spec, std::size_t num_players);
    void CopyTo(const PlayerColumns& to, std::size_t first) const;

    std::size_t count;
    Infos infos;
    std::unique_ptr<bool[]> present, terminated, truncated;
    std::vector<std::int32_t> env_id, id;
    std::vector<double> reward, total_reward;
    std::vector<std::int64_t> length;
    PlayerColumns columns;
    PlayerEpisodeColumns episode;
  };

  bool Shows(std::size_t row) const { return players_ == nullptr || players_->present[row]; }

  const std::vector<ArrayDescription>& leaves_;
  const std::size_t num_rows_;                  // of observations
  std::vector<std::vector<GuardedArray>> obs_;  // by leaf, then by row
  std::vector<Column> obs_columns_;
  Infos infos_;
  std::unique_ptr<Players> players_;  // null without players
  std::int32_t elapsed_ = 0;
  double reward_ = 0.0;
  bool terminated_ = false;
  bool truncated_ = false;
  std::int32_t env_id_ = 0;
  double discount_ = 0.0;
  double total_reward_ = 0.0;
  std::int64_t length_ = 0;
  double seconds_ = 0.0;
  bool episode_ = false;
};

}  // namespace engine

#endif  // ENGINE_CHECKS_CHECKED_ROW_H_
