#include "engine/env/attributes.h"

#include <algorithm>
#include <cmath>

namespace engine {

bool Accepts(const AttributeSpec& spec, std::span<const double> value) {
  return value.size() == spec.size() && std::ranges::all_of(value, [&](double element) {
           return spec.low <= element && element <= spec.high &&  // false for NaN
                  (spec.type == AttributeType::kFloat || element == std::trunc(element));
         });
}

}  // namespace engine
