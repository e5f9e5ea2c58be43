// Whether the files of a model have changed. Reads files; any thread.
#ifndef ENGINE_ENVS_MUJOCO_MODEL_FILES_H_
#define ENGINE_ENVS_MUJOCO_MODEL_FILES_H_

#include <filesystem>
#include <optional>
#include <string>

namespace engine::mujoco {

// Returns a text of several lines that is equal for two calls if the file and all files that it
// names are unchanged: the texts of XML files, and the sizes and times of meshes, textures and
// height fields. Returns nothing if that cannot be told: a file is missing, or plug-ins may read
// others.
std::optional<std::string> StateOfFiles(const std::filesystem::path& xml_file);

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_MODEL_FILES_H_
