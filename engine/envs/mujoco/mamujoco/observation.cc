// See the header.
#include "engine/envs/mujoco/mamujoco/observation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/numpy_arrays.h"
#include "engine/base/numpy_kernels.h"

namespace engine::mujoco::mamujoco {
namespace {

constexpr double kMaxDistance = 1000;
constexpr const char* kDistance = "agent_obsk";
constexpr const char* kLocal = "local_categories";
constexpr const char* kGlobal = "global_categories";

constexpr std::pair<Quantity, const char*> kNames[] = {
    {Quantity::kQpos, "qpos"},
    {Quantity::kQvel, "qvel"},
    {Quantity::kQfrcActuator, "qfrc_actuator"},
    {Quantity::kCvel, "cvel"},
    {Quantity::kCinert, "cinert"},
    {Quantity::kCfrcExt, "cfrc_ext"},
    {Quantity::kFingertipDistance, "fingertip_dist"}};

// The numbers of a body in an array; 0 for other arrays.
int NumbersOfABody(Quantity array) {
  switch (array) {
    case Quantity::kCinert:
      return 10;
    case Quantity::kCvel:
    case Quantity::kCfrcExt:
      return 6;
    default:
      return 0;
  }
}

std::int64_t SizeOf(Quantity array, const Model& model) {
  switch (array) {
    case Quantity::kQpos:
      return model->nq;
    case Quantity::kQvel:
    case Quantity::kQfrcActuator:
      return model->nv;
    case Quantity::kXpos:
      return 3 * model->nbody;
    default:
      return NumbersOfABody(array) * model->nbody;
  }
}

// The element of a part in an array, if it has one.
std::optional<int> ElementOf(const Part& part, Quantity array) {
  if (array == Quantity::kQpos) return part.qpos;
  if (array == Quantity::kQvel || array == Quantity::kQfrcActuator) return part.qvel;
  return std::nullopt;
}

// Whether a category of this part has numbers, or is empty on purpose.
bool HasCategory(const Part& part, Quantity category) {
  return part.own.contains(category) || ElementOf(part, category).has_value() ||
         (NumbersOfABody(category) > 0 && !part.bodies.empty());
}

// The categories that are observable in some of the parts, or with `all` in all of them.
std::vector<Quantity> CategoriesOf(const std::vector<Part>& parts, bool all) {
  std::vector<Quantity> categories;
  for (const auto& [category, name] : kNames) {
    const auto has = [&](const Part& part) { return HasCategory(part, category); };
    if (all ? std::ranges::all_of(parts, has) : std::ranges::any_of(parts, has))
      categories.push_back(category);
  }
  return categories;
}

Quantity CategoryNamed(const std::string& name, const std::string& option,
                       const std::vector<Quantity>& known) {
  std::string expected;
  for (const auto& [category, its_name] : kNames) {
    if (std::ranges::find(known, category) == known.end()) continue;
    if (name == its_name) return category;
    expected.append(expected.empty() ? "\"" : ", \"").append(its_name).append("\"");
  }
  throw Error(ErrorKind::kOption,
              option + ": expected one of " + expected + ", got \"" + name + "\"");
}

std::vector<std::vector<Quantity>> ReadLocal(const ParamValues& options, const Robot& robot) {
  const auto distances = static_cast<std::size_t>(options.Get<std::int64_t>(kDistance)) + 1;
  std::vector<std::vector<Quantity>> local(distances, {Quantity::kQpos});
  local[0] = robot.categories;
  if (!options.Holds<std::vector<std::string>>(kLocal)) return local;
  const auto& given = options.Get<std::vector<std::string>>(kLocal);
  if (given.size() < distances) {
    throw Error(ErrorKind::kOption, std::string(kLocal) +
                                        ": expected a text for each distance up "
                                        "to agent_obsk = " +
                                        std::to_string(distances - 1) + ", got " +
                                        std::to_string(given.size()));
  }
  const std::vector<Quantity> known = CategoriesOf(robot.parts, false);
  for (std::size_t k = 0; k < given.size(); ++k) {
    std::vector<Quantity> categories;
    for (const std::string& name : WordsOf(given[k])) {
      categories.push_back(
          CategoryNamed(name, std::string(kLocal) + "[" + std::to_string(k) + "]", known));
    }
    if (k < distances) local[k] = std::move(categories);
  }
  return local;
}

std::vector<Quantity> ReadGlobal(const ParamValues& options, const Robot& robot) {
  if (!options.Holds<std::vector<std::string>>(kGlobal)) return {Quantity::kQpos, Quantity::kQvel};
  std::vector<Quantity> known = CategoriesOf(robot.globals, true);
  std::vector<Quantity> global;
  for (const std::string& name : options.Get<std::vector<std::string>>(kGlobal))
    global.push_back(CategoryNamed(name, kGlobal, known));
  return global;
}

// The parts at each distance from an agent, those at distance 0 being its own.
std::vector<std::vector<std::size_t>> PartsByDistance(const Robot& robot,
                                                      std::span<const std::size_t> own,
                                                      std::size_t distances) {
  std::vector<std::vector<std::size_t>> by_distance;
  std::set<std::size_t> known(own.begin(), own.end());
  std::set<std::size_t> latest = known;
  for (std::size_t k = 0; k < distances; ++k) {
    std::vector<std::size_t>& sorted = by_distance.emplace_back(latest.begin(), latest.end());
    std::ranges::sort(sorted, {}, [&](std::size_t part) {
      return std::pair<const std::string&, std::size_t>(robot.parts[part].sort_key, part);
    });
    std::set<std::size_t> next;
    for (const auto& edge : robot.edges) {
      if (std::ranges::any_of(edge, [&](std::size_t part) { return latest.contains(part); }))
        next.insert(edge.begin(), edge.end());
    }
    for (const std::size_t part : known) next.erase(part);
    known.insert(next.begin(), next.end());
    latest = std::move(next);
  }
  return by_distance;
}

// Appends the numbers of a category that a part has. A body's are observed only once.
void Append(const Part& part, Quantity category, std::set<std::pair<Quantity, int>>& seen,
            std::vector<Term>& terms) {
  if (const auto own = part.own.find(category); own != part.own.end()) {
    terms.insert(terms.end(), own->second.begin(), own->second.end());
  } else if (const std::optional<int> element = ElementOf(part, category)) {
    terms.push_back({.array = category, .index = *element});
  } else if (const int count = NumbersOfABody(category); count > 0) {
    for (const int body : part.bodies) {
      if (!seen.insert({category, body}).second) continue;
      for (int i = 0; i < count; ++i) {
        terms.push_back({.array = category, .index = count * body + i, .function = part.of_bodies});
      }
    }
  }
}

}  // namespace

ParamSchema ObservationOptions() {
  return {{.name = kDistance,
           .default_value = std::int64_t{1},
           .doc = "Distance up to which an agent observes other joints; None: one agent that "
                  "observes and does everything.",
           .low = 0.0,
           .high = kMaxDistance,
           .none = NonePolicy::kAccepted},
          {.name = kLocal,
           .default_value = std::vector<std::string>{},
           .doc = "What is observed of joints at each distance, such as \"qpos qvel\"; None: the "
                  "scenario's.",
           .none = NonePolicy::kDefault},
          {.name = kGlobal,
           .default_value = std::vector<std::string>{"qpos", "qvel"},
           .doc = "What every agent observes of the whole robot.",
           .none = NonePolicy::kAccepted}};
}

Categories::Categories(const ParamValues& options, const Robot& robot)
    : local(ReadLocal(options, robot)), global(ReadGlobal(options, robot)) {}

bool Categories::Has(Quantity quantity) const {
  const auto has = [&](const std::vector<Quantity>& categories) {
    return std::ranges::find(categories, quantity) != categories.end();
  };
  return has(global) || std::ranges::any_of(local, has);
}

std::vector<Term> ObservationOf(const Robot& robot, std::span<const std::size_t> own,
                                const Categories& categories, const Model& model) {
  std::vector<Term> terms;
  std::set<std::pair<Quantity, int>> seen;
  const auto by_distance = PartsByDistance(robot, own, categories.local.size());
  for (std::size_t k = 0; k < by_distance.size(); ++k) {
    for (const std::size_t part : by_distance[k]) {
      for (const Quantity category : categories.local[k])
        Append(robot.parts[part], category, seen, terms);
    }
  }
  seen.clear();
  for (const Quantity category : categories.global) {
    for (const Part& part : robot.globals) Append(part, category, seen, terms);
  }
  for (Term& term : terms) {
    const std::int64_t size = SizeOf(term.array, model);
    const bool from_end = term.index < 0;
    model.RequireAtLeast(from_end ? -term.index : term.index + 1, size,
                         "numbers of an array that agents observe");
    if (from_end) term.index += static_cast<int>(size);
  }
  return terms;
}

double* Write(std::span<const Term> terms, const DataFields& data, double* to) {
  // In the order of Quantity.
  const std::array<const double*, 7> arrays = {
      data.qpos, data.qvel, data.qfrc_actuator, data.cvel, data.cinert, data.cfrc_ext, data.xpos};
  for (const Term& term : terms) {
    const double* const array = arrays[static_cast<std::size_t>(term.array)];
    const double value = array[term.index];
    switch (term.function) {
      case Function::kSame:
        *to++ = value;
        break;
      case Function::kClipTo1:
        *to++ = Clip(value, -1.0, 1.0);
        break;
      case Function::kClipTo10:
        *to++ = Clip(value, -10.0, 10.0);
        break;
      case Function::kSine:
        *to++ = NumpySin(value);
        break;
      case Function::kCosine:
        *to++ = NumpyCos(value);
        break;
      case Function::kMinus:
        *to++ = value - array[term.subtracted];
        break;
    }
  }
  return to;
}

}  // namespace engine::mujoco::mamujoco
