// Python as the host of the pool's calls: the GIL and signal handlers.
#ifndef ENGINE_BINDINGS_PYTHON_HOST_H_
#define ENGINE_BINDINGS_PYTHON_HOST_H_

#include <pybind11/pybind11.h>

#include <memory>

#include "engine/bindings/gil.h"
#include "engine/runtime/host.h"

namespace engine::bindings {

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
  // An exception that a signal handler raised stays set in this thread.
  bool Interrupted() override;

 private:
  PyThreadState* state_ = nullptr;  // while the GIL is released
};

// Keeps a reference to an object. The last owner may be on any thread, with or without the GIL.
std::shared_ptr<void> KeepAlive(pybind11::object object);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PYTHON_HOST_H_
