// The functions of CUDA's driver that the handlers call. They are looked up at run time, so the
// build needs nothing of CUDA. A program that runs on a GPU has the driver already loaded.
#ifndef ENGINE_XLA_CUDA_DRIVER_H_
#define ENGINE_XLA_CUDA_DRIVER_H_

#include <cstddef>
#include <cstdint>

namespace engine::xla {

// Members are named after the driver's functions and have their signatures; see the reference
// manual of the CUDA driver API.
struct CudaDriver {
  using Result = int;             // CUresult; 0: success
  using Context = void*;          // CUcontext
  using Stream = void*;           // CUstream
  using Event = void*;            // CUevent
  using Address = std::uint64_t;  // CUdeviceptr

  static constexpr unsigned kPortable = 1;       // CU_MEMHOSTALLOC_PORTABLE
  static constexpr unsigned kDisableTiming = 2;  // CU_EVENT_DISABLE_TIMING

  Result (*stream_get_ctx)(Stream, Context*) = nullptr;
  Result (*ctx_push_current)(Context) = nullptr;
  Result (*ctx_pop_current)(Context*) = nullptr;
  Result (*mem_host_alloc)(void**, std::size_t bytes, unsigned flags) = nullptr;
  Result (*mem_free_host)(void*) = nullptr;
  Result (*memcpy_dtoh_async)(void* to, Address from, std::size_t bytes, Stream) = nullptr;
  Result (*memcpy_htod_async)(Address to, const void* from, std::size_t bytes, Stream) = nullptr;
  Result (*stream_synchronize)(Stream) = nullptr;
  Result (*event_create)(Event*, unsigned flags) = nullptr;
  Result (*event_record)(Event, Stream) = nullptr;
  Result (*event_synchronize)(Event) = nullptr;
  Result (*get_error_string)(Result, const char**) = nullptr;

  // Throws Error{kResources} if the system has no driver.
  static CudaDriver Load();
  // Throws Error{kResources} with the driver's message unless `result` is success. `what`: the
  // operation, such as "copy to the GPU".
  void Check(Result result, const char* what) const {
    if (result != 0) [[unlikely]]
      Throw(result, what);
  }

 private:
  [[noreturn]] void Throw(Result result, const char* what) const;
};

// Makes a context current on this thread, as the driver's functions require.
class CudaContextScope {
 public:
  CudaContextScope(const CudaDriver& driver, CudaDriver::Context context) : driver_(driver) {
    driver.Check(driver.ctx_push_current(context), "use of the GPU");
  }
  CudaContextScope(const CudaContextScope&) = delete;
  CudaContextScope& operator=(const CudaContextScope&) = delete;
  ~CudaContextScope() {
    CudaDriver::Context popped;
    static_cast<void>(driver_.ctx_pop_current(&popped));
  }

 private:
  const CudaDriver& driver_;
};

}  // namespace engine::xla

#endif  // ENGINE_XLA_CUDA_DRIVER_H_
