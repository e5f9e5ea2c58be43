// See the header.
#include "engine/envs/mujoco/base_model.h"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/fork_lock.h"
#include "engine/base/mutex.h"
#include "engine/envs/mujoco/layout.h"
#include "engine/envs/mujoco/model_files.h"

namespace engine::mujoco {
namespace {

std::atomic<int> num_base_models{0};

struct Models {
  Mutex mutex;
  std::string directory ENGINE_GUARDED_BY(mutex);  // of relative paths
  // Those in use, by their name (CompileModel), by their text (CompileText), or by the text of
  // their file; these texts have several lines.
  std::unordered_map<std::string, std::weak_ptr<const BaseModel>> by_key ENGINE_GUARDED_BY(mutex);
};
Mutex& KnownModelsLock();
// Never destroyed, because a daemon thread may make a pool while the process exits.
Models& KnownModels() {
  static auto* const models = new Models;
  HoldDuringFork<&KnownModelsLock>();
  return *models;
}
Mutex& KnownModelsLock() { return KnownModels().mutex; }

std::string AssetDirectory() {
  Models& known = KnownModels();
  const ScopedLock lock(known.mutex);
  return known.directory;
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
  if (!std::filesystem::exists(path, ignored)) ThrowUnfit(xml_file, "there is no file " + path);
  return path;
}

BaseModelPtr FindModel(const std::string& key) {
  Models& known = KnownModels();
  const ScopedLock lock(known.mutex);
  const auto found = known.by_key.find(key);
  return found == known.by_key.end() ? nullptr : found->second.lock();
}

// Two threads may have compiled the same model. The later one is then known.
void RememberModel(const std::string& key, const BaseModelPtr& model) {
  Models& known = KnownModels();
  const ScopedLock lock(known.mutex);
  std::erase_if(known.by_key, [](const auto& entry) { return entry.second.expired(); });
  known.by_key.insert_or_assign(key, model);
}

BaseModelPtr Compile(const std::string& name, const std::string& text) {
  struct SpecDeleter {
    void operator()(mjSpec* spec) const { Library().delete_spec(spec); }
  };
  char error[1024] = "";
  mjSpec* parsed = nullptr;
  Guarded([&] { parsed = Library().parse_xml_string(text.c_str(), nullptr, error, sizeof error); });
  const std::unique_ptr<mjSpec, SpecDeleter> spec(parsed);
  if (spec == nullptr) ThrowUnfit(name, error);
  mjModel* model = nullptr;
  Guarded([&] { model = Library().compile(spec.get(), nullptr); });
  if (model == nullptr) ThrowUnfit(name, "it cannot be compiled");
  return std::make_shared<const BaseModel>(model, name);
}

}  // namespace

void SetAssetDirectory(std::string directory) {
  Models& known = KnownModels();
  const ScopedLock lock(known.mutex);
  known.directory = std::move(directory);
}

BaseModel::BaseModel(mjModel* model, std::string name) : model_(model), name_(std::move(name)) {
  // Velocities and the frame rate are computed from the time step.
  const double timestep = MemberAt<double>(model, UsedLayout().model.timestep);
  if (!std::isfinite(1.0 / timestep)) {
    ThrowUnfit(name_, "its timestep is " + std::to_string(timestep) + " s");
  }
  // Off: no picture shows which bounding volumes the latest search for contacts has visited, and
  // nothing else reads these marks, which each physics step clears: 280 KB for FrankaKitchen.
  MemberAt<int>(model, UsedLayout().model.bvactive) = 0;
  num_base_models.fetch_add(1, std::memory_order_relaxed);
}

BaseModel::~BaseModel() { num_base_models.fetch_sub(1, std::memory_order_relaxed); }

BaseModelPtr LoadModel(const std::string& xml_file) {
  const std::string path = PathOf(xml_file);
  const std::optional<std::string> files = StateOfFiles(path);
  if (files) {
    if (BaseModelPtr known = FindModel(*files)) return known;
  }
  char error[1024] = "";
  mjModel* model = nullptr;
  Guarded([&] { model = Library().load_xml(path.c_str(), nullptr, error, sizeof error); });
  if (model == nullptr) ThrowUnfit(xml_file, error);
  auto loaded = std::make_shared<const BaseModel>(model, xml_file);
  if (files) RememberModel(*files, loaded);
  return loaded;
}

BaseModelPtr CompileModel(const std::string& name, std::string (*text_of)(const std::string&)) {
  if (BaseModelPtr known = FindModel(name)) return known;
  BaseModelPtr compiled = Compile(name, text_of(name));
  RememberModel(name, compiled);
  return compiled;
}

BaseModelPtr CompileText(const std::string& name, const std::string& text) {
  if (BaseModelPtr known = FindModel(text)) return known;
  BaseModelPtr compiled = Compile(name, text);
  RememberModel(text, compiled);
  return compiled;
}

void ThrowUnfit(const std::string& model, const std::string& problem) {
  throw Error(ErrorKind::kOption,
              "xml_file: expected a model for this task, got \"" + model + "\": " + problem);
}

int NumBaseModels() { return num_base_models.load(std::memory_order_relaxed); }

}  // namespace engine::mujoco
