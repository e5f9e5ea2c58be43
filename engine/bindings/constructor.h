// Defines the constructor of a Python class, instead of pybind11's init. After an __init__ that
// init defines, pybind11 registers the object where it catches no exceptions: if the registry gets
// no memory, std::bad_alloc ends the process. Here the object is registered in __init__ itself.
#ifndef ENGINE_BINDINGS_CONSTRUCTOR_H_
#define ENGINE_BINDINGS_CONSTRUCTOR_H_

#include <pybind11/pybind11.h>

#include <memory>
#include <utility>

namespace engine::bindings {

// `Args`: the parameters of the constructor; `extra`: as for pybind11::class_::def.
template <class... Args, class Class, class... Extra>
pybind11::class_<Class>& DefineConstructor(pybind11::class_<Class>& type, const Extra&... extra) {
  namespace py = pybind11;
  const auto construct = [](py::detail::value_and_holder& object, Args... args) {
    auto made = std::make_unique<Class>(std::forward<Args>(args)...);
    object.value_ptr() = made.get();
    try {
      object.type->init_instance(object.inst, nullptr);
    } catch (...) {
      object.value_ptr() = nullptr;
      throw;
    }
    static_cast<void>(made.release());  // the Python object owns it
  };
  type.def("__init__", construct, py::detail::is_new_style_constructor(), extra...);
  return type;
}

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_CONSTRUCTOR_H_
