// Whether an emulator runs the tests (make check-arm). It has no limits of addresses, frees no
// pages, and takes its time at any place.
#ifndef ENGINE_TESTS_ENGINE_SUPPORT_EMULATED_H_
#define ENGINE_TESTS_ENGINE_SUPPORT_EMULATED_H_

#include <cstdlib>

namespace engine::testing {

inline bool Emulated() { return std::getenv("ENVPOOL_EMULATED") != nullptr; }

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_SUPPORT_EMULATED_H_
