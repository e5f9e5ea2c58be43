// Keeps Python from copying the objects of a module, which hold threads, memory or programs of this
// process, and from using objects that were never constructed.
#ifndef ENGINE_BINDINGS_PICKLING_H_
#define ENGINE_BINDINGS_PICKLING_H_

#include <pybind11/pybind11.h>

#include <cstddef>
#include <string>

namespace engine::bindings {

// Makes pickle and copy raise an error. This function and the next one apply to all classes of the
// module; call them after the classes are defined.
inline void RefusePickling(const pybind11::module_& module) {
  namespace py = pybind11;
  for (const auto& item : module.attr("__dict__").cast<py::dict>()) {
    if (!py::isinstance<py::type>(item.second)) continue;
    const auto type = py::reinterpret_borrow<py::object>(item.second);
    const auto refuse = [](py::handle self) {
      const std::string name = py::str(py::type::handle_of(self).attr("__name__"));
      throw py::type_error("cannot pickle or copy '" + name + "' object");
    };
    constexpr const char* kDoc = "Raises TypeError: such an object stays in its process.";
    type.attr("__reduce_ex__") =
        py::cpp_function([refuse](py::handle self, int) { refuse(self); },
                         py::name("__reduce_ex__"), py::is_method(type), py::arg("protocol"), kDoc);
    // That of `object` makes an object of pybind11's base class, which ends the process.
    type.attr("__reduce__") = py::cpp_function([refuse](py::handle self) { refuse(self); },
                                               py::name("__reduce__"), py::is_method(type), kDoc);
  }
}

// Makes the use of an object that was made by __new__ alone raise an error. Without this, pybind11
// takes uninitialised memory for the C++ object.
inline void RefuseUnconstructed(const pybind11::module_& module) {
  namespace py = pybind11;
  for (const auto& item : module.attr("__dict__").cast<py::dict>()) {
    if (!py::isinstance<py::type>(item.second)) continue;
    auto* const type = reinterpret_cast<PyTypeObject*>(item.second.ptr());
    if (py::detail::type_info* const info = py::detail::get_type_info(type)) {
      info->operator_new = [](std::size_t) -> void* {
        throw py::type_error(
            "expected an object made by a call of its class, got one that "
            "__init__ has not initialised");
      };
    }
  }
}

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PICKLING_H_
