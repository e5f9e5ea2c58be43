// See the header.
#include "engine/envs/mujoco/metaworld/beginnings.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/base/fork_lock.h"
#include "engine/envs/mujoco/library.h"

namespace engine::mujoco::metaworld {
namespace {

constexpr std::size_t kSlots = 16'384;  // of a task; one takes about 3 kB

// One lock for the starts of all tasks: it is held while one is copied. Never destroyed, because a
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

std::shared_ptr<Beginnings> Beginnings::Shared(const BaseModelPtr& base, const Rules& rules,
                                               std::size_t state_size) {
  HoldDuringFork<&Lock>();
  const ScopedLock lock(Lock());
  Process& process = OfProcess();
  std::erase_if(process.of, [](const auto& entry) { return entry.second.expired(); });
  auto& known = process.of[{base.get(), rules.description().name}];
  auto found = known.lock();
  if (found == nullptr) {
    found = std::make_shared<Beginnings>(state_size);
    known = found;
  }
  return found;
}

// calloc takes zeros from the system only when they are first used.
Beginnings::Beginnings(std::size_t state_size)
    : bytes_(sizeof(Slot) + state_size * sizeof(double)),
      slots_(static_cast<std::byte*>(std::calloc(kSlots, bytes_))) {
  static_assert(std::is_trivially_copyable_v<Slot>);
  if (slots_ == nullptr) throw std::bad_alloc();
}

void Beginnings::Deleter::operator()(std::byte* bytes) const { std::free(bytes); }

std::byte* Beginnings::PlaceOf(const GoalVector& goal) const {
  std::uint64_t hash = 0;
  for (const double number :
       {goal.first.x, goal.first.y, goal.first.z, goal.second.x, goal.second.y, goal.second.z}) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
    hash = std::rotl((hash ^ std::bit_cast<std::uint64_t>(number)) * kOdd, 29);
  }
  return slots_.get() + bytes_ * (hash % kSlots);
}

bool Beginnings::Find(const GoalVector& goal, Beginning& beginning, std::span<double> state) const {
  const std::byte* const place = PlaceOf(goal);
  HoldDuringFork<&Lock>();
  const ScopedLock lock(Lock());
  Slot slot;
  std::memcpy(&slot, place, sizeof slot);
  if (!slot.is_used || !(slot.goal == goal)) return false;
  beginning = slot.beginning;
  std::memcpy(state.data(), place + sizeof slot, bytes_ - sizeof slot);
  return true;
}

void Beginnings::Keep(const GoalVector& goal, const Beginning& beginning,
                      std::span<const double> state) {
  std::byte* const place = PlaceOf(goal);
  const Slot slot = {.is_used = true, .goal = goal, .beginning = beginning};
  HoldDuringFork<&Lock>();
  const ScopedLock lock(Lock());
  std::memcpy(place, &slot, sizeof slot);
  std::memcpy(place + sizeof slot, state.data(), bytes_ - sizeof slot);
}

}  // namespace engine::mujoco::metaworld
