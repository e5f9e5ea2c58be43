#include "engine/xla/cuda_handlers.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "engine/base/cache_line.h"
#include "engine/base/error.h"
#include "engine/xla/call_frame.h"
#include "engine/xla/cuda_driver.h"
#include "engine/xla/handlers.h"

namespace engine::xla {
namespace {

// The call of a handler for the CPU that corresponds to a call on a GPU: the same arrays, with
// their data in a staging block. A buffer is replaced by its element t. One thread; reused from
// call to call, so that a call allocates nothing.
class StagedCall {
 public:
  // Reads everything but the data, which kernels may still be computing. `frame` must outlive the
  // other calls.
  void Read(const abi::CallFrame& frame) {
    const CallFrame call(frame);
    const Fields fields = ReadFields(call);
    CheckBuffers(call, fields.num_buffers);
    num_buffers_ = fields.num_buffers;
    fields_.assign({fields.layout_stamp, 0});
    fields_.insert(fields_.end(), fields.indices.begin(), fields.indices.end());
    block_bytes_ = 0;
    args_.clear();
    results_.clear();
    for (std::size_t i = 0; i < call.num_args() - num_buffers_; ++i) {
      Add(args_, call.Arg(i, "arguments"), *static_cast<const abi::Buffer*>(frame.args.args[i]));
    }
    if (num_buffers_ > 0) CheckArray(args_.back().device, "t", DType::kInt32, {});
    for (std::size_t i = 0; i < call.num_results(); ++i) {
      CallArray array = call.Result(i);
      if (IsBuffer(call, i) && array.num_dims > 0) {
        ++array.shape;
        --array.num_dims;
      }
      Add(results_, array, *static_cast<const abi::Buffer*>(frame.rets.rets[i]));
    }
  }

  std::size_t block_bytes() const { return block_bytes_; }

  void CopyArguments(const CudaDriver& driver, CudaDriver::Stream stream, std::byte* block) const {
    for (const Array& arg : args_) {
      if (const std::size_t bytes = arg.device.bytes(); bytes > 0) {
        driver.Check(driver.memcpy_dtoh_async(block + arg.offset, AddressOf(arg), bytes, stream),
                     "a copy from the GPU");
      }
    }
  }

  // Calls the handler with the block that has the arguments.
  abi::Error* Run(const abi::CallFrame& frame, abi::Handler* handler, std::byte* block) {
    if (num_buffers_ > 0) {
      std::int32_t time = 0;
      std::memcpy(&time, block + args_.back().offset, sizeof(time));
      const CallFrame call(frame);
      for (std::size_t i = 0; i < call.num_results(); ++i) {
        if (IsBuffer(call, i)) results_[i].device = ElementOf(call.Result(i), time);
      }
      args_.pop_back();
    }
    Point(args_, block, arg_pointers_);
    Point(results_, block, result_pointers_);
    static_assert(abi::kBufferArgument == abi::kBufferResult);
    types_.assign(std::max(args_.size(), results_.size()), abi::kBufferArgument);
    abi::Array fields{.dtype = abi::DataType::kS64, .size = fields_.size(), .data = fields_.data()};
    abi::ByteSpan name{.data = "fields", .size = 6};
    abi::ByteSpan* names[] = {&name};
    void* attributes[] = {&fields};
    int attribute_types[] = {abi::kArrayAttribute};
    abi::CallFrame host{};
    host.struct_size = sizeof(host);
    host.api = frame.api;
    host.context = frame.context;
    host.stage = frame.stage;
    host.args.size = static_cast<std::int64_t>(args_.size());
    host.args.types = types_.data();
    host.args.args = arg_pointers_.data();
    host.rets.size = static_cast<std::int64_t>(results_.size());
    host.rets.types = types_.data();
    host.rets.rets = result_pointers_.data();
    host.attrs.size = 1;
    host.attrs.types = attribute_types;
    host.attrs.names = names;
    host.attrs.attrs = attributes;
    return handler(&host);
  }

  void CopyResults(const CudaDriver& driver, CudaDriver::Stream stream,
                   const std::byte* block) const {
    for (const Array& result : results_) {
      if (const std::size_t bytes = result.device.bytes(); bytes > 0) {
        driver.Check(
            driver.memcpy_htod_async(AddressOf(result), block + result.offset, bytes, stream),
            "a copy to the GPU");
      }
    }
  }

 private:
  struct Array {
    CallArray device;
    abi::Buffer host;        // without the data
    std::size_t offset = 0;  // in the block
  };

  static void CheckBuffers(const CallFrame& call, std::size_t num_buffers) {
    if (num_buffers == 0 || (num_buffers < call.num_args() && num_buffers < call.num_results())) {
      return;
    }
    throw Error(ErrorKind::kInput, "arguments: expected t and " + std::to_string(num_buffers) +
                                       " buffers, which are also results, got " +
                                       std::to_string(call.num_args()) + " arguments and " +
                                       std::to_string(call.num_results()) + " results");
  }
  bool IsBuffer(const CallFrame& call, std::size_t result) const {
    return result + num_buffers_ >= call.num_results();
  }
  static CudaDriver::Address AddressOf(const Array& array) {
    return reinterpret_cast<CudaDriver::Address>(array.device.data);
  }

  // Adds an array at the next cache line, where threads can write results in place.
  void Add(std::vector<Array>& arrays, const CallArray& array, const abi::Buffer& given) {
    const auto rank = static_cast<std::int64_t>(array.num_dims);
    arrays.push_back({.device = array,
                      .host = {.struct_size = sizeof(abi::Buffer),
                               .extension_start = nullptr,
                               .dtype = given.dtype,
                               .data = nullptr,
                               .rank = rank,
                               .dims = given.dims + (given.rank - rank)},
                      .offset = block_bytes_});
    block_bytes_ += (array.bytes() + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes;
  }
  static void Point(std::vector<Array>& arrays, std::byte* block, std::vector<void*>& pointers) {
    pointers.clear();
    for (Array& array : arrays) {
      array.host.data = block + array.offset;
      pointers.push_back(&array.host);
    }
  }

  std::size_t num_buffers_ = 0;
  std::size_t block_bytes_ = 0;
  std::vector<Array> args_, results_;
  std::vector<void*> arg_pointers_, result_pointers_;
  std::vector<int> types_;
  std::vector<std::int64_t> fields_;
};

// Finds the program's stream; returns XLA's error, or null.
abi::Error* FindStream(const abi::CallFrame& frame, CudaDriver::Stream& stream) {
  abi::StreamGetArgs args{.struct_size = sizeof(abi::StreamGetArgs),
                          .extension_start = nullptr,
                          .context = frame.context,
                          .stream = nullptr};
  abi::Error* const error = frame.api->get_stream(&args);
  stream = args.stream;
  return error;
}

StagingBlocks& ProcessBlocks() {
  static auto* const blocks = new StagingBlocks(CudaDriver::Load());  // XLA's threads use it
  return *blocks;
}

abi::Error* CallOnProcessCuda(abi::CallFrame* frame, abi::Handler* handler) noexcept {
  if (AnswersMetadata(*frame) || frame->stage != abi::kExecuteStage) return nullptr;
  try {
    return CallOnCuda(frame, handler, ProcessBlocks());
  } catch (...) {
    return CaughtError(*frame);
  }
}

}  // namespace

abi::Error* CallOnCuda(abi::CallFrame* frame, abi::Handler* handler,
                       StagingBlocks& blocks) noexcept {
  if (AnswersMetadata(*frame) || frame->stage != abi::kExecuteStage) return nullptr;
  try {
    thread_local StagedCall call;
    call.Read(*frame);
    CudaDriver::Stream stream = nullptr;
    if (abi::Error* const error = FindStream(*frame, stream)) return error;
    const CudaDriver& driver = blocks.driver();
    CudaDriver::Context context = nullptr;
    driver.Check(driver.stream_get_ctx(stream, &context), "the program's stream");
    const CudaContextScope scope(driver, context);
    const StagingBlocks::Lease lease(blocks, context, stream, call.block_bytes());
    call.CopyArguments(driver, stream, lease.data());
    driver.Check(driver.stream_synchronize(stream), "the program on the GPU");
    if (abi::Error* const error = call.Run(*frame, handler, lease.data())) return error;
    call.CopyResults(driver, stream, lease.data());
    return nullptr;
  } catch (...) {
    return CaughtError(*frame);
  }
}

abi::Error* CudaResetHandler(abi::CallFrame* frame) {
  return CallOnProcessCuda(frame, ResetHandler);
}
abi::Error* CudaStepHandler(abi::CallFrame* frame) { return CallOnProcessCuda(frame, StepHandler); }
abi::Error* CudaSendHandler(abi::CallFrame* frame) { return CallOnProcessCuda(frame, SendHandler); }
abi::Error* CudaRecvHandler(abi::CallFrame* frame) { return CallOnProcessCuda(frame, RecvHandler); }

}  // namespace engine::xla
