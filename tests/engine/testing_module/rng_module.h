// Python bindings of Rng and SeedSequence, for tests only. See rng_module.cc.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_RNG_MODULE_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_RNG_MODULE_H_

#include <pybind11/pybind11.h>

// Adds the class `Rng` and the functions `generate_state_32` and `generate_state_64`, each also
// with the suffix `_uint128`, to the module.
void BindRng(pybind11::module_& m);

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_RNG_MODULE_H_
