// See the header.
#include "engine/envs/mujoco/model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/envs/mujoco/library.h"

namespace engine::mujoco {
namespace {

// Written once, before any thread reads it. Never destroyed, because a daemon thread may make a
// pool while the process exits.
std::string& AssetDirectory() {
  static auto* const directory = new std::string;
  return *directory;
}

[[noreturn]] void ThrowOption(const std::string& file, const std::string& problem) {
  throw Error(ErrorKind::kOption,
              "xml_file: expected a model for this task, got \"" + file + "\": " + problem);
}

std::string PathOf(const std::string& xml_file) {
  if (xml_file.find('\0') != std::string::npos) {
    throw Error(ErrorKind::kOption, "xml_file: expected a path without null bytes, got one in \"" +
                                        std::string(xml_file.c_str()) + "\\0...\"");
  }
  std::string path = AssetDirectory() + "/" + xml_file;
  if (xml_file.starts_with('/') || xml_file.starts_with('.')) path = xml_file;
  if (xml_file.starts_with('~')) {
    const char* const home = std::getenv("HOME");
    path = (home == nullptr ? "~" : home) + xml_file.substr(1);
  }
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) ThrowOption(xml_file, "there is no file " + path);
  return path;
}

}  // namespace

void SetAssetDirectory(std::string directory) { AssetDirectory() = std::move(directory); }

Model::Model(const std::string& xml_file) : file_(xml_file) {
  const std::string path = PathOf(xml_file);
  char error[1024] = "";
  mjModel* model = nullptr;
  Guarded([&] { model = Library().load_xml(path.c_str(), nullptr, error, sizeof error); });
  if (model == nullptr) ThrowOption(xml_file, error);
  Adopt(model);
}

Model::Model(const ModelText& text) : file_(text.name) {
  struct SpecDeleter {
    void operator()(mjSpec* spec) const { Library().delete_spec(spec); }
  };
  char error[1024] = "";
  mjSpec* parsed = nullptr;
  Guarded(
      [&] { parsed = Library().parse_xml_string(text.xml.c_str(), nullptr, error, sizeof error); });
  const std::unique_ptr<mjSpec, SpecDeleter> spec(parsed);
  if (spec == nullptr) ThrowOption(file_, error);
  mjModel* model = nullptr;
  Guarded([&] { model = Library().compile(spec.get(), nullptr); });
  if (model == nullptr) ThrowOption(file_, "it cannot be compiled");
  Adopt(model);
}

void Model::Adopt(mjModel* model) {
  model_.reset(model);
  fields_ = FieldsOf(UsedLayout().model, *model);
  // Velocities and the frame rate are computed from the time step.
  if (!std::isfinite(1.0 / fields_.timestep)) {
    ThrowOption(file_, "its timestep is " + std::to_string(fields_.timestep) + " s");
  }
  physics_ = std::make_unique<const PhysicsModel>(*model_);
}

void Model::Deleter::operator()(mjModel* model) const { Library().delete_model(model); }

int Model::BodyId(const std::string& name) const {
  const int id = Library().name_to_id(get(), kObjectBody, name.c_str());
  if (id < 0) ThrowOption(file_, "it has no body \"" + name + "\"");
  return id;
}

void Model::RequireAtLeast(int needed, std::int64_t present, const char* what) const {
  if (present >= needed) return;
  ThrowOption(file_, "it has " + std::to_string(present) + " " + what + ", the task needs " +
                         std::to_string(needed));
}

void Model::GrowPictures(int width, int height) {
  *fields_.offwidth = std::max(*fields_.offwidth, width);
  *fields_.offheight = std::max(*fields_.offheight, height);
}

SpaceSpec Model::ActionSpace() const {
  std::vector<float> low;
  std::vector<float> high;
  for (int i = 0; i < fields_.nu; ++i) {
    low.push_back(static_cast<float>(fields_.actuator_ctrlrange[2 * i]));
    high.push_back(static_cast<float>(fields_.actuator_ctrlrange[2 * i + 1]));
  }
  return SpaceSpec::Box<float>({fields_.nu}, low, high);
}

SpaceSpec ObservationSpace(std::int64_t size) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return SpaceSpec::Box<double>({size}, -kInfinity, kInfinity);
}

}  // namespace engine::mujoco
