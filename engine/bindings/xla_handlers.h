// The handlers of engine/xla as Python objects, which JAX registers.
#ifndef ENGINE_BINDINGS_XLA_HANDLERS_H_
#define ENGINE_BINDINGS_XLA_HANDLERS_H_

#include <pybind11/pybind11.h>

namespace engine::bindings {

// Capsules with the handlers' addresses, by platform ("cpu", "cuda") and name.
pybind11::dict XlaHandlers();

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_XLA_HANDLERS_H_
