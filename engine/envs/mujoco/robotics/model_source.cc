// See the header.
#include "engine/envs/mujoco/robotics/model_source.h"

#include "engine/base/error.h"
#include "engine/envs/mujoco/robotics/maze_map.h"

namespace engine::mujoco::robotics {
namespace {

ModelSource model_source = nullptr;  // written once, before any thread reads it

std::string TextOf(const std::vector<std::string>& key) {
  if (model_source == nullptr) {
    throw Error(ErrorKind::kInternal, "expected a source of the models, got none");
  }
  return model_source(key);
}

}  // namespace

void SetModelSource(ModelSource source) { model_source = source; }

BaseModelPtr MazeModel(const std::string& agent, const std::vector<std::string>& rows,
                       const std::string& xml_file) {
  MazeMap::CheckForm(rows);
  std::vector<std::string> key = {"maze", agent, xml_file};
  key.insert(key.end(), rows.begin(), rows.end());
  return CompileText(xml_file.empty() ? agent : xml_file, TextOf(key));
}

BaseModelPtr PackageModel(const std::string& path) { return LoadModel(TextOf({"path", path})); }

}  // namespace engine::mujoco::robotics
