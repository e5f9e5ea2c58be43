// Where the models of the tasks come from. SetModelSource is called once, before any task is
// registered; any thread may call the other functions.
#ifndef ENGINE_ENVS_MUJOCO_ROBOTICS_MODEL_SOURCE_H_
#define ENGINE_ENVS_MUJOCO_ROBOTICS_MODEL_SOURCE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "engine/envs/mujoco/base_model.h"

namespace engine::mujoco::robotics {

// A function that returns the text for a key, which has one word and its arguments: see
// envpool_py/tasks/families/robotics/models.py. It is called without the GIL, and throws
// Error{kOption} if there is no such text.
using ModelSource = std::string (*)(const std::vector<std::string>& key);
void SetModelSource(ModelSource source);

// Returns the compiled model of an agent in a maze. `agent` is "point" or "ant"; `xml_file` is the
// file of an ant. Throws Error{kOption} if the rows have another form than a map's, if there is no
// such file, or if the model cannot be compiled.
BaseModelPtr MazeModel(const std::string& agent, const std::vector<std::string>& rows,
                       const std::string& xml_file);
// Returns the compiled model of a file of the package, by its path in the package's directory of
// models. Throws like MazeModel.
BaseModelPtr PackageModel(const std::string& path);
// Returns the first `count` numbers that an attribute of the joints of FrankaKitchen has, such as
// "pos_bound". Throws Error{kOption} if the package has fewer.
std::vector<double> FrankaNumbers(const std::string& attribute, std::size_t count);

}  // namespace engine::mujoco::robotics

#endif  // ENGINE_ENVS_MUJOCO_ROBOTICS_MODEL_SOURCE_H_
