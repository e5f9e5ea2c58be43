// The environments of one type, contiguous in memory, and the calls of a class that depend on which
// members it has. A slot has no environment before the environment is constructed, and after its
// constructor threw.
// Used by EnvGroupOf and AbiClass. Methods that take an environment's number are called only by the
// thread that holds the environment.
#ifndef ENGINE_GROUP_ENV_SLOTS_H_
#define ENGINE_GROUP_ENV_SLOTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "engine/base/cache_line.h"
#include "engine/control/episode_control.h"
#include "engine/env/action_slots.h"
#include "engine/env/environment.h"

namespace engine {

// Steps an environment of one player.
template <class E>
[[gnu::always_inline]] inline StepResult StepOne(E& env, std::uint32_t id,
                                                 const ActionSlots& actions, Rng& rng) {
  if constexpr (StepsRow<E>) {
    return env.Step(actions.RowOf(id), rng);
  } else {
    if constexpr (StepsFloat64<E>) {
      if (actions.is_float64[id] != 0) [[unlikely]]
        return env.StepFloat64(actions.Float64Of(id), rng);
    }
    return env.Step(actions.Of(id), rng);
  }
}

template <class E>
void SeedOne(E& env, [[maybe_unused]] std::uint32_t id, std::uint64_t seed, Rng& rng) {
  if constexpr (ReceivesSeedAndNumber<E>) {
    env.Seed(seed, id, rng);
  } else {
    env.Seed(seed, rng);
  }
}

template <class E>
void ResetOne(E& env, [[maybe_unused]] const StartOf<E>& start, Rng& rng) {
  if constexpr (kHasStart<E>) {
    env.Reset(start, rng);
  } else {
    env.Reset(rng);
  }
}

// Draws the picture, or writes the scene, of `bytes` bytes.
template <class E>
void DrawOne(const E& env, std::uint8_t* picture, std::size_t bytes) {
  if constexpr (HasRender<E>) {
    env.Render(std::span(picture, bytes));
  } else if constexpr (HasScene<E>) {
    env.Scene(std::span(reinterpret_cast<double*>(picture), bytes / sizeof(double)));
  }
}

// EnvSlots constructs and destroys `env`.
template <class E>
struct EnvSlot {
  EnvSlot() {}   // NOLINT(modernize-use-equals-default): deleted for a union
  ~EnvSlot() {}  // NOLINT(modernize-use-equals-default)

  union {
    E env;
  };
};

// With the progress of the environment's episode.
template <class E>
struct EpisodeSlot : EnvSlot<E> {
  EpisodeProgress progress;
};

template <class E, class Slot = EpisodeSlot<E>>
class EnvSlots {
 public:
  // `renders`: EnableRender is called for each environment.
  EnvSlots(std::uint32_t num_envs, bool renders)
      : renders_(renders),
        slots_(static_cast<Slot*>(::operator new(sizeof(Slot) * num_envs, kAlignment))),
        made_(num_envs, 0) {}
  ~EnvSlots() {
    for (std::uint32_t env = 0; env < made_.size(); ++env) Destroy(env);
  }
  EnvSlots(const EnvSlots&) = delete;
  EnvSlots& operator=(const EnvSlots&) = delete;

  // Requires: Construct() was called for `env`. Slot::env may be used only if it exists.
  Slot& operator[](std::uint32_t env) const { return slots_.get()[env]; }

  // Constructs environments [begin, end) from config_of(env). After an exception none of them
  // exists.
  // Requires: none of them exists.
  template <class ConfigOfEnv>
  void Construct(std::uint32_t begin, std::uint32_t end, const ConfigOfEnv& config_of) {
    std::uint32_t env = begin;
    try {
      for (; env < end; ++env) {
        std::construct_at(&slots_.get()[env]);
        Make(env, config_of(env));
      }
    } catch (...) {
      Destroy(env);  // exists if EnableRender threw
      while (env > begin) Destroy(--env);
      throw;
    }
  }

  // Replaces an environment. If the constructor throws, the slot is empty.
  void Renew(std::uint32_t env, const ConfigOf<E>& config) {
    Destroy(env);
    Make(env, config);
  }

  bool Has(std::uint32_t env) const { return made_[env] != 0; }

  // Leaves the slot empty.
  void Destroy(std::uint32_t env) {
    if (made_[env] == 0) return;
    std::destroy_at(&slots_.get()[env].env);
    made_[env] = 0;
  }

 private:
  static constexpr std::align_val_t kAlignment{std::max(alignof(Slot), kCacheLineBytes)};
  struct Deleter {
    void operator()(Slot* slots) const { ::operator delete(slots, kAlignment); }
  };

  void Make(std::uint32_t env, [[maybe_unused]] const ConfigOf<E>& config) {
    Slot& slot = slots_.get()[env];
    if constexpr (kHasConfig<E>) {
      std::construct_at(&slot.env, config);
    } else {
      std::construct_at(&slot.env);
    }
    made_[env] = 1;
    if constexpr (HasEnableRender<E>) {
      if (renders_) slot.env.EnableRender();
    }
  }

  const bool renders_;
  const std::unique_ptr<Slot, Deleter> slots_;
  // Per environment: 1 if it exists. Written by the thread that holds the environment.
  std::vector<std::uint8_t> made_;
};

}  // namespace engine

#endif  // ENGINE_GROUP_ENV_SLOTS_H_
