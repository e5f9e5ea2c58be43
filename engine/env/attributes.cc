#include "engine/env/attributes.h"

#include <algorithm>
#include <cmath>

namespace engine {

bool HaveOneForm(const AttributeSpec& left, const AttributeSpec& right) {
  return left.name == right.name && left.type == right.type && left.elements == right.elements &&
         left.low == right.low && left.high == right.high && left.choices == right.choices;
}

bool Accepts(const AttributeSpec& spec, std::span<const double> value) {
  return value.size() == spec.size() && std::ranges::all_of(value, [&](double element) {
           return spec.low <= element && element <= spec.high &&  // false for NaN
                  (spec.type == AttributeType::kFloat || element == std::trunc(element));
         });
}

}  // namespace engine
