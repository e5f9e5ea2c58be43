// The views through which an environment reads its action and writes its observation and infos,
// directly in the batch. Valid only during the call that receives them; one thread at a time.
// ActionRow, for actions of several leaves, is in action_row.h.
#ifndef ENGINE_ENV_ROWS_H_
#define ENGINE_ENV_ROWS_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/env/dtype.h"

namespace engine {

// Whether rows check the index and the element type that an environment passes. In plug-ins they do
// (include/envpool.h). In the core's families they do not, because these are tested in this
// repository and a check is measurable in a light step. All files of a module must be compiled with
// the same value.
#ifdef ENVPOOL_CHECKED_ROWS
inline constexpr bool kCheckedRows = true;
#else
inline constexpr bool kCheckedRows = false;
#endif

// One array of a batch: row r starts at base + r * row_bytes. C-contiguous. In a block of the pool,
// row 0 is aligned to 64 bytes; in memory of a caller, only to the size of its elements.
struct Column {
  std::byte* base = nullptr;
  std::size_t row_bytes = 0;

  std::byte* Row(std::size_t row) const { return base + row * row_bytes; }
};

// The spec of one array of a row: a leaf of the observation, or an info field.
struct RowField {
  // For a leaf: its path of keys, as in "camera/left"; "" if the observation is one leaf.
  std::string name;
  DType dtype = DType::kFloat32;
  std::size_t elements = 1;
};
struct RowFields {
  // `of` is the word for a field in messages: "observation leaf" or "info".
  RowFields(const char* of, std::vector<RowField> all);

  const char* kind;
  std::vector<RowField> fields;
  std::vector<DType> types;  // of `fields`; a compact array, for fast checks

  // Throws Error{kInternal}, whose message has the nearest name, if no field has this name.
  std::size_t IndexOf(std::string_view name) const;

  // Throws Error{kInternal} unless `index` is a field whose elements are of type T. std::byte
  // matches any type.
  template <class T>
  void Check(std::size_t index) const {
    if (index >= types.size()) [[unlikely]]
      ThrowNoField(index);
    if constexpr (!std::same_as<std::remove_cv_t<T>, std::byte>) {
      if (types[index] != DTypeOf<T>()) [[unlikely]]
        ThrowOtherType(index, DTypeOf<T>());
    }
  }

  [[noreturn]] void ThrowNoField(std::size_t index) const;
  [[noreturn]] void ThrowOtherType(std::size_t index, DType used) const;
  [[noreturn]] void ThrowLossy(std::size_t index, const std::string& value) const;
  [[noreturn]] void ThrowArray(std::size_t index) const;
};

// This environment's action, already checked against the action space, which has one leaf. Its
// elements have the space's dtype, except in Environment::StepFloat64.
class ActionView {
 public:
  // `dtype`, that of the elements, is read only if rows are checked.
  explicit ActionView(const std::byte* data, DType dtype = DType::kInt64)
      : data_(data), dtype_(dtype) {}

  // Discrete spaces: the action, in [start, start + n - 1].
  std::int64_t Index() const { return *Data<std::int64_t>(); }
  // Other spaces: the first element; T must be the elements' dtype. std::byte matches any dtype.
  template <class T>
  const T* Data() const {
    if constexpr (kCheckedRows && !std::same_as<std::remove_cv_t<T>, std::byte>) {
      if (dtype_ != DTypeOf<T>()) [[unlikely]]
        ThrowOtherType(dtype_, DTypeOf<T>());
    }
    return reinterpret_cast<const T*>(data_);
  }

 private:
  struct Nothing {
    explicit Nothing(DType) {}
  };

  [[noreturn]] static void ThrowOtherType(DType dtype, DType wanted);

  const std::byte* data_;
  [[no_unique_address]] std::conditional_t<kCheckedRows, DType, Nothing> dtype_;
};

// The row for this environment's observation; leaves are in depth-first order of the observation
// space.
class ObsRow {
 public:
  // `fields` is read only if rows are checked, and by methods that take a name.
  ObsRow(const Column* columns, std::size_t row, const RowFields* fields = nullptr)
      : columns_(columns), row_(row), fields_(fields) {}

  // First element of leaf `leaf`; T must be its dtype. The caller must write every element: the
  // row's earlier content is undefined.
  template <class T>
  T* Data(std::size_t leaf = 0) const {
    if constexpr (kCheckedRows) fields_->Check<T>(leaf);
    return reinterpret_cast<T*>(columns_[leaf].Row(row_));
  }
  // Writes leaf `leaf`, a text: the characters, followed by zeros. Throws Error{kInternal} if the
  // text is longer than the space allows.
  void SetText(std::size_t leaf, std::string_view text) const;
  // The leaf with this path of keys, as in "camera/left". Compares names; access by index is
  // faster.
  template <class T>
  T* Data(std::string_view leaf) const {
    const std::size_t index = fields_->IndexOf(leaf);
    fields_->Check<T>(index);
    return Data<T>(index);
  }

 private:
  const Column* columns_;
  std::size_t row_;
  const RowFields* fields_;
};

// The row for this environment's infos; fields are in the order of EnvSpec::infos. A field that is
// not set stays zero and its mask False.
class InfoRow {
 public:
  // `fields` as in ObsRow.
  InfoRow(const Column* values, const Column* masks, std::size_t row,
          const RowFields* fields = nullptr)
      : values_(values), masks_(masks), row_(row), fields_(fields) {}

  // Sets the field's mask and returns its first element; T must be the field's dtype.
  template <class T>
  T* Data(std::size_t field) const {
    if constexpr (kCheckedRows) fields_->Check<T>(field);
    *reinterpret_cast<bool*>(masks_[field].Row(row_)) = true;
    return reinterpret_cast<T*>(values_[field].Row(row_));
  }
  template <class T>
  T* Data(std::string_view field) const {
    const std::size_t index = fields_->IndexOf(field);
    fields_->Check<T>(index);
    return Data<T>(index);
  }

  // Sets a field of one element; T must be its dtype.
  template <class T>
  void Set(std::size_t field, T value) const {
    *Data<T>(field) = value;
  }
  // Sets the field of this name, of one element. Converts the value to the field's dtype; throws
  // Error{kInternal} if the value does not fit. Compares names; access by index is faster.
  template <class T>
    requires std::is_arithmetic_v<T>
  void Set(std::string_view field, T value) const {
    const std::size_t index = fields_->IndexOf(field);
    if (fields_->fields[index].elements != 1) fields_->ThrowArray(index);
    DispatchDType(fields_->fields[index].dtype, [&](auto zero) {
      using To = decltype(zero);
      if (!Fits<To>(value)) fields_->ThrowLossy(index, std::to_string(value));
      *Data<To>(index) = static_cast<To>(value);
    });
  }

 private:
  // Whether a field of type To can hold the value. Only conversions to a floating-point type may
  // round.
  template <class To, class From>
  static constexpr bool Fits(From value) {
    if constexpr (std::same_as<To, bool> || std::same_as<From, bool>) {
      return !std::same_as<To, bool> || std::same_as<From, bool>;
    } else if constexpr (std::floating_point<To>) {
      return true;
    } else if constexpr (std::floating_point<From>) {
      return false;
    } else {
      return value >= From{0} ? static_cast<std::uintmax_t>(value) <=
                                    static_cast<std::uintmax_t>(std::numeric_limits<To>::max())
                              : static_cast<std::intmax_t>(value) >=
                                    static_cast<std::intmax_t>(std::numeric_limits<To>::min());
    }
  }

  const Column* values_;
  const Column* masks_;
  std::size_t row_;
  const RowFields* fields_;
};

}  // namespace engine

#endif  // ENGINE_ENV_ROWS_H_
