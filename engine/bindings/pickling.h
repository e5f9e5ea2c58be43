// The objects of a module's classes hold threads, memory or programs of this
// process, which no pickle can carry: pickle and copy say so. Without this the
// oldest pickle protocols make an object that was never constructed, and the
// interpreter crashes when it is touched.
#ifndef ENGINE_BINDINGS_PICKLING_H_
#define ENGINE_BINDINGS_PICKLING_H_

#include <pybind11/pybind11.h>

#include <string>

namespace engine::bindings {

// For all classes that the module has; called once they are there.
inline void RefusePickling(const pybind11::module_& module) {
  namespace py = pybind11;
  for (const auto& item : module.attr("__dict__").cast<py::dict>()) {
    if (!py::isinstance<py::type>(item.second)) continue;
    const auto type = py::reinterpret_borrow<py::object>(item.second);
    type.attr("__reduce_ex__") = py::cpp_function(
        [](py::handle self, int) -> py::object {
          const std::string name = py::str(py::type::handle_of(self).attr("__name__"));
          throw py::type_error("cannot pickle or copy '" + name + "' object");
        },
        py::name("__reduce_ex__"), py::is_method(type), py::arg("protocol"),
        "Raises TypeError: such an object stays in its process.");
  }
}

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PICKLING_H_
