#include "engine/c_interface/abi_convert.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

namespace engine {
namespace {

// The C interface uses the same values. They must not change, because built plug-ins contain them.
static_assert(static_cast<int>(DType::kBool) == ENVPOOL_BOOL);
static_assert(static_cast<int>(DType::kInt64) == ENVPOOL_INT64);
static_assert(static_cast<int>(DType::kUInt8) == ENVPOOL_UINT8);
static_assert(static_cast<int>(DType::kFloat32) == ENVPOOL_FLOAT32);
static_assert(static_cast<int>(DType::kFloat64) == ENVPOOL_FLOAT64);
static_assert(static_cast<int>(SpaceKind::kBox) == ENVPOOL_BOX);
static_assert(static_cast<int>(SpaceKind::kDiscrete) == ENVPOOL_DISCRETE);
static_assert(static_cast<int>(SpaceKind::kMultiDiscrete) == ENVPOOL_MULTI_DISCRETE);
static_assert(static_cast<int>(SpaceKind::kMultiBinary) == ENVPOOL_MULTI_BINARY);
static_assert(static_cast<int>(SpaceKind::kText) == ENVPOOL_TEXT);
static_assert(static_cast<int>(SpaceKind::kDict) == ENVPOOL_DICT);
static_assert(static_cast<int>(SpaceKind::kTuple) == ENVPOOL_TUPLE);

[[noreturn]] void Malformed(const std::string& what) {
  throw Error(ErrorKind::kPlugin, "the C interface: " + what);
}

DType DTypeOfCode(std::uint32_t code) {
  if (code >= kNumDTypes) {
    Malformed("expected a dtype in [0, " + std::to_string(kNumDTypes - 1) + "], got " +
              std::to_string(code));
  }
  return static_cast<DType>(code);
}

// Copies an array of the plug-in. Throws Error{kPlugin} if it is malformed.
template <class T>
std::vector<T> VectorOf(const void* items, std::uint64_t count, const char* what) {
  if (count == 0) return {};
  if (items == nullptr || count > std::numeric_limits<std::uint32_t>::max()) {
    Malformed(std::string("expected ") + what + ", got " + std::to_string(count) +
              (items == nullptr ? " at a null pointer" : ""));
  }
  const T* const first = static_cast<const T*>(items);
  return std::vector<T>(first, first + count);
}

ParamValue ParamValueOf(const envpool_value& value) {
  switch (value.type) {
    case ENVPOOL_VALUE_NONE:
      return std::monostate();
    case ENVPOOL_VALUE_BOOL:
      return value.integer != 0;
    case ENVPOOL_VALUE_INT:
      return value.integer;
    case ENVPOOL_VALUE_FLOAT:
      return value.number;
    case ENVPOOL_VALUE_TEXT:
      return TextOf(value.text);
    case ENVPOOL_VALUE_INTS:
      return VectorOf<std::int64_t>(value.items, value.count, "integers of an option");
    case ENVPOOL_VALUE_FLOATS:
      return VectorOf<double>(value.items, value.count, "numbers of an option");
    case ENVPOOL_VALUE_TEXTS: {
      std::vector<std::string> texts;
      for (const envpool_text& text :
           VectorOf<envpool_text>(value.items, value.count, "texts of an option")) {
        texts.push_back(TextOf(text));
      }
      return texts;
    }
    case ENVPOOL_VALUE_TABLE: {
      NumberTable table;
      for (const envpool_entry& entry :
           VectorOf<envpool_entry>(value.items, value.count, "entries of an option")) {
        table[TextOf(entry.name)] =
            VectorOf<double>(entry.numbers, entry.count, "numbers of an option");
      }
      return table;
    }
    default:
      Malformed("expected a type of an option in [0, 8], got " + std::to_string(value.type));
  }
}

NonePolicy NoneOf(std::uint64_t flags) {
  if ((flags & ENVPOOL_OPTION_NONE_DEFAULT) != 0) return NonePolicy::kDefault;
  return (flags & ENVPOOL_OPTION_TAKES_NONE) != 0 ? NonePolicy::kAccepted : NonePolicy::kRefused;
}

std::vector<std::byte> Bounds(const void* bounds, std::uint64_t count, DType dtype) {
  return VectorOf<std::byte>(bounds, count * SizeOf(dtype), "bounds of a box");
}

SpaceSpec SpaceSpecOf(const envpool_space& space) {
  if (space.kind > ENVPOOL_TUPLE) {
    Malformed("expected a kind of a space in [0, 6], got " + std::to_string(space.kind));
  }
  SpaceSpec result;
  result.kind = static_cast<SpaceKind>(space.kind);
  if (!result.is_leaf()) {
    for (const envpool_space& child :
         VectorOf<envpool_space>(space.children, space.num_children, "children of a space")) {
      const std::string key = result.kind == SpaceKind::kTuple
                                  ? std::to_string(result.children.size())
                                  : TextOf(child.key);
      result.children.emplace_back(key, SpaceSpecOf(child));
    }
    return result;
  }
  result.shape = VectorOf<std::int64_t>(space.shape, space.num_dimensions, "dimensions of a space");
  result.n = space.n;
  result.start = space.start;
  result.nvec = VectorOf<std::int64_t>(space.nvec, space.num_nvec, "nvec of a space");
  switch (result.kind) {
    case SpaceKind::kDiscrete:
    case SpaceKind::kMultiDiscrete:
      result.dtype = DType::kInt64;
      break;
    case SpaceKind::kMultiBinary:
      result.dtype = DType::kInt8;
      break;
    case SpaceKind::kText:
      result.dtype = DType::kUInt8;
      break;
    default:
      result.dtype = DTypeOfCode(space.dtype);
      result.low = Bounds(space.low, space.num_low, result.dtype);
      result.high = Bounds(space.high, space.num_high, result.dtype);
  }
  if (result.kind == SpaceKind::kMultiDiscrete && result.shape.empty()) {
    result.shape = {static_cast<std::int64_t>(result.nvec.size())};
  }
  return result;
}

constexpr auto kErrors = std::to_array<std::pair<ErrorKind, std::uint32_t>>({
    {ErrorKind::kInternal, ENVPOOL_ERROR_FAILED},
    {ErrorKind::kOption, ENVPOOL_ERROR_OPTION},
    {ErrorKind::kOptionType, ENVPOOL_ERROR_OPTION_TYPE},
    {ErrorKind::kInput, ENVPOOL_ERROR_INPUT},
    {ErrorKind::kInputType, ENVPOOL_ERROR_INPUT_TYPE},
    {ErrorKind::kState, ENVPOOL_ERROR_STATE},
    {ErrorKind::kMemory, ENVPOOL_ERROR_MEMORY},
    {ErrorKind::kRenderMode, ENVPOOL_ERROR_RENDER_MODE},
    {ErrorKind::kRom, ENVPOOL_ERROR_ROM},
});

}  // namespace

template <class T>
T* AbiMemory::Array(std::size_t count) {
  static_assert(std::is_trivial_v<T> && alignof(T) <= alignof(std::max_align_t));
  if (count == 0) return nullptr;
  blocks_.push_back(std::make_unique<std::byte[]>(count * sizeof(T)));
  return reinterpret_cast<T*>(blocks_.back().get());
}

template <class T>
const T* AbiMemory::CopyOf(const T* values, std::size_t count) {
  T* const copy = Array<T>(count);
  if (count != 0) std::memcpy(copy, values, count * sizeof(T));
  return copy;
}

envpool_text AbiMemory::Text(std::string_view text) {
  return {.data = CopyOf(text.data(), text.size()), .bytes = text.size()};
}

envpool_value AbiMemory::Value(const ParamValue& value) {
  envpool_value result{};
  const auto list = [&](std::uint32_t type, const auto* items, std::size_t count) {
    result.type = type;
    result.items = items;
    result.count = count;
  };
  if (const auto* flag = std::get_if<bool>(&value)) {
    result.type = ENVPOOL_VALUE_BOOL;
    result.integer = *flag ? 1 : 0;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    result.type = ENVPOOL_VALUE_INT;
    result.integer = *integer;
  } else if (const auto* number = std::get_if<double>(&value)) {
    result.type = ENVPOOL_VALUE_FLOAT;
    result.number = *number;
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    result.type = ENVPOOL_VALUE_TEXT;
    result.text = Text(*text);
  } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
    list(ENVPOOL_VALUE_INTS, CopyOf(integers->data(), integers->size()), integers->size());
  } else if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
    list(ENVPOOL_VALUE_FLOATS, CopyOf(numbers->data(), numbers->size()), numbers->size());
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    auto* const items = Array<envpool_text>(texts->size());
    for (std::size_t i = 0; i < texts->size(); ++i) items[i] = Text((*texts)[i]);
    list(ENVPOOL_VALUE_TEXTS, items, texts->size());
  } else if (const auto* table = std::get_if<NumberTable>(&value)) {
    auto* const items = Array<envpool_entry>(table->size());
    std::size_t i = 0;
    for (const auto& [name, entries] : *table) {
      items[i++] = {.name = Text(name),
                    .numbers = CopyOf(entries.data(), entries.size()),
                    .count = entries.size()};
    }
    list(ENVPOOL_VALUE_TABLE, items, table->size());
  }
  return result;
}

envpool_options AbiMemory::Options(const ParamValues& values) {
  auto* const named = Array<envpool_named_value>(values.all().size());
  std::size_t i = 0;
  for (const auto& [name, value] : values.all()) {
    named[i++] = {.name = Text(name), .value = Value(value)};
  }
  return {.values = named, .count = values.all().size()};
}

const envpool_option* AbiMemory::Schema(const ParamSchema& schema) {
  auto* const options = Array<envpool_option>(schema.size());
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const ParamSpec& spec = schema[i];
    envpool_option& option = options[i];
    option = {};
    option.name = Text(spec.name);
    option.doc = Text(spec.doc);
    option.default_value = Value(spec.default_value);
    option.low = spec.low.value_or(0.0);
    option.high = spec.high.value_or(0.0);
    const auto flag = [&](bool set, std::uint64_t bit) { option.flags |= set ? bit : 0U; };
    flag(spec.low.has_value(), ENVPOOL_OPTION_HAS_LOW);
    flag(spec.high.has_value(), ENVPOOL_OPTION_HAS_HIGH);
    flag(spec.one_is_list, ENVPOOL_OPTION_ONE_IS_LIST);
    flag(spec.or_name, ENVPOOL_OPTION_OR_NAME);
    flag(spec.fixed, ENVPOOL_OPTION_FIXED);
    flag(spec.none != NonePolicy::kRefused, ENVPOOL_OPTION_TAKES_NONE);
    flag(spec.none == NonePolicy::kDefault, ENVPOOL_OPTION_NONE_DEFAULT);
    auto* const choices = Array<envpool_text>(spec.choices.size());
    for (std::size_t j = 0; j < spec.choices.size(); ++j) choices[j] = Text(spec.choices[j]);
    option.choices = choices;
    option.num_choices = spec.choices.size();
  }
  return options;
}

const envpool_attribute* AbiMemory::Attributes(const std::vector<AttributeSpec>& attributes) {
  auto* const result = Array<envpool_attribute>(attributes.size());
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const AttributeSpec& spec = attributes[i];
    auto* const choices = Array<envpool_text>(spec.choices.size());
    for (std::size_t j = 0; j < spec.choices.size(); ++j) choices[j] = Text(spec.choices[j]);
    result[i] = {.name = Text(spec.name),
                 .type = static_cast<std::uint32_t>(spec.type),
                 .elements = spec.elements,
                 .low = spec.low,
                 .high = spec.high,
                 .choices = choices,
                 .num_choices = spec.choices.size(),
                 .value = CopyOf(spec.value.data(), spec.value.size())};
  }
  return result;
}

envpool_space AbiMemory::Space(const SpaceSpec& space, std::string_view key) {
  envpool_space result{};
  result.kind = static_cast<std::uint32_t>(space.kind);
  result.dtype = static_cast<std::uint32_t>(space.dtype);
  result.shape = CopyOf(space.shape.data(), space.shape.size());
  result.num_dimensions = space.shape.size();
  const std::size_t element = SizeOf(space.dtype);
  result.low = CopyOf(space.low.data(), space.low.size());
  result.num_low = space.low.size() / element;
  result.high = CopyOf(space.high.data(), space.high.size());
  result.num_high = space.high.size() / element;
  result.n = space.n;
  result.start = space.start;
  result.nvec = CopyOf(space.nvec.data(), space.nvec.size());
  result.num_nvec = space.nvec.size();
  result.key = Text(key);
  auto* const children = Array<envpool_space>(space.children.size());
  for (std::size_t i = 0; i < space.children.size(); ++i) {
    children[i] = Space(space.children[i].second, space.children[i].first);
  }
  result.children = children;
  result.num_children = space.children.size();
  return result;
}

envpool_spec AbiMemory::Spec(const EnvSpec& spec) {
  envpool_spec result{};
  result.size = sizeof(envpool_spec);
  result.observation = Space(spec.observation, "");
  result.action = Space(spec.action, "");
  result.clips_actions = spec.action_out_of_bounds == OutOfBounds::kEnvClips ? 1 : 0;
  auto* const infos = Array<envpool_info>(spec.infos.size());
  for (std::size_t i = 0; i < spec.infos.size(); ++i) {
    const InfoSpec& info = spec.infos[i];
    infos[i] = {.name = Text(info.name),
                .dtype = static_cast<std::uint32_t>(info.dtype),
                .flags = info.widens_previous ? std::uint32_t{ENVPOOL_INFO_WIDENS_PREVIOUS} : 0U,
                .shape = CopyOf(info.shape.data(), info.shape.size()),
                .num_dimensions = info.shape.size()};
  }
  result.infos = infos;
  result.num_infos = spec.infos.size();
  if (spec.render) {
    result.picture_height = spec.render->height;
    result.picture_width = spec.render->width;
    result.picture_fps = spec.render->fps;
    result.has_picture = 1;
  }
  result.scene_size = spec.scene_size;
  result.frame_skip = spec.frame_skip;
  return result;
}

ParamValues ParamValuesOf(const envpool_options& options) {
  std::vector<std::pair<std::string, ParamValue>> values;
  for (const envpool_named_value& named :
       VectorOf<envpool_named_value>(options.values, options.count, "options")) {
    values.emplace_back(TextOf(named.name), ParamValueOf(named.value));
  }
  return ParamValues(std::move(values));
}

ParamSchema ParamSchemaOf(const envpool_option* options, std::uint64_t count) {
  ParamSchema schema;
  for (const envpool_option& option : VectorOf<envpool_option>(options, count, "options")) {
    const auto has = [&](std::uint64_t bit) { return (option.flags & bit) != 0; };
    ParamSpec spec{.name = TextOf(option.name),
                   .default_value = ParamValueOf(option.default_value),
                   .doc = TextOf(option.doc)};
    if (has(ENVPOOL_OPTION_HAS_LOW)) spec.low = option.low;
    if (has(ENVPOOL_OPTION_HAS_HIGH)) spec.high = option.high;
    for (const envpool_text& choice :
         VectorOf<envpool_text>(option.choices, option.num_choices, "choices of an option")) {
      spec.choices.push_back(TextOf(choice));
    }
    spec.one_is_list = has(ENVPOOL_OPTION_ONE_IS_LIST);
    spec.or_name = has(ENVPOOL_OPTION_OR_NAME);
    spec.fixed = has(ENVPOOL_OPTION_FIXED);
    spec.none = NoneOf(option.flags);
    schema.push_back(std::move(spec));
  }
  return schema;
}

std::vector<AttributeSpec> AttributesOf(const envpool_attribute* attributes, std::uint64_t count) {
  constexpr std::uint32_t kMaxElements = 1U << 16;
  std::vector<AttributeSpec> specs;
  for (const envpool_attribute& given :
       VectorOf<envpool_attribute>(attributes, count, "attributes")) {
    AttributeSpec spec{.name = TextOf(given.name),
                       .type = static_cast<AttributeType>(given.type),
                       .elements = given.elements,
                       .low = given.low,
                       .high = given.high,
                       .choices = {},
                       .value = {}};
    const std::string where = "attribute \"" + spec.name + "\"";
    if (given.type > ENVPOOL_ATTRIBUTE_TEXT)
      Malformed(where + ": there is no type " + std::to_string(given.type));
    if (given.elements > kMaxElements)
      Malformed(where + ": expected at most " + std::to_string(kMaxElements) + " elements");
    for (const envpool_text& choice :
         VectorOf<envpool_text>(given.choices, given.num_choices, "choices of an attribute")) {
      spec.choices.push_back(TextOf(choice));
    }
    const bool is_text = spec.type == AttributeType::kText;
    if (is_text != !spec.choices.empty() || (is_text && spec.elements != 0))
      Malformed(where + ": expected a text, and no other type, to have choices");
    if (is_text) spec.high = static_cast<double>(spec.choices.size() - 1);
    spec.value = VectorOf<double>(given.value, spec.size(), "numbers of an attribute");
    if (!Accepts(spec, spec.value)) Malformed(where + ": its value is not one that it may have");
    specs.push_back(std::move(spec));
  }
  return specs;
}

EnvSpec EnvSpecOf(const envpool_spec& spec) {
  if (spec.size < sizeof(envpool_spec)) {
    Malformed("expected at least " + std::to_string(sizeof(envpool_spec)) +
              " bytes of envpool_spec, got " + std::to_string(spec.size));
  }
  EnvSpec result;
  result.observation = SpaceSpecOf(spec.observation);
  result.action = SpaceSpecOf(spec.action);
  result.action_out_of_bounds =
      spec.clips_actions != 0 ? OutOfBounds::kEnvClips : OutOfBounds::kReject;
  for (const envpool_info& info : VectorOf<envpool_info>(spec.infos, spec.num_infos, "infos")) {
    result.infos.push_back(
        {.name = TextOf(info.name),
         .dtype = DTypeOfCode(info.dtype),
         .shape = VectorOf<std::int64_t>(info.shape, info.num_dimensions, "dimensions of an info"),
         .widens_previous = (info.flags & ENVPOOL_INFO_WIDENS_PREVIOUS) != 0});
  }
  if (spec.has_picture != 0) {
    result.render = RenderSpec{
        .height = spec.picture_height, .width = spec.picture_width, .fps = spec.picture_fps};
  }
  result.scene_size = spec.scene_size;
  result.frame_skip = spec.frame_skip;
  return result;
}

std::uint32_t AbiErrorOf(ErrorKind kind) {
  const auto* const found =
      std::ranges::find(kErrors, kind, &std::pair<ErrorKind, std::uint32_t>::first);
  return found == kErrors.end() ? std::uint32_t{ENVPOOL_ERROR_FAILED} : found->second;
}

ErrorKind ErrorKindOf(std::uint32_t abi_error) {
  const auto* const found =
      std::ranges::find(kErrors, abi_error, &std::pair<ErrorKind, std::uint32_t>::second);
  return found == kErrors.end() ? ErrorKind::kInternal : found->first;
}

void ReportException(const envpool_errors& errors, std::uint32_t item) noexcept {
  const auto report = [&](std::uint32_t kind, std::string_view message) {
    errors.report(errors.context, item, kind, {.data = message.data(), .bytes = message.size()});
  };
  try {
    throw;
  } catch (const Error& error) {
    report(AbiErrorOf(error.kind()), error.what());
  } catch (const std::bad_alloc& error) {
    report(ENVPOOL_ERROR_MEMORY, error.what());
  } catch (const std::exception& error) {
    report(ENVPOOL_ERROR_FAILED, error.what());
  } catch (...) {
    report(ENVPOOL_ERROR_FAILED, "an exception that is not a std::exception");
  }
}

void AbiErrorSlot::Report(void* context, std::uint32_t /*item*/, std::uint32_t kind,
                          envpool_text message) {
  auto& slot = *static_cast<AbiErrorSlot*>(context);
  slot.kind_ = kind;
  try {
    slot.message_ = TextOf(message);
  } catch (const std::bad_alloc&) {
    slot.kind_ = ENVPOOL_ERROR_MEMORY;
  } catch (const std::exception&) {  // must not unwind the plug-in
    slot.kind_ = ENVPOOL_ERROR_FAILED;
    slot.message_ = "the plug-in has reported a message that is not valid";
  }
}

void AbiErrorSlot::Throw() const {
  if (kind_ == ENVPOOL_ERROR_MEMORY) throw std::bad_alloc();
  throw Error(ErrorKindOf(kind_), message_);
}

}  // namespace engine
