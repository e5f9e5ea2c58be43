// Which environments come in which batch of a first-ready pool: recorded in a log, or as a log
// says.
//
// While a log is repeated, environments that are sent are deferred: the executor gets them when the
// log's next batch needs them, and gets no others until that batch is received. The rows of the
// batch are then put into the log's order.
//
// Part of Pool. Requires: the pool's state lock is held.
#ifndef ENGINE_RUNTIME_BATCH_ORDER_H_
#define ENGINE_RUNTIME_BATCH_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/batch/batch_memory.h"
#include "engine/runtime/batch_log.h"

namespace engine {

class BatchOrder {
 public:
  explicit BatchOrder(std::uint32_t num_envs) : num_envs_(num_envs) {}

  // The number of batches that were received.
  std::uint64_t num_received() const { return num_received_; }
  // Throws Error{kInput} if a log is recorded or repeated, which has the batches of other numbers.
  void SetNumReceived(std::uint64_t n);

  // Records batches from the next one on, or no longer (null).
  void Record(std::unique_ptr<BatchLogWriter> writer);
  BatchLogWriter* writer() const { return writer_.get(); }
  // Repeats the rest of a log, whose next batch is the pool's next one. At its end, batches are
  // recorded by `then` and not repeated any more; without `then`, the log's end is an error. Null:
  // nothing is repeated any more. `then` has the log's file and header.
  // Requires: nothing is in flight.
  void Replay(std::unique_ptr<BatchLogReader> reader, std::unique_ptr<BatchLogWriter> then);

  // Whether a log is repeated.
  bool replays() const { return reader_ != nullptr; }
  // Notes environments that are sent, while a log is repeated.
  void Defer(const std::uint32_t* ids, std::uint32_t n, bool resets);
  // Environments to pass to the executor: to be stepped, and to be reset.
  struct Released {
    std::vector<std::uint32_t> steps, resets;
  };
  // Those of the log's next batch, or all that are deferred if nothing is repeated any more; none
  // if the previous ones have not been received yet. Throws Error{kReplay}, and changes nothing, if
  // the log ends, or its next batch has environments that are not deferred.
  const Released& ReleaseNext();
  // All that are deferred.
  const Released& ReleaseAll();

  // Called for each batch that is received, before CompleteBatch. Throws Error{kReplay} if its
  // content is not what the log's digests say. Allocates nothing while a log is recorded.
  void Received(OpenBatch& batch, const std::uint32_t* ids);
  // Called when everything in flight has been dropped.
  void Drained() { released_next_ = false; }

 private:
  enum class Deferred : std::uint8_t { kNot, kStep, kReset };

  void Release(std::uint32_t env);
  void Sort(OpenBatch& batch, const std::uint32_t* envs);
  void MakeDigests(const BatchLogHeader& header);
  void Digest(const OpenBatch& batch);

  const std::uint32_t num_envs_;
  std::uint64_t num_received_ = 0;
  std::unique_ptr<BatchLogWriter> writer_, then_;
  std::unique_ptr<BatchLogReader> reader_;
  bool released_next_ = false;      // the log's batch has been released and not received
  std::vector<Deferred> deferred_;  // by environment, while a log is repeated
  Released released_;
  std::vector<std::uint32_t> row_of_;  // by environment
  std::vector<std::uint32_t> digests_;
  std::vector<std::uint64_t> hashes_;  // of the rows, while Digest runs
  std::vector<std::byte> row_;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_BATCH_ORDER_H_
