#include "engine/group/state_bytes.h"

#include <bit>
#include <charconv>
#include <sstream>
#include <utility>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/word_hash.h"
#include "engine/env/state.h"

namespace engine {
namespace {

static_assert(std::endian::native == std::endian::little,
              "states contain numbers in the byte order of the processor, and do not record which");

// Every state begins with this number and the version of its format.
constexpr std::uint64_t kMagic = 0x6574617473766e65;  // "envstate"
constexpr std::uint32_t kFormat = 3;
constexpr std::size_t kChecksumBytes = sizeof(std::uint64_t);

std::uint64_t ChecksumOf(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  MixBytes(hash, bytes.data(), bytes.size());
  return hash;
}

// The shortest text that reads back as the same number.
std::string ValueText(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}
std::string ValueText(std::int64_t value) { return std::to_string(value); }
std::string ValueText(bool value) { return value ? "true" : "false"; }
std::string ValueText(std::monostate) { return "None"; }
std::string ValueText(const std::string& value) {
  // Escapes line breaks, so that the text is one line.
  std::string text = "\"";
  for (const char letter : value)
    text += letter == '\n' ? std::string("\\n") : std::string(1, letter);
  return text + "\"";
}
template <class T>
std::string ValueText(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) text += (text.size() > 1 ? ", " : "") + ValueText(value);
  return text + "]";
}
std::string ValueText(const NumberTable& table) {
  std::string text = "{";
  for (const auto& [name, values] : table)
    text += (text.size() > 1 ? ", " : "") + name + ": " + ValueText(values);
  return text + "}";
}

[[noreturn]] void RefuseState(const std::string& where, const std::string& why) {
  throw Error(ErrorKind::kState, where + ": " + why);
}

// Names the first option that differs.
[[noreturn]] void RefuseOptions(const std::string& where, const std::string& saved,
                                const std::string& here) {
  std::istringstream saved_lines(saved);
  std::istringstream own_lines(here);
  std::string theirs;
  std::string ours;
  while (std::getline(saved_lines, theirs) && std::getline(own_lines, ours)) {
    if (theirs != ours) break;
  }
  RefuseState(where, "expected a state that was saved with the option " + ours + ", got one with " +
                         theirs);
}

}  // namespace

std::string OptionsText(const ParamValues& values) {
  std::string text;
  for (const auto& [name, value] : values.all())
    text += name + "=" + std::visit([](const auto& held) { return ValueText(held); }, value) + "\n";
  return text;
}

std::string WrapState(const StateKey& key, std::string_view state) {
  std::string bytes;
  StateWriter writer(bytes);
  writer.Put(kMagic);
  writer.Put(kFormat);
  writer.Put(key.class_version);
  writer.PutText(key.task_id);
  writer.PutText(key.options);
  writer.PutText(state);
  writer.Put(ChecksumOf(bytes));
  return bytes;
}

std::string_view UnwrapState(const StateKey& key, std::string_view bytes,
                             const std::string& where) {
  constexpr std::size_t kMin =
      sizeof(kMagic) + sizeof(kFormat) + sizeof(key.class_version) + kChecksumBytes;
  if (bytes.size() < kMin || StateReader(bytes).Get<std::uint64_t>() != kMagic)
    RefuseState(where, "expected bytes of save_states, got other ones");
  const std::string_view checked = bytes.substr(0, bytes.size() - kChecksumBytes);
  StateReader reader(checked);
  reader.Get<std::uint64_t>();
  const auto format = reader.Get<std::uint32_t>();
  if (format != kFormat) {
    RefuseState(where, "expected version " + std::to_string(kFormat) +
                           " of the format, got version " + std::to_string(format) +
                           ", of another envpool_py");
  }
  StateReader end(bytes.substr(checked.size()));
  if (end.Get<std::uint64_t>() != ChecksumOf(checked))
    RefuseState(where, "the bytes are damaged or not complete: their checksum is another one");
  const auto class_version = reader.Get<std::uint32_t>();
  const std::string task_id = reader.GetText();
  if (task_id != key.task_id)
    RefuseState(where, "expected a state of " + key.task_id + ", got one of " + task_id);
  if (class_version != key.class_version) {
    RefuseState(where, "expected a state of version " + std::to_string(key.class_version) +
                           " of the environment's class (kStateVersion), got one of version " +
                           std::to_string(class_version));
  }
  const std::string options = reader.GetText();
  if (options != key.options) RefuseOptions(where, options, key.options);
  const std::string_view state = reader.GetTextView();
  reader.ExpectEnd();
  return state;
}

}  // namespace engine
