#include "engine/runtime/ledger.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "engine/base/error.h"

namespace engine {
namespace {

// An id as the user wrote it, which may be outside int64.
struct WideId {
  bool negative = false;
  std::uint64_t magnitude = 0;
  std::string ToString() const { return (negative ? "-" : "") + std::to_string(magnitude); }
};

template <class T>
WideId ReadId(const std::byte* data, std::size_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  if constexpr (std::is_signed_v<T>) {
    if (value < 0) return {true, ~static_cast<std::uint64_t>(value) + 1};
  }
  return {false, static_cast<std::uint64_t>(value)};
}

}  // namespace

void Ledger::ReadIdle(const ArrayView& ids) {
  if (IsFloat(ids.dtype) || ids.dtype == DType::kBool) {
    throw Error(ErrorKind::kInputType,
                std::string("env_id: expected an integer dtype, got ") + NameOf(ids.dtype));
  }
  if (ids.num_dims != 1 || ids.shape[0] < 1) {
    throw Error(ErrorKind::kInput, "env_id: expected shape (n,) with n >= 1, got " +
                                       ShapeToString(ids.shape, ids.num_dims));
  }
  if (++generation_ == 0) {  // wrapped: old marks could be taken for new ones
    std::fill(seen_.begin(), seen_.end(), 0U);
    generation_ = 1;
  }
  ids_.clear();
  const auto n = static_cast<std::size_t>(ids.shape[0]);
  for (std::size_t k = 0; k < n; ++k) {
    const WideId wide = DispatchDType(ids.dtype, [&](auto zero) -> WideId {
      if constexpr (std::is_integral_v<decltype(zero)> && !std::is_same_v<decltype(zero), bool>) {
        return ReadId<decltype(zero)>(ids.data, k);
      } else {
        return {};
      }
    });
    const auto where = [k] { return "env_id[" + std::to_string(k) + "]: "; };
    if (wide.negative || wide.magnitude >= num_envs_) {
      throw Error(ErrorKind::kEnvId, where() + "expected a value in [0, " +
                                         std::to_string(num_envs_ - 1) + "], got " +
                                         wide.ToString());
    }
    const auto env = static_cast<std::uint32_t>(wide.magnitude);
    if (seen_[env] == generation_) {
      throw Error(ErrorKind::kEnvId,
                  where() + "environment " + std::to_string(env) + " is named more than once");
    }
    seen_[env] = generation_;
    if (IsInFlight(env)) ThrowInFlight(env);
    ids_.push_back(env);
  }
}

void Ledger::CheckAllIdle() const {
  if (!all_ && count_ == 0) return;
  for (std::uint32_t env = 0; env < num_envs_; ++env) {
    if (IsInFlight(env)) ThrowInFlight(env);
  }
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

void Ledger::ThrowInFlight(std::uint32_t env) {
  throw Error(ErrorKind::kEnvId, "env_id: environment " + std::to_string(env) +
                                     " is in flight: receive its result with recv() first");
}

}  // namespace engine
