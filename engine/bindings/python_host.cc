#include "engine/bindings/python_host.h"

#include <chrono>
#include <memory>
#include <thread>

namespace engine::bindings {
namespace {

[[noreturn]] void WaitForTheEnd() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace

void TakeGil(PyThreadState* state) {
  try {
    PyEval_RestoreThread(state);
  } catch (...) {
    // pthread_exit unwinds this thread like an exception, which must not be caught.
    WaitForTheEnd();
  }
}

bool PythonHost::Interrupted() {
  TakeGil(state_);
  const bool interrupted = PyErr_CheckSignals() != 0;
  state_ = PyEval_SaveThread();
  return interrupted;
}

std::shared_ptr<void> KeepAlive(pybind11::object object) {
  return {static_cast<void*>(object.release().ptr()), [](void* kept) {
            if (Py_IsInitialized() == 0) return;  // this thread outlives the interpreter
            try {
              const PyGILState_STATE state = PyGILState_Ensure();
              Py_DECREF(static_cast<PyObject*>(kept));
              PyGILState_Release(state);
            } catch (...) {
              WaitForTheEnd();  // as in TakeGil
            }
          }};
}

}  // namespace engine::bindings
