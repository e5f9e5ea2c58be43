#include "engine/runtime/ledger.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "engine/base/error.h"

namespace engine {
void Ledger::ReadIdle(const ArrayView& ids, const char* name) {
  // First: an empty list arrives as an array of floats.
  if (ids.num_dims != 1 || ids.shape[0] < 1) {
    throw Error(ErrorKind::kInput, std::string(name) + ": expected shape (n,) with n >= 1, got " +
                                       ShapeToString(ids.shape, ids.num_dims));
  }
  if (IsFloat(ids.dtype) || ids.dtype == DType::kBool) {
    throw Error(ErrorKind::kInputType,
                std::string(name) + ": expected an integer dtype, got " + NameOf(ids.dtype));
  }
  if (++generation_ == 0) {  // wrapped: old marks could be taken for new ones
    std::fill(seen_.begin(), seen_.end(), 0U);
    generation_ = 1;
  }
  ids_.clear();
  const auto n = static_cast<std::size_t>(ids.shape[0]);
  bool any_in_flight = false;
  DispatchDType(ids.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      for (std::size_t k = 0; k < n; ++k) {
        T id;
        std::memcpy(&id, ids.data + k * sizeof(T), sizeof(T));
        if (std::cmp_less(id, 0) || std::cmp_greater_equal(id, num_envs_)) [[unlikely]] {
          ThrowOutOfRange(k, std::to_string(id), name);
        }
        const auto env = static_cast<std::uint32_t>(id);
        Add(k, env, name);
        any_in_flight = any_in_flight || IsInFlight(env);
      }
    }
  });
  if (any_in_flight) [[unlikely]]
    ThrowInFlight(ids_, name);
}

void Ledger::Add(std::size_t k, std::uint32_t env, const char* name) {
  if (seen_[env] == generation_) [[unlikely]] {
    throw Error(ErrorKind::kEnvId, std::string(name) + "[" + std::to_string(k) + "]: environment " +
                                       std::to_string(env) + " is named more than once");
  }
  seen_[env] = generation_;
  ids_.push_back(env);
}

void Ledger::ThrowOutOfRange(std::size_t k, const std::string& id, const char* name) const {
  throw Error(ErrorKind::kEnvId, std::string(name) + "[" + std::to_string(k) +
                                     "]: expected a value in [0, " + std::to_string(num_envs_ - 1) +
                                     "], got " + id);
}

void Ledger::CheckAllIdle(const char* name) const {
  if (!all_ && count_ == 0) return;
  std::vector<std::uint32_t> envs(num_envs_);
  std::iota(envs.begin(), envs.end(), 0U);
  ThrowInFlight(envs, name);
}

void Ledger::Mark(const std::uint32_t* ids, std::uint32_t n) {
  for (std::uint32_t k = 0; k < n; ++k) in_flight_[ids[k]] = 1;
  count_ += n;
}

void Ledger::Clear(const std::uint32_t* ids, std::uint32_t n) {
  for (std::uint32_t k = 0; k < n; ++k) in_flight_[ids[k]] = 0;
  count_ -= n;
}

void Ledger::ClearAll() {
  if (count_ > 0) std::fill(in_flight_.begin(), in_flight_.end(), std::uint8_t{0});
  count_ = 0;
  all_ = false;
}

void Ledger::ThrowInFlight(std::span<const std::uint32_t> envs, const char* name) const {
  constexpr std::uint32_t kMostNamed = 10;
  std::uint32_t found = 0;
  std::string ids;
  for (const std::uint32_t env : envs) {
    if (!IsInFlight(env) || ++found > kMostNamed) continue;
    if (found > 1) ids += ", ";
    ids += std::to_string(env);
  }
  if (found > kMostNamed) ids += " and " + std::to_string(found - kMostNamed) + " more";
  throw Error(
      ErrorKind::kEnvId,
      std::string(name) + ": " +
          (found == 1 ? "environment " + ids + " is in flight: receive its result with recv() first"
                      : "environments " + ids +
                            " are in flight: receive their results with recv() first"));
}

}  // namespace engine
