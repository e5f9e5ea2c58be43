#include "engine/checks/checked_row.h"

#include <algorithm>
#include <cstring>

namespace engine {
namespace {

Column ColumnOf(std::vector<GuardedArray>& rows) {
  const std::size_t stride =
      rows.size() > 1 ? static_cast<std::size_t>(rows[1].data() - rows[0].data()) : 0;
  return {rows[0].data(), stride};
}

void FillAll(std::vector<std::vector<GuardedArray>>& arrays, GuardedArray::Look look) {
  for (auto& rows : arrays) {
    for (GuardedArray& array : rows) array.Fill(look);
  }
}

}  // namespace

CheckedRow::Infos::Infos(const std::vector<InfoSpec>& infos, std::size_t num_rows) : specs(infos) {
  for (const InfoSpec& info : infos) {
    values.push_back(GuardedArray::Rows(info.bytes(), num_rows));
    masks.push_back(GuardedArray::Rows(sizeof(bool), num_rows));
  }
  // The column of a single row has row_bytes 0: a group that clears the infos of a row then clears
  // nothing, so the pattern stays. Infos of players are not cleared (PlayerColumns::keeps_infos).
  for (auto& rows : values) value_columns.push_back(ColumnOf(rows));
  for (auto& rows : masks) mask_columns.push_back(ColumnOf(rows));
}

void CheckedRow::Infos::Fill(GuardedArray::Look look) {
  FillAll(values, look);
  FillAll(masks, look);
}

std::string CheckedRow::Infos::Mistake(const Infos* second, std::size_t row,
                                       const std::string& of) const {
  for (std::size_t field = 0; field < specs.size(); ++field) {
    const InfoSpec& info = specs[field];
    const std::string name = of + "info \"" + info.name + "\"";
    const GuardedArray& mask = masks[field][row];
    const GuardedArray* const other_mask = second == nullptr ? nullptr : &second->masks[field][row];
    if (mask.Untouched(0) && (other_mask == nullptr || other_mask->Untouched(0)))
      return name + " is not written: kSetsEveryInfo says that Info sets every field";
    std::string mistake = MistakeIn(
        {.name = of + "the mask of info \"" + info.name + "\"", .dtype = DType::kBool, .shape = {}},
        mask, other_mask);
    const GuardedArray& value = values[field][row];
    if (mistake.empty() && Has(field, row)) {
      mistake = MistakeIn({.name = name, .dtype = info.dtype, .shape = info.shape}, value,
                          second == nullptr ? nullptr : &second->values[field][row]);
    } else if (mistake.empty() && !value.GuardsAreIntact()) {
      mistake = name + " is written beyond its end or before its begin";
    }
    if (!mistake.empty()) return mistake;
  }
  return "";
}

void CheckedRow::Infos::CopyTo(std::size_t from_row, const Column* to, const Column* to_masks,
                               std::size_t to_row) const {
  for (std::size_t field = 0; field < specs.size(); ++field) {
    const bool has = Has(field, from_row);
    *reinterpret_cast<bool*>(to_masks[field].Row(to_row)) = has;
    std::byte* const value = to[field].Row(to_row);
    const GuardedArray& from = values[field][from_row];
    if (has) {
      std::memcpy(value, from.data(), from.bytes());
    } else {
      std::memset(value, 0, from.bytes());
    }
  }
}

CheckedRow::Players::Players(const PlayersSpec& spec, std::size_t num_players)
    : count(num_players),
      infos(spec.infos, num_players),
      present(std::make_unique<bool[]>(num_players)),
      terminated(std::make_unique<bool[]>(num_players)),
      truncated(std::make_unique<bool[]>(num_players)),
      env_id(num_players),
      id(num_players),
      reward(num_players),
      total_reward(num_players),
      length(num_players),
      columns{.present = present.get(),
              .env_id = env_id.data(),
              .id = id.data(),
              .reward = reward.data(),
              .terminated = terminated.get(),
              .truncated = truncated.get(),
              .info = infos.value_columns.data(),
              .info_mask = infos.mask_columns.data(),
              .keeps_infos = true},
      episode{.total_reward = total_reward.data(), .length = length.data()} {}

void CheckedRow::Players::CopyTo(const PlayerColumns& to, std::size_t first) const {
  for (std::size_t player = 0; player < count; ++player) {
    const std::size_t row = first + player;
    to.present[row] = present[player];
    to.env_id[row] = env_id[player];
    to.id[row] = id[player];
    to.reward[row] = reward[player];
    to.terminated[row] = terminated[player];
    to.truncated[row] = truncated[player];
    if (present[player]) infos.CopyTo(player, to.info, to.info_mask, row);
  }
}

CheckedRow::CheckedRow(const EnvSpec& spec, const std::vector<ArrayDescription>& leaves)
    : leaves_(leaves),
      num_rows_(static_cast<std::size_t>(spec.max_players())),
      infos_(spec.infos, 1),
      players_(spec.players ? std::make_unique<Players>(*spec.players, num_rows_) : nullptr) {
  for (const SpaceSpec* leaf : spec.observation.Leaves())
    obs_.push_back(GuardedArray::Rows(leaf->leaf_bytes(), num_rows_));
  for (auto& rows : obs_) {
    obs_columns_.push_back(ColumnOf(rows));
    // ObsRow::SetText reads the size of a row.
    if (num_rows_ == 1) obs_columns_.back().row_bytes = rows[0].bytes();
  }
}

void CheckedRow::Fill(GuardedArray::Look look) {
  FillAll(obs_, look);
  infos_.Fill(look);
  if (players_ != nullptr) players_->infos.Fill(look);
}

FrameColumns CheckedRow::frame() {
  return {.obs = obs_columns_.data(),
          .info = infos_.value_columns.data(),
          .info_mask = infos_.mask_columns.data(),
          .elapsed_step = &elapsed_,
          .players = players_ == nullptr ? nullptr : &players_->columns};
}

BatchView CheckedRow::view(const BatchView& out) {
  BatchView view;
  view.frame = frame();
  view.reward = &reward_;
  view.terminated = &terminated_;
  view.truncated = &truncated_;
  view.env_id = &env_id_;
  view.discount = out.discount == nullptr ? nullptr : &discount_;
  if (out.episode.mask != nullptr) view.episode = {&total_reward_, &length_, &seconds_, &episode_};
  if (out.player_episode != nullptr) view.player_episode = &players_->episode;
  return view;
}

std::string CheckedRow::Mistake(const CheckedRow* second) const {
  for (std::size_t row = 0; row < num_rows_; ++row) {
    if (!Shows(row)) continue;
    const std::string of = players_ == nullptr ? "" : "player " + std::to_string(row) + ": ";
    for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
      const std::string mistake = MistakeIn(leaves_[leaf], obs_[leaf][row],
                                            second == nullptr ? nullptr : &second->obs_[leaf][row]);
      if (!mistake.empty()) return of + mistake;
    }
    if (players_ == nullptr) continue;
    std::string mistake =
        players_->infos.Mistake(second == nullptr ? nullptr : &second->players_->infos, row, of);
    if (!mistake.empty()) return mistake;
  }
  return infos_.Mistake(second == nullptr ? nullptr : &second->infos_, 0, "");
}

void CheckedRow::CopyFrameTo(const FrameColumns& to, std::uint32_t row) const {
  const std::size_t first = row * num_rows_;
  for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
    for (std::size_t k = 0; k < num_rows_; ++k) {
      if (!Shows(k)) continue;
      std::memcpy(to.obs[leaf].Row(first + k), obs_[leaf][k].data(), obs_[leaf][k].bytes());
    }
  }
  infos_.CopyTo(0, to.info, to.info_mask, row);
  if (players_ != nullptr) players_->CopyTo(*to.players, first);
  to.elapsed_step[row] = elapsed_;
}

void CheckedRow::CopyOutcomeTo(std::uint32_t row, const BatchView& out) const {
  out.reward[row] = reward_;
  out.terminated[row] = terminated_;
  out.truncated[row] = truncated_;
  out.env_id[row] = env_id_;
  if (out.discount != nullptr) out.discount[row] = discount_;
  if (out.episode.mask == nullptr) return;
  out.episode.mask[row] = episode_;
  if (!episode_) return;
  out.episode.total_reward[row] = total_reward_;
  out.episode.length[row] = length_;
  out.episode.seconds[row] = seconds_;
  if (out.player_episode == nullptr) return;
  const std::size_t first = row * num_rows_;
  std::copy(players_->total_reward.begin(), players_->total_reward.end(),
            out.player_episode->total_reward + first);
  std::copy(players_->length.begin(), players_->length.end(), out.player_episode->length + first);
}

}  // namespace engine
