// Converts a finished batch to the tuple that Python gets: arrays that are views of the batch's
// blocks. A block stays leased until the last array in it is dropped. One object per pool. Needs
// the GIL; without one, several threads may make batches at the same time.
#ifndef ENGINE_BINDINGS_BATCH_OUTPUT_H_
#define ENGINE_BINDINGS_BATCH_OUTPUT_H_

#include <pybind11/pybind11.h>

#include <array>
#include <vector>

#include "engine/batch/batch.h"
#include "engine/bindings/gil_mutex.h"
#include "engine/bindings/numpy_api.h"
#include "engine/env/spec.h"

namespace engine::bindings {

class BatchOutput {
 public:
  // Makes what the batches of all pools share. Called when the module is imported.
  static void Prepare();
  // `extra_infos`: whether infos have "env_id" and "elapsed_step", which Gymnasium does not have.
  BatchOutput(const EnvSpec& spec, bool dm_api, bool extra_infos);

  // gymnasium: (obs, reward, terminated, truncated, infos);
  // dm: (step_type, reward, discount, obs, infos). With players, observations, rewards, dm's
  // discounts and infos["players"] have the rows of the players in the batch. The leases move from
  // the batch to the arrays; if this throws, each lease has ended or still belongs to the batch.
  pybind11::object Transition(Batch& batch) const;
  // gymnasium: (obs, infos); dm: as Transition.
  pybind11::object Start(Batch& batch) const;

 private:
  struct InfoKeys {
    pybind11::str name, mask;
  };

  class Builder;

  // Returns the names of `rows` players; `ids` are their numbers.
  pybind11::object Names(std::size_t rows, const pybind11::object& ids) const;

  EnvSpec spec_;
  // Cached, because a lookup for each array takes 2 % of a step of one environment.
  std::array<PyArray_Descr*, kNumDTypes> descriptors_ = {};  // by DType
  bool dm_api_;
  bool extra_infos_;
  std::vector<InfoKeys> info_keys_;
  std::vector<InfoKeys> player_info_keys_;
  std::vector<pybind11::str> dict_keys_;  // of every Dict node, depth first
  pybind11::object player_names_;         // an array of str; null: the players have no names
  // If the number of players is fixed: the names of the players of the largest batch so far. It is
  // read-only, because batches share it.
  mutable pybind11::object names_of_rows_ ENGINE_GUARDED_BY(mutex_);
  // The latest str of each environment, by the index of the leaf among the text leaves and by
  // environment. Most texts are the same as in the previous batch. Comparing them is faster than
  // making a str, and programs can compare the results by identity.
  mutable std::vector<std::vector<pybind11::object>> texts_ ENGINE_GUARDED_BY(mutex_);
  mutable GilMutex mutex_;
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_BATCH_OUTPUT_H_
