// The attributes of environments (attributes.h) that were given another value than that of their
// setting. A group remembers them, because an environment may be made again.
#ifndef ENGINE_GROUP_GIVEN_ATTRIBUTES_H_
#define ENGINE_GROUP_GIVEN_ATTRIBUTES_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/env/attributes.h"

namespace engine {

// Called by the thread that holds the environment.
class GivenAttributes {
 public:
  using Specs = std::vector<AttributeSpec>;
  // The numbers of all attributes, one after the other. NaN, which no attribute accepts, where none
  // was given.
  using Values = std::vector<double>;

  // `num_envs`: 0 if the environments have no attributes.
  explicit GivenAttributes(std::uint32_t num_envs) : values_(num_envs) {}

  // The values of an environment; empty if none was given.
  std::span<const double> Of(std::uint32_t env) const {
    if (values_.empty() || values_[env] == nullptr) return {};
    return *values_[env];
  }

  // The value of an attribute; empty if none was given.
  std::span<const double> Find(std::uint32_t env, const Specs& specs, std::size_t index) const {
    const std::span<const double> all = Of(env);
    if (all.empty()) return {};
    const auto value = all.subspan(Offset(specs, index), specs[index].size());
    return std::isnan(value[0]) ? std::span<const double>() : value;
  }

  void Set(std::uint32_t env, const Specs& specs, std::size_t index,
           std::span<const double> value) {
    if (values_[env] == nullptr) {
      values_[env] = std::make_unique<Values>(Offset(specs, specs.size()),
                                              std::numeric_limits<double>::quiet_NaN());
    }
    std::ranges::copy(value,
                      values_[env]->begin() + static_cast<std::ptrdiff_t>(Offset(specs, index)));
  }

  // Replaces all values. `values`: as Of() returns them.
  void SetAll(std::uint32_t env, Values values) {
    if (values_.empty()) return;
    values_[env] = values.empty() ? nullptr : std::make_unique<Values>(std::move(values));
  }
  void Clear(std::uint32_t env) noexcept {
    if (!values_.empty()) values_[env] = nullptr;
  }

  // Whether Of() may return these values.
  static bool Fit(const Specs& specs, std::span<const double> values) {
    if (values.empty()) return true;
    if (values.size() != Offset(specs, specs.size())) return false;
    std::size_t first = 0;
    return std::ranges::all_of(specs, [&](const AttributeSpec& spec) {
      const auto value = values.subspan(first, spec.size());
      first += spec.size();
      return Accepts(spec, value) ||
             std::ranges::all_of(value, [](double element) { return std::isnan(element); });
    });
  }

 private:
  static std::size_t Offset(const Specs& specs, std::size_t index) {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < index; ++i) offset += specs[i].size();
    return offset;
  }

  std::vector<std::unique_ptr<Values>> values_;  // by environment
};

}  // namespace engine

#endif  // ENGINE_GROUP_GIVEN_ATTRIBUTES_H_
