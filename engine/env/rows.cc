#include "engine/env/rows.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/env/params.h"

namespace engine {
namespace {

std::string Described(const RowFields& row, std::size_t index) {
  const RowField& field = row.fields[index];
  const std::string which = field.name.empty() ? std::to_string(index) : '"' + field.name + '"';
  return std::string(row.kind) + " " + which;
}

std::vector<std::string> NamesOf(const RowFields& row) {
  std::vector<std::string> names;
  for (const RowField& field : row.fields) names.push_back(field.name);
  return names;
}

}  // namespace

RowFields::RowFields(const char* of, std::vector<RowField> all) : kind(of), fields(std::move(all)) {
  for (const RowField& field : fields) types.push_back(field.dtype);
}

std::size_t RowFields::IndexOf(std::string_view name) const {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return i;
  }
  const std::string quoted = '"' + std::string(name) + '"';
  const std::string nearest = NearestName(std::string(name), NamesOf(*this));
  std::string message = std::string("the spec has no ") + kind + " " + quoted;
  if (!nearest.empty()) {
    message += "; did you mean \"" + nearest + "\"?";
  } else {
    message += "; it has:";
    for (const RowField& field : fields) message += " \"" + field.name + '"';
    if (fields.empty()) message += " none";
  }
  throw Error(ErrorKind::kInternal, message);
}

void ActionView::ThrowOtherType(DType dtype, DType wanted) {
  throw Error(ErrorKind::kInternal, std::string("the action: expected to be read as ") +
                                        NameOf(dtype) + ", its dtype, got " + NameOf(wanted));
}

void ObsRow::SetText(std::size_t leaf, std::string_view text) const {
  auto* const data = Data<std::uint8_t>(leaf);
  const std::size_t size = columns_[leaf].row_bytes;
  if (text.size() > size) {
    throw Error(ErrorKind::kInternal, "observation leaf " + std::to_string(leaf) +
                                          ": expected at most " + std::to_string(size) +
                                          " characters, got " + std::to_string(text.size()));
  }
  std::copy(text.begin(), text.end(), data);
  std::fill(data + text.size(), data + size, std::uint8_t{0});
}

void RowFields::ThrowNoField(std::size_t index) const {
  throw Error(ErrorKind::kInternal, std::string(kind) + " " + std::to_string(index) +
                                        ": the spec has " + std::to_string(fields.size()));
}

void RowFields::ThrowOtherType(std::size_t index, DType used) const {
  throw Error(ErrorKind::kInternal, Described(*this, index) + ": expected elements of type " +
                                        NameOf(fields[index].dtype) + ", got " + NameOf(used));
}

void RowFields::ThrowLossy(std::size_t index, const std::string& value) const {
  throw Error(ErrorKind::kInternal, Described(*this, index) + ": expected a value that " +
                                        NameOf(fields[index].dtype) + " can hold, got " + value);
}

void RowFields::ThrowArray(std::size_t index) const {
  throw Error(ErrorKind::kInternal,
              Described(*this, index) + ": expected one element for Set(), and the spec has " +
                  std::to_string(fields[index].elements) + "; write them through Data()");
}

}  // namespace engine
