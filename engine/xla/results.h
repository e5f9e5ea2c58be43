// The results of one call of a handler: which array of the batch each of them is, and how it gets
// there. Large arrays are written there by the threads that step the environments; the others are
// copied, or converted to a smaller dtype. One thread; reused from call to call, so that a call
// allocates nothing.
#ifndef ENGINE_XLA_RESULTS_H_
#define ENGINE_XLA_RESULTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/batch/batch.h"
#include "engine/batch/row_target.h"
#include "engine/xla/call_frame.h"

namespace engine::xla {

class Results {
 public:
  // An array with fewer bytes is copied, which costs less than having it written elsewhere.
  static constexpr std::size_t kLeastBytesInPlace = 2048;

  // The results of the frame, except the first one, which is the state. `fields`: the index of each
  // result in the layout. The last `num_buffers` results have an additional first dimension, of
  // which only element `at` is written.
  struct Request {
    std::span<const std::int64_t> fields;
    std::size_t num_buffers = 0;
    std::int64_t at = 0;
    std::uint32_t rows = 0;
  };
  // Throws Error{kInput} unless they have as many rows as requested, in the dtype of their field or
  // the smaller one of JAX without 64 bits.
  void Read(const CallFrame& frame, const BatchLayout& layout, const Request& request);

  // The arrays that the pool may write in place; no target if all are small. Valid until the next
  // Read.
  RowTarget InPlace(const BatchLayout& layout);

  // Writes the others, of a batch that the pool has finished. Throws Error{kInput} if the batch
  // does not have the rows that were read.
  void Fill(const Batch& batch) const;

 private:
  struct Result {
    FieldIndex field = 0;
    HostArray array;
    bool in_place = false;
  };

  std::uint32_t rows_ = 0;
  std::vector<Result> results_;
  std::shared_ptr<TargetMemory> target_;  // given to the pool during a call
};

}  // namespace engine::xla

#endif  // ENGINE_XLA_RESULTS_H_
