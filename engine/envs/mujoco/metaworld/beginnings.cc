// See the header.
#include "engine/envs/mujoco/metaworld/beginnings.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "engine/base/fork_lock.h"
#include "engine/envs/mujoco/library.h"

namespace engine::mujoco::metaworld {
namespace {

constexpr std::size_t kMost = 4096;  // starts of a task; one takes about 4 kB

// One lock for the starts of all tasks: it is held for a look-up only. Never destroyed, because a
// daemon thread may make a pool while the process exits.
struct Process {
  Mutex mutex;
  std::map<std::pair<const BaseModel*, std::string>, std::weak_ptr<Beginnings>> of;
};
Process& OfProcess() {
  static auto* const process = new Process;
  return *process;
}
Mutex& Lock() { return OfProcess().mutex; }

}  // namespace

Half HalfOf(const Rules& rules, const Scene& scene) {
  Half half{};
  scene.hand().CopyTo(half.data());
  half[3] = scene.Opening();
  ObjectWriter objects(std::span<double, 18>(half).subspan<4, 14>());
  rules.Objects(scene, objects);
  return half;
}

void Reset(const Rules& rules, const GoalVector& goal, Scene& scene) {
  scene.episode() = {};
  for (int call = 0; call < 2; ++call) {
    // The first call finds the end of another episode, of which the second one finds no trace.
    Guarded([&] { Library().reset_data(scene.model().get(), scene.simulation().get()); });
    scene.ResetHand(rules.description().hand);
    rules.Place(scene, goal);
  }
}

std::shared_ptr<Beginnings> Beginnings::Shared(const BaseModelPtr& base, const Rules& rules) {
  HoldDuringFork<&Lock>();
  const ScopedLock lock(Lock());
  Process& process = OfProcess();
  std::erase_if(process.of, [](const auto& entry) { return entry.second.expired(); });
  auto& known = process.of[{base.get(), rules.description().name}];
  auto found = known.lock();
  if (found == nullptr) {
    found = std::make_shared<Beginnings>();
    known = found;
  }
  return found;
}

std::size_t Beginnings::Hash::operator()(const GoalVector& goal) const {
  std::uint64_t hash = 0;
  for (const double number :
       {goal.first.x, goal.first.y, goal.first.z, goal.second.x, goal.second.y, goal.second.z}) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
    hash = std::rotl((hash ^ std::bit_cast<std::uint64_t>(number)) * kOdd, 29);
  }
  return hash;
}

std::shared_ptr<const Beginning> Beginnings::Find(const GoalVector& goal) {
  const ScopedLock lock(Lock());
  const auto found = by_goal_.find(goal);
  return found == by_goal_.end() ? nullptr : found->second;
}

void Beginnings::Remember(const GoalVector& goal, std::shared_ptr<const Beginning> made) {
  const ScopedLock lock(Lock());
  if (by_goal_.size() >= kMost) by_goal_.clear();
  by_goal_.insert_or_assign(goal, std::move(made));
}

}  // namespace engine::mujoco::metaworld
