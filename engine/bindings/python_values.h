// Checks and conversions of single Python values; `where` begins the messages. All functions need
// the GIL.
#ifndef ENGINE_BINDINGS_PYTHON_VALUES_H_
#define ENGINE_BINDINGS_PYTHON_VALUES_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

namespace engine::bindings {

// The name of the value's type, for messages.
std::string TypeName(pybind11::handle value);
// The text of `repr`, shortened if it is long.
std::string Repr(pybind11::handle value);

bool IsBool(pybind11::handle value);
// A bool is not an integer. An array is one only if it has an integer dtype and no dimensions.
bool IsInteger(pybind11::handle value);
bool IsNumber(pybind11::handle value);
bool IsText(pybind11::handle value);
bool IsList(pybind11::handle value);

// These functions throw Error{kOption} if the result type cannot represent the value.
std::int64_t ToInt64(pybind11::handle value, const std::string& where);
double ToDouble(pybind11::handle value, const std::string& where);
// A str may contain surrogates, which UTF-8 cannot encode; bytes may be invalid UTF-8.
std::string TextOf(pybind11::handle value, const std::string& where);

pybind11::list ItemsOf(pybind11::handle sequence);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PYTHON_VALUES_H_
