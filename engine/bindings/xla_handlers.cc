#include "engine/bindings/xla_handlers.h"

#include "engine/xla/cuda_handlers.h"
#include "engine/xla/handlers.h"

namespace py = pybind11;

namespace engine::bindings {

py::dict XlaHandlers() {
  const auto capsule = [](xla::abi::Handler* handler) {
    return py::capsule(reinterpret_cast<void*>(handler), "xla._CUSTOM_CALL_TARGET");
  };
  py::dict cpu;
  cpu["reset"] = capsule(&xla::ResetHandler);
  cpu["step"] = capsule(&xla::StepHandler);
  cpu["send"] = capsule(&xla::SendHandler);
  cpu["recv"] = capsule(&xla::RecvHandler);
  py::dict cuda;
  cuda["reset"] = capsule(&xla::CudaResetHandler);
  cuda["step"] = capsule(&xla::CudaStepHandler);
  cuda["send"] = capsule(&xla::CudaSendHandler);
  cuda["recv"] = capsule(&xla::CudaRecvHandler);
  py::dict handlers;
  handlers["cpu"] = cpu;
  handlers["cuda"] = cuda;
  return handlers;
}

}  // namespace engine::bindings
