// See the header.
#include "engine/envs/mujoco/model_files.h"

#include <cctype>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

namespace engine::mujoco {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 10'000;

bool IsSpace(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }
bool IsLetter(char letter) { return std::isalpha(static_cast<unsigned char>(letter)) != 0; }

// Calls visit(name, value) for everything in a text that may be an attribute of XML.
template <class Visit>
void ForEachAttribute(std::string_view xml, const Visit& visit) {
  for (std::size_t at = xml.find('='); at != std::string_view::npos; at = xml.find('=', at + 1)) {
    std::size_t end = at;
    while (end > 0 && IsSpace(xml[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && IsLetter(xml[begin - 1])) --begin;
    std::size_t quote = at + 1;
    while (quote < xml.size() && IsSpace(xml[quote])) ++quote;
    if (quote == xml.size() || (xml[quote] != '"' && xml[quote] != '\'')) continue;
    const std::size_t close = xml.find(xml[quote], quote + 1);
    if (close == std::string_view::npos) return;
    visit(xml.substr(begin, end - begin), xml.substr(quote + 1, close - quote - 1));
  }
}

// Returns a text without its comments, which may name files that do not exist.
std::string WithoutComments(const std::string& xml) {
  std::string text;
  std::size_t at = 0;
  for (std::size_t begin; (begin = xml.find("<!--", at)) != std::string::npos;) {
    text += xml.substr(at, begin - at);
    const std::size_t end = xml.find("-->", begin);
    if (end == std::string::npos) return text;
    at = end + 3;
  }
  return text + xml.substr(at);
}

// MuJoCo looks for a file in the directories of the XML files, and in those that the attributes
// meshdir, texturedir and assetdir name. All files that it may find belong to the state.
class FilesOfModel {
 public:
  // Returns whether the file and all XML files that it names were read.
  bool ReadXml(const fs::path& path) {
    if (!read_.insert(path.lexically_normal().string()).second) return true;
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file.good() && !file.eof()) return false;
    if (text.empty() || text.find("<plugin") != std::string::npos) return false;
    texts_ += path.string() + "\n" + text + "\n";
    bases_.insert(path.parent_path());
    std::vector<fs::path> included;
    ForEachAttribute(WithoutComments(text), [&](std::string_view name, std::string_view value) {
      if (value.empty()) return;
      if (name.ends_with("dir")) directories_.insert(fs::path(value));
      if (!name.starts_with("file")) return;
      names_.insert(fs::path(value));
      if (fs::path(value).extension() == ".xml") included.emplace_back(value);
    });
    if (names_.size() > kMaxFiles) return false;
    const std::set<fs::path> bases = bases_;
    for (const fs::path& name : included) {
      for (const fs::path& base : bases) {
        std::error_code ignored;
        if (fs::exists(base / name, ignored) && !ReadXml(base / name)) return false;
      }
    }
    return true;
  }

  std::optional<std::string> State() const {
    std::string state = texts_;
    for (const fs::path& name : names_) {
      bool is_found = false;
      for (const fs::path& base : bases_) {
        is_found |= AddState(base / name, state);
        for (const fs::path& directory : directories_) {
          is_found |= AddState(base / directory / name, state);
          is_found |= AddState(base / directory / name.filename(), state);
        }
      }
      if (!is_found) return std::nullopt;
    }
    return state;
  }

 private:
  static bool AddState(const fs::path& path, std::string& state) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (error) return false;
    const auto time = fs::last_write_time(path, error);
    if (error) return false;
    // The clock's own unit may be of a type that to_string lacks.
    const std::chrono::nanoseconds since = time.time_since_epoch();
    state +=
        path.string() + " " + std::to_string(size) + " " + std::to_string(since.count()) + "\n";
    return true;
  }

  std::string texts_;
  std::set<std::string> read_;
  std::set<fs::path> bases_, directories_, names_;
};

}  // namespace

std::optional<std::string> StateOfFiles(const fs::path& xml_file) {
  FilesOfModel files;
  if (!files.ReadXml(xml_file)) return std::nullopt;
  return files.State();
}

}  // namespace engine::mujoco
