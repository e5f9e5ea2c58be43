// What an agent observes of other entities if it sees only the nearest ones: as
// partial_observability.py of MPE2 1.1.1. Pure functions; any thread.
#ifndef ENGINE_ENVS_MPE_NEAREST_H_
#define ENGINE_ENVS_MPE_NEAREST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/envs/mpe/options.h"
#include "engine/envs/mpe/world.h"

namespace engine::mpe {

// Entities in ascending order of a key; equal keys stay in the order in which they were added.
class SortedEntities {
 public:
  void Add(std::size_t entity, double key) {
    std::size_t at = size_++;
    for (; at > 0 && key < keys_[at - 1]; --at) {
      keys_[at] = keys_[at - 1];
      entities_[at] = entities_[at - 1];
    }
    keys_[at] = key;
    entities_[at] = static_cast<std::uint16_t>(entity);
  }
  std::size_t size() const { return size_; }
  std::size_t operator[](std::size_t place) const { return entities_[place]; }

 private:
  // Not initialized: only the first `size_` elements are used.
  std::array<double, kMostEntities> keys_;
  std::array<std::uint16_t, kMostEntities> entities_;
  std::size_t size_ = 0;
};

// Calls `observe` with the entities in [begin, end) other than `agent`: with all in their order, or
// with the `limit` nearest, nearest first. Returns how many of `limit` are missing.
template <class Observe>
std::size_t ForNearest(const World& world, std::size_t agent, std::size_t begin, std::size_t end,
                       std::optional<std::size_t> limit, const Observe& observe) {
  if (!limit) {
    for (std::size_t entity = begin; entity < end; ++entity) {
      if (entity != agent) observe(entity);
    }
    return 0;
  }
  SortedEntities nearest;
  for (std::size_t entity = begin; entity < end; ++entity) {
    if (entity != agent) nearest.Add(entity, Norm(world.position(entity) - world.position(agent)));
  }
  std::size_t place = 0;
  for (; place < nearest.size() && place < *limit; ++place) observe(nearest[place]);
  return *limit - place;
}

// Puts the positions of landmarks relative to an agent.
template <class Out>
void PutLandmarks(const World& world, std::size_t agent, std::optional<std::size_t> limit,
                  Out& out) {
  const std::size_t missing =
      ForNearest(world, agent, world.num_agents(), world.size(), limit,
                 [&](std::size_t e) { out.Put(world.position(e) - world.position(agent)); });
  out.PutZeros(2 * missing);
}

// Puts the positions of the other agents relative to an agent.
template <class Out>
void PutOthers(const World& world, std::size_t agent, std::optional<std::size_t> limit, Out& out) {
  const std::size_t missing =
      ForNearest(world, agent, 0, world.num_agents(), limit,
                 [&](std::size_t e) { out.Put(world.position(e) - world.position(agent)); });
  out.PutZeros(2 * missing);
}

// Puts the velocities of the other agents that are not adversaries, which have the first numbers.
// With a limit, the velocity of an adversary among the nearest agents is zero.
template <class Out>
void PutVelocities(const World& world, std::size_t agent, std::size_t num_adversaries,
                   std::optional<std::size_t> limit, Out& out) {
  const std::size_t missing =
      ForNearest(world, agent, 0, world.num_agents(), limit, [&](std::size_t other) {
        if (other >= num_adversaries) {
          out.Put(world.velocity(other));
        } else if (limit) {
          out.PutZeros(2);
        }
      });
  out.PutZeros(2 * missing);
}

}  // namespace engine::mpe

#endif  // ENGINE_ENVS_MPE_NEAREST_H_
