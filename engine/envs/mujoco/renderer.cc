// See the header.
#include "engine/envs/mujoco/renderer.h"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/fork_lock.h"
#include "engine/base/mutex.h"
#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/gl_context.h"
#include "engine/envs/mujoco/library.h"
#include "engine/envs/mujoco/model_changes.h"

namespace engine::mujoco {
namespace {

constexpr double kLargest = 8192.0;  // pixels, largest side of a picture
constexpr double kMaxGeoms = 1e6;
constexpr unsigned kMaxStages = 16;  // stages of a pool, each with its own buffers

ParamSpec Integer(const char* name, std::int64_t value, const char* doc, double low, double high) {
  return {.name = name, .default_value = value, .doc = doc, .low = low, .high = high};
}

ParamSpec Table(const char* name, NumberTable value, const char* doc) {
  return {.name = name,
          .default_value = std::move(value),
          .doc = doc,
          .low = std::nullopt,
          .high = std::nullopt,
          .none = NonePolicy::kAccepted};
}

// Returns the value of the option, or `otherwise` if it is None.
template <class T>
T GivenOr(const ParamValues& options, const char* name, T otherwise) {
  return options.Holds<T>(name) ? options.Get<T>(name) : std::move(otherwise);
}

int ReadCamera(const ParamValues& options, const Model& model) {
  const auto id = GivenOr<std::int64_t>(options, "camera_id", -1);
  const auto name = GivenOr<std::string>(options, "camera_name", "");
  if (id != -1 && !name.empty()) {
    throw Error(ErrorKind::kOption,
                "camera_name: expected none together with camera_id, got \"" + name + "\"");
  }
  if (!name.empty()) {
    const int found = Library().name_to_id(model.get(), kObjectCamera, name.c_str());
    if (found >= 0) return found;
    throw Error(ErrorKind::kOption,
                "camera_name: expected one of the model's, got \"" + name + "\"");
  }
  if (id < model->ncam) return static_cast<int>(id);
  throw Error(ErrorKind::kOption, "camera_id: expected an integer in [-1, " +
                                      std::to_string(model->ncam - 1) + "], got " +
                                      std::to_string(id));
}

// Throws Error{kOption} for a field that mjvCamera does not have, or whose size is wrong.
NumberTable ReadCameraConfig(const ParamValues& options) {
  auto config = GivenOr<NumberTable>(options, "default_camera_config", {});
  const std::vector<std::string> fields = {"azimuth", "distance",     "elevation",   "fixedcamid",
                                           "lookat",  "orthographic", "trackbodyid", "type"};
  for (const auto& [field, values] : config) {
    if (std::ranges::find(fields, field) == fields.end()) {
      const std::string nearest = NearestName(field, fields);
      throw Error(ErrorKind::kOption,
                  "default_camera_config: a camera has no \"" + field + "\"" +
                      (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"));
    }
    const std::size_t size = field == "lookat" ? 3 : 1;
    if (values.size() != size) {
      throw Error(ErrorKind::kOption, "default_camera_config: expected " + std::to_string(size) +
                                          " as \"" + field + "\", got " + ToString(values));
    }
  }
  return config;
}

// Returns the flags that select what pictures show (mjtVisFlag, by their numbers).
Storage ReadVisualOptions(const ParamValues& options) {
  const PictureLayout& layout = UsedLayout().picture;
  Storage shown(layout.option_bytes);
  Library().default_option(shown.As<mjvOption>());
  auto* const flags = &MemberAt<std::uint8_t>(shown.As<mjvOption>(), layout.option_flags);
  for (const auto& [flag, values] : GivenOr<NumberTable>(options, "visual_options", {})) {
    int number = -1;
    const auto [end, error] = std::from_chars(flag.data(), flag.data() + flag.size(), number);
    if (error != std::errc() || *end != '\0' || number < 0 || number >= layout.num_flags) {
      throw Error(ErrorKind::kOption, "visual_options: expected keys in [0, " +
                                          std::to_string(layout.num_flags - 1) + "], got " + flag);
    }
    if (values.size() != 1) {
      throw Error(ErrorKind::kOption, "visual_options: expected True or False for " + flag +
                                          ", got " + ToString(values));
    }
    flags[number] = values[0] != 0.0 ? 1 : 0;
  }
  return shown;
}

// np.median.
double Median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2.0;
}

// The Renderer::Stages that renderers of changed models share, by model and sizes. Never destroyed,
// because a daemon thread may make a pool while the process exits.
struct StagesOfModels {
  Mutex mutex;
  // Guarded by `mutex`.
  std::map<std::tuple<const mjModel*, int, int, int>, std::weak_ptr<void>> by_key;
};
StagesOfModels& SharedStages() {
  static auto* const stages = new StagesOfModels;
  return *stages;
}
Mutex& SharedStagesLock() { return SharedStages().mutex; }

}  // namespace

// An OpenGL context with the resources and the scene that draw one picture at a time.
struct Renderer::Stage {
  Stage(const Model& model, int max_geom) {
    const Functions& mj = Library();
    mj.default_scene(scene());
    mj.default_context(context());
    const auto current = gl->MakeCurrent();
    Guarded([&] {
      mj.make_scene(model.get(), scene(), max_geom);
      mj.make_context(model.get(), context(), kFontScale150);
      mj.set_buffer(kBufferOffscreen, context());
    });
  }
  ~Stage() {
    const Functions& mj = Library();
    mj.free_scene(scene());
    try {
      const auto current = gl->MakeCurrent();
      mj.free_context(context());
    } catch (const Error&) {
      // If the context cannot be made current, only the driver can free its resources.
    }
  }

  mjvScene* scene() { return scene_.As<mjvScene>(); }
  mjrContext* context() { return context_.As<mjrContext>(); }

  std::unique_ptr<GlContext> gl = OpenGlContext();

 private:
  Storage scene_{UsedLayout().picture.scene_bytes};
  Storage context_{UsedLayout().picture.context_bytes};
};

// The stages of a renderer, or of several renderers whose models differ only in what is no resource
// of OpenGL.
struct Renderer::Stages {
  explicit Stages(BaseModelPtr of) : model(std::move(of)) {}

  const BaseModelPtr model;  // whose textures and meshes the stages have
  std::mutex mutex;
  std::condition_variable returned;          // notified when a stage is returned to `idle`
  unsigned max_stages = 1;                   // guarded by `mutex`
  unsigned open = 0;                         // number of stages; guarded by `mutex`
  std::vector<std::unique_ptr<Stage>> idle;  // guarded by `mutex`
};

class Renderer::Taken {
 public:
  // Waits while all stages are in use. The constructor opens a new stage with the lock held,
  // because MuJoCo then looks up the functions of OpenGL again.
  explicit Taken(const Renderer& renderer) : stages_(*renderer.stages_) {
    std::unique_lock lock(stages_.mutex);
    stages_.returned.wait(
        lock, [&] { return !stages_.idle.empty() || stages_.open < stages_.max_stages; });
    if (stages_.idle.empty()) {
      stages_.idle.reserve(stages_.max_stages);  // so that the destructor does not throw
      stage_ = std::make_unique<Stage>(renderer.model_, renderer.max_geom_);
      ++stages_.open;
    } else {
      stage_ = std::move(stages_.idle.back());
      stages_.idle.pop_back();
    }
  }
  ~Taken() {
    {
      const std::lock_guard lock(stages_.mutex);
      stages_.idle.push_back(std::move(stage_));
    }
    stages_.returned.notify_one();
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;

  Stage& stage() const { return *stage_; }

 private:
  Stages& stages_;
  std::unique_ptr<Stage> stage_;
};

ParamSpec CameraConfig(Version version, NumberTable config) {
  return FixedBefore(
      Version::kV5, version,
      Table("default_camera_config", std::move(config), "Fields of the free camera (mjvCamera)."));
}

ParamSchema WithRendering(ParamSchema options) {
  options.push_back(Integer("width", 480, "Width of a picture in pixels.", 1.0, kLargest));
  options.push_back(Integer("height", 480, "Height of a picture in pixels.", 1.0, kLargest));
  options.push_back(Integer("camera_id", -1,
                            "Id of the model's camera to use; -1 for the free camera.", -1.0,
                            kMaxGeoms));
  options.back().none = NonePolicy::kAccepted;
  options.push_back({.name = "camera_name",
                     .default_value = std::string(),
                     .doc = "Name of the model's camera to use; empty for none.",
                     .low = std::nullopt,
                     .high = std::nullopt,
                     .none = NonePolicy::kAccepted});
  options.push_back(
      Table("visual_options", {}, "Visualization flags (mjtVisFlag) to switch on or off."));
  options.push_back(
      Integer("max_geom", 1000, "Largest number of geoms in a picture.", 1.0, kMaxGeoms));
  return options;
}

Renderer::Renderer(const ParamValues& options, Model& model)
    : model_(model),
      camera_config_(ReadCameraConfig(options)),
      shown_(ReadVisualOptions(options)),
      width_(static_cast<int>(options.Get<std::int64_t>("width"))),
      height_(static_cast<int>(options.Get<std::int64_t>("height"))),
      max_geom_(static_cast<int>(options.Get<std::int64_t>("max_geom"))),
      camera_id_(ReadCamera(options, model)),
      stages_(StagesFor(options)) {
  model.GrowPictures(width_, height_);
}

Renderer::~Renderer() = default;

std::shared_ptr<Renderer::Stages> Renderer::StagesFor(const ParamValues& options) const {
  if (ModelChanges(options).fields.empty()) return std::make_shared<Stages>(model_.shared_base());
  HoldDuringFork<&SharedStagesLock>();
  const ScopedLock lock(SharedStagesLock());
  auto& known = SharedStages().by_key;
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<void>& found = known[{model_.base(), width_, height_, max_geom_}];
  auto stages = std::static_pointer_cast<Stages>(found.lock());
  if (stages == nullptr) found = stages = std::make_shared<Stages>(model_.shared_base());
  return stages;
}

void Renderer::DrawConcurrently() {
  const std::lock_guard lock(stages_->mutex);
  stages_->max_stages = std::clamp(std::thread::hardware_concurrency(), 1U, kMaxStages);
}

void Renderer::Open() const { const Taken taken(*this); }

Camera Renderer::FirstCamera(const DataFields& fields) const {
  Camera camera;
  Library().default_camera(&camera);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> positions;
    for (std::int64_t geom = 0; geom < model_->ngeom; ++geom) {
      positions.push_back(fields.geom_xpos[3 * static_cast<std::size_t>(geom) + axis]);
    }
    camera.lookat[axis] = Median(std::move(positions));
  }
  camera.distance = model_->extent;
  Configure(camera);
  return camera;
}

void Renderer::Configure(Camera& camera) const {
  for (const auto& [field, values] : camera_config_) {
    if (field == "lookat") std::ranges::copy(values, camera.lookat);
    if (field == "distance") camera.distance = values[0];
    if (field == "azimuth") camera.azimuth = values[0];
    if (field == "elevation") camera.elevation = values[0];
    if (field == "orthographic") camera.orthographic = values[0] != 0.0 ? 1 : 0;
  }
  // As in Gymnasium, the camera type and the tracked body in the configuration have no effect.
  camera.type = camera_id_ == -1 ? kCameraFree : kCameraFixed;
  camera.fixedcamid = camera_id_;
}

void Renderer::Draw(const mjModel& coloured, mjData* data, const DataFields& fields,
                    std::optional<Camera>& camera, std::span<std::uint8_t> rgb) const {
  if (!camera) camera = FirstCamera(fields);
  DrawScene(coloured, data, false, *camera, rgb);
}

void Renderer::DrawVariant(const mjModel& variant, mjData* data, bool has_own_hfield,
                           std::span<std::uint8_t> rgb) const {
  Camera camera;
  Library().default_camera(&camera);
  Library().default_free_camera(&variant, &camera);
  Configure(camera);
  DrawScene(variant, data, has_own_hfield, camera, rgb);
}

void Renderer::DrawScene(const mjModel& model, mjData* data, bool uploads_hfield, Camera& camera,
                         std::span<std::uint8_t> rgb) const {
  const Taken taken(*this);
  Stage& stage = taken.stage();
  const auto current = stage.gl->MakeCurrent();
  Storage storage(UsedLayout().picture.perturb_bytes);
  auto* const perturb = storage.As<mjvPerturb>();
  const Viewport viewport{0, 0, width_, height_};
  Guarded([&] {
    const Functions& mj = Library();
    if (uploads_hfield) mj.upload_hfield(&model, stage.context(), 0);
    mj.default_perturb(perturb);
    mj.update_scene(&model, data, shown_.As<mjvOption>(), perturb, &camera, kCategoryAll,
                    stage.scene());
    mj.render(viewport, stage.scene(), stage.context());
    mj.read_pixels(rgb.data(), nullptr, viewport, stage.context());
  });
  // OpenGL's first row is the bottom row.
  const auto row_bytes = static_cast<std::ptrdiff_t>(3 * width_);
  for (std::ptrdiff_t top = 0, bottom = height_ - 1; top < bottom; ++top, --bottom) {
    std::swap_ranges(rgb.begin() + top * row_bytes, rgb.begin() + (top + 1) * row_bytes,
                     rgb.begin() + bottom * row_bytes);
  }
}

}  // namespace engine::mujoco
