// Python as the host of the pool's calls: the GIL and the signals' handlers.
#ifndef ENGINE_BINDINGS_PYTHON_HOST_H_
#define ENGINE_BINDINGS_PYTHON_HOST_H_

#include <pybind11/pybind11.h>

#include <memory>

#include "engine/runtime/host.h"

namespace engine::bindings {

// Takes the GIL back for a thread that gave it up. While the interpreter ends it is never given to
// another thread but the main one: then this does not return. (CPython before 3.14 ends such a
// thread, which would run through C++ frames that must not be left like that.)
void TakeGil(PyThreadState* state);

// Gives the GIL up for a scope.
class GilReleased {
 public:
  GilReleased() : state_(PyEval_SaveThread()) {}
  ~GilReleased() { TakeGil(state_); }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* const state_;
};

// One per call, on the stack of a thread that holds the GIL.
class PythonHost final : public Host {
 public:
  PythonHost() = default;
  PythonHost(const PythonHost&) = delete;
  PythonHost& operator=(const PythonHost&) = delete;

  void Unlock() override { state_ = PyEval_SaveThread(); }
  void Lock() override {
    TakeGil(state_);
    state_ = nullptr;
  }
  // An exception that a signal's handler raised stays set in this thread.
  bool Interrupted() override;

 private:
  PyThreadState* state_ = nullptr;  // while the GIL is given up
};

// Holds a reference to an object whose last owner may be any thread, with or without the GIL.
std::shared_ptr<void> KeepAlive(pybind11::object object);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PYTHON_HOST_H_
