// Makes pickle and copy raise an error for the objects of a module, because they hold threads,
// memory or programs of this process. Without this, the oldest pickle protocols create an object
// without constructing it, and the interpreter crashes when it is used.
#ifndef ENGINE_BINDINGS_PICKLING_H_
#define ENGINE_BINDINGS_PICKLING_H_

#include <pybind11/pybind11.h>

#include <string>

namespace engine::bindings {

// Applies to all classes of the module; call it after they are defined.
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
