// One call of a handler, as XLA passes it: arrays of arguments and results, and one attribute. Used
// on the thread that runs the compiled program, during the call.
#ifndef ENGINE_XLA_CALL_FRAME_H_
#define ENGINE_XLA_CALL_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/base/error.h"
#include "engine/batch/action_staging.h"
#include "engine/xla/xla_ffi.h"

namespace engine::xla {

// An argument or a result: C-contiguous, in memory of the device that runs the program.
struct CallArray {
  std::byte* data = nullptr;
  DType dtype = DType::kFloat32;
  const std::int64_t* shape = nullptr;
  std::size_t num_dims = 0;

  std::int64_t size() const;
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * SizeOf(dtype); }
  ArrayView view(const char* name) const {
    return {.data = data, .dtype = dtype, .shape = shape, .num_dims = num_dims, .name = name};
  }
};

class CallFrame {
 public:
  explicit CallFrame(const abi::CallFrame& frame) : frame_(frame) {}

  std::size_t num_args() const { return static_cast<std::size_t>(frame_.args.size); }
  std::size_t num_results() const { return static_cast<std::size_t>(frame_.rets.size); }
  // Throws Error{kInputType} if argument i is not an array of a dtype of the engine. `name` is the
  // argument's name in the message.
  CallArray Arg(std::size_t i, const char* name) const;
  CallArray Result(std::size_t i) const;
  // The attribute of this name, an array of int64. Throws Error{kInput} if there is none.
  std::span<const std::int64_t> Attribute(std::string_view name) const;

 private:
  const abi::CallFrame& frame_;
};

// The attribute "fields" of a call; see handlers.h.
struct Fields {
  std::int64_t layout_stamp = 0;
  std::size_t num_buffers = 0;
  std::span<const std::int64_t> indices;
};
// Throws Error{kInput} if the call has no such attribute.
Fields ReadFields(const CallFrame& frame);

// Returns element `at` of the first dimension. Throws Error{kInput} if there is no such element.
CallArray ElementOf(CallArray array, std::int64_t at);

// Throws Error{kInput} unless the array has this dtype and shape.
void CheckArray(const CallArray& array, const char* name, DType dtype,
                std::span<const std::int64_t> shape);

// If XLA only requests the version of the interface, reports the version and returns true.
bool AnswersMetadata(abi::CallFrame& frame);

// Returns the exception that is being handled as an XLA error. Call it in a catch block.
abi::Error* CaughtError(const abi::CallFrame& frame) noexcept;

// Makes an XLA error with the message "`name`: `message`", where `name` is a class in
// envpool_py.errors.
abi::Error* MakeError(const abi::CallFrame& frame, abi::ErrorCode code, std::string_view name,
                      std::string_view message);
abi::ErrorCode CodeOf(ErrorKind kind);

}  // namespace engine::xla

#endif  // ENGINE_XLA_CALL_FRAME_H_
