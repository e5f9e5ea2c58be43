#include "tests/engine/support/explorer.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace engine::testing {

DepthFirstExplorer::DepthFirstExplorer(const ExploreOptions& options, int preemption_bound)
    : bounds_{1, preemption_bound, options.stale_bound, options.disturbance_bound} {}

bool DepthFirstExplorer::Affordable(Cost cost) const {
  const auto kind = static_cast<std::size_t>(cost);
  return cost == Cost::kFree || spent_[kind] < bounds_[kind];
}

std::size_t DepthFirstExplorer::Choose(std::span<const Alternative> from) {
  if (depth_ < path_.size()) {
    const Choice& choice = path_[depth_++];
    if (choice.count != from.size()) throw std::logic_error("the scenario is not deterministic");
    return choice.chosen;
  }
  if (from.size() > kMaxAlternatives) throw std::logic_error("too many alternatives");
  Choice& choice = path_.emplace_back();
  choice.count = static_cast<std::uint8_t>(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) choice.costs[i] = from[i].cost;
  ++depth_;
  return 0;
}

bool DepthFirstExplorer::Advance() {
  while (!path_.empty()) {
    Choice& choice = path_.back();
    if (choice.chosen > 0) --spent_[static_cast<std::size_t>(choice.costs[choice.chosen])];
    while (++choice.chosen < choice.count) {
      const Cost cost = choice.costs[choice.chosen];
      if (!Affordable(cost)) continue;
      ++spent_[static_cast<std::size_t>(cost)];
      return true;
    }
    path_.pop_back();
  }
  return false;
}

RandomExplorer::RandomExplorer(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 1) {
  constexpr std::array<Strategy, 4> kTurns = {Strategy::kUniform, Strategy::kSticky,
                                              Strategy::kPriorities, Strategy::kPriorities};
  strategy_ = kTurns[seed % kTurns.size()];
  for (std::size_t t = 0; t < kMaxThreads; ++t) priorities_[t] = static_cast<std::int64_t>(t) + 1;
  for (std::size_t t = kMaxThreads - 1; t > 0; --t) {
    std::swap(priorities_[t], priorities_[Below(t + 1)]);
  }
  // An error that needs k orderings shows with k change points at the right choices. The length of
  // the execution is unknown, so its scale is drawn as well.
  const std::uint64_t changes = 1 + Below(4);
  const std::uint64_t length = std::uint64_t{8} << Below(6);
  for (std::uint64_t i = 0; i < changes; ++i) change_points_.push_back(Below(length));
}

std::uint64_t RandomExplorer::Below(std::uint64_t bound) {
  // SplitMix64. The bias of the remainder is negligible for small bounds.
  state_ += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return (z ^ (z >> 31)) % bound;
}

std::size_t RandomExplorer::ChooseThread(std::span<const Alternative> from) {
  ++choices_made_;
  std::array<std::size_t, 4 * kMaxThreads> eligible{};
  std::size_t count = 0;
  // Sometimes picks an unlikely alternative: a timeout, or a spinner that continues although
  // nothing has changed.
  const bool unlikely = Below(12) == 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool odd = from[i].cost == Cost::kDisturbance || from[i].paused;
    if (odd == unlikely) eligible[count++] = i;
  }
  if (count == 0) return 0;
  const std::span<const std::size_t> list(eligible.data(), count);
  if (unlikely || strategy_ == Strategy::kUniform) return list[Below(count)];
  if (strategy_ == Strategy::kPriorities) return ByPriority(from, list);
  // Sticky: the first alternative is the running thread if it can continue.
  return Below(8) == 0 ? list[Below(count)] : list[0];
}

std::size_t RandomExplorer::ByPriority(std::span<const Alternative> from,
                                       std::span<const std::size_t> eligible) {
  std::size_t best = eligible[0];
  for (const std::size_t i : eligible) {
    if (priorities_[from[i].thread] > priorities_[from[best].thread]) best = i;
  }
  if (std::find(change_points_.begin(), change_points_.end(), choices_made_) !=
      change_points_.end()) {
    priorities_[from[best].thread] = --lowest_priority_;
  }
  return best;
}

std::size_t RandomExplorer::ChooseOutcome(std::span<const Alternative> from) {
  return Below(4) == 0 ? Below(from.size()) : 0;
}

void RandomExplorer::OnPause(std::size_t thread) { priorities_[thread] = --lowest_priority_; }

std::size_t ReplayExplorer::Choose(std::span<const Alternative> from) {
  if (next_ == choices_.size()) return 0;
  const std::size_t choice = choices_[next_++];
  if (choice >= from.size()) throw std::logic_error("these choices are of another scenario");
  return choice;
}

}  // namespace engine::testing
