#include "engine/runtime/ledger.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "engine/base/error.h"

namespace engine {
void Ledger::ReadIdle(const ArrayView& ids) {
  // First: an empty list arrives as an array of floats.
  if (ids.num_dims != 1 || ids.shape[0] < 1) {
    throw Error(ErrorKind::kInput, "env_id: expected shape (n,) with n >= 1, got " +
                                       ShapeToString(ids.shape, ids.num_dims));
  }
  if (IsFloat(ids.dtype) || ids.dtype == DType::kBool) {
    throw Error(ErrorKind::kInputType,
                std::string("env_id: expected an integer dtype, got ") + NameOf(ids.dtype));
  }
  if (++generation_ == 0) {  // wrapped: old marks could be taken for new ones
    std::fill(seen_.begin(), seen_.end(), 0U);
    generation_ = 1;
  }
  ids_.clear();
  const auto n = static_cast<std::size_t>(ids.shape[0]);
  DispatchDType(ids.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      for (std::size_t k = 0; k < n; ++k) {
        T id;
        std::memcpy(&id, ids.data + k * sizeof(T), sizeof(T));
        if (std::cmp_less(id, 0) || std::cmp_greater_equal(id, num_envs_)) [[unlikely]] {
          ThrowOutOfRange(k, std::to_string(id));
        }
        AddIdle(k, static_cast<std::uint32_t>(id));
      }
    }
  });
}

void Ledger::AddIdle(std::size_t k, std::uint32_t env) {
  if (seen_[env] == generation_) [[unlikely]] {
    throw Error(ErrorKind::kEnvId, "env_id[" + std::to_string(k) + "]: environment " +
                                       std::to_string(env) + " is named more than once");
  }
  seen_[env] = generation_;
  if (IsInFlight(env)) [[unlikely]]
    ThrowInFlight(env);
  ids_.push_back(env);
}

void Ledger::ThrowOutOfRange(std::size_t k, const std::string& id) const {
  throw Error(ErrorKind::kEnvId, "env_id[" + std::to_string(k) + "]: expected a value in [0, " +
                                     std::to_string(num_envs_ - 1) + "], got " + id);
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
