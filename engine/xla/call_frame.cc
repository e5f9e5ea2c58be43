#include "engine/xla/call_frame.h"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <utility>

namespace engine::xla {
namespace {

constexpr auto kDTypes =
    std::to_array<std::pair<abi::DataType, DType>>({{abi::DataType::kPred, DType::kBool},
                                                    {abi::DataType::kS8, DType::kInt8},
                                                    {abi::DataType::kS16, DType::kInt16},
                                                    {abi::DataType::kS32, DType::kInt32},
                                                    {abi::DataType::kS64, DType::kInt64},
                                                    {abi::DataType::kU8, DType::kUInt8},
                                                    {abi::DataType::kU16, DType::kUInt16},
                                                    {abi::DataType::kU32, DType::kUInt32},
                                                    {abi::DataType::kU64, DType::kUInt64},
                                                    {abi::DataType::kF32, DType::kFloat32},
                                                    {abi::DataType::kF64, DType::kFloat64}});

CallArray Read(const void* buffer, const char* name) {
  const auto& given = *static_cast<const abi::Buffer*>(buffer);
  const auto* const found =
      std::ranges::find(kDTypes, given.dtype, &std::pair<abi::DataType, DType>::first);
  if (found == kDTypes.end()) {
    throw Error(ErrorKind::kInputType,
                std::string(name) +
                    ": expected bool, an integer or a float of 32 or 64 bits, got "
                    "XLA's type " +
                    std::to_string(static_cast<int>(given.dtype)));
  }
  return {.data = static_cast<std::byte*>(given.data),
          .dtype = found->second,
          .shape = given.dims,
          .num_dims = static_cast<std::size_t>(given.rank)};
}

[[noreturn]] void ThrowNoArray(const char* name) {
  throw Error(ErrorKind::kInputType, std::string(name) + ": expected an array, got another value");
}

// Quoted exceptions of environments may be any bytes, but Python decodes the message as UTF-8.
std::string Printable(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size());
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    if (code < 0x80 && code != 0) {
      text += byte;
    } else {
      text += "\\x";
      text += kDigits[code >> 4];
      text += kDigits[code & 15];
    }
  }
  return text;
}

}  // namespace

std::int64_t CallArray::size() const {
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < num_dims; ++i) elements *= shape[i];
  return elements;
}

CallArray CallFrame::Arg(std::size_t i, const char* name) const {
  if (frame_.args.types[i] != abi::kBufferArgument) ThrowNoArray(name);
  return Read(frame_.args.args[i], name);
}

CallArray CallFrame::Result(std::size_t i) const {
  if (frame_.rets.types[i] != abi::kBufferResult) ThrowNoArray("results");
  return Read(frame_.rets.rets[i], "results");
}

std::span<const std::int64_t> CallFrame::Attribute(std::string_view name) const {
  for (std::int64_t i = 0; i < frame_.attrs.size; ++i) {
    const abi::ByteSpan& found = *frame_.attrs.names[i];
    if (std::string_view(found.data, found.size) != name) continue;
    if (frame_.attrs.types[i] != abi::kArrayAttribute) break;
    const auto& array = *static_cast<const abi::Array*>(frame_.attrs.attrs[i]);
    if (array.dtype != abi::DataType::kS64) break;
    return {static_cast<const std::int64_t*>(array.data), array.size};
  }
  throw Error(ErrorKind::kInput,
              "attribute \"" + std::string(name) + "\": expected an array of int64, got none");
}

Fields ReadFields(const CallFrame& frame) {
  const std::span<const std::int64_t> numbers = frame.Attribute("fields");
  if (numbers.size() < 2 || numbers[1] < 0) {
    throw Error(ErrorKind::kInput,
                "attribute \"fields\": expected a stamp, a number of buffers and indices");
  }
  return {.layout_stamp = numbers[0],
          .num_buffers = static_cast<std::size_t>(numbers[1]),
          .indices = numbers.subspan(2)};
}

CallArray ElementOf(CallArray array, std::int64_t at) {
  const std::int64_t length = array.num_dims == 0 ? 0 : array.shape[0];
  if (at < 0 || at >= length) {
    throw Error(ErrorKind::kInput, "t: expected an integer in [0, " + std::to_string(length - 1) +
                                       "], got " + std::to_string(at));
  }
  ++array.shape;
  --array.num_dims;
  array.data += static_cast<std::size_t>(at) * array.bytes();
  return array;
}

void CheckArray(const CallArray& array, const char* name, DType dtype,
                std::span<const std::int64_t> shape) {
  if (array.dtype == dtype &&
      std::equal(shape.begin(), shape.end(), array.shape, array.shape + array.num_dims)) {
    return;
  }
  throw Error(ErrorKind::kInput, std::string(name) + ": expected " + NameOf(dtype) + " " +
                                     ShapeToString(shape.data(), shape.size()) + ", got " +
                                     NameOf(array.dtype) + " " +
                                     ShapeToString(array.shape, array.num_dims));
}

bool AnswersMetadata(abi::CallFrame& frame) {
  abi::Extension* const extension = frame.extension_start;
  if (extension == nullptr || extension->type != abi::kMetadataExtension) return false;
  abi::Metadata& metadata = *reinterpret_cast<abi::MetadataExtension*>(extension)->metadata;
  // Reports XLA's own version if its layout is known, because XLA may reject the oldest version.
  int minor = abi::kFirstMinorVersion;
  if (frame.api != nullptr && frame.api->api_version.major_version == abi::kMajorVersion) {
    minor = std::clamp(frame.api->api_version.minor_version, abi::kFirstMinorVersion,
                       abi::kLastMinorVersion);
  }
  metadata.api_version.major_version = abi::kMajorVersion;
  metadata.api_version.minor_version = minor;
  metadata.traits = 0;
  return true;
}

abi::Error* MakeError(const abi::CallFrame& frame, abi::ErrorCode code, std::string_view name,
                      std::string_view message) {
  const std::string text = std::string(name) + ": " + Printable(message);
  abi::ErrorCreateArgs args{.struct_size = sizeof(abi::ErrorCreateArgs),
                            .extension_start = nullptr,
                            .message = text.c_str(),
                            .code = code};
  return frame.api->create_error(&args);
}

abi::Error* CaughtError(const abi::CallFrame& frame) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return MakeError(frame, CodeOf(error.kind()), NameOf(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    return MakeError(frame, abi::ErrorCode::kResourceExhausted, "OutOfMemoryError",
                     "the system refuses memory");
  } catch (const std::exception& error) {
    return MakeError(frame, abi::ErrorCode::kInternal, "InternalError", error.what());
  } catch (...) {
    return MakeError(frame, abi::ErrorCode::kInternal, "InternalError",
                     "an exception that is not a std::exception");
  }
}

abi::ErrorCode CodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kResetNeeded:
    case ErrorKind::kNothingInFlight:
    case ErrorKind::kReentry:
    case ErrorKind::kClosed:
    case ErrorKind::kForked:
      return abi::ErrorCode::kFailedPrecondition;
    case ErrorKind::kBatchMemory:
    case ErrorKind::kResources:
    case ErrorKind::kMemory:
      return abi::ErrorCode::kResourceExhausted;
    case ErrorKind::kInternal:
      return abi::ErrorCode::kInternal;
    default:
      return abi::ErrorCode::kInvalidArgument;
  }
}

}  // namespace engine::xla
