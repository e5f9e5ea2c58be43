// Writes the parts of an observation into its row, one after another.
#ifndef ENGINE_ENVS_MUJOCO_ROWS_H_
#define ENGINE_ENVS_MUJOCO_ROWS_H_

#include <algorithm>
#include <cstddef>
#include <span>

#include "engine/base/numpy_arrays.h"
#include "engine/env/rows.h"

namespace engine::mujoco {

class RowWriter {
 public:
  explicit RowWriter(ObsRow row) : next_(row.Data<double>()) {}
  // Writes from the element `first` on.
  explicit RowWriter(double* first) : next_(first) {}

  void Put(double value) { *next_++ = value; }
  void Put(std::span<const double> values) { next_ = std::ranges::copy(values, next_).out; }
  void PutClipped(std::span<const double> values, double low, double high) {
    for (const double value : values) Put(Clip(value, low, high));
  }

 private:
  double* next_;
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_ROWS_H_
