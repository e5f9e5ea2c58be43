// The results of one call of a handler: maps each result to an array of the batch, and fills it.
// The threads that step the environments write large arrays in place. The other arrays are copied,
// or converted to a smaller dtype. One thread; reused from call to call, so that a call allocates
// nothing.
#ifndef ENGINE_XLA_RESULTS_H_
#define ENGINE_XLA_RESULTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/batch/batch.h"
#include "engine/batch/row_target.h"
#include "engine/env/spec.h"
#include "engine/xla/call_frame.h"

namespace engine::xla {

class Results {
 public:
  // Smaller arrays are copied, which is faster than having the threads write them in place.
  static constexpr std::size_t kMinBytesInPlace = 2048;

  // The results of the frame after the first one, which is the state. `fields`: the index of each
  // result in the layout. The last `num_buffers` results have an additional first dimension, of
  // which only element `at` is written.
  struct Request {
    std::span<const std::int64_t> fields;
    std::size_t num_buffers = 0;
    std::int64_t at = 0;
    std::uint32_t rows = 0;
  };
  // Throws Error{kInput} unless each result has the requested number of rows, and the dtype of its
  // field or the 32-bit dtype that replaces it in JAX without 64-bit types.
  void Read(const CallFrame& frame, const BatchLayout& layout, const Request& request);

  // Returns the arrays that the pool may write in place; no target if all are small. Valid until
  // the next Read.
  RowTarget InPlace(const BatchLayout& layout);

  // Fills the other results from a finished batch of environments with this spec. Throws
  // Error{kInput} if the batch has another number of rows than the results.
  void Fill(const Batch& batch, const EnvSpec& spec) const;

 private:
  struct Result {
    FieldIndex field = 0;
    CallArray array;
    bool in_place = false;
  };

  std::uint32_t rows_ = 0;
  std::vector<Result> results_;
  std::shared_ptr<TargetMemory> target_;  // the pool uses it during a call
};

}  // namespace engine::xla

#endif  // ENGINE_XLA_RESULTS_H_
