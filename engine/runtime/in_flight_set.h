// The environments in flight: sent, or part of a running step or reset, and not yet received.
// Checks ids against this set. Not thread-safe: the pool's state lock guards it.
#ifndef ENGINE_RUNTIME_IN_FLIGHT_SET_H_
#define ENGINE_RUNTIME_IN_FLIGHT_SET_H_

#include <algorithm>
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
      : num_envs_(num_envs), in_flight_(num_envs, 0), since_(num_envs, 0), seen_(num_envs, 0) {
    ids_.reserve(num_envs);
  }

  // Reads environment ids into ids(). Throws Error{kInputType} for a dtype that is not an integer,
  // Error{kInput} for a shape other than (n,) with n >= 1, and Error{kEnvId} for an id that is out
  // of range, given twice or in flight. `name` is the argument's name, for messages.
  void ReadIdle(const ArrayView& ids, const char* name = kName);
  // As ReadIdle, but the environments may be in flight.
  void ReadAny(const ArrayView& ids, const char* name = kName);
  const std::vector<std::uint32_t>& ids() const { return ids_; }

  // Whether none of the environments is in flight. Also true if the ids are invalid.
  bool AreIdle(const ArrayView& ids);

  // Throws Error{kEnvId} if any environment is in flight.
  void CheckAllIdle(const char* name = kName) const;

  // `now`: ticks.
  void Mark(const std::uint32_t* ids, std::uint32_t n, std::uint64_t now);
  void Clear(const std::uint32_t* ids, std::uint32_t n);
  void MarkAll(std::uint64_t now) {
    all_ = true;
    all_since_ = now;
  }
  void ClearAll();

  bool IsInFlight(std::uint32_t env) const { return all_ || in_flight_[env] != 0; }
  std::uint32_t count() const { return all_ ? num_envs_ : count_; }
  // Ticks of the latest Mark or MarkAll of an environment; 0: none.
  std::uint64_t MarkedAt(std::uint32_t env) const { return std::max(since_[env], all_since_); }

 private:
  static constexpr const char* kName = "env_id";

  // Copies n <= num_envs ids; returns whether all are valid.
  template <class T>
  bool CopyInRange(const std::byte* data, std::size_t n);
  // Reads ids; returns whether they are valid and distinct, and, if `idle`, not in flight.
  bool Read(const ArrayView& ids, const char* name, bool idle);
  // Whether no id of ids_ is repeated, and, if `idle`, none is in flight. Requires: all are valid.
  bool AreDistinct(bool idle);
  // Throws the error for the ids that ReadIdle has rejected; it names the first invalid one.
  [[noreturn]] void ThrowWhy(const ArrayView& ids, const char* name) const;
  // Names the members of `envs` that are in flight; there is at least one.
  [[noreturn]] void ThrowInFlight(std::span<const std::uint32_t> envs, const char* name) const;

  const std::uint32_t num_envs_;
  std::vector<std::uint8_t> in_flight_;
  std::vector<std::uint64_t> since_;
  std::uint64_t all_since_ = 0;
  std::uint32_t count_ = 0;
  // All environments are in flight together. The flags above are then not maintained, so that a
  // step of all environments costs nothing here.
  bool all_ = false;
  std::vector<std::uint32_t> ids_;
  // seen_[env] == generation_: the latest ReadIdle has seen `env`.
  std::vector<std::uint32_t> seen_;
  std::uint32_t generation_ = 0;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_IN_FLIGHT_SET_H_
