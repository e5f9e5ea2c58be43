// Reading the kernel's files: text, numbers and lists. For the .cc files of this directory.
#ifndef ENGINE_TOPOLOGY_KERNEL_FILES_H_
#define ENGINE_TOPOLOGY_KERNEL_FILES_H_

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "engine/topology/topology.h"

namespace engine {

inline std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Parses the whole of `text` as a decimal number; nullopt if it is not one.
template <class T>
std::optional<T> ParseNumber(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

inline std::optional<std::string> ReadFile(const std::filesystem::path& path) {
  // If `path` is a directory, the stream would open and would fail only when read.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || error) return std::nullopt;
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad() || !file.is_open()) return std::nullopt;
  return text;
}

inline std::optional<std::vector<int>> ReadCpuList(const std::filesystem::path& path) {
  const std::optional<std::string> text = ReadFile(path);
  return text ? ParseCpuList(*text) : std::nullopt;
}

// Requires: both lists are sorted.
inline std::vector<int> Intersection(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

}  // namespace engine

#endif  // ENGINE_TOPOLOGY_KERNEL_FILES_H_
