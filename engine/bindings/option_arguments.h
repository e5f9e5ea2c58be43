// Options: from Python values to ParamValues, and their description for Python. All functions need
// the GIL.
#ifndef ENGINE_BINDINGS_OPTION_ARGUMENTS_H_
#define ENGINE_BINDINGS_OPTION_ARGUMENTS_H_

#include <pybind11/pybind11.h>

#include <optional>
#include <string>

#include "engine/env/params.h"

namespace engine::bindings {

// Throws Error{kOption} or Error{kOptionType}; see ParamValues.
ParamValues ReadOptions(const ParamSchema& schema, const pybind11::dict& options,
                        const std::string& what, const std::string& task_id);

// As ReadOptions, but `options` override `base`.
ParamValues ReadOptionsOver(const ParamValues& base, const ParamSchema& schema,
                            const pybind11::dict& options, const std::string& what,
                            const std::string& task_id);

// Returns the values of the options that users may set.
pybind11::dict ShowOptions(const ParamSchema& schema, const ParamValues& values);

// Returns one dict per option that users may set.
pybind11::list DescribeSchema(const ParamSchema& schema);

// A float or None.
pybind11::object OptionalFloat(const std::optional<double>& value);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_OPTION_ARGUMENTS_H_
