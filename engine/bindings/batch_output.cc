#include "engine/bindings/batch_output.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>

#include "engine/batch/player_rows.h"
#include "engine/bindings/numpy_api.h"
#include "engine/bindings/target_binding.h"

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

// The keys of every batch; made once, when the module is imported, and never freed.
struct Keys {
  py::str env_id = Interned("env_id"), env_id_mask = Interned("_env_id");
  py::str elapsed_step = Interned("elapsed_step"), elapsed_step_mask = Interned("_elapsed_step");
  py::str final_obs = Interned("final_obs"), final_obs_mask = Interned("_final_obs");
  py::str episode = Interned("episode"), episode_mask = Interned("_episode");
  py::str r = Interned("r"), l = Interned("l"), t = Interned("t");
  py::str r_mask = Interned("_r"), l_mask = Interned("_l"), t_mask = Interned("_t");
  py::str final_info = Interned("final_info"), final_info_mask = Interned("_final_info");
  py::str players = Interned("players"), id = Interned("id"), reward = Interned("reward");
  py::str name = Interned("name");
  py::str terminated = Interned("terminated"), truncated = Interned("truncated");
};

const Keys* all_keys = nullptr;

const Keys& AllKeys() { return *all_keys; }

// Also called while Python exits and in a forked child: takes no lock.
void EndLease(PyObject* capsule) {
  BlockStore::EndLease(static_cast<Block*>(PyCapsule_GetPointer(capsule, nullptr)));
}

// Makes `owner` the base object of a new array.
void SetOwner(PyArrayObject* array, PyObject* owner) {
  Py_INCREF(owner);  // for the array
  if (PyCapsule_CheckExact(owner)) [[likely]] {
    // What PyArray_SetBaseObject does for an owner that is not an array. Calling it for each array
    // takes 4 % of a step of one environment.
    reinterpret_cast<PyArrayObject_fields*>(array)->base = owner;
    return;
  }
  // Steals the reference, even if it fails.
  if (PyArray_SetBaseObject(array, owner) != 0) throw py::error_already_set();
}

void CollectKeys(const SpaceSpec& space, std::vector<py::str>& keys) {
  for (const auto& [name, child] : space.children) {
    if (space.kind == SpaceKind::kDict) keys.push_back(Interned(name));
    CollectKeys(child, keys);
  }
}

// A tuple of the objects, whose references move into it.
template <class... Objects>
py::object Tuple(Objects... objects) {
  PyObject* const tuple = PyTuple_New(sizeof...(objects));
  if (tuple == nullptr) throw py::error_already_set();
  Py_ssize_t i = 0;
  (PyTuple_SET_ITEM(tuple, i++, objects.release().ptr()), ...);
  return py::reinterpret_steal<py::object>(tuple);
}

}  // namespace

void BatchOutput::Prepare() {
  if (all_keys == nullptr) all_keys = new Keys;
}

BatchOutput::BatchOutput(const EnvSpec& spec, bool dm_api, bool extra_infos)
    : spec_(spec), dm_api_(dm_api), extra_infos_(extra_infos) {
  for (std::size_t dtype = 0; dtype < kNumDTypes; ++dtype) {
    descriptors_[dtype] = PyArray_DescrFromType(NumpyTypeOf(static_cast<DType>(dtype)));
    Py_DECREF(descriptors_[dtype]);  // NumPy never frees its built-in descriptors
  }
  for (const InfoSpec& info : spec_.infos) {
    info_keys_.push_back({Interned(info.name), Interned("_" + info.name)});
  }
  if (spec_.players) {
    for (const InfoSpec& info : spec_.players->infos)
      player_info_keys_.push_back({Interned(info.name), Interned("_" + info.name)});
    if (!spec_.players->each.empty()) {
      py::list names;
      for (const PlayerSpec& player : spec_.players->each) names.append(player.name);
      player_names_ = py::module_::import("numpy").attr("array")(names);
    }
  }
  CollectKeys(spec_.observation, dict_keys_);
  const auto leaves = spec_.observation.Leaves();
  texts_.resize(static_cast<std::size_t>(
      std::count_if(leaves.begin(), leaves.end(),
                    [](const SpaceSpec* leaf) { return leaf->kind == SpaceKind::kText; })));
}

py::object BatchOutput::Names(std::size_t rows, const py::object& ids) const {
  if (spec_.players->vary) return player_names_.attr("take")(ids);
  py::object names;
  {
    const ScopedLock lock(mutex_);
    names = names_of_rows_;
  }
  if (!names || py::len(names) < rows) {
    const std::size_t envs = rows / spec_.players->each.size();
    names = py::module_::import("numpy").attr("tile")(player_names_, envs);
    names.attr("flags").attr("writeable") = false;
    py::object old = names;
    const ScopedLock lock(mutex_);
    std::swap(names_of_rows_, old);  // which is freed without the lock
  }
  if (py::len(names) == rows) return names;
  return names[py::slice(0, static_cast<py::ssize_t>(rows), 1)];
}

// Makes the Python objects of one batch.
class BatchOutput::Builder {
 public:
  // Moves the leases to capsules. If a capsule cannot be made, its lease stays with the batch.
  Builder(const BatchOutput& output, Batch& batch)
      : output_(output),
        layout_(batch.layout()),
        target_(batch.target()),
        rows_(batch.rows()),
        has_ends_(batch.has_ends()),
        has_statistics_(batch.has_statistics()) {
    if (layout_.has_players) players_ = RemoveAbsentPlayers(batch);
    for (std::uint32_t region = 0; region < layout_.num_regions; ++region) {
      Block* const block = batch.block(region);
      PyObject* const capsule = PyCapsule_New(block, nullptr, &EndLease);
      if (capsule == nullptr) throw py::error_already_set();
      batch.Release(region);
      leases_[region] = py::reinterpret_steal<py::object>(capsule);
      memory_[region] = block->memory;
    }
  }

  py::object Array(FieldIndex index) const {
    const Field& field = layout_.fields[index];
    npy_intp dims[kMaxDims];
    int num_dims = 1;
    dims[0] = static_cast<npy_intp>(RowsOfField(field));
    if (!field.is_scalar) {
      const Shape& shape = layout_.shapes[index];
      std::copy(shape.begin(), shape.end(), dims + 1);
      num_dims += static_cast<int>(shape.size());
    }
    PyArray_Descr* const descriptor = output_.descriptors_[static_cast<std::size_t>(field.dtype)];
    const FieldMemory field_memory = MemoryOf(index);
    Py_INCREF(descriptor);  // the next call steals this reference, even if it fails
    PyObject* const array = PyArray_NewFromDescr(&PyArray_Type, descriptor, num_dims, dims, nullptr,
                                                 field_memory.memory, NPY_ARRAY_CARRAY, nullptr);
    if (array == nullptr) throw py::error_already_set();
    py::object owned = py::reinterpret_steal<py::object>(array);
    SetOwner(reinterpret_cast<PyArrayObject*>(array), field_memory.owner);
    return owned;
  }

  py::object Observation(const FrameFields& frame) const {
    Walk walk{.leaf = frame.obs, .latest = frame.obs == layout_.frame.obs};
    return Tree(output_.spec_.observation, walk);
  }

  py::dict Infos() const {
    const Keys& keys = AllKeys();
    py::dict infos;
    if (output_.extra_infos_) {
      Set(infos, keys.env_id, Array(layout_.env_id));
      Set(infos, keys.env_id_mask, Array(layout_.env_id_mask));
    }
    AddFrameInfos(infos, layout_.frame);
    if (layout_.extras.final_frames && has_ends_) {
      Set(infos, keys.final_obs, Observation(layout_.final_frame));
      Set(infos, keys.final_obs_mask, Array(layout_.final_mask));
      py::dict final_info;
      AddFrameInfos(final_info, layout_.final_frame);
      Set(infos, keys.final_info, final_info);
      if (layout_.has_players) Set(final_info, keys.players, Players(layout_.final_frame, true));
      if (layout_.extras.episodes && has_statistics_) AddFinalEpisode(final_info);
      Set(infos, keys.final_info_mask, Array(layout_.final_info_mask));
    }
    if (layout_.has_players) Set(infos, keys.players, Players(layout_.frame, false));
    if (layout_.extras.episodes && has_statistics_) AddEpisode(infos);
    return infos;
  }

 private:
  static void Set(const py::dict& dict, const py::str& key, const py::object& value) {
    if (PyDict_SetItem(dict.ptr(), key.ptr(), value.ptr()) != 0) throw py::error_already_set();
  }

  // As in Gymnasium's RecordEpisodeStatistics.
  void AddEpisode(const py::dict& infos) const {
    const Keys& keys = AllKeys();
    py::dict episode;
    Set(episode, keys.r, Array(layout_.episode_total_reward));
    Set(episode, keys.l, Array(layout_.episode_length));
    Set(episode, keys.t, Array(layout_.episode_seconds));
    if (layout_.has_players) {
      py::dict players;
      Set(players, keys.r, Array(layout_.player_total_reward));
      Set(players, keys.l, Array(layout_.player_episode_length));
      Set(episode, keys.players, players);
    }
    Set(infos, keys.episode, episode);
    Set(infos, keys.episode_mask, Array(layout_.episode_mask));
  }

  // As in Gymnasium, if a RecordEpisodeStatistics is around each environment: the infos of the last
  // step contain the statistics, and each number has a mask. All arrays are copies.
  void AddFinalEpisode(const py::dict& final_info) const {
    const Keys& keys = AllKeys();
    py::dict episode;
    for (const auto& [key, mask_key, field] :
         {std::tuple(&keys.r, &keys.r_mask, layout_.episode_total_reward),
          std::tuple(&keys.l, &keys.l_mask, layout_.episode_length),
          std::tuple(&keys.t, &keys.t_mask, layout_.episode_seconds)}) {
      Set(episode, *key, CopyOfArray(field));
      Set(episode, *mask_key, CopyOfArray(layout_.episode_mask));
    }
    if (layout_.has_players) {
      py::dict players;
      Set(players, keys.r, CopyOfArray(layout_.player_total_reward));
      Set(players, keys.l, CopyOfArray(layout_.player_episode_length));
      Set(episode, keys.players, players);
    }
    Set(final_info, keys.episode, episode);
    Set(final_info, keys.episode_mask, CopyOfArray(layout_.episode_mask));
  }

  py::object CopyOfArray(FieldIndex index) const {
    PyObject* const copy = PyArray_NewCopy(AsArray(Array(index)), NPY_CORDER);
    if (copy == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(copy);
  }

  std::size_t RowsOfField(const Field& field) const {
    if (field.rows_of == RowsOf::kEnvs) [[likely]]
      return rows_;
    return field.rows_of == RowsOf::kPlayers ? players_.frame : players_.final_frame;
  }

  // The infos of the players of a frame. They do not include the rewards of the current frame,
  // which are returned as a separate result.
  py::dict Players(const FrameFields& frame, bool is_final) const {
    const Keys& keys = AllKeys();
    const PlayerFields& fields = frame.players;
    py::dict players;
    Set(players, keys.env_id, Array(fields.env_id));
    const py::object ids = Array(fields.id);
    Set(players, keys.id, ids);
    if (output_.player_names_ && !is_final && !output_.dm_api_)
      Set(players, keys.name, output_.Names(players_.frame, ids));
    if (is_final) Set(players, keys.reward, Array(fields.reward));
    Set(players, keys.terminated, Array(fields.terminated));
    Set(players, keys.truncated, Array(fields.truncated));
    for (std::uint32_t i = 0; i < layout_.num_player_infos; ++i) {
      if (!AnyRowOf(fields.info_mask + i)) continue;
      const InfoKeys& info = output_.player_info_keys_[i];
      Set(players, info.name, Array(fields.info + i));
      Set(players, info.mask, Array(fields.info_mask + i));
    }
    return players;
  }

  void AddFrameInfos(const py::dict& infos, const FrameFields& frame) const {
    const Keys& keys = AllKeys();
    if (output_.extra_infos_) {
      Set(infos, keys.elapsed_step, Array(frame.elapsed_step));
      Set(infos, keys.elapsed_step_mask, Array(frame.elapsed_step_mask));
    }
    for (std::uint32_t i = 0; i < layout_.num_infos; ++i) {
      if (!AnyRowOf(frame.info_mask + i)) continue;  // no environment set it
      const InfoKeys& info = output_.info_keys_[i];
      if (output_.spec_.infos[i].widens_previous && AnyRowOf(frame.info_mask + i - 1)) {
        WidenPrevious(frame, i);
      }
      Set(infos, info.name, Array(frame.info + i));
      Set(infos, info.mask, Array(frame.info_mask + i));
    }
  }

  // For a batch with actions of both dtypes: copies the rows that set field `i` - 1, in float32, to
  // field `i`, in float64.
  void WidenPrevious(const FrameFields& frame, std::uint32_t i) const {
    const auto size = static_cast<std::size_t>(NumElements(output_.spec_.infos[i].shape));
    const auto* const from = At<float>(frame.info + i - 1);
    const auto* const from_mask = At<bool>(frame.info_mask + i - 1);
    auto* const to = At<double>(frame.info + i);
    auto* const to_mask = At<bool>(frame.info_mask + i);
    for (std::size_t row = 0; row < rows_; ++row) {
      if (!from_mask[row]) continue;
      std::copy(from + row * size, from + (row + 1) * size, to + row * size);
      to_mask[row] = true;
    }
  }

  // The memory of a field, and the object that owns it.
  struct FieldMemory {
    std::byte* memory;
    PyObject* owner;
  };
  FieldMemory MemoryOf(FieldIndex index) const {
    if (std::byte* const redirected = target_.At(layout_, index)) [[unlikely]] {
      return {redirected, static_cast<const PythonTarget*>(target_.memory.get())->array(index)};
    }
    const Field& field = layout_.fields[index];
    const auto region = static_cast<std::size_t>(field.region);
    return {memory_[region] + field.offset, leases_[region].ptr()};
  }

  template <class T>
  T* At(FieldIndex index) const {
    return reinterpret_cast<T*>(MemoryOf(index).memory);
  }

  bool AnyRowOf(FieldIndex mask) const {
    // Bytes, because a broken worker process may have written others than those of bools.
    const auto* const begin = At<std::uint8_t>(mask);
    const auto* const end = begin + RowsOfField(layout_.fields[mask]);
    return std::any_of(begin, end, [](std::uint8_t flag) { return flag != 0; });
  }

  // The position in a depth-first walk through the tree of an observation.
  struct Walk {
    FieldIndex leaf;
    std::size_t key = 0;
    std::size_t text = 0;
    bool latest;  // false for the final observation of an episode
  };

  py::object Tree(const SpaceSpec& space, Walk& walk) const {
    if (space.kind == SpaceKind::kText && !output_.dm_api_) return Text(walk);
    if (space.is_leaf()) return Array(walk.leaf++);
    if (space.kind == SpaceKind::kTuple) {
      py::tuple tuple(space.children.size());
      for (std::size_t i = 0; i < space.children.size(); ++i) {
        tuple[i] = Tree(space.children[i].second, walk);
      }
      return tuple;
    }
    py::dict dict;
    for (const auto& child : space.children) {
      const py::str& name = output_.dict_keys_[walk.key++];
      Set(dict, name, Tree(child.second, walk));
    }
    return dict;
  }

  // A tuple with a str for each row, as Gymnasium batches texts.
  py::object Text(Walk& walk) const {
    const FieldIndex index = walk.leaf++;
    const std::size_t size = layout_.fields[index].row_bytes;
    const char* text = At<char>(index);
    const auto* const envs = At<std::int32_t>(layout_.env_id);
    py::tuple tuple(rows_);
    // Making and freeing a str runs no code of Python.
    const ScopedLock lock(output_.mutex_);
    auto& known = output_.texts_[walk.text++];
    for (std::uint32_t row = 0; row < rows_; ++row, text += size) {
      const auto env = static_cast<std::size_t>(envs[row]);
      if (env >= known.size()) known.resize(env + 1);
      if (walk.latest && known[env] && IsText(known[env], text, size)) {
        PyTuple_SET_ITEM(tuple.ptr(), row, py::object(known[env]).release().ptr());
        continue;
      }
      py::object made = py::reinterpret_steal<py::object>(
          PyUnicode_DecodeASCII(text, static_cast<Py_ssize_t>(strnlen(text, size)), "replace"));
      if (!made) throw py::error_already_set();
      if (walk.latest) known[env] = made;
      PyTuple_SET_ITEM(tuple.ptr(), row, made.release().ptr());
    }
    return tuple;
  }

  // Whether `known`, the str of an earlier text of this leaf, equals the `size` bytes at `text`.
  static bool IsText(const py::object& known, const char* text, std::size_t size) {
    if (!PyUnicode_IS_ASCII(known.ptr())) return false;
    const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(known.ptr()));
    return (length == size || text[length] == 0) &&
           std::memcmp(PyUnicode_1BYTE_DATA(known.ptr()), text, length) == 0;
  }

  const BatchOutput& output_;
  const BatchLayout& layout_;  // valid while the leases exist
  const RowTarget target_;
  const std::uint32_t rows_;
  const bool has_ends_;
  const bool has_statistics_;
  PlayerRowCounts players_;
  std::array<py::object, kMaxRegions> leases_;
  std::array<std::byte*, kMaxRegions> memory_ = {};
};

py::object BatchOutput::Transition(Batch& batch) const {
  const BatchLayout& layout = batch.layout();
  const Builder builder(*this, batch);
  py::object obs = builder.Observation(layout.frame);
  py::object reward =
      builder.Array(layout.has_players ? layout.frame.players.reward : layout.reward);
  py::dict infos = builder.Infos();
  if (dm_api_) {
    py::object discount =
        builder.Array(layout.has_players ? layout.player_discount : layout.discount);
    return Tuple(builder.Array(layout.step_type), std::move(reward), std::move(discount),
                 std::move(obs), std::move(infos));
  }
  return Tuple(std::move(obs), std::move(reward), builder.Array(layout.terminated),
               builder.Array(layout.truncated), std::move(infos));
}

py::object BatchOutput::Start(Batch& batch) const {
  if (dm_api_) return Transition(batch);
  const BatchLayout& layout = batch.layout();
  const Builder builder(*this, batch);
  py::object obs = builder.Observation(layout.frame);
  return Tuple(std::move(obs), builder.Infos());
}

}  // namespace engine::bindings
