// See the header.
#include "engine/envs/mujoco/robotics/model_source.h"

#include <algorithm>
#include <charconv>
#include <system_error>

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

std::vector<double> FrankaNumbers(const std::string& attribute, std::size_t count) {
  const std::string text = TextOf({"franka", attribute});
  std::vector<double> numbers;
  double number = 0.0;
  const char* const end = text.data() + text.size();
  for (const char* next = text.data(); next != end && numbers.size() < count;) {
    const auto [after, error] = std::from_chars(next, end, number);
    if (error != std::errc()) break;
    numbers.push_back(number);
    next = std::find_if(after, end, [](char letter) { return letter != ' '; });
  }
  if (numbers.size() == count) return numbers;
  throw Error(ErrorKind::kOption, attribute + " of the joints of FrankaKitchen: expected " +
                                      std::to_string(count) + " numbers, found " +
                                      std::to_string(numbers.size()));
}

}  // namespace engine::mujoco::robotics
