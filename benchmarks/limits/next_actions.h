// Looks up the next action of each environment of a first-ready batch, so that a pool repeats the
// steps of a tape. One thread.
#ifndef ENGINE_BENCHMARKS_LIMITS_NEXT_ACTIONS_H_
#define ENGINE_BENCHMARKS_LIMITS_NEXT_ACTIONS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

namespace limits {

class NextActions {
 public:
  // `actions` has rows of `row_bytes`: the action of environment e in step s is row s * num_envs +
  // e; after the last row the first one follows. The arguments must outlive this object and not
  // move.
  NextActions(std::span<const std::byte> actions, std::size_t row_bytes, std::size_t num_envs,
              std::span<const std::int32_t> env_ids, std::byte* batch)
      : actions_(actions),
        row_bytes_(row_bytes),
        env_ids_(env_ids),
        batch_(batch),
        next_rows_(num_envs) {
    Restart();
  }

  // From the first step of every environment on.
  void Restart() { std::iota(next_rows_.begin(), next_rows_.end(), std::size_t{0}); }

  // Writes the next action of each of env_ids into `batch`, row by row.
  void LookUp() {
    const std::size_t num_rows = actions_.size() / row_bytes_;
    for (std::size_t i = 0; i < env_ids_.size(); ++i) {
      std::size_t& row = next_rows_[static_cast<std::size_t>(env_ids_[i])];
      std::memcpy(batch_ + i * row_bytes_, &actions_[row * row_bytes_], row_bytes_);
      row += next_rows_.size();
      if (row >= num_rows) row -= num_rows;
    }
  }

 private:
  const std::span<const std::byte> actions_;
  const std::size_t row_bytes_;
  const std::span<const std::int32_t> env_ids_;
  std::byte* const batch_;
  std::vector<std::size_t> next_rows_;  // per environment
};

}  // namespace limits

#endif  // ENGINE_BENCHMARKS_LIMITS_NEXT_ACTIONS_H_
