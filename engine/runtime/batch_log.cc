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

constexpr char kMagic[16] = "envpool_py log\2";
constexpr std::size_t kHeaderBytes = 40;
constexpr std::size_t kCheckBytes = 4;
constexpr std::size_t kBufferBytes = 64 << 10;
constexpr double kFlushNs = 2e8;
constexpr std::uint32_t kHasDigests = 1;

// The bytes of an id.
std::size_t IdBytes(const BatchLogHeader& header) {
  if (header.num_envs <= 1U << 8) return 1;
  return header.num_envs <= 1U << 16 ? 2 : 4;
}

std::size_t BatchBytes(const BatchLogHeader& header) {
  const std::size_t digest = header.has_digests ? 4 : 0;
  return std::size_t{header.batch_size} * (IdBytes(header) + digest) + kCheckBytes;
}

void Put32(std::uint8_t* at, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

std::uint32_t Get32(const std::uint8_t* at) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= std::uint32_t{at[i]} << (8 * i);
  return value;
}

// Writes numbers of which each fits into a T; returns the end.
template <class T>
std::uint8_t* PutAll(std::uint8_t* at, const std::uint32_t* numbers, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i, at += sizeof(T)) {
    const T number = static_cast<T>(numbers[i]);
    std::memcpy(at, &number, sizeof(T));
  }
  return at;
}
std::uint8_t* PutAll(std::uint8_t* at, const std::uint32_t* numbers, std::size_t n,
                     std::size_t bytes) {
  if (bytes == 1) return PutAll<std::uint8_t>(at, numbers, n);
  return bytes == 2 ? PutAll<std::uint16_t>(at, numbers, n) : PutAll<std::uint32_t>(at, numbers, n);
}

template <class T>
void GetAll(const std::uint8_t* at, std::vector<std::uint32_t>& numbers) {
  for (std::uint32_t& number : numbers) {
    T read;
    std::memcpy(&read, at, sizeof(T));
    number = read;
    at += sizeof(T);
  }
}
void GetAll(const std::uint8_t* at, std::vector<std::uint32_t>& numbers, std::size_t bytes) {
  if (bytes == 1) return GetAll<std::uint8_t>(at, numbers);
  return bytes == 2 ? GetAll<std::uint16_t>(at, numbers) : GetAll<std::uint32_t>(at, numbers);
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
  // A pool has at most 2^31 environments, and BatchBytes of memory are needed.
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

bool BatchLogReader::Parse(const std::uint8_t* data) {
  const std::uint8_t* const check = data + BatchBytes(header_) - kCheckBytes;
  if (Get32(check) != CheckOf(data, check, next_)) return false;
  const std::size_t bytes = IdBytes(header_);
  ids_.resize(header_.batch_size);
  GetAll(data, ids_, bytes);
  if (*std::ranges::max_element(ids_) >= header_.num_envs) return false;
  digests_.resize(header_.has_digests ? header_.batch_size : 0);
  GetAll(data + header_.batch_size * bytes, digests_, sizeof(std::uint32_t));
  return true;
}

bool BatchLogReader::Next() {
  const std::size_t bytes = BatchBytes(header_);
  while (end_ - begin_ < bytes) {
    if (!Fill()) return false;
  }
  if (!Parse(buffer_.data() + begin_)) return false;
  begin_ += bytes;
  position_ += bytes;
  ++next_;
  return true;
}

// --- Writing -------------------------------------------------------------------------------------

BatchLogWriter::BatchLogWriter(int descriptor, const BatchLogHeader& header,
                               std::uint64_t max_bytes)
    : file_(descriptor),
      header_(header),
      max_bytes_(max_bytes == 0 ? UINT64_MAX : max_bytes),
      buffer_(kBufferBytes + BatchBytes(header)),
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
  const std::size_t n = header_.batch_size;
  std::uint8_t* at = PutAll(begin, ids, n, IdBytes(header_));
  if (header_.has_digests) at = PutAll(at, digests, n, sizeof(std::uint32_t));
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
