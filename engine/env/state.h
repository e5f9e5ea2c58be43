// The bytes of an environment's state. Save writes them with a StateWriter, and Load reads them in
// the same order with a StateReader (environment.h). Valid only during that call, on the thread
// that holds the environment.
//
//   void Save(engine::StateWriter& state) const {
//     state.Put(position_);
//     state.PutAll(std::span(enemies_));  // any number of elements
//   }
//   void Load(engine::StateReader& state) {
//     state.Get(position_);
//     enemies_ = state.GetVector<Enemy>();
//   }
//
// Numbers, enumerations and structs are copied byte by byte. So a struct must not contain pointers.
// Types that cannot be copied as bytes (strings, vectors) do not compile.
//
// The bytes may be other ones than Save has written: a checksum does not detect an intended change.
// So Load checks each value that later code uses as an index, as a count or as the end of a loop.
#ifndef ENGINE_ENV_STATE_H_
#define ENGINE_ENV_STATE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace engine {

template <class T>
concept PlainState =
    std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_member_pointer_v<T>;

[[noreturn]] void ThrowOtherState(const char* what);

// For Load. Throws Error{kState} unless `holds`, which is true for all states that Save writes.
// `what` names what is checked, such as "the bodies".
inline void ExpectState(bool holds, const char* what) {
  if (!holds) [[unlikely]]
    ThrowOtherState(what);
}

class StateWriter {
 public:
  // Appends to `bytes`, which outlives the writer.
  explicit StateWriter(std::string& bytes) : bytes_(bytes) {}

  template <PlainState T>
  void Put(const T& value) {
    Append(&value, sizeof(T));
  }
  // Writes the number of elements, then the elements.
  template <class T, std::size_t kExtent>
    requires PlainState<std::remove_const_t<T>>
  void PutAll(std::span<T, kExtent> values) {
    Put(static_cast<std::uint64_t>(values.size()));
    Append(values.data(), values.size_bytes());
  }
  void PutText(std::string_view text) { PutAll(std::span(text.data(), text.size())); }

 private:
  void Append(const void* data, std::size_t bytes) {
    bytes_.append(static_cast<const char*>(data), bytes);
  }

  std::string& bytes_;
};

// Each method throws Error{kState} if too few bytes are left, or if the number of elements differs.
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : rest_(bytes) {}

  template <PlainState T>
  T Get() {
    T value;
    Get(value);
    return value;
  }
  template <PlainState T>
  void Get(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = Take(1).front() != 0;  // a bool must not get a byte other than 0 or 1
      return;
    }
    const std::string_view bytes = Take(sizeof(T));
    std::memcpy(static_cast<void*>(&value), bytes.data(), bytes.size());
  }
  // Reads a number that must be in [low, high]. `name` is what the message calls it.
  template <class T>
    requires std::is_arithmetic_v<T>
  void GetWithin(const char* name, T& value, std::type_identity_t<T> low,
                 std::type_identity_t<T> high) {
    const T got = Get<T>();
    if (!(low <= got && got <= high)) [[unlikely]]  // also if it is not a number
      ThrowOutside(name, std::to_string(got), std::to_string(low), std::to_string(high));
    value = got;
  }
  // Reads all elements that PutAll has written, whatever their number.
  template <PlainState T>
  std::vector<T> GetVector() {
    std::vector<T> values(TakeCount(sizeof(T)));
    const std::string_view bytes = Take(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
    return values;
  }
  // Reads into `values`. PutAll must have written values.size() elements.
  template <PlainState T, std::size_t kExtent>
  void GetAll(std::span<T, kExtent> values) {
    const std::size_t count = TakeCount(sizeof(T));
    if (count != values.size()) ThrowOtherCount(values.size(), count);
    const std::string_view bytes = Take(values.size_bytes());
    if (!bytes.empty()) std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
  }
  std::string GetText() { return std::string(GetTextView()); }
  // The view is valid as long as the bytes that were passed to the constructor.
  std::string_view GetTextView() { return Take(TakeCount(1)); }

  // The number of bytes that have not been read.
  std::size_t left() const { return rest_.size(); }
  // Throws Error{kState} if bytes are left.
  void ExpectEnd() const;

 private:
  std::string_view Take(std::size_t bytes) {
    if (bytes > rest_.size()) ThrowTooShort(bytes);
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  // Reads a number of elements. Throws if fewer bytes are left, so that invalid bytes cannot cause
  // a large allocation.
  std::size_t TakeCount(std::size_t element_bytes);
  [[noreturn]] void ThrowTooShort(std::size_t bytes) const;
  [[noreturn]] static void ThrowOtherCount(std::size_t expected, std::size_t got);
  [[noreturn]] static void ThrowOutside(const char* name, const std::string& got,
                                        const std::string& low, const std::string& high);

  std::string_view rest_;
};

}  // namespace engine

#endif  // ENGINE_ENV_STATE_H_
