// See the header.
#include "engine/envs/mujoco/model_changes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "engine/base/error.h"
#include "engine/env/table_entries.h"
#include "engine/envs/mujoco/fields.h"
#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/library.h"
#include "engine/envs/mujoco/options.h"

namespace engine::mujoco {
namespace {

// The kind of the objects that the rows of a field belong to.
struct ObjectKind {
  std::string_view count;  // of the rows
  int type;                // mjtObj
  const char* name;
  std::string_view objects;  // the count of the objects
};
constexpr ObjectKind kObjectKinds[] = {
    {"nbody", kObjectBody, "body", "nbody"},
    {"njnt", kObjectJoint, "joint", "njnt"},
    {"nq", kObjectJoint, "joint", "njnt"},
    {"nv", kObjectJoint, "joint", "njnt"},
    {"ngeom", kObjectGeom, "geom", "ngeom"},
    {"nsite", kObjectSite, "site", "nsite"},
    {"ncam", kObjectCamera, "camera", "ncam"},
    {"nlight", kObjectLight, "light", "nlight"},
    {"nmat", kObjectMaterial, "material", "nmat"},
    {"npair", kObjectPair, "pair", "npair"},
    {"neq", kObjectEquality, "equality constraint", "neq"},
    {"ntendon", kObjectTendon, "tendon", "ntendon"},
    {"nactuator", kObjectActuator, "actuator", "nactuator"},
    {"nu", kObjectActuator, "actuator", "nactuator"},
    {"nout", kObjectActuator, "actuator", "nactuator"},
    {"nsensor", kObjectSensor, "sensor", "nsensor"},
};

// The numbers that a field may have besides its element's. The bounds are inclusive.
struct Limits {
  std::string_view field;
  double low;
  double high;
};
constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();  // above 0
constexpr double kLastGroup = 5.0;                                       // mjNGROUP - 1
constexpr Limits kLimits[] = {
    {"actuator_armature", 0.0, kNoLimit},
    {"actuator_group", 0.0, kLastGroup},
    {"body_inertia", 0.0, kNoLimit},
    {"body_margin", 0.0, kNoLimit},
    {"body_mass", 0.0, kNoLimit},
    {"cam_fovy", kSmallest, kNoLimit},
    {"dof_armature", 0.0, kNoLimit},
    {"dof_frictionloss", 0.0, kNoLimit},
    {"geom_friction", 0.0, kNoLimit},
    {"geom_group", 0.0, kLastGroup},
    {"geom_rbound", 0.0, kNoLimit},
    {"geom_size", 0.0, kNoLimit},
    {"jnt_group", 0.0, kLastGroup},
    {"opt.ccd_iterations", 0.0, kNoLimit},
    {"opt.ccd_tolerance", 0.0, kNoLimit},
    {"opt.cone", 0.0, kConeLast},
    {"opt.density", 0.0, kNoLimit},
    {"opt.disableactuator", 0.0, kNoLimit},
    {"opt.disableflags", 0.0, kNoLimit},
    {"opt.enableflags", 0.0, kNoLimit},
    {"opt.impratio", kSmallest, kNoLimit},
    {"opt.integrator", 0.0, kIntegratorLast},
    {"opt.iterations", 0.0, kNoLimit},
    {"opt.jacobian", 0.0, kJacobianLast},
    {"opt.ls_iterations", 0.0, kNoLimit},
    {"opt.ls_tolerance", 0.0, kNoLimit},
    {"opt.noslip_iterations", 0.0, kNoLimit},
    {"opt.noslip_tolerance", 0.0, kNoLimit},
    {"opt.sdf_initpoints", 0.0, kNoLimit},
    {"opt.sdf_iterations", 0.0, kNoLimit},
    {"opt.sleep_tolerance", 0.0, kNoLimit},
    {"opt.solver", 0.0, kSolverLast},
    {"opt.timestep", kSmallest, kNoLimit},
    {"opt.tolerance", 0.0, kNoLimit},
    {"opt.viscosity", 0.0, kNoLimit},
    {"pair_friction", 0.0, kNoLimit},
    {"site_group", 0.0, kLastGroup},
    {"site_size", 0.0, kNoLimit},
    {"tendon_armature", 0.0, kNoLimit},
    {"tendon_frictionloss", 0.0, kNoLimit},
    {"tendon_group", 0.0, kLastGroup},
    {"tendon_width", 0.0, kNoLimit},
};

[[noreturn]] void Refuse(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kOption, "model[" + where + "]: " + what);
}

std::string Text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string UsedVersion() { return "MuJoCo " + std::string(UsedLayout().version); }

const char* ReasonOf(WhyFixed why) {
  switch (why) {
    case WhyFixed::kSize:
      return "it is a size, which follows from the XML";
    case WhyFixed::kStructure:
      return "it is part of the structure that follows from the XML: change the XML";
    case WhyFixed::kDerived:
      return "it is computed from other fields, by mj_setConst or when the XML is compiled";
    case WhyFixed::kAsset:
      return "data of meshes, flexes, skins, height fields, textures and bounding volumes follow "
             "from the XML: change the XML";
    case WhyFixed::kUnread:
      return "no task reads it";
    case WhyFixed::kNames:
      return "names follow from the XML";
    case WhyFixed::kOther:
      return "it cannot be changed after the XML has been compiled";
  }
  return "";  // not reached
}

struct Found {
  const ModelField* field;
  Offset offset;
};

std::optional<Found> FindField(const std::string& name) {
  const auto fields = AllModelFields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Offset offset = UsedModelFields().fields[i];
    if (fields[i].name == name && offset != 0) return Found{&fields[i], offset};
  }
  return std::nullopt;
}

[[noreturn]] void RefuseUnknown(const std::string& name) {
  std::vector<std::string> known;
  for (const ModelField& field : AllModelFields()) {
    if (field.name == name) Refuse(name, UsedVersion() + " does not have this field");
    if (FindField(std::string(field.name))) known.emplace_back(field.name);
  }
  for (const OtherMember& member : OtherModelMembers()) {
    if (member.name == name)
      Refuse(name, std::string("expected a field that may be changed: ") + ReasonOf(member.why));
  }
  if (name.starts_with("stat.") || name.starts_with("vis.")) {
    Refuse(name,
           "expected a field that may be changed: statistics follow from the other fields, "
           "and settings of pictures are options of the task or in the XML");
  }
  const std::string in_opt = "opt." + name;
  const bool is_in_opt = std::ranges::find(known, in_opt) != known.end();
  const std::string nearest = is_in_opt ? in_opt : NearestName(name, known);
  Refuse(name, "mjModel has no such field" +
                   (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"));
}

std::int64_t CountOf(const mjModel& model, std::string_view name) {
  const auto counts = ModelCounts();
  const auto index = [&](std::string_view of) {
    return static_cast<std::size_t>(std::ranges::find(counts, of) - counts.begin());
  };
  Offset offset = UsedModelFields().counts[index(name)];
  // Before 3.11 an actuator has one control and one output.
  if (offset == kNoCount) offset = UsedModelFields().counts[index("nu")];
  return CountAt(UsedLayout().model, model, offset);
}

// The rows of a field, and the objects that they belong to.
class Rows {
 public:
  Rows(const ModelField& field, const mjModel& model) : model_(model) {
    if (field.rows < 0) return;
    const std::string_view count = ModelCounts()[static_cast<std::size_t>(field.rows)];
    kind_ = &*std::ranges::find(kObjectKinds, count, &ObjectKind::count);
    num_rows_ = CountOf(model, count);
    num_objects_ = CountOf(model, kind_->objects);
    const ModelFieldRow& at = UsedModelFields();
    Offset first = 0;
    if (count == "nq") first = at.jnt_qposadr;
    if (count == "nv") first = at.jnt_dofadr;
    if (count == "nu") first = at.actuator_ctrladr;
    if (count == "nout") first = at.actuator_outadr;
    if (first != 0) first_rows_ = MemberAt<const int*>(&model, first);
  }

  const ObjectKind& kind() const { return *kind_; }
  std::int64_t size() const { return num_rows_; }
  // The rows of an object.
  std::int64_t FirstOf(std::int64_t object) const {
    if (first_rows_ == nullptr) return object;
    return object < num_objects_ ? first_rows_[object] : num_rows_;
  }

  // Returns the id of a name, or of a number that is no name. Throws Error{kOption}.
  std::int64_t Object(const std::string& field, const std::string& name) const {
    const int id = Library().name_to_id(&model_, kind_->type, name.c_str());
    if (id >= 0) return id;
    std::int64_t number = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool is_number = error == std::errc() && end == name.data() + name.size();
    if (is_number && 0 <= number && number < num_objects_) return number;
    std::vector<std::string> known;
    for (std::int64_t object = 0; object < num_objects_; ++object) {
      const char* const other = NameOf(object);
      if (other != nullptr) known.emplace_back(other);
    }
    std::string message = std::string("expected the name of a ") + kind_->name +
                          " or its id in [0, " + std::to_string(num_objects_ - 1) + "], got \"" +
                          name + "\"";
    const std::string nearest = NearestName(name, known);
    if (!nearest.empty()) message += "; did you mean \"" + nearest + "\"?";
    Refuse(field, message);
  }

  // "the body \"torso\"", "body 3".
  std::string ObjectOfRow(std::int64_t row) const {
    std::int64_t object = 0;
    while (object + 1 < num_objects_ && FirstOf(object + 1) <= row) ++object;
    const char* const name = NameOf(object);
    return name == nullptr ? std::string(kind_->name) + " " + std::to_string(object)
                           : "the " + std::string(kind_->name) + " \"" + name + "\"";
  }

 private:
  const char* NameOf(std::int64_t object) const {
    const char* const name = Library().id_to_name(&model_, kind_->type, static_cast<int>(object));
    return name == nullptr || *name == '\0' ? nullptr : name;
  }

  const mjModel& model_;
  const ObjectKind* kind_ = nullptr;
  std::int64_t num_rows_ = 1;
  std::int64_t num_objects_ = 0;
  const int* first_rows_ = nullptr;  // null: each object has one row
};

std::string ShapeWords(const Shape& shape) {
  return shape == Shape{1} ? "a number" : "an array of shape " + ShapeText(shape);
}

// Returns "" if the field may have the number, and else what it may have.
std::string ExpectedNumber(const ModelField& field, double value) {
  if (!std::isfinite(value)) return "a finite number";
  switch (field.element) {
    case Element::kDouble:
      break;
    case Element::kFloat:
      if (!std::isfinite(static_cast<float>(value))) return "a number of float32";
      break;
    case Element::kInt:
      if (value != std::floor(value) || std::abs(value) > std::numeric_limits<int>::max())
        return "an integer of 32 bits";
      break;
    case Element::kByte:
      if (value != 0.0 && value != 1.0) return "0 or 1";
      break;
  }
  if (field.name == "geom_condim" || field.name == "pair_dim") {
    constexpr std::array kDimensions = {1.0, 3.0, 4.0, 6.0};
    const bool is_one = std::ranges::find(kDimensions, value) != kDimensions.end();
    return is_one ? "" : "1, 3, 4 or 6";
  }
  const auto* const limits = std::ranges::find(kLimits, field.name, &Limits::field);
  if (limits == std::end(kLimits) || (limits->low <= value && value <= limits->high)) {
    // Velocities and the frame rate are computed from the time step.
    const bool is_tiny_step = field.name == "opt.timestep" && !std::isfinite(1.0 / value);
    return is_tiny_step ? "a number whose inverse is finite" : "";
  }
  if (limits->high != kNoLimit) {
    return "a number in [" + Text(limits->low) + ", " + Text(limits->high) + "]";
  }
  return limits->low == kSmallest ? "a number > 0" : "a number >= " + Text(limits->low);
}

void Put(Element element, void* at, std::int64_t index, double value) {
  switch (element) {
    case Element::kDouble:
      static_cast<double*>(at)[index] = value;
      break;
    case Element::kFloat:
      static_cast<float*>(at)[index] = static_cast<float>(value);
      break;
    case Element::kInt:
      static_cast<int*>(at)[index] = static_cast<int>(value);
      break;
    case Element::kByte:
      static_cast<std::uint8_t*>(at)[index] = static_cast<std::uint8_t>(value);
      break;
  }
}

void WriteEntry(const TableEntry& entry, std::span<const double> numbers, mjModel& model) {
  const std::string& name = entry.name;
  const std::optional<Found> found = FindField(name);
  if (!found) RefuseUnknown(name);
  const ModelField& field = *found->field;
  const Rows rows(field, model);
  const bool is_in_opt = field.rows < 0;
  if (is_in_opt && entry.key) {
    Refuse(name, "expected numbers, because the field has no objects, got a dict with \"" +
                     *entry.key + "\"");
  }
  std::int64_t first = 0;
  std::int64_t last = rows.size();
  std::string where = name;
  if (entry.key) {
    const std::int64_t object = rows.Object(name, *entry.key);
    first = rows.FirstOf(object);
    last = rows.FirstOf(object + 1);
    where += "][" + *entry.key;
  }
  const std::int64_t columns = std::max(field.columns, 1);
  Shape expected;
  if (!is_in_opt && (!entry.key || last - first != 1)) expected.push_back(last - first);
  if (columns > 1) expected.push_back(columns);
  if (expected.empty()) expected.push_back(1);
  if (entry.shape != expected) {
    Refuse(where, "expected " + ShapeWords(expected) + ", got " + ShapeWords(entry.shape));
  }
  void* const at = is_in_opt ? &MemberAt<std::byte>(&model, found->offset)
                             : MemberAt<void*>(&model, found->offset);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t index = first * columns + static_cast<std::int64_t>(i);
    const std::string wanted = ExpectedNumber(field, numbers[i]);
    if (!wanted.empty()) {
      Refuse(where, "expected " + wanted + ", got " + Text(numbers[i]) +
                        (is_in_opt ? "" : " for " + rows.ObjectOfRow(index / columns)));
    }
    Put(field.element, at, index, numbers[i]);
  }
}

}  // namespace

ParamSchema WithModelChanges(ParamSchema options) {
  options.push_back({.name = "model",
                     .default_value = NumberTable(),
                     .doc = "Numbers of the model by MuJoCo's names: arrays, or {object: numbers}.",
                     .low = std::nullopt,
                     .high = std::nullopt});
  options.push_back(Flag("model_constants", true,
                         "Whether mj_setConst computes what follows from the numbers of `model`."));
  return options;
}

ModelChanges::ModelChanges(const ParamValues& options)
    : fields(options.Get<NumberTable>("model")),
      recomputes_constants(options.Get<bool>("model_constants")) {}

bool ModelChanges::Has(std::string_view field) const {
  return std::ranges::any_of(fields, [&](const auto& entry) {
    return EntryOf(entry.first, entry.second.size()).name == field;
  });
}

void ModelChanges::Write(mjModel& model) const {
  for (const auto& [name, numbers] : fields) {
    WriteEntry(EntryOf(name, numbers.size()), numbers, model);
  }
}

const ModelFieldRow& UsedModelFields() {
  static const ModelFieldRow& used =
      *std::ranges::find(ModelFieldRows(), UsedLayout().version, &ModelFieldRow::version);
  return used;
}

Offset PlaceOfField(const std::string& name) { return FindField(name).value().offset; }

}  // namespace engine::mujoco
