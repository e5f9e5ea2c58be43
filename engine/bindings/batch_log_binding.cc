#include "engine/bindings/batch_log_binding.h"

#include <pybind11/numpy.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/bindings/constructor.h"
#include "engine/bindings/gil_mutex.h"
#include "engine/runtime/batch_log.h"

namespace py = pybind11;

namespace engine::bindings {
namespace {

py::array_t<std::uint32_t> Copy(const std::vector<std::uint32_t>& values) {
  return py::array_t<std::uint32_t>(static_cast<py::ssize_t>(values.size()), values.data());
}

// Several threads may read one log: each batch goes to one of them.
struct Log : BatchLogReader {
  using BatchLogReader::BatchLogReader;

  GilMutex mutex;
};

// The ids and digests of the next batch; None at the end.
py::object Next(Log& log) {
  std::vector<std::uint32_t> ids;
  std::vector<std::uint32_t> digests;
  {
    const ScopedLock lock(log.mutex);
    if (!log.Next()) return py::none();
    ids = log.ids();
    digests = log.digests();
  }
  return py::make_tuple(Copy(ids), Copy(digests));
}

}  // namespace

void RegisterBatchLog(py::module_& module) {
  py::class_<Log> type(module, "BatchLog");
  DefineConstructor<int>(type, py::arg("descriptor"), py::pos_only())
      .def_property_readonly("num_envs", [](const Log& log) { return log.header().num_envs; })
      .def_property_readonly("batch_size", [](const Log& log) { return log.header().batch_size; })
      .def_property_readonly("has_digests", [](const Log& log) { return log.header().has_digests; })
      .def_property_readonly("first", [](const Log& log) { return log.header().first; })
      .def("next", &Next);
}

}  // namespace engine::bindings
