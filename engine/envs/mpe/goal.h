// A landmark that is chosen at random at each reset.
#ifndef ENGINE_ENVS_MPE_GOAL_H_
#define ENGINE_ENVS_MPE_GOAL_H_

#include <cstddef>
#include <cstdint>

#include "engine/base/rng.h"
#include "engine/env/state.h"

namespace engine::mpe {

class Goal {
 public:
  // One of the `count` entities from `first` on.
  Goal(std::size_t first, std::size_t count)
      : first_(first), count_(static_cast<std::int64_t>(count)) {}

  void Draw(Rng& rng) { index_ = rng.Integers(count_); }
  std::size_t index() const { return static_cast<std::size_t>(index_); }
  std::size_t entity() const { return first_ + index(); }

  void Save(StateWriter& state) const { state.Put(index_); }
  void Load(StateReader& state) { state.GetWithin("the goal", index_, 0, count_ - 1); }

 private:
  std::size_t first_;
  std::int64_t count_;
  std::int64_t index_ = 0;
};

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_GOAL_H_
