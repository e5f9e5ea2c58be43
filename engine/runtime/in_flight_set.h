// Which environments are in flight: sent, or part of a step or reset that runs,
// and not yet received. Checks ids against that. Not thread-safe by itself: the
// pool's state mutex guards it.
#ifndef ENGINE_RUNTIME_IN_FLIGHT_SET_H_
#define ENGINE_RUNTIME_IN_FLIGHT_SET_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/batch/action_staging.h"

namespace engine {

class InFlightSet {
 public:
  explicit InFlightSet(std::uint32_t num_envs)
      : num_envs_(num_envs), in_flight_(num_envs, 0), seen_(num_envs, 0) {
    ids_.reserve(num_envs);
  }

  // Reads environment ids into ids(). Throws Error{kInputType} for a dtype that
  // is no integer, Error{kInput} for a shape other than (n,) with n >= 1,
  // Error{kEnvId} for an id out of range, given twice or in flight. `name` is
  // the argument's, for messages.
  void ReadIdle(const ArrayView& ids, const char* name = kName);
  const std::vector<std::uint32_t>& ids() const { return ids_; }

  // Whether none of these is in flight; also true where the ids are not good.
  bool AreIdle(const ArrayView& ids);

  // Throws Error{kEnvId} if any environment is in flight.
  void CheckAllIdle(const char* name = kName) const;

  void Mark(const std::uint32_t* ids, std::uint32_t n);
  void Clear(const std::uint32_t* ids, std::uint32_t n);
  void MarkAll() { all_ = true; }
  void ClearAll();

  bool IsInFlight(std::uint32_t env) const { return all_ || in_flight_[env] != 0; }
  std::uint32_t count() const { return all_ ? num_envs_ : count_; }

 private:
  static constexpr const char* kName = "env_id";

  // Copies n <= num_envs ids; returns whether all are environments'.
  template <class T>
  bool CopyInRange(const std::byte* data, std::size_t n);
  // Of ids_, each of which is an environment's.
  bool AreIdleAndDistinct();
  // What is wrong with ids that are not good; the first of them is named.
  [[noreturn]] void ThrowWhy(const ArrayView& ids, const char* name) const;
  // Names those of `envs` that are in flight; at least one is.
  [[noreturn]] void ThrowInFlight(std::span<const std::uint32_t> envs, const char* name) const;

  const std::uint32_t num_envs_;
  std::vector<std::uint8_t> in_flight_;
  std::uint32_t count_ = 0;
  // Everything is in flight together: the flags above are then not kept up, so
  // that a step of all environments costs nothing here.
  bool all_ = false;
  std::vector<std::uint32_t> ids_;
  // seen_[env] == generation_: met in the latest ReadIdle.
  std::vector<std::uint32_t> seen_;
  std::uint32_t generation_ = 0;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_IN_FLIGHT_SET_H_
