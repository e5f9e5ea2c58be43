#include "engine/xla/cuda_driver.h"

#include <dlfcn.h>

#include <string>

#include "engine/base/error.h"

namespace engine::xla {
namespace {

template <class Function>
void LookUp(void* library, const char* symbol, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, symbol));
  if (function == nullptr) {
    throw Error(ErrorKind::kResources,
                std::string("CUDA's driver: expected the function ") + symbol + ", found none");
  }
}

}  // namespace

CudaDriver CudaDriver::Load() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const message = dlerror();
    throw Error(ErrorKind::kResources,
                std::string("CUDA's driver: ") + (message == nullptr ? "not found" : message));
  }
  CudaDriver driver;
  LookUp(library, "cuStreamGetCtx", driver.stream_get_ctx);
  LookUp(library, "cuCtxPushCurrent_v2", driver.ctx_push_current);
  LookUp(library, "cuCtxPopCurrent_v2", driver.ctx_pop_current);
  LookUp(library, "cuMemHostAlloc", driver.mem_host_alloc);
  LookUp(library, "cuMemFreeHost", driver.mem_free_host);
  LookUp(library, "cuMemcpyDtoHAsync_v2", driver.memcpy_dtoh_async);
  LookUp(library, "cuMemcpyHtoDAsync_v2", driver.memcpy_htod_async);
  LookUp(library, "cuStreamSynchronize", driver.stream_synchronize);
  LookUp(library, "cuEventCreate", driver.event_create);
  LookUp(library, "cuEventRecord", driver.event_record);
  LookUp(library, "cuEventSynchronize", driver.event_synchronize);
  LookUp(library, "cuGetErrorString", driver.get_error_string);
  return driver;
}

void CudaDriver::Throw(Result result, const char* what) const {
  const char* message = nullptr;
  if (get_error_string(result, &message) != 0 || message == nullptr) message = "unknown error";
  throw Error(ErrorKind::kResources, std::string(what) + ": CUDA's driver says \"" + message +
                                         "\" (" + std::to_string(result) + ")");
}

}  // namespace engine::xla
