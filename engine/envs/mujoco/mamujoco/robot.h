// A robot as its agents see it: the joints that they move and observe, and which of these are next
// to each other. Pure data and functions; any thread.
#ifndef ENGINE_ENVS_MUJOCO_MAMUJOCO_ROBOT_H_
#define ENGINE_ENVS_MUJOCO_MAMUJOCO_ROBOT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace engine::mujoco::mamujoco {

// What is observed: arrays of mjData, and the distance of a fingertip from its target.
enum class Quantity : std::uint8_t {
  kQpos,
  kQvel,
  kQfrcActuator,
  kCvel,
  kCinert,
  kCfrcExt,
  kXpos,  // only in Part::own
  kFingertipDistance,
};

enum class Function : std::uint8_t { kSame, kClipTo1, kClipTo10, kSine, kCosine, kMinus };

// One number of an observation: a function of an element of an array.
struct Term {
  Quantity array;
  int index;  // negative: counted from the end of the array
  Function function = Function::kSame;
  int subtracted = 0;  // kMinus: the index of the element that is subtracted
};

// A joint, with its actuator if it has one, or something else that is observed.
struct Part {
  std::string name;
  // Parts at one distance are observed in the order of these texts.
  std::string sort_key = name;
  // The elements of qpos and qvel. Negative: counted from the end. None: there is none.
  std::optional<int> qpos = {};
  std::optional<int> qvel = qpos;
  std::optional<int> control = {};
  std::vector<int> bodies = {};          // whose velocities, inertias and forces are observed
  Function of_bodies = Function::kSame;  // of these numbers
  // What is observed of the part in place of what follows from the members above.
  std::map<Quantity, std::vector<Term>> own = {};
};

// A division of the joints among agents.
struct Division {
  std::string name;                 // the reference's agent_conf
  std::vector<std::string> agents;  // of each agent: names of parts, in the order of its actions
};

struct Robot {
  std::vector<Part> parts;
  std::vector<std::vector<std::size_t>> edges;  // parts that are next to each other
  std::vector<Part> globals;                    // what every agent observes
  // What an agent observes of its own parts by default. Of other parts it observes qpos.
  std::vector<Quantity> categories = {Quantity::kQpos, Quantity::kQvel};

  // Returns the first part of this name, if there is one.
  std::optional<std::size_t> Find(const std::string& name) const;
  // Makes these parts, which exist, neighbours.
  void Join(const std::vector<std::string>& names);
};

// Returns the words of a text, which are separated by spaces or commas.
std::vector<std::string> WordsOf(const std::string& text);

}  // namespace engine::mujoco::mamujoco

#endif  // ENGINE_ENVS_MUJOCO_MAMUJOCO_ROBOT_H_
