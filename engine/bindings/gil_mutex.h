// What takes the place of the GIL in a Python that is built without it (3.13t and later). There,
// threads that hold "the GIL" (that are attached to the interpreter) run at the same time.
#ifndef ENGINE_BINDINGS_GIL_MUTEX_H_
#define ENGINE_BINDINGS_GIL_MUTEX_H_

#include <pybind11/pybind11.h>

#include "engine/base/mutex.h"
#include "engine/base/thread_annotations.h"
#include "engine/bindings/gil.h"

namespace engine::bindings {

// Guards data that only threads with the GIL use. With a GIL, which does the same, it is nothing.
// While it is held, no code of Python may run and no object may be freed: such code could call the
// pool again, or release a GIL.
class ENGINE_LOCK_TYPE GilMutex {
 public:
  GilMutex() = default;
  GilMutex(const GilMutex&) = delete;
  GilMutex& operator=(const GilMutex&) = delete;

#ifdef Py_GIL_DISABLED
  // Python's own mutex: a thread that waits for it does not keep the collector from stopping all
  // threads, as one would that waits for a std::mutex.
  void lock() ENGINE_ACQUIRES() {
    CallPython([this] { PyMutex_Lock(&mutex_); });
  }
  void unlock() ENGINE_RELEASES() { PyMutex_Unlock(&mutex_); }

 private:
  PyMutex mutex_ = {0};
#else
  void lock() ENGINE_ACQUIRES() {}
  void unlock() ENGINE_RELEASES() {}
#endif
};

// A copy of a dict, whose items can be read by borrowed references. Those of the dict itself may be
// freed meanwhile: by other threads, which with a GIL run whenever a value is converted or copied.
inline pybind11::dict OwnDict(pybind11::handle dict) {
  PyObject* const copy = CallPython([dict] { return PyDict_Copy(dict.ptr()); });
  if (copy == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::dict>(copy);
}

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_GIL_MUTEX_H_
