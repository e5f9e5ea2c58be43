// Conversions of options, spaces and errors between C++ types and the C interface of plug-ins
// (abi_data.h). The plug-in uses them in abi_class.h, the core in abi_group.cc. Steps use only the
// functions that report errors. Callable from any thread.
#ifndef ENGINE_C_INTERFACE_ABI_CONVERT_H_
#define ENGINE_C_INTERFACE_ABI_CONVERT_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/c_interface/plugin_abi.h"
#include "engine/env/attributes.h"
#include "engine/env/params.h"
#include "engine/env/spec.h"

namespace engine {

inline std::string_view ViewOf(const envpool_text& text) {
  if (text.bytes == 0) return {};
  if (text.data == nullptr) throw std::invalid_argument("a text of null");
  return std::string_view(text.data, text.bytes);
}
inline std::string TextOf(const envpool_text& text) { return std::string(ViewOf(text)); }

// Builds C structs, and owns the memory that they point to.
class AbiMemory {
 public:
  AbiMemory() = default;
  AbiMemory(const AbiMemory&) = delete;
  AbiMemory& operator=(const AbiMemory&) = delete;

  envpool_text Text(std::string_view text);
  envpool_options Options(const ParamValues& values);
  // Returns an array of schema.size() options.
  const envpool_option* Schema(const ParamSchema& schema);
  envpool_spec Spec(const EnvSpec& spec);
  // Returns an array of attributes.size() attributes.
  const envpool_attribute* Attributes(const std::vector<AttributeSpec>& attributes);

 private:
  template <class T>
  T* Array(std::size_t count);
  template <class T>
  const T* CopyOf(const T* values, std::size_t count);
  envpool_value Value(const ParamValue& value);
  envpool_space Space(const SpaceSpec& space, std::string_view key);

  std::deque<std::unique_ptr<std::byte[]>> blocks_;
};

// These functions throw Error{kPlugin} if the structs are malformed (a bug of the plug-in).
ParamValues ParamValuesOf(const envpool_options& options);
ParamSchema ParamSchemaOf(const envpool_option* options, std::uint64_t count);
EnvSpec EnvSpecOf(const envpool_spec& spec);
std::vector<AttributeSpec> AttributesOf(const envpool_attribute* attributes, std::uint64_t count);

// Error kinds without a constant of their own become ENVPOOL_ERROR_FAILED; all unknown constants
// become kInternal.
std::uint32_t AbiErrorOf(ErrorKind kind);
ErrorKind ErrorKindOf(std::uint32_t abi_error);

// Reports the exception that is being handled. Call it in a catch block.
void ReportException(const envpool_errors& errors, std::uint32_t item) noexcept;

// Receives the error of one call.
class AbiErrorSlot {
 public:
  AbiErrorSlot() = default;
  AbiErrorSlot(const AbiErrorSlot&) = delete;
  AbiErrorSlot& operator=(const AbiErrorSlot&) = delete;
  const envpool_errors* errors() const { return &errors_; }
  // Throws the reported error, as Error or std::bad_alloc. Without a report, throws
  // Error{kInternal}.
  [[noreturn]] void Throw() const;
  const std::string& message() const { return message_; }

 private:
  static void Report(void* context, std::uint32_t item, std::uint32_t kind, envpool_text message);

  std::uint32_t kind_ = ENVPOOL_ERROR_FAILED;
  std::string message_ = "the plug-in has reported no reason";
  envpool_errors errors_{.context = this, .report = &Report};
};

}  // namespace engine

#endif  // ENGINE_C_INTERFACE_ABI_CONVERT_H_
