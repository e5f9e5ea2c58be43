// Python bindings of Rng and SeedSequence for tests alone; see rng_module.cc.
#ifndef ENGINE_TESTS_ENGINE_TESTING_MODULE_RNG_MODULE_H_
#define ENGINE_TESTS_ENGINE_TESTING_MODULE_RNG_MODULE_H_

#include <pybind11/pybind11.h>

// Adds the class `Rng` and the functions `generate_state_32`,
// `generate_state_64` and their `_uint128` forms to the module.
void BindRng(pybind11::module_& m);

#endif  // ENGINE_TESTS_ENGINE_TESTING_MODULE_RNG_MODULE_H_
