// From a finished batch to the tuple that Python gets: arrays that look into
// the batch's block without copying, and keep it leased until the last of them
// is dropped. One per pool; needs the GIL.
#ifndef ENGINE_BINDINGS_BATCH_OUTPUT_H_
#define ENGINE_BINDINGS_BATCH_OUTPUT_H_

#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/bindings/numpy_api.h"
#include "engine/runtime/pool.h"

namespace engine::bindings {

class BatchOutput {
 public:
  BatchOutput(const EnvSpec& spec, bool dm_flavour);

  // gymnasium: (obs, reward, terminated, truncated, infos);
  // dm: (step_type, reward, discount, obs, infos). Takes over the batch's lease.
  pybind11::object Transition(const Batch& batch) const;
  // gymnasium: (obs, infos); dm: as Transition.
  pybind11::object Start(const Batch& batch) const;

 private:
  // A column's element type and the shape of one row.
  struct Field {
    int numpy_type = NPY_FLOAT64;
    Shape shape;
  };
  struct InfoField {
    Field field;
    pybind11::str name, mask_name;
  };

  class Builder;

  EnvSpec spec_;
  bool dm_flavour_;
  std::vector<Field> leaves_;
  std::vector<InfoField> infos_;
  std::vector<pybind11::str> dict_keys_;  // of every Dict node, depth first
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_BATCH_OUTPUT_H_
