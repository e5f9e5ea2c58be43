#include "engine/runtime/batch_log.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/tick_clock.h"
#include "engine/base/word_hash.h"

namespace engine {
namespace {

constexpr char kMagic[16] = "envpool_py log\1";
constexpr std::size_t kHeaderBytes = 40;
constexpr std::size_t kCheckBytes = 4;
constexpr std::size_t kMaxVarintBytes = 5;  // of 33 bits
constexpr std::size_t kBufferBytes = 64 << 10;
constexpr double kFlushNs = 2e8;
constexpr std::uint32_t kHasDigests = 1;

std::size_t MaxBatchBytes(const BatchLogHeader& header) {
  const std::size_t digest = header.has_digests ? 4 : 0;
  return std::size_t{header.batch_size} * (2 * kMaxVarintBytes + digest) + kCheckBytes;
}

void Put32(std::uint8_t* at, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

std::uint32_t Get32(const std::uint8_t* at) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= std::uint32_t{at[i]} << (8 * i);
  return value;
}

std::uint8_t* PutVarint(std::uint8_t* at, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<std::uint8_t>(value | 0x80);
  *at++ = static_cast<std::uint8_t>(value);
  return at;
}

// The end of the number at `at`; null if it does not end before `end`, or is too long.
const std::uint8_t* GetVarint(const std::uint8_t* at, const std::uint8_t* end,
                              std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < kMaxVarintBytes && at < end; ++i) {
    const std::uint8_t byte = *at++;
    value |= std::uint64_t{byte & 0x7FU} << (7 * i);
    if ((byte & 0x80U) == 0) return at;
  }
  return nullptr;
}

// A hash of the bytes and of the number of the batch, so that no part of a log can take the place
// of another one.
std::uint32_t CheckOf(const std::uint8_t* begin, const std::uint8_t* end, std::uint64_t number) {
  const auto n = static_cast<std::size_t>(end - begin);
  std::uint64_t hash = n;
  MixWord(hash, number);
  MixBytes(hash, begin, n);
  return static_cast<std::uint32_t>(hash >> 32);
}

[[noreturn]] void ThrowErrno(const char* what) {
  throw Error(ErrorKind::kResources,
              std::string(what) + ": " + std::generic_category().message(errno));
}

std::array<std::uint8_t, kHeaderBytes> HeaderBytes(const BatchLogHeader& header) {
  std::array<std::uint8_t, kHeaderBytes> bytes = {};
  std::memcpy(bytes.data(), kMagic, sizeof(kMagic));
  Put32(&bytes[16], header.num_envs);
  Put32(&bytes[20], header.batch_size);
  Put32(&bytes[24], header.has_digests ? kHasDigests : 0);
  Put32(&bytes[28], static_cast<std::uint32_t>(header.first));
  Put32(&bytes[32], static_cast<std::uint32_t>(header.first >> 32));
  Put32(&bytes[36], CheckOf(bytes.data(), &bytes[36], 0));
  return bytes;
}

}  // namespace

OwnedFile::~OwnedFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

// --- Reading -------------------------------------------------------------------------------------

BatchLogReader::BatchLogReader(int descriptor) : file_(descriptor), buffer_(kBufferBytes) {
  while (end_ < kHeaderBytes && Fill()) continue;
  const std::uint8_t* const bytes = buffer_.data();
  if (end_ < kHeaderBytes || std::memcmp(bytes, kMagic, sizeof(kMagic)) != 0 ||
      Get32(bytes + 36) != CheckOf(bytes, bytes + 36, 0)) {
    throw Error(ErrorKind::kReplay, "expected a log of batches, got another file");
  }
  header_ = {.num_envs = Get32(bytes + 16),
             .batch_size = Get32(bytes + 20),
             .has_digests = (Get32(bytes + 24) & kHasDigests) != 0,
             .first = Get32(bytes + 28) | std::uint64_t{Get32(bytes + 32)} << 32};
  // A pool has at most 2^31 environments, and MaxBatchBytes of memory are needed.
  if (header_.batch_size == 0 || header_.batch_size > header_.num_envs ||
      header_.num_envs > INT32_MAX) {
    throw Error(ErrorKind::kReplay, "the log is damaged: its batch size is " +
                                        std::to_string(header_.batch_size) + " of " +
                                        std::to_string(header_.num_envs) + " environments");
  }
  begin_ = position_ = kHeaderBytes;
  next_ = header_.first;
}

// Reads more into buffer_. Returns false at the end of the file.
bool BatchLogReader::Fill() {
  if (begin_ > 0) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  ssize_t got = 0;
  do {
    got = pread(file_.descriptor(), buffer_.data() + end_, buffer_.size() - end_,
                static_cast<off_t>(read_to_));
  } while (got < 0 && errno == EINTR);
  if (got < 0) ThrowErrno("the log of batches cannot be read");
  end_ += static_cast<std::size_t>(got);
  read_to_ += static_cast<std::uint64_t>(got);
  return got > 0;
}

const std::uint8_t* BatchLogReader::Parse(const std::uint8_t* data, const std::uint8_t* end) {
  const std::uint8_t* at = data;
  std::int64_t next = 0;
  ids_.clear();
  digests_.clear();
  while (ids_.size() < header_.batch_size) {
    std::uint64_t step = 0;
    std::uint64_t more = 0;
    if ((at = GetVarint(at, end, step)) == nullptr) return nullptr;
    if ((at = GetVarint(at, end, more)) == nullptr) return nullptr;
    const std::int64_t first =
        next + (static_cast<std::int64_t>(step >> 1) ^ -static_cast<std::int64_t>(step & 1));
    if (first < 0 || first >= header_.num_envs) return nullptr;
    if (more >= header_.batch_size - ids_.size()) return nullptr;
    next = first + static_cast<std::int64_t>(more) + 1;
    if (next > header_.num_envs) return nullptr;
    for (std::int64_t id = first; id < next; ++id) ids_.push_back(static_cast<std::uint32_t>(id));
  }
  if (header_.has_digests) {
    for (std::uint32_t row = 0; row < header_.batch_size; ++row, at += 4) {
      if (end - at < 4) return nullptr;
      digests_.push_back(Get32(at));
    }
  }
  if (end - at < static_cast<std::ptrdiff_t>(kCheckBytes)) return nullptr;
  return Get32(at) == CheckOf(data, at, next_) ? at + kCheckBytes : nullptr;
}

bool BatchLogReader::Next() {
  for (;;) {
    const std::uint8_t* const data = buffer_.data() + begin_;
    const std::uint8_t* const end = buffer_.data() + end_;
    if (const std::uint8_t* const next = Parse(data, end); next != nullptr) {
      const auto bytes = static_cast<std::size_t>(next - data);
      begin_ += bytes;
      position_ += bytes;
      ++next_;
      return true;
    }
    // More bytes may complete the batch, unless there are more than any batch has.
    if (end_ - begin_ >= MaxBatchBytes(header_) || !Fill()) return false;
  }
}

// --- Writing -------------------------------------------------------------------------------------

BatchLogWriter::BatchLogWriter(int descriptor, const BatchLogHeader& header,
                               std::uint64_t max_bytes)
    : file_(descriptor),
      header_(header),
      max_bytes_(max_bytes == 0 ? UINT64_MAX : max_bytes),
      buffer_(kBufferBytes + MaxBatchBytes(header)),
      next_(header.first),
      written_at_(TickClock::Now()) {}

void BatchLogWriter::ContinueAfter(const BatchLogReader& read) noexcept {
  position_ = read.position();
  next_ = read.next();
  if (ftruncate(file_.descriptor(), static_cast<off_t>(position_)) != 0) Failed(errno);
}

void BatchLogWriter::Begin() {
  const auto bytes = HeaderBytes(header_);
  std::copy(bytes.begin(), bytes.end(), buffer_.begin());
  used_ = bytes.size();
  Write();
  if (error_ != 0) {
    errno = error_;
    ThrowErrno("the log of batches cannot be written");
  }
}

BatchLogWriter::~BatchLogWriter() {
  if (!fork_guard_.InChild()) Write();
}

void BatchLogWriter::Add(const std::uint32_t* ids, const std::uint32_t* digests) noexcept {
  if (ended_) return;
  std::uint8_t* const begin = buffer_.data() + used_;
  std::uint8_t* at = begin;
  std::int64_t next = 0;
  for (std::uint32_t row = 0; row < header_.batch_size;) {
    const std::uint32_t first = ids[row];
    std::uint32_t n = 1;
    while (row + n < header_.batch_size && ids[row + n] == first + n) ++n;
    const std::int64_t step = std::int64_t{first} - next;
    at = PutVarint(at,
                   static_cast<std::uint64_t>(step) << 1 ^ static_cast<std::uint64_t>(step >> 63));
    at = PutVarint(at, n - 1);
    next = std::int64_t{first} + n;
    row += n;
  }
  if (header_.has_digests) {
    for (std::uint32_t row = 0; row < header_.batch_size; ++row, at += 4) Put32(at, digests[row]);
  }
  Put32(at, CheckOf(begin, at, next_));
  at += kCheckBytes;
  const auto bytes = static_cast<std::size_t>(at - begin);
  if (position_ + used_ + bytes > max_bytes_) {
    ended_ = true;
    return Write();
  }
  used_ += bytes;
  ++next_;
  if (used_ >= kBufferBytes || TickClock::Nanoseconds(TickClock::Now() - written_at_) >= kFlushNs) {
    Write();
  }
}

void BatchLogWriter::Write() noexcept {
  std::size_t done = 0;
  while (done < used_ && error_ == 0) {
    const ssize_t put = pwrite(file_.descriptor(), buffer_.data() + done, used_ - done,
                               static_cast<off_t>(position_));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      Failed(put < 0 ? errno : EIO);
      break;
    }
    done += static_cast<std::size_t>(put);
    position_ += static_cast<std::uint64_t>(put);
  }
  used_ = 0;
  written_at_ = TickClock::Now();
}

int BatchLogWriter::Flush() noexcept {
  Write();
  if (error_ == 0 && fdatasync(file_.descriptor()) != 0 && errno != EINVAL && errno != EROFS) {
    error_ = errno;  // EINVAL, EROFS: not a file on a disk
  }
  return error_;
}

}  // namespace engine
