#include "engine/bindings/python_envs/hosted_env.h"

#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

std::string_view ViewOf(const py::bytes& bytes) {
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

}  // namespace

PythonGroup& HostedEnv::group() const {
  if (thread_ != std::this_thread::get_id()) {
    throw Error(ErrorKind::kInternal, "HostedEnv: only the thread of its call may use it");
  }
  if (group_ == nullptr) throw Error(ErrorKind::kInternal, "HostedEnv: its call has ended");
  return *group_;
}

py::bytes HostedEnv::SaveEpisode() const { return py::bytes(group().SaveEpisodeOf(env_)); }

void HostedEnv::CheckEpisode(const py::bytes& episode) const {
  group().CheckState(env_, ViewOf(episode), "states");
}

void HostedEnv::Restore(py::object environment, const py::bytes& episode, py::object observation,
                        py::object info) {
  group().Restore(env_, std::move(environment), ViewOf(episode), std::move(observation),
                  std::move(info));
}

py::object HostedEnv::observation() const { return group().ResultsOf(env_).first; }
py::object HostedEnv::info() const { return group().ResultsOf(env_).second; }

void HostedEnv::Register(py::module_& module) {
  py::class_<HostedEnv>(module, "HostedEnv")
      .def_property_readonly("number", &HostedEnv::number)
      .def_property_readonly("environment", &HostedEnv::environment)
      .def_property_readonly("observation", &HostedEnv::observation)
      .def_property_readonly("info", &HostedEnv::info)
      .def("save_episode", &HostedEnv::SaveEpisode)
      .def("check_episode", &HostedEnv::CheckEpisode, py::arg("episode"), py::pos_only())
      .def("restore", &HostedEnv::Restore, py::arg("environment"), py::arg("episode"),
           py::arg("observation"), py::arg("info"), py::pos_only());
}

}  // namespace engine::bindings
