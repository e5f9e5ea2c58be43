// Draws the environments of a pool with MuJoCo's own renderer. The pictures equal those of
// Gymnasium's `render_mode="rgb_array"`. Any thread.
#ifndef ENGINE_ENVS_MUJOCO_RENDERER_H_
#define ENGINE_ENVS_MUJOCO_RENDERER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/env/params.h"
#include "engine/envs/mujoco/fields.h"
#include "engine/envs/mujoco/model.h"
#include "engine/envs/mujoco/mujoco_types.h"
#include "engine/envs/mujoco/options.h"

namespace engine::mujoco {

// The option `default_camera_config`: fields of the free camera, with their names in mjvCamera. The
// other fields follow from the model. In v4 the option is fixed.
ParamSpec CameraConfig(Version version, NumberTable config);

// Returns a task's options, followed by the options of Gymnasium's MujocoEnv.
ParamSchema WithRendering(ParamSchema options);

// Memory of a structure whose size depends on MuJoCo's version.
class Storage {
 public:
  explicit Storage(std::size_t bytes)
      : units_((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t)) {}
  template <class T>
  T* As() {
    return reinterpret_cast<T*>(units_.data());
  }
  template <class T>
  const T* As() const {
    return reinterpret_cast<const T*>(units_.data());
  }

 private:
  std::vector<std::max_align_t> units_;
};

class Renderer {
 public:
  // Reads the options of CameraConfig and WithRendering. Opens nothing. Throws Error{kOption}.
  // Renderers of changed models (the option `model`) share their resources with those of other
  // changes of the same model, because a context of OpenGL takes a quarter of a second.
  Renderer(const ParamValues& options, Model& model);
  ~Renderer();

  int width() const { return width_; }
  int height() const { return height_; }

  // Lets several threads draw at a time, each with its own resources: as many as the machine has
  // processors, but at most 16. Without this call, one thread draws at a time. Must be called
  // before the first picture.
  void DrawConcurrently();
  // Opens the resources that Draw needs, if they are not open yet. Throws Error{kRenderMode} if
  // rendering is not available.
  void Open() const;
  // Draws the current state into `rgb`: rows of RGB, height() * width() * 3 bytes. `camera` belongs
  // to the environment. It is empty before the first picture, and the first picture sets it from
  // the environment's state.
  void Draw(mjData* data, const DataFields& fields, std::optional<Camera>& camera,
            std::span<std::uint8_t> rgb) const {
    Draw(*model_.get(), data, fields, camera, rgb);
  }
  // The same with a copy of the model that has other colours.
  void Draw(const mjModel& coloured, mjData* data, const DataFields& fields,
            std::optional<Camera>& camera, std::span<std::uint8_t> rgb) const;
  // Draws a variant of the model, which has other numbers, with MuJoCo's default free camera. If
  // `has_own_hfield`, uploads height field 0 again.
  void DrawVariant(const mjModel& variant, mjData* data, bool has_own_hfield,
                   std::span<std::uint8_t> rgb) const;

 private:
  struct Stage;
  struct Stages;

  // Takes a stage from the idle stages, or opens one, and returns it when destroyed.
  class Taken;

  Camera FirstCamera(const DataFields& fields) const;
  std::shared_ptr<Stages> StagesFor(const ParamValues& options) const;
  // Applies the option `default_camera_config` and the choice of the camera.
  void Configure(Camera& camera) const;
  void DrawScene(const mjModel& model, mjData* data, bool uploads_hfield, Camera& camera,
                 std::span<std::uint8_t> rgb) const;

  const Model& model_;
  NumberTable camera_config_;
  Storage shown_;  // an mjvOption
  int width_;      // pixels
  int height_;
  int max_geom_;
  int camera_id_;  // -1: the free camera
  const std::shared_ptr<Stages> stages_;
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_RENDERER_H_
