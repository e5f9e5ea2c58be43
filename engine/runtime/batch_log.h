// A file that says which environments came in which batch of a first-ready pool. With it, a run can
// be repeated (Pool::ReplayBatches): everything else follows from seeds and actions.
//
//   header   40 bytes: BatchLogHeader
//   batches  one after the other:
//     ids       in the order of the rows: 1 byte each in a pool of at most 256 environments, 2 in
//               one of at most 65,536, otherwise 4. Their order becomes random after a while, so
//               that runs of consecutive ids would take more bytes, and more time to write.
//     digests   4 bytes for each row, if the header says so
//     check     4 bytes: a hash of the batch's bytes and of its number
//
// Numbers are little-endian. A process that dies leaves whole batches and at most a part of one,
// which the reader treats as the end.
#ifndef ENGINE_RUNTIME_BATCH_LOG_H_
#define ENGINE_RUNTIME_BATCH_LOG_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/base/fork_guard.h"

namespace engine {

struct BatchLogHeader {
  std::uint32_t num_envs = 0;
  std::uint32_t batch_size = 0;
  bool has_digests = false;
  std::uint64_t first = 0;  // the number of the first batch

  bool operator==(const BatchLogHeader&) const = default;
};

// An open file. Closes it.
class OwnedFile {
 public:
  explicit OwnedFile(int descriptor) : descriptor_(descriptor) {}
  ~OwnedFile();
  OwnedFile(const OwnedFile&) = delete;
  OwnedFile& operator=(const OwnedFile&) = delete;
  int descriptor() const { return descriptor_; }
  // Leaves the file to the caller.
  int Release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

class BatchLogReader {
 public:
  // Reads the header. Owns the file, also if it throws: Error{kReplay} if the file is not a log,
  // Error{kResources} if it cannot be read.
  explicit BatchLogReader(int descriptor);

  const BatchLogHeader& header() const { return header_; }
  // Reads the next batch into ids() and digests(). Returns false at the end of the file, and at a
  // batch that is not complete or damaged. Throws Error{kResources} if the file cannot be read.
  bool Next();
  // Of the latest batch. digests() is empty if the log has none.
  const std::vector<std::uint32_t>& ids() const { return ids_; }
  const std::vector<std::uint32_t>& digests() const { return digests_; }
  // The number of the next batch.
  std::uint64_t next() const { return next_; }
  // The number of bytes up to the end of the latest batch.
  std::uint64_t position() const { return position_; }

 private:
  bool Fill();
  // Reads the batch at `data` into ids_ and digests_. Returns false if it is damaged.
  bool Parse(const std::uint8_t* data);

  const OwnedFile file_;
  BatchLogHeader header_;
  std::vector<std::uint8_t> buffer_;  // read and not parsed: [begin_, end_)
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t read_to_ = 0;  // bytes of the file that have been read
  std::uint64_t position_ = 0;
  std::uint64_t next_ = 0;
  std::vector<std::uint32_t> ids_, digests_;
};

class BatchLogWriter {
 public:
  // Owns the file. `max_bytes`: size of the file that is not exceeded; 0: no limit. Begin() or
  // ContinueAfter() must follow.
  BatchLogWriter(int descriptor, const BatchLogHeader& header, std::uint64_t max_bytes);
  // Begins a log in an empty file. Throws Error{kResources}.
  void Begin();
  // Continues the log that was read, after the latest batch that was read, and cuts off the rest.
  void ContinueAfter(const BatchLogReader& read) noexcept;
  // Writes what is buffered, except in a forked child.
  ~BatchLogWriter();
  BatchLogWriter(const BatchLogWriter&) = delete;
  BatchLogWriter& operator=(const BatchLogWriter&) = delete;

  // Appends a batch. `digests`: one for each row, with header().has_digests. Batches get to the
  // file when a buffer is full or some time has passed. Allocates nothing. After a failure, and at
  // the limit, it does nothing.
  void Add(const std::uint32_t* ids, const std::uint32_t* digests) noexcept;
  // Writes what is buffered, and waits until it is on the disk. Returns 0, or the error number of
  // the first failure since the beginning.
  int Flush() noexcept;

  const BatchLogHeader& header() const { return header_; }
  // Whether batches are no longer recorded, because of a failure or the limit.
  bool ended() const { return ended_; }

 private:
  void Write() noexcept;

  void Failed(int error) noexcept {
    error_ = error;
    ended_ = true;
  }

  const OwnedFile file_;
  const ForkGuard fork_guard_;
  const BatchLogHeader header_;
  const std::uint64_t max_bytes_;
  std::vector<std::uint8_t> buffer_;
  std::size_t used_ = 0;          // bytes of buffer_
  std::uint64_t position_ = 0;    // bytes in the file
  std::uint64_t next_ = 0;        // the number of the next batch
  std::uint64_t written_at_ = 0;  // ticks: of the latest Write
  int error_ = 0;
  bool ended_ = false;
};

}  // namespace engine

#endif  // ENGINE_RUNTIME_BATCH_LOG_H_
