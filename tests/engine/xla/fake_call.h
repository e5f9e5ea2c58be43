// Calls a handler as XLA does: frames of buffers, and errors as objects. Not thread-safe.
#ifndef ENGINE_TESTS_ENGINE_XLA_FAKE_CALL_H_
#define ENGINE_TESTS_ENGINE_XLA_FAKE_CALL_H_

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "engine/base/cache_line.h"
#include "engine/env/dtype.h"
#include "engine/xla/shared_pool.h"
#include "engine/xla/xla_ffi.h"

namespace engine::xla::abi {

struct Error {
  ErrorCode code;
  std::string message;
};

}  // namespace engine::xla::abi

namespace engine::testing {

inline xla::abi::DataType XlaType(DType dtype) {
  using xla::abi::DataType;
  constexpr DataType kTypes[] = {DataType::kPred, DataType::kS8,  DataType::kS16, DataType::kS32,
                                 DataType::kS64,  DataType::kU8,  DataType::kU16, DataType::kU32,
                                 DataType::kU64,  DataType::kF32, DataType::kF64};
  return kTypes[static_cast<std::size_t>(dtype)];
}

class FakeCall {
 public:
  // An array of zeros, `shift` bytes after an aligned address.
  template <class T>
  T* Arg(std::vector<std::int64_t> shape, std::size_t shift = 0) {
    return reinterpret_cast<T*>(Add(args_, DTypeOf<T>(), std::move(shape), shift));
  }
  template <class T>
  T* Result(std::vector<std::int64_t> shape, std::size_t shift = 0) {
    return reinterpret_cast<T*>(Add(results_, DTypeOf<T>(), std::move(shape), shift));
  }
  // Sets the state. The first call adds the argument and the result that hold it.
  void SetState(const xla::State& state) {
    if (state_ == nullptr) {
      state_ = Arg<std::uint32_t>({4});
      next_state_ = Result<std::uint32_t>({4});
    }
    std::memcpy(state_, state.data(), sizeof(state));
  }
  xla::State next_state() const {
    xla::State state;
    std::memcpy(state.data(), next_state_, sizeof(state));
    return state;
  }
  // A buffer that becomes the last argument and the last result.
  template <class T>
  T* Buffer(std::vector<std::int64_t> shape) {
    T* const data = Arg<T>(std::move(shape));
    results_.push_back(args_.back());
    return data;
  }
  void SetFields(std::vector<std::int64_t> fields) { fields_ = std::move(fields); }
  void SetStage(int stage) { stage_ = stage; }
  xla::abi::Buffer& arg(std::size_t i) { return *args_[i]; }

  // Runs the handler. Returns the error's message, or "" without an error.
  std::string Run(xla::abi::Handler* handler) { return RunFrame(handler); }
  // Runs a function of a frame whose arrays are on a GPU, and whose program has this stream.
  // `address_of`: an array's address on the GPU.
  template <class Function>
  std::string RunOnGpu(void* stream, std::byte* (*address_of)(void*), Function&& function) {
    stream_ = stream;
    // A buffer is an argument and a result.
    for (xla::abi::Buffer& buffer : buffers_) buffer.data = address_of(buffer.data);
    std::string message = RunFrame(function);
    for (std::size_t i = 0; i < buffers_.size(); ++i) buffers_[i].data = memory_of_[i];
    return message;
  }
  xla::abi::ErrorCode code() const { return code_; }

 private:
  using Buffers = std::vector<xla::abi::Buffer*>;

  std::byte* Add(Buffers& buffers, DType dtype, std::vector<std::int64_t> shape,
                 std::size_t shift) {
    std::size_t bytes = SizeOf(dtype);
    for (const std::int64_t size : shape) bytes *= static_cast<std::size_t>(size);
    memory_.emplace_back(static_cast<std::byte*>(
        ::operator new(bytes + shift + 1, std::align_val_t(kCacheLineBytes))));
    std::byte* const data = memory_.back().get() + shift;
    std::memset(data, 0, bytes);
    shapes_.push_back(std::move(shape));
    buffers_.push_back({.struct_size = sizeof(xla::abi::Buffer),
                        .extension_start = nullptr,
                        .dtype = XlaType(dtype),
                        .data = data,
                        .rank = static_cast<std::int64_t>(shapes_.back().size()),
                        .dims = shapes_.back().data()});
    buffers.push_back(&buffers_.back());
    memory_of_.push_back(data);
    return data;
  }

  static xla::abi::Error* CreateError(xla::abi::ErrorCreateArgs* args) {
    return new xla::abi::Error{args->code, args->message};
  }

  static xla::abi::Error* GetStream(xla::abi::StreamGetArgs* args) {
    args->stream = reinterpret_cast<FakeCall*>(args->context)->stream_;
    return args->stream == nullptr
               ? new xla::abi::Error{xla::abi::ErrorCode::kInternal, "no stream"}
               : nullptr;
  }

  template <class Handler>
  std::string RunFrame(Handler&& handler) {
    xla::abi::Api api{};
    api.create_error = &CreateError;
    api.get_stream = &GetStream;
    std::vector<int> types(args_.size() + results_.size(), xla::abi::kBufferArgument);
    xla::abi::Array array{
        .dtype = xla::abi::DataType::kS64, .size = fields_.size(), .data = fields_.data()};
    xla::abi::ByteSpan name{.data = "fields", .size = 6};
    xla::abi::ByteSpan* names[] = {&name};
    void* attributes[] = {&array};
    int attribute_types[] = {xla::abi::kArrayAttribute};
    xla::abi::CallFrame frame{};
    frame.api = &api;
    frame.context = reinterpret_cast<xla::abi::ExecutionContext*>(this);
    frame.stage = stage_;
    frame.args.size = static_cast<std::int64_t>(args_.size());
    frame.args.types = types.data();
    frame.args.args = reinterpret_cast<void**>(args_.data());
    frame.rets.size = static_cast<std::int64_t>(results_.size());
    frame.rets.types = types.data();
    frame.rets.rets = reinterpret_cast<void**>(results_.data());
    frame.attrs.size = 1;
    frame.attrs.types = attribute_types;
    frame.attrs.names = names;
    frame.attrs.attrs = attributes;
    const std::unique_ptr<xla::abi::Error> error(handler(&frame));
    code_ = error == nullptr ? xla::abi::ErrorCode{} : error->code;
    return error == nullptr ? "" : error->message;
  }

  struct Free {
    void operator()(std::byte* memory) const {
      ::operator delete(memory, std::align_val_t(kCacheLineBytes));
    }
  };

  std::deque<xla::abi::Buffer> buffers_;
  std::vector<std::byte*> memory_of_;  // of each of buffers_
  std::deque<std::vector<std::int64_t>> shapes_;
  std::vector<std::unique_ptr<std::byte, Free>> memory_;
  Buffers args_, results_;
  std::uint32_t* state_ = nullptr;
  std::uint32_t* next_state_ = nullptr;
  std::vector<std::int64_t> fields_;
  int stage_ = xla::abi::kExecuteStage;
  xla::abi::ErrorCode code_{};
  void* stream_ = nullptr;
};

}  // namespace engine::testing

#endif  // ENGINE_TESTS_ENGINE_XLA_FAKE_CALL_H_
