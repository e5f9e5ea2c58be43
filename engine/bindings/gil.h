// Taking the GIL and calling Python on threads that may outlive the interpreter. While it exits,
// only the main thread can take the GIL. CPython before 3.14 ends any other thread that tries, by
// unwinding it like an exception that must not be caught. The C++ frames would then release
// references without the GIL, and a destructor that takes the GIL would terminate the process. With
// these functions such a thread waits for the end of the process, in its innermost C++ frame.
#ifndef ENGINE_BINDINGS_GIL_H_
#define ENGINE_BINDINGS_GIL_H_

#include <pybind11/pybind11.h>  // also includes the header of abi::__forced_unwind

#include <chrono>
#include <exception>
#include <thread>
#include <type_traits>

namespace engine::bindings {

[[noreturn]] inline void WaitForTheEnd() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Runs `call`, which takes the GIL or runs code of Python, which may release it. `call` has no
// objects with destructors: everything that it uses belongs to the caller.
#ifdef __GLIBCXX__
// no_sanitize: a forced unwinding has no exception object, so the reference that catches it is
// null.
template <class Call>
[[gnu::no_sanitize("undefined")]] decltype(auto) CallPython(Call&& call) {
  try {
    return call();
  } catch (abi::__forced_unwind&) {
    WaitForTheEnd();
  }
}
#else
// libc++ cannot catch a forced unwinding: only destructors notice it, as one without an exception.
// (On macOS, a thread that ends is not unwound.)
class UnwindingWaits {
 public:
  ~UnwindingWaits() {
    if (!returned && std::uncaught_exceptions() == exceptions_) WaitForTheEnd();
  }
  bool returned = false;

 private:
  const int exceptions_ = std::uncaught_exceptions();
};

template <class Call>
auto CallPython(Call&& call) {
  UnwindingWaits waits;
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    waits.returned = true;
  } else {
    auto result = call();
    waits.returned = true;
    return result;
  }
}
#endif

// Returns the result of function(*args, **kwargs). Throws error_already_set.
inline pybind11::object Call(pybind11::handle function, pybind11::handle args,
                             pybind11::handle kwargs = {}) {
  PyObject* const result =
      CallPython([&] { return PyObject_Call(function.ptr(), args.ptr(), kwargs.ptr()); });
  if (result == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::object>(result);
}

// Reacquires the GIL after this thread has released it.
inline void TakeGil(PyThreadState* state) {
  CallPython([state] { PyEval_RestoreThread(state); });
}

// Releases the GIL for a scope.
class GilReleased {
 public:
  GilReleased() : state_(PyEval_SaveThread()) {}
  ~GilReleased() { TakeGil(state_); }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* const state_;
};

// Acquires the GIL for a scope, unless this thread holds it.
class GilHeld {
 public:
  GilHeld() : state_(CallPython([] { return PyGILState_Ensure(); })) {}
  ~GilHeld() {
    CallPython([this] { PyGILState_Release(state_); });
  }
  GilHeld(const GilHeld&) = delete;
  GilHeld& operator=(const GilHeld&) = delete;

 private:
  const PyGILState_STATE state_;
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_GIL_H_
