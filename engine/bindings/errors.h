// Converts the engine's errors to the classes of envpool_py.errors.
#ifndef ENGINE_BINDINGS_ERRORS_H_
#define ENGINE_BINDINGS_ERRORS_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"

namespace engine::bindings {

// Messages quote option values and exceptions of environments, which may be any bytes. Bytes that
// are not UTF-8 are escaped.
pybind11::object EscapedText(const std::string& bytes);

// Makes Python raise an engine::Error as the class of its kind.
void RegisterErrorTranslator();

// Sets the error as Python's current exception, for functions that Python calls directly.
void SetError(const Error& error);

// Raises the error with another exception as its cause.
[[noreturn]] void ThrowFrom(const Error& error, const pybind11::error_already_set& cause);

// Environments with what is wrong with them.
using NamedEnvironments = std::vector<std::pair<std::uint32_t, std::string>>;

// Raises EnvironmentFailedError with the batch in which the environments failed, or its subclass
// CheckFailedError if a check of make(check_outputs=True) failed.
[[noreturn]] void ThrowEnvironmentsFailed(const NamedEnvironments& failed, pybind11::object batch);

// Raises EnvironmentFailedError for environments that have not failed, but whose infos lack in
// `batch` a value that does not fit.
[[noreturn]] void ThrowInfosLeftOut(const NamedEnvironments& envs, pybind11::object batch);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_ERRORS_H_
