#include "engine/bindings/python_host.h"

#include <memory>
#include <utility>

#include "engine/base/tick_clock.h"

namespace engine::bindings {
bool RaisedInEnvironment::Keep(const pybind11::error_already_set& error) {
  RaisedInEnvironment* const call = Innermost();
  if (call == nullptr) return false;
  call->value_ = error.value();
  if (error.trace()) PyException_SetTraceback(call->value_.ptr(), error.trace().ptr());
  return true;
}

bool RaisedInEnvironment::Raise() {
  RaisedInEnvironment* const call = Innermost();
  if (call == nullptr || !call->value_) return false;
  const pybind11::object value = std::exchange(call->value_, pybind11::object());
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())), value.ptr());
  return true;
}

bool PythonHost::Interrupted() {
  TakeGil(state_);
  const bool interrupted =
      RaisedInEnvironment::Raise() || CallPython([] { return PyErr_CheckSignals(); }) != 0;
  if (report_ && !interrupted) {
    const std::uint64_t now = TickClock::SteadyNanoseconds();
    if (first_asked_ == 0) first_asked_ = now;
    const double seconds = static_cast<double>(now - first_asked_) * 1e-9;
    if (seconds >= next_report_) next_report_ = report_(seconds);
  }
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
