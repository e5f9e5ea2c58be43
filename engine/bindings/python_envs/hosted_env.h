// The Python class HostedEnv: one environment of a PythonGroup, for calls that save its state or
// put another environment in its place. Valid only during the call, on its thread; uses the GIL.
#ifndef ENGINE_BINDINGS_PYTHON_ENVS_HOSTED_ENV_H_
#define ENGINE_BINDINGS_PYTHON_ENVS_HOSTED_ENV_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <thread>

#include "engine/bindings/python_envs/python_group.h"

namespace engine::bindings {

class HostedEnv {
 public:
  HostedEnv(PythonGroup& group, std::uint32_t env) : group_(&group), env_(env) {}

  // The call, at the end of which the object stops working.
  class Scope {
   public:
    explicit Scope(const pybind11::object& hosted) : hosted_(hosted.cast<HostedEnv&>()) {}
    ~Scope() { hosted_.group_ = nullptr; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    HostedEnv& hosted_;
  };

  // The environment's place in its episode, as bytes. Throws Error{kResetNeeded} if it was never
  // reset or has failed.
  pybind11::bytes SaveEpisode() const;
  // Throws Error{kState} if Restore would refuse these bytes.
  void CheckEpisode(const pybind11::bytes& episode) const;
  // Continues with `environment` from that place, where its latest observation and info are these.
  void Restore(pybind11::object environment, const pybind11::bytes& episode,
               pybind11::object observation, pybind11::object info);
  pybind11::object environment() const { return group().EnvironmentOf(env_); }
  // The results of the latest step or reset.
  pybind11::object observation() const;
  pybind11::object info() const;
  std::uint32_t number() const { return env_; }

  static void Register(pybind11::module_& module);

 private:
  // Throws Error{kInternal} after the call, and on another thread.
  PythonGroup& group() const;

  const std::thread::id thread_ = std::this_thread::get_id();
  PythonGroup* group_;
  std::uint32_t env_;
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PYTHON_ENVS_HOSTED_ENV_H_
