// The views through which an environment reads its action and writes its observation and infos,
// directly in the batch. Valid only during the call that gets them; one thread at a time.
// ActionRow, for actions of several leaves, is in action_row.h.
#ifndef ENGINE_ENV_ROWS_H_
#define ENGINE_ENV_ROWS_H_

#include <cstddef>
#include <cstdint>

namespace engine {

// One array of a batch: row r starts at base + r * row_bytes, 64-byte aligned
// at row 0, C-contiguous.
struct Column {
  std::byte* base = nullptr;
  std::size_t row_bytes = 0;

  std::byte* Row(std::size_t row) const { return base + row * row_bytes; }
};

// This environment's action, already checked against the action space, which has one leaf. Its
// elements have the space's dtype, except in Environment::StepFloat64.
class ActionView {
 public:
  explicit ActionView(const std::byte* data) : data_(data) {}

  // Discrete spaces: the action, in [start, start + n - 1].
  std::int64_t Index() const { return *reinterpret_cast<const std::int64_t*>(data_); }
  // Other spaces: the first element; T must be the elements' dtype.
  template <class T>
  const T* Data() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  const std::byte* data_;
};

// The row for this environment's observation; leaves are in depth-first order of the observation
// space.
class ObsRow {
 public:
  ObsRow(const Column* columns, std::size_t row) : columns_(columns), row_(row) {}

  // First element of leaf `leaf`; T must be its dtype. Write every element: the row's earlier
  // content is undefined.
  template <class T>
  T* Data(std::size_t leaf = 0) const {
    return reinterpret_cast<T*>(columns_[leaf].Row(row_));
  }

 private:
  const Column* columns_;
  std::size_t row_;
};

// The row for this environment's infos; fields are in the order of EnvSpec::infos. A field that is
// not set stays zero and its mask False.
class InfoRow {
 public:
  InfoRow(const Column* values, const Column* masks, std::size_t row)
      : values_(values), masks_(masks), row_(row) {}

  // Marks the field as present and returns its first element; T must be its
  // dtype.
  template <class T>
  T* Data(std::size_t field) const {
    *reinterpret_cast<bool*>(masks_[field].Row(row_)) = true;
    return reinterpret_cast<T*>(values_[field].Row(row_));
  }
  template <class T>
  void Set(std::size_t field, T value) const {
    *Data<T>(field) = value;
  }

 private:
  const Column* values_;
  const Column* masks_;
  std::size_t row_;
};

}  // namespace engine

#endif  // ENGINE_ENV_ROWS_H_
