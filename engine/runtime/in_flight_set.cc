#include "engine/runtime/in_flight_set.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/base/error.h"

namespace engine {
namespace {

template <class T>
constexpr bool kMayBeId = std::is_integral_v<T> && !std::is_same_v<T, bool>;

}  // namespace

void InFlightSet::ReadIdle(const ArrayView& ids, const char* name) {
  if (!Read(ids, name, true)) [[unlikely]]
    ThrowWhy(ids, name);
}

void InFlightSet::ReadAny(const ArrayView& ids, const char* name) {
  if (!Read(ids, name, false)) [[unlikely]]
    ThrowWhy(ids, name);
}

bool InFlightSet::Read(const ArrayView& ids, const char* name, bool idle) {
  // This check comes first, because an empty list arrives as an array of floats.
  if (ids.num_dims != 1 || ids.shape[0] < 1) {
    throw Error(ErrorKind::kInput, std::string(name) + ": expected shape (n,) with n >= 1, got " +
                                       ShapeToString(ids.shape, ids.num_dims));
  }
  if (IsFloat(ids.dtype) || ids.dtype == DType::kBool) {
    throw Error(ErrorKind::kInputType,
                std::string(name) + ": expected an integer dtype, got " + NameOf(ids.dtype));
  }
  const auto n = static_cast<std::size_t>(ids.shape[0]);
  // The loops only detect that there is an error, because they take most of the time of a send of
  // many light environments. ThrowWhy then finds which error it is.
  bool good = n <= num_envs_;  // more ids than that must include an invalid or a repeated one
  if (good) {
    DispatchDType(ids.dtype, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (kMayBeId<T>) good = CopyInRange<T>(ids.data, n);
    });
  }
  return good && AreDistinct(idle);
}

bool InFlightSet::AreIdle(const ArrayView& ids) {
  if (ids.num_dims != 1 || ids.shape[0] < 1 ||
      ids.shape[0] > static_cast<std::int64_t>(num_envs_)) {
    return true;
  }
  bool good = false;
  DispatchDType(ids.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (kMayBeId<T>)
      good = CopyInRange<T>(ids.data, static_cast<std::size_t>(ids.shape[0]));
  });
  return !good || std::none_of(ids_.begin(), ids_.end(),
                               [this](std::uint32_t env) { return IsInFlight(env); });
}

template <class T>
bool InFlightSet::CopyInRange(const std::byte* data, std::size_t n) {
  ids_.resize(n);
  std::uint32_t* const copy = ids_.data();
  const std::uint32_t num_envs = num_envs_;
  bool good = true;
  for (std::size_t k = 0; k < n; ++k) {
    T id;
    std::memcpy(&id, data + k * sizeof(T), sizeof(T));
    good &= std::cmp_greater_equal(id, 0);
    good &= std::cmp_less(id, num_envs);
    copy[k] = static_cast<std::uint32_t>(id);
  }
  return good;
}

bool InFlightSet::AreDistinct(bool idle) {
  if (++generation_ == 0) {  // after a wrap, old marks could match
    std::fill(seen_.begin(), seen_.end(), 0U);
    generation_ = 1;
  }
  std::uint32_t* const seen = seen_.data();
  const std::uint8_t* const in_flight = in_flight_.data();
  const std::uint32_t generation = generation_;
  bool bad = idle && all_;
  for (const std::uint32_t env : ids_) {
    bad |= (seen[env] == generation) | (idle & (in_flight[env] != 0));
    seen[env] = generation;
  }
  return !bad;
}

void InFlightSet::ThrowWhy(const ArrayView& ids, const char* name) const {
  const auto item = [&](std::size_t k) {
    return std::string(name) + "[" + std::to_string(k) + "]";
  };
  std::vector<std::uint32_t> envs;
  std::vector<bool> met(num_envs_);
  DispatchDType(ids.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (kMayBeId<T>) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(ids.shape[0]); ++k) {
        T id;
        std::memcpy(&id, ids.data + k * sizeof(T), sizeof(T));
        if (std::cmp_less(id, 0) || std::cmp_greater_equal(id, num_envs_)) {
          throw Error(ErrorKind::kEnvId, item(k) + ": expected a value in [0, " +
                                             std::to_string(num_envs_ - 1) + "], got " +
                                             std::to_string(id));
        }
        const auto env = static_cast<std::uint32_t>(id);
        if (met[env]) {
          throw Error(ErrorKind::kEnvId, item(k) + ": environment " + std::to_string(env) +
                                             " is named more than once");
        }
        met[env] = true;
        envs.push_back(env);
      }
    }
  });
  if (std::ranges::none_of(envs, [&](std::uint32_t env) { return IsInFlight(env); })) {
    throw Error(ErrorKind::kEnvId, std::string(name) + ": changed while they were read");
  }
  ThrowInFlight(envs, name);
}

void InFlightSet::CheckAllIdle(const char* name) const {
  if (!all_ && count_ == 0) return;
  std::vector<std::uint32_t> envs(num_envs_);
  std::iota(envs.begin(), envs.end(), 0U);
  ThrowInFlight(envs, name);
}

void InFlightSet::Mark(const std::uint32_t* ids, std::uint32_t n, std::uint64_t now) {
  for (std::uint32_t k = 0; k < n; ++k) {
    in_flight_[ids[k]] = 1;
    since_[ids[k]] = now;
  }
  count_ += n;
}

void InFlightSet::Clear(const std::uint32_t* ids, std::uint32_t n) {
  for (std::uint32_t k = 0; k < n; ++k) in_flight_[ids[k]] = 0;
  count_ -= n;
}

void InFlightSet::ClearAll() {
  if (count_ > 0) std::fill(in_flight_.begin(), in_flight_.end(), std::uint8_t{0});
  count_ = 0;
  all_ = false;
}

void InFlightSet::ThrowInFlight(std::span<const std::uint32_t> envs, const char* name) const {
  constexpr std::uint32_t kMaxNamed = 10;
  std::uint32_t found = 0;
  std::string ids;
  for (const std::uint32_t env : envs) {
    if (!IsInFlight(env) || ++found > kMaxNamed) continue;
    if (found > 1) ids += ", ";
    ids += std::to_string(env);
  }
  if (found > kMaxNamed) ids += " and " + std::to_string(found - kMaxNamed) + " more";
  const std::string subject =
      found == 1 ? "environment " + ids + " is in flight: receive its result with recv(), or "
                 : "environments " + ids + " are in flight: receive their results with recv(), or ";
  throw Error(ErrorKind::kEnvId, std::string(name) + ": " + subject + "discard " +
                                     (found == 1 ? "it" : "them") + " with drain()");
}

}  // namespace engine
