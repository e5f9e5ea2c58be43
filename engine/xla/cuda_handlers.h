// The handlers for programs that run on a GPU. Each copies the arguments to page-locked memory,
// waits for them, and so for the kernels that compute them, and calls the handler for the CPU. The
// copies of the results are enqueued on the program's stream, and the handler returns without
// waiting for them.
#ifndef ENGINE_XLA_CUDA_HANDLERS_H_
#define ENGINE_XLA_CUDA_HANDLERS_H_

#include "engine/xla/staging_blocks.h"
#include "engine/xla/xla_ffi.h"

namespace engine::xla {

// As the handlers of the same names in handlers.h, with arrays in the memory of a GPU. With
// buffers, only element t of each buffer is copied.
abi::Error* CudaResetHandler(abi::CallFrame* frame);
abi::Error* CudaStepHandler(abi::CallFrame* frame);
abi::Error* CudaSendHandler(abi::CallFrame* frame);
abi::Error* CudaRecvHandler(abi::CallFrame* frame);

// Calls a handler for the CPU with the arrays of a frame on a GPU.
abi::Error* CallOnCuda(abi::CallFrame* frame, abi::Handler* handler,
                       StagingBlocks& blocks) noexcept;

}  // namespace engine::xla

#endif  // ENGINE_XLA_CUDA_HANDLERS_H_
