// See the header.
#include "engine/envs/mujoco/mamujoco/robot.h"

namespace engine::mujoco::mamujoco {

std::optional<std::size_t> Robot::Find(const std::string& name) const {
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (parts[part].name == name) return part;
  }
  return std::nullopt;
}

void Robot::Join(const std::vector<std::string>& names) {
  std::vector<std::size_t>& joined = edges.emplace_back();
  for (const std::string& name : names) joined.push_back(Find(name).value());
}

std::vector<std::string> WordsOf(const std::string& text) {
  constexpr const char* kSeparators = " ,";
  std::vector<std::string> words;
  for (std::size_t end = 0;;) {
    const std::size_t begin = text.find_first_not_of(kSeparators, end);
    if (begin == std::string::npos) return words;
    end = text.find_first_of(kSeparators, begin);
    words.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return words;
  }
}

}  // namespace engine::mujoco::mamujoco
