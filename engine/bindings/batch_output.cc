#include "engine/bindings/batch_output.h"

#include <algorithm>

namespace py = pybind11;

namespace engine::bindings {
namespace {

constexpr int kMaxDims = 64;  // NPY_MAXDIMS of NumPy 2

py::str Interned(const std::string& text) {
  PyObject* string = PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  if (string == nullptr) throw py::error_already_set();
  PyUnicode_InternInPlace(&string);
  return py::reinterpret_steal<py::str>(string);
}

// The keys that every batch has; made once, never freed.
struct Keys {
  py::str env_id = Interned("env_id"), env_id_mask = Interned("_env_id");
  py::str elapsed_step = Interned("elapsed_step"), elapsed_step_mask = Interned("_elapsed_step");
  py::str final_obs = Interned("final_obs"), final_obs_mask = Interned("_final_obs");
  py::str episode = Interned("episode"), episode_mask = Interned("_episode");
  py::str r = Interned("r"), l = Interned("l"), t = Interned("t");
  py::str final_info = Interned("final_info"), final_info_mask = Interned("_final_info");
};

const Keys& AllKeys() {
  static const Keys* const keys = new Keys;
  return *keys;
}

void EndLease(PyObject* capsule) {
  BatchBuffer::EndLease(static_cast<Block*>(PyCapsule_GetPointer(capsule, nullptr)));
}

void CollectKeys(const SpaceSpec& space, std::vector<py::str>& keys) {
  for (const auto& [name, child] : space.children) {
    if (space.kind == SpaceKind::kDict) keys.push_back(Interned(name));
    CollectKeys(child, keys);
  }
}

}  // namespace

BatchOutput::BatchOutput(const EnvSpec& spec, bool dm_flavour)
    : spec_(spec), dm_flavour_(dm_flavour) {
  for (const SpaceSpec* leaf : spec_.observation.Leaves()) {
    leaves_.push_back({NumpyTypeOf(leaf->dtype), leaf->shape});
  }
  for (const InfoSpec& info : spec_.infos) {
    infos_.push_back(
        {{NumpyTypeOf(info.dtype), info.shape}, Interned(info.name), Interned("_" + info.name)});
  }
  CollectKeys(spec_.observation, dict_keys_);
}

// Builds the objects of one batch.
class BatchOutput::Builder {
 public:
  Builder(const BatchOutput& output, const Batch& batch)
      : output_(output), block_(*batch.block), layout_(batch.block->layout()), rows_(batch.rows) {
    PyObject* const capsule = PyCapsule_New(batch.block, nullptr, &EndLease);
    if (capsule == nullptr) {
      BatchBuffer::EndLease(batch.block);
      throw py::error_already_set();
    }
    lease_ = py::reinterpret_steal<py::object>(capsule);
  }

  py::object Scalars(std::size_t offset, int numpy_type) const {
    return Array(offset, numpy_type, {});
  }

  py::object Observation(const BatchLayout::Frame& frame) const {
    if (output_.spec_.observation.is_leaf()) return Leaf(frame, 0);
    std::size_t leaf = 0;
    std::size_t key = 0;
    return Tree(output_.spec_.observation, frame, leaf, key);
  }

  py::dict Infos() const {
    const Keys& keys = AllKeys();
    py::dict infos;
    Set(infos, keys.env_id, Scalars(layout_.env_id, NPY_INT32));
    Set(infos, keys.env_id_mask, Scalars(layout_.env_id_mask, NPY_BOOL));
    AddFrameInfos(infos, layout_.frame);
    if (layout_.extras.final_frames && block_.episodes() > 0) {
      Set(infos, keys.final_obs, Observation(layout_.final_frame));
      Set(infos, keys.final_obs_mask, Scalars(layout_.final_mask, NPY_BOOL));
      py::dict final_info;
      AddFrameInfos(final_info, layout_.final_frame);
      Set(infos, keys.final_info, final_info);
      Set(infos, keys.final_info_mask, Scalars(layout_.final_info_mask, NPY_BOOL));
    }
    if (layout_.extras.episodes && block_.episodes() > 0) AddEpisode(infos);
    return infos;
  }

 private:
  static void Set(const py::dict& dict, const py::str& key, const py::object& value) {
    if (PyDict_SetItem(dict.ptr(), key.ptr(), value.ptr()) != 0) throw py::error_already_set();
  }

  // As Gymnasium's RecordEpisodeStatistics does.
  void AddEpisode(const py::dict& infos) const {
    const Keys& keys = AllKeys();
    py::dict episode;
    Set(episode, keys.r, Scalars(layout_.episode_total_reward, NPY_FLOAT64));
    Set(episode, keys.l, Scalars(layout_.episode_length, NPY_INT64));
    Set(episode, keys.t, Scalars(layout_.episode_seconds, NPY_FLOAT64));
    Set(infos, keys.episode, episode);
    Set(infos, keys.episode_mask, Scalars(layout_.episode_mask, NPY_BOOL));
  }

  void AddFrameInfos(const py::dict& infos, const BatchLayout::Frame& frame) const {
    const Keys& keys = AllKeys();
    Set(infos, keys.elapsed_step, Scalars(frame.elapsed_step, NPY_INT32));
    Set(infos, keys.elapsed_step_mask, Scalars(frame.elapsed_step_mask, NPY_BOOL));
    for (std::size_t i = 0; i < output_.infos_.size(); ++i) {
      const auto* const mask = reinterpret_cast<const bool*>(block_.At(frame.info_mask[i]));
      if (std::find(mask, mask + rows_, true) == mask + rows_) continue;  // nobody set it
      const InfoField& info = output_.infos_[i];
      Set(infos, info.name, Array(frame.info[i], info.field.numpy_type, info.field.shape));
      Set(infos, info.mask_name, Scalars(frame.info_mask[i], NPY_BOOL));
    }
  }

  py::object Leaf(const BatchLayout::Frame& frame, std::size_t leaf) const {
    const Field& field = output_.leaves_[leaf];
    return Array(frame.obs[leaf], field.numpy_type, field.shape);
  }

  // `leaf` and `key` count on through the tree, depth first.
  py::object Tree(const SpaceSpec& space, const BatchLayout::Frame& frame, std::size_t& leaf,
                  std::size_t& key) const {
    if (space.is_leaf()) return Leaf(frame, leaf++);
    if (space.kind == SpaceKind::kTuple) {
      py::tuple tuple(space.children.size());
      for (std::size_t i = 0; i < space.children.size(); ++i) {
        tuple[i] = Tree(space.children[i].second, frame, leaf, key);
      }
      return tuple;
    }
    py::dict dict;
    for (const auto& child : space.children) {
      const py::str& name = output_.dict_keys_[key++];
      Set(dict, name, Tree(child.second, frame, leaf, key));
    }
    return dict;
  }

  py::object Array(std::size_t offset, int numpy_type, const Shape& row_shape) const {
    npy_intp dims[kMaxDims];
    dims[0] = static_cast<npy_intp>(rows_);
    std::copy(row_shape.begin(), row_shape.end(), dims + 1);
    PyObject* const array = PyArray_NewFromDescr(
        &PyArray_Type, PyArray_DescrFromType(numpy_type), static_cast<int>(row_shape.size()) + 1,
        dims, nullptr, block_.At(offset), NPY_ARRAY_CARRAY, nullptr);
    if (array == nullptr) throw py::error_already_set();
    py::object owned = py::reinterpret_steal<py::object>(array);
    Py_INCREF(lease_.ptr());  // stolen by the next call, also when it fails
    if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array), lease_.ptr()) != 0) {
      throw py::error_already_set();
    }
    return owned;
  }

  const BatchOutput& output_;
  const Block& block_;
  const BatchLayout& layout_;
  const std::uint32_t rows_;
  py::object lease_;
};

py::object BatchOutput::Transition(const Batch& batch) const {
  const Builder builder(*this, batch);
  const BatchLayout& layout = batch.block->layout();
  const py::object obs = builder.Observation(layout.frame);
  const py::object reward = builder.Scalars(layout.reward, NPY_FLOAT64);
  const py::dict infos = builder.Infos();
  if (dm_flavour_) {
    return py::reinterpret_steal<py::object>(
        PyTuple_Pack(5, builder.Scalars(layout.step_type, NPY_INT32).ptr(), reward.ptr(),
                     builder.Scalars(layout.discount, NPY_FLOAT64).ptr(), obs.ptr(), infos.ptr()));
  }
  return py::reinterpret_steal<py::object>(
      PyTuple_Pack(5, obs.ptr(), reward.ptr(), builder.Scalars(layout.terminated, NPY_BOOL).ptr(),
                   builder.Scalars(layout.truncated, NPY_BOOL).ptr(), infos.ptr()));
}

py::object BatchOutput::Start(const Batch& batch) const {
  if (dm_flavour_) return Transition(batch);
  const Builder builder(*this, batch);
  const py::object obs = builder.Observation(batch.block->layout().frame);
  return py::reinterpret_steal<py::object>(PyTuple_Pack(2, obs.ptr(), builder.Infos().ptr()));
}

}  // namespace engine::bindings
