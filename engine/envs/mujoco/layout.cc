// See the header; the numbers are in layouts.cc.
#include "engine/envs/mujoco/layout.h"

#include <algorithm>

namespace engine::mujoco {

const Layout* LayoutOf(std::string_view version) {
  const auto found = std::ranges::find(Layouts(), version, &Layout::version);
  return found == Layouts().end() ? nullptr : &*found;
}

std::string SupportedVersions() {
  std::string words;
  for (const Layout& layout : Layouts()) {
    if (!words.empty()) words += &layout == &Layouts().back() ? " or " : ", ";
    words += layout.version;
  }
  return words;
}

}  // namespace engine::mujoco
