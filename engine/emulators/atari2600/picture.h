// The frames of one console as rows of 160 colour numbers (the TIA's hue and luminance; a palette
// converts them to colours). Two buffers alternate, because a frame that ends early shows the rows
// of the frame before the previous one below its last line. The upper rows of the second buffer may
// be absent (see Console). Used by one thread at a time.
#ifndef ENGINE_EMULATORS_ATARI2600_PICTURE_H_
#define ENGINE_EMULATORS_ATARI2600_PICTURE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace engine::atari2600 {

inline constexpr int kWidth = 160;

class Picture {
 public:
  // Blank, with both buffers complete.
  explicit Picture(int lines) : lines_(lines), front_(NewRows(lines)), back_(NewRows(lines)) {}
  Picture(const Picture& other) : lines_(0) { *this = other; }
  Picture(Picture&&) = default;
  Picture& operator=(const Picture& other) {
    if (this == &other) return *this;
    const int back_rows = other.lines_ - other.first_back_row_;
    if (lines_ != other.lines_) front_ = NewRows(other.lines_);
    if (lines_ - first_back_row_ != back_rows) {
      back_ = back_rows > 0 ? NewRows(back_rows) : nullptr;
    }
    lines_ = other.lines_;
    first_back_row_ = other.first_back_row_;
    std::memcpy(front_.get(), other.front_.get(), size());
    if (back_rows > 0) std::memcpy(back_.get(), other.back_.get(), Bytes(back_rows));
    return *this;
  }
  Picture& operator=(Picture&&) = default;
  ~Picture() = default;

  void Clear() {
    ClearRows(lines_);
    if (first_back_row_ < lines_) std::memset(back_.get(), 0, Bytes(lines_ - first_back_row_));
  }
  // Clears the front buffer's rows above `end`.
  void ClearRows(int end) { std::memset(front_.get(), 0, Bytes(end)); }

  // Swaps the buffers, except for rows that only one has.
  void Swap() {
    if (first_back_row_ == 0) {
      std::swap(front_, back_);
    } else {
      std::swap_ranges(front_.get() + Bytes(first_back_row_), front_.get() + size(), back_.get());
    }
  }
  // The first row that the back buffer has.
  int first_back_row() const { return first_back_row_; }
  // Frees the back buffer's rows above this one.
  void DropBackRows(int end) {
    if (end <= first_back_row_) return;
    std::unique_ptr<std::uint8_t[]> rows;
    if (end < lines_) {
      rows = NewRows(lines_ - end);
      std::memcpy(rows.get(), back_.get() + Bytes(end - first_back_row_), Bytes(lines_ - end));
    }
    back_ = std::move(rows);
    first_back_row_ = end;
  }
  // Allocates the whole back buffer; rows that were absent are blank.
  void AddBackRows() {
    if (first_back_row_ == 0) return;
    std::unique_ptr<std::uint8_t[]> rows = NewRows(lines_);
    if (back_ != nullptr) {
      std::memcpy(rows.get() + Bytes(first_back_row_), back_.get(),
                  Bytes(lines_ - first_back_row_));
    }
    back_ = std::move(rows);
    first_back_row_ = 0;
  }

  // Copies the row above to this row.
  void CopyRow(int line) { std::memcpy(Row(line), Row(line) - kWidth, kWidth); }
  // Rows above this one are not drawn, because they are not observed.
  int first_seen_row() const { return first_seen_row_; }
  void set_first_seen_row(int row) { first_seen_row_ = row; }
  std::uint8_t* Row(int line) { return front_.get() + static_cast<std::size_t>(line) * kWidth; }
  std::span<const std::uint8_t> pixels() const { return {front_.get(), size()}; }
  std::size_t size() const { return Bytes(lines_); }
  // Size in memory.
  std::size_t bytes() const { return Bytes(2 * lines_ - first_back_row_); }

  // Both buffers. Requires: they are complete, as in a new picture and in Console::picture().
  std::span<std::uint8_t> front() { return {front_.get(), size()}; }
  std::span<std::uint8_t> back() { return {back_.get(), size()}; }

  // Copies a picture with the same number of lines.
  void CopyFrom(const Picture& other) {
    std::memcpy(front_.get(), other.front_.get(), size());
    AddBackRows();
    if (other.first_back_row_ > 0) std::memset(back_.get(), 0, Bytes(other.first_back_row_));
    if (other.back_ != nullptr) {
      std::memcpy(back_.get() + Bytes(other.first_back_row_), other.back_.get(),
                  Bytes(lines_ - other.first_back_row_));
    }
  }

 private:
  static std::size_t Bytes(int lines) { return static_cast<std::size_t>(lines) * kWidth; }
  static std::unique_ptr<std::uint8_t[]> NewRows(int lines) {
    return std::make_unique<std::uint8_t[]>(Bytes(lines));
  }

  int lines_;
  int first_back_row_ = 0;
  int first_seen_row_ = 0;
  std::unique_ptr<std::uint8_t[]> front_;
  std::unique_ptr<std::uint8_t[]> back_;  // from first_back_row_ on
};

}  // namespace engine::atari2600

#endif  // ENGINE_EMULATORS_ATARI2600_PICTURE_H_
