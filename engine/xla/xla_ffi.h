// The part of XLA's typed FFI that the handlers use: structures that have the same layout in
// versions 0.1 to 0.4 of the interface (jaxlib 0.4.34 to 0.11.2), and values of its enums. The
// build does not need XLA's headers; `python -m tools.xla_abi` compares this file with the
// headers of an installed jaxlib. Pure data.
//
// Each structure begins with its size and a list of extensions. XLA only appends members, so a
// structure of a newer version may be larger than the one declared here.
#ifndef ENGINE_XLA_XLA_FFI_H_
#define ENGINE_XLA_XLA_FFI_H_

#include <cstddef>
#include <cstdint>

namespace engine::xla::abi {

// The versions with the layout declared here. A handler reports one of them. XLA accepts handlers
// of its own version and of older versions.
inline constexpr int kMajorVersion = 0;
inline constexpr int kFirstMinorVersion = 1;
inline constexpr int kLastMinorVersion = 4;

// XLA_FFI_Error_Code.
enum class ErrorCode : int {
  kInvalidArgument = 3,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kInternal = 13,
};

// XLA_FFI_DataType.
enum class DataType : int {
  kPred = 1,
  kS8 = 2,
  kS16 = 3,
  kS32 = 4,
  kS64 = 5,
  kU8 = 6,
  kU16 = 7,
  kU32 = 8,
  kU64 = 9,
  kF32 = 11,
  kF64 = 12,
};

inline constexpr int kMetadataExtension = 1;  // XLA_FFI_Extension_Metadata
inline constexpr int kBufferArgument = 1;     // XLA_FFI_ArgType_BUFFER
inline constexpr int kBufferResult = 1;       // XLA_FFI_RetType_BUFFER
inline constexpr int kArrayAttribute = 1;     // XLA_FFI_AttrType_ARRAY
inline constexpr int kExecuteStage = 3;       // XLA_FFI_ExecutionStage_EXECUTE

struct Error;             // XLA_FFI_Error
struct ExecutionContext;  // XLA_FFI_ExecutionContext; since 0.4 XLA_FFI_InvokeContext
struct InternalApi;       // XLA_FFI_InternalApi

// XLA_FFI_Extension_Base; since 0.4 XLA_FFI_InternalExtension.
struct Extension {
  std::size_t struct_size;
  int type;
  Extension* next;
};

// XLA_FFI_Api_Version.
struct ApiVersion {
  std::size_t struct_size;
  Extension* extension_start;
  int major_version;
  int minor_version;
};

// XLA_FFI_Error_Create_Args.
struct ErrorCreateArgs {
  std::size_t struct_size;
  Extension* extension_start;
  const char* message;
  ErrorCode code;
};

// XLA_FFI_Stream_Get_Args.
struct StreamGetArgs {
  std::size_t struct_size;
  Extension* extension_start;
  ExecutionContext* context;
  void* stream;  // out: a CUstream
};

// The first members of XLA_FFI_Api.
struct Api {
  std::size_t struct_size;
  Extension* extension_start;
  ApiVersion api_version;
  const InternalApi* internal_api;
  Error* (*create_error)(ErrorCreateArgs* args);
  void (*unused[3])();
  Error* (*get_stream)(StreamGetArgs* args);
};

// XLA_FFI_Buffer. Row-major, because the calls request that layout.
struct Buffer {
  std::size_t struct_size;
  Extension* extension_start;
  DataType dtype;
  void* data;
  std::int64_t rank;
  std::int64_t* dims;
};

// XLA_FFI_ByteSpan.
struct ByteSpan {
  const char* data;
  std::size_t size;
};

// XLA_FFI_Array.
struct Array {
  DataType dtype;
  std::size_t size;
  void* data;
};

// XLA_FFI_Args.
struct Args {
  std::size_t struct_size;
  Extension* extension_start;
  std::int64_t size;
  int* types;
  void** args;
};

// XLA_FFI_Rets.
struct Rets {
  std::size_t struct_size;
  Extension* extension_start;
  std::int64_t size;
  int* types;
  void** rets;
};

// XLA_FFI_Attrs; sorted by name.
struct Attrs {
  std::size_t struct_size;
  Extension* extension_start;
  std::int64_t size;
  int* types;
  ByteSpan** names;
  void** attrs;
};

// The first members of XLA_FFI_CallFrame.
struct CallFrame {
  std::size_t struct_size;
  Extension* extension_start;
  const Api* api;
  ExecutionContext* context;
  int stage;
  Args args;
  Rets rets;
  Attrs attrs;
};

// The first members of XLA_FFI_Metadata.
struct Metadata {
  std::size_t struct_size;
  ApiVersion api_version;
  std::uint32_t traits;
};

// XLA_FFI_Metadata_Extension.
struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

// XLA_FFI_Handler. Null: success.
using Handler = Error*(CallFrame* frame);

}  // namespace engine::xla::abi

#endif  // ENGINE_XLA_XLA_FFI_H_
