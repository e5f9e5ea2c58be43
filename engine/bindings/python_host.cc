#include "engine/bindings/python_host.h"

#include <memory>

namespace engine::bindings {
bool PythonHost::Interrupted() {
  TakeGil(state_);
  const bool interrupted = CallPython([] { return PyErr_CheckSignals(); }) != 0;
  state_ = PyEval_SaveThread();
  return interrupted;
}

std::shared_ptr<void> KeepAlive(pybind11::object object) {
  return {static_cast<void*>(object.release().ptr()), [](void* kept) {
            if (Py_IsInitialized() == 0) return;  // this thread outlives the interpreter
            const GilHeld gil;
            CallPython([kept] { Py_DECREF(static_cast<PyObject*>(kept)); });
          }};
}

}  // namespace engine::bindings
