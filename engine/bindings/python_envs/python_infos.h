// Infos of environments written in Python. A worker packs the infos of one environment into bytes.
// InfoGather combines the infos of single environments into those of a batch, with the results of
// gymnasium.vector.VectorEnv._add_info. All functions need the GIL.
//
// Numbers and arrays of numbers are copied as bytes into columns. A column is made when the first
// row of a batch has its key. All other values stay Python objects.
//
// Packed infos consist of a form and numbers. The form lists the keys, with the type and shape of
// each number, so that keys, types and shapes may differ between steps. Objects are stored
// separately, in the order of the form. Most environments have the same form in all steps, so a
// reader looks up the bytes of a form among those that it has decoded before.
#ifndef ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_INFOS_H_
#define ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_INFOS_H_

#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/bindings/numpy_api.h"

namespace engine::bindings {

// A number, or an array of numbers, in an info.
struct InfoNumber {
  enum class Kind : std::uint8_t { kBool, kInt, kFloat, kScalar, kArray };

  Kind kind = Kind::kFloat;
  int type = 0;  // of its column, as a NumPy type number
  int num_dims = 0;
  const npy_intp* dims = nullptr;
  const std::byte* data = nullptr;  // need not be aligned
  std::size_t bytes = 0;

  // Reads a value. Returns false if the value cannot be stored in a column: it is not a number or
  // an array of numbers, Gymnasium has no column for its type, or it does not fit into that column.
  bool Read(pybind11::handle value);
  // Makes a new object, equal to the value that was read and of the same type.
  pybind11::object Make() const;

 private:
  void Use(const void* number, std::size_t size);

  alignas(16) std::array<std::byte, 32> own_ = {};
  pybind11::object array_;
};

// The infos of one environment, packed. Reused, to avoid allocations.
struct PackedInfo {
  std::string form, numbers;
  std::vector<pybind11::object> objects;

  void Pack(pybind11::handle info);
};

// The parts of a row that are not in the columns of the batch, packed by a worker: the infos, the
// final infos, and one pickled tuple of objects, if there are any. The tuple holds, in this order:
// the object leaves of the observation (or None), those of the final observation (or None), the
// objects of the infos, and the objects of the final infos.
class PackedRow {
 public:
  static constexpr Py_ssize_t kFirstOfInfos = 2;

  struct Parts {
    std::string_view form, final_form;
    const std::byte* numbers = nullptr;
    const std::byte* final_numbers = nullptr;
    std::string_view objects;  // pickled
  };

  // Infos that are None are left out. `dump(objects)` pickles. The result is valid until the next
  // call.
  std::string_view Pack(const pybind11::object& info, const pybind11::object& leaves,
                        const pybind11::object& final_info, const pybind11::object& final_leaves,
                        pybind11::handle dump);
  // Throws Error{kWorker} if the bytes are not those that Pack returned, because a broken worker
  // has changed them since.
  static Parts Unpack(std::string_view packed);

 private:
  struct Head {
    std::uint64_t check = 0;                                                 // hash of the rest
    std::uint64_t form = 0, numbers = 0, final_form = 0, final_numbers = 0;  // bytes
  };
  static std::uint64_t CheckOf(std::string_view packed);

  PackedInfo info_, final_;
  std::string packed_;
};

// The decoded form of packed infos.
struct InfoForm {
  struct Entry {
    // Null: the infos are not a plain dict; the entry is one object that holds all of them.
    pybind11::object key;
    bool is_number = false;
    InfoNumber number;  // without data
    std::vector<npy_intp> dims;
  };
  std::vector<Entry> entries;

  explicit InfoForm(std::string_view form);
};

// Gathers infos for one batch.
class InfoGather {
 public:
  // Rows with an info that does not fit those of other rows, and the exceptions that say so.
  using Misfits = std::vector<std::pair<std::uint32_t, pybind11::object>>;

  // `infos`: the infos of the batch; modified. `add_info(infos, info, row, rows)` adds values that
  // are not numbers. A value that it refuses is left out and added to `misfits`.
  InfoGather(pybind11::dict infos, std::uint32_t rows, pybind11::handle add_info, Misfits& misfits)
      : infos_(std::move(infos)), rows_(rows), add_info_(add_info), misfits_(misfits) {}

  // Adds the infos of an environment to a row: a copy (CopyOf) of what it returned, or packed.
  // `form` must outlive this object. `objects`: the objects of the row. The call reads them from
  // `next_object` on and advances it.
  void Add(std::uint32_t row, pybind11::handle info);
  void Add(std::uint32_t row, std::string_view form, const std::byte* numbers,
           pybind11::handle objects, Py_ssize_t& next_object);

 private:
  struct Column {
    PyObject* key = nullptr;  // owned by infos_
    int type = 0;
    int num_dims = 0;
    const npy_intp* dims = nullptr;
    std::byte* data = nullptr;
    bool* mask = nullptr;

    bool Fits(const InfoNumber& number) const;
  };

  const InfoForm& FormOf(std::string_view form);
  void AddNumber(std::size_t position, std::uint32_t row, pybind11::handle key,
                 const InfoNumber& number);
  void AddObject(std::uint32_t row, pybind11::handle key, pybind11::handle value);
  void AddByPython(std::uint32_t row, pybind11::handle info);
  // The column of a key; null: there is none. `position`: the key's position in its info, at which
  // other rows probably have the same key.
  Column* Find(std::size_t position, PyObject* key);
  // Makes a column. Null: the batch already has an info of that name.
  Column* Begin(PyObject* key, const InfoNumber& number);

  const pybind11::dict infos_;
  const std::uint32_t rows_;
  const pybind11::handle add_info_;
  Misfits& misfits_;
  std::vector<Column> columns_;
  std::unordered_map<std::string_view, InfoForm> forms_;
  std::string_view latest_;
  const InfoForm* latest_form_ = nullptr;
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PYTHON_ENVS_PYTHON_INFOS_H_
