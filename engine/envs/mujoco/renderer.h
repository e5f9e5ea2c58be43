// Draws a pool's environments with MuJoCo's own renderer: the same pictures as Gymnasium's
// `render_mode="rgb_array"`. Any thread.
#ifndef ENGINE_ENVS_MUJOCO_RENDERER_H_
#define ENGINE_ENVS_MUJOCO_RENDERER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engine/env/params.h"
#include "engine/envs/mujoco/abi.h"
#include "engine/envs/mujoco/fields.h"
#include "engine/envs/mujoco/model.h"
#include "engine/envs/mujoco/options.h"

namespace engine::mujoco {

// The option `default_camera_config`: fields of the free camera, by their names in mjvCamera; the
// other fields follow from the model. In v4 it is fixed.
ParamSpec CameraConfig(Version version, NumberTable config);

// The task's own options followed by those of Gymnasium's MujocoEnv.
ParamSchema WithRendering(ParamSchema options);

// Memory for a structure whose size depends on MuJoCo's version.
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
  // Reads the options of CameraConfig and WithRendering; opens nothing. Throws Error{kOption}.
  Renderer(const ParamValues& options, Model& model);
  ~Renderer();

  int width() const { return width_; }
  int height() const { return height_; }

  // Allows drawing as many pictures at a time as the machine has processors, each with its own
  // resources. Without this call, one at a time. Called before the first picture.
  void DrawConcurrently();
  // Opens what Draw needs, the first time. Throws Error{kRenderMode} if it is not available.
  void Open() const;
  // Draws into rows of RGB. `camera` belongs to the environment: it is empty before the first
  // picture, which sets it from the environment's state.
  void Draw(mjData* data, const DataFields& fields, std::optional<Camera>& camera,
            std::span<std::uint8_t> rgb) const;
  // The same for a variant of the model with other numbers in it, with MuJoCo's default free
  // camera. The height field 0 is uploaded again if `has_own_hfield`.
  void DrawVariant(const mjModel& variant, mjData* data, bool has_own_hfield,
                   std::span<std::uint8_t> rgb) const;

 private:
  struct Stage;

  // One of the stages, taken from the idle ones while it is used.
  class Taken;

  Camera FirstCamera(const DataFields& fields) const;
  // Applies the options to a free camera.
  void Configure(Camera& camera) const;
  void DrawScene(const mjModel& model, mjData* data, bool uploads_hfield, Camera& camera,
                 std::span<std::uint8_t> rgb) const;

  const Model& model_;
  NumberTable camera_config_;
  Storage shown_;  // mjvOption
  int width_;      // pixels
  int height_;
  int max_geom_;
  int camera_id_;  // -1: the free camera
  unsigned most_stages_ = 1;
  mutable std::mutex mutex_;
  mutable std::condition_variable returned_;          // a stage, to idle_
  mutable unsigned open_ = 0;                         // stages; guarded by mutex_
  mutable std::vector<std::unique_ptr<Stage>> idle_;  // guarded by mutex_
};

}  // namespace engine::mujoco

#endif  // ENGINE_ENVS_MUJOCO_RENDERER_H_
