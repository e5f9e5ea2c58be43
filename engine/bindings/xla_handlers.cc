#include "engine/bindings/xla_handlers.h"

#include "engine/xla/handlers.h"

namespace py = pybind11;

namespace engine::bindings {

py::dict XlaHandlers() {
  const auto capsule = [](xla::abi::Handler* handler) {
    return py::capsule(reinterpret_cast<void*>(handler), "xla._CUSTOM_CALL_TARGET");
  };
  py::dict handlers;
  handlers["reset"] = capsule(&xla::ResetHandler);
  handlers["step"] = capsule(&xla::StepHandler);
  handlers["send"] = capsule(&xla::SendHandler);
  handlers["recv"] = capsule(&xla::RecvHandler);
  return handlers;
}

}  // namespace engine::bindings
