// Attributes of environments (engine/env/attributes.h): from and to Python values. All functions
// need the GIL.
#ifndef ENGINE_BINDINGS_ENV_ATTRIBUTES_H_
#define ENGINE_BINDINGS_ENV_ATTRIBUTES_H_

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "engine/env/attributes.h"

namespace engine::bindings {

// Returns one dict per attribute.
pybind11::list DescribeAttributes(const std::vector<AttributeSpec>& attributes);

// Returns a value that the attribute accepts. `where` begins the message. Throws Error{kInput} or
// Error{kInputType}.
std::vector<double> ReadAttribute(const AttributeSpec& spec, pybind11::handle value,
                                  const std::string& where);

// A float, int, bool or str, or a tuple of floats.
pybind11::object ShowAttribute(const AttributeSpec& spec, const std::vector<double>& value);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_ENV_ATTRIBUTES_H_
