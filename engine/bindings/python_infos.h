// Infos of environments written in Python: how a worker packs them into bytes, and how those of
// single environments become those of a batch, as gymnasium.vector.VectorEnv._add_info does it. All
// functions need the GIL.
//
// Numbers and arrays of numbers are copied as bytes into columns, which begin with the first batch
// that has them. Everything else stays an object.
//
// Packed infos describe themselves, so that keys may come, go and change: a form (the keys, and the
// type and shape of each number), followed by the numbers. Objects are not part of them; they are
// kept beside in the order of the form. Environments mostly have the same form in all steps, so a
// reader compares its bytes with those it has read already.
#ifndef ENGINE_BINDINGS_PYTHON_INFOS_H_
#define ENGINE_BINDINGS_PYTHON_INFOS_H_

#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/bindings/numpy_api.h"

namespace engine::bindings {

// A number, or an array of numbers, in an info.
struct InfoNumber {
  enum class Kind : std::uint8_t { kBool, kInt, kFloat, kScalar, kArray };

  Kind kind = Kind::kFloat;
  int type = 0;  // of its column in NumPy
  int num_dims = 0;
  const npy_intp* dims = nullptr;
  const std::byte* data = nullptr;  // need not be aligned
  std::size_t bytes = 0;

  // Looks at a value. False: it is no number of a type that Gymnasium makes a column of, or none
  // that fits into one.
  bool Read(pybind11::handle value);
  // A new object that is equal, type included, to the one that was read.
  pybind11::object Make() const;

 private:
  void Use(const void* number, std::size_t size);

  alignas(16) std::array<std::byte, 32> own_ = {};
  pybind11::object array_;
};

// The infos of one environment, packed. Used again for the next ones.
struct PackedInfo {
  std::string form, numbers;
  std::vector<pybind11::object> objects;

  void Pack(pybind11::handle info);
};

// What a row has beside arrays, packed by a worker: infos, and one pickled tuple of all objects, if
// there are any: the object leaves of the observation and of the final one, which may be None; the
// objects of the infos and of the final infos.
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
  static Parts Unpack(std::string_view packed);

 private:
  struct Head {
    std::uint64_t form = 0, numbers = 0, final_form = 0, final_numbers = 0;  // bytes
  };

  PackedInfo info_, final_;
  std::string packed_;
};

// What the form of packed infos says.
struct InfoForm {
  struct Entry {
    pybind11::object key;  // null: an object that is not a plain dict, with all of the infos
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
  // `infos`: of the batch; changed. `add_info(infos, info, row, rows)` adds what is no number.
  InfoGather(pybind11::dict infos, std::uint32_t rows, pybind11::handle add_info)
      : infos_(std::move(infos)), rows_(rows), add_info_(add_info) {}

  // Adds the infos of an environment to a row: as it gave them, or packed. `form` stays valid as
  // long as this object. `objects`: those of the row, from `next_object` on.
  void Add(std::uint32_t row, pybind11::handle info);
  void Add(std::uint32_t row, std::string_view form, const std::byte* numbers,
           pybind11::handle objects, Py_ssize_t& next_object);

 private:
  struct Column {
    PyObject* key = nullptr;  // infos_ holds it
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
  // The column of a key; null: it has none. `position`: in its info, where the same key of other
  // rows probably was.
  Column* Find(std::size_t position, PyObject* key);
  // Null: the batch has something of that name.
  Column* Begin(PyObject* key, const InfoNumber& number);

  const pybind11::dict infos_;
  const std::uint32_t rows_;
  const pybind11::handle add_info_;
  std::vector<Column> columns_;
  std::unordered_map<std::string_view, InfoForm> forms_;
  std::string_view latest_;
  const InfoForm* latest_form_ = nullptr;
};

}  // namespace engine::bindings

#endif  // ENGINE_BINDINGS_PYTHON_INFOS_H_
