// Steps environments of a class with StepMany in one call, and hands out the results one by one, in
// the order in which they were added. Used by EnvGroupOf. One thread.
#ifndef ENGINE_GROUP_STEP_TOGETHER_H_
#define ENGINE_GROUP_STEP_TOGETHER_H_

#include <cstddef>
#include <cstdint>
#include <exception>

#include "engine/base/rng.h"
#include "engine/env/action_slots.h"
#include "engine/env/environment.h"
#include "engine/env/step_range.h"
#include "engine/group/env_slots.h"

namespace engine {

template <StepsMany E, class Slot>
class StepTogether {
 public:
  // At most kMostTogether environments are added. Has no branch, because processors predict the end
  // of an episode badly.
  void AddIf(bool adds, std::uint32_t env) {
    ids_[count_] = env;
    count_ += adds ? 1U : 0U;
  }

  void Step(Slot* slots, Rng* rngs, const ActionSlots& actions) noexcept {
    if (count_ < LeastTogether<E>()) {
      for (std::uint32_t k = 0; k < count_; ++k) ends_[k] = EndBits::kNotStepped;
      return;
    }
    try {
      E::StepMany(StepRange<E>({ids_, 0, count_, rewards_, ends_}, &slots->env, sizeof(Slot), rngs,
                               actions));
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }

  // The result of the next environment, which is `env` in `slot`. Throws its exception. If StepMany
  // threw, all environments throw that, because it is unknown which of them were stepped.
  [[gnu::always_inline]] StepResult Next(Slot& slot, std::uint32_t env, const ActionSlots& actions,
                                         Rng& rng) {
    const std::uint32_t k = next_++;
    if (thrown_ != nullptr) [[unlikely]]
      std::rethrow_exception(thrown_);
    if (ends_[k] == EndBits::kNotStepped) [[unlikely]]
      return StepOne(slot.env, env, actions, rng);
    return ResultOf(rewards_[k], ends_[k]);
  }

 private:
  // Not initialized: only elements that were added are read. AddIf() writes an element even if it
  // does not add it.
  std::uint32_t ids_[kMostTogether + 1];
  double rewards_[kMostTogether];
  std::uint8_t ends_[kMostTogether];
  std::uint32_t count_ = 0;
  std::uint32_t next_ = 0;
  std::exception_ptr thrown_;
};

}  // namespace engine

#endif  // ENGINE_GROUP_STEP_TOGETHER_H_
