// Values that an environment has returned: copies of them, and errors about them. Needs the GIL.
#ifndef ENGINE_BINDINGS_PYTHON_ENVS_RETURNED_VALUE_H_
#define ENGINE_BINDINGS_PYTHON_ENVS_RETURNED_VALUE_H_

#include <pybind11/pybind11.h>

#include <string>

#include "engine/base/error.h"

namespace engine::bindings {

// A copy that does not change when the environment runs again. `copy`: PythonHosting::copy, for
// objects that this function cannot copy itself.
pybind11::object CopyOf(const pybind11::object& value, pybind11::handle copy);

// Error{kInputType} "<place>: expected <expected>, got <value>", a sentence that
// envpool_py.python_envs.returned makes. `place`: the call and the part of its result.
Error Unexpected(const std::string& place, const std::string& expected, pybind11::handle value);

// Clears Python's current exception. Throws it instead if it is not an Exception but, for example,
// a KeyboardInterrupt.
void ClearException();

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PYTHON_ENVS_RETURNED_VALUE_H_
