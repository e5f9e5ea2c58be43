// Python as the host of the pool's calls: the GIL and signal handlers.
#ifndef ENGINE_BINDINGS_PYTHON_HOST_H_
#define ENGINE_BINDINGS_PYTHON_HOST_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "engine/bindings/gil.h"
#include "engine/runtime/host.h"

namespace engine::bindings {

// While a call runs, receives the exceptions of environments on the same thread that must end the
// call, because they come from a signal handler or end the program: all that are no Exception, such
// as KeyboardInterrupt and SystemExit. On the stack of the thread. All methods need the GIL.
class RaisedInEnvironment {
 public:
  RaisedInEnvironment() : outer_(std::exchange(Innermost(), this)) {}
  ~RaisedInEnvironment() { Innermost() = outer_; }
  RaisedInEnvironment(const RaisedInEnvironment&) = delete;
  RaisedInEnvironment& operator=(const RaisedInEnvironment&) = delete;

  // Keeps the exception for the call that runs on this thread. Returns false if there is no call.
  static bool Keep(const pybind11::error_already_set& error);
  // Sets the exception that was kept for that call, if any, and returns whether there was one.
  static bool Raise();

 private:
  static RaisedInEnvironment*& Innermost() {
    thread_local RaisedInEnvironment* innermost = nullptr;
    return innermost;
  }

  RaisedInEnvironment* const outer_;
  pybind11::object value_;
};

// Called while a call of a pool waits, with the GIL: gets the time since the call began, in
// seconds, and returns after how many it is called next. Throws nothing.
using WaitReport = std::function<double(double)>;

// One per call, on the stack of a thread that holds the GIL.
class PythonHost final : public Host {
 public:
  // `report`: null, or called after kFirstReportSeconds, and when it says.
  explicit PythonHost(WaitReport report = nullptr) : report_(std::move(report)) {}
  PythonHost(const PythonHost&) = delete;
  PythonHost& operator=(const PythonHost&) = delete;

  void Unlock() override { state_ = PyEval_SaveThread(); }
  void Lock() override {
    TakeGil(state_);
    state_ = nullptr;
  }
  // An exception that a signal handler raised, in an environment too, stays set in this thread.
  bool Interrupted() override;

 private:
  static constexpr double kFirstReportSeconds = 1.0;

  PyThreadState* state_ = nullptr;  // while the GIL is released
  const WaitReport report_;
  std::uint64_t first_asked_ = 0;  // ns, of the first Interrupted()
  double next_report_ = kFirstReportSeconds;
};

// Keeps a reference to an object. The last owner may be on any thread, with or without the GIL.
std::shared_ptr<void> KeepAlive(pybind11::object object);

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PYTHON_HOST_H_
