// The recorded steps of a pool of MuJoCo environments: the controls of each step, and the initial
// states of the resets. Replaying them repeats the same physics steps. benchmarks/mujoco_tape.py
// writes the file and documents its layout. Immutable once read; any thread.
#ifndef ENGINE_BENCHMARKS_LIMITS_MUJOCO_TAPE_H_
#define ENGINE_BENCHMARKS_LIMITS_MUJOCO_TAPE_H_

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace limits {

class MujocoTape {
 public:
  // Throws std::runtime_error if the file cannot be read or is not of this model.
  MujocoTape(const std::string& file, const mjModel& model) {
    std::ifstream in(file, std::ios::binary);
    std::array<std::int64_t, 7> header{};
    Read(in, std::span(header));
    const auto [envs, steps, nq, nv, nu, frames, starts] = header;
    if (!in || nq != model.nq || nv != model.nv || nu != model.nu) {
      throw std::runtime_error(file + ": expected a tape of this model, got something else");
    }
    num_envs_ = static_cast<std::size_t>(envs);
    num_steps_ = static_cast<std::size_t>(steps);
    frame_skip_ = static_cast<int>(frames);
    nq_ = static_cast<std::size_t>(nq);
    nv_ = static_cast<std::size_t>(nv);
    nu_ = static_cast<std::size_t>(nu);
    controls_.resize(num_steps_ * num_envs_ * nu_);
    starts_of_.resize(num_steps_ * num_envs_);
    starts_.resize(static_cast<std::size_t>(starts) * (nq_ + nv_));
    ends_.resize(num_envs_ * nq_);
    Read(in, std::span(controls_));
    Read(in, std::span(starts_of_));
    Read(in, std::span(starts_));
    Read(in, std::span(ends_));
    if (!in) throw std::runtime_error(file + ": expected a whole tape, got a part of one");
  }

  std::size_t num_envs() const { return num_envs_; }
  std::size_t num_steps() const { return num_steps_; }  // of each environment
  int frame_skip() const { return frame_skip_; }        // steps of the physics in a step

  // Whether an environment begins a new episode in this step, as all do in the first.
  bool Begins(std::size_t step, std::size_t env) const { return StartOf(step, env) >= 0; }
  // What it begins with. Requires: it does.
  std::span<const double> StartQpos(std::size_t step, std::size_t env) const {
    return Start(step, env).first(nq_);
  }
  std::span<const double> StartQvel(std::size_t step, std::size_t env) const {
    return Start(step, env).last(nv_);
  }
  std::span<const float> Controls(std::size_t step, std::size_t env) const {
    return std::span(controls_).subspan((step * num_envs_ + env) * nu_, nu_);
  }
  // Whether these are an environment's positions after the last step, to the bit.
  bool EndsAt(std::size_t env, const mjtNum* qpos) const {
    return std::ranges::equal(std::span(ends_).subspan(env * nq_, nq_), std::span(qpos, nq_));
  }

 private:
  template <class T, std::size_t kExtent>
  static void Read(std::ifstream& in, std::span<T, kExtent> values) {
    in.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size_bytes()));
  }

  std::int32_t StartOf(std::size_t step, std::size_t env) const {
    return starts_of_[step * num_envs_ + env];
  }
  std::span<const double> Start(std::size_t step, std::size_t env) const {
    const auto index = static_cast<std::size_t>(StartOf(step, env));
    return std::span(starts_).subspan(index * (nq_ + nv_), nq_ + nv_);
  }

  std::size_t num_envs_ = 0;
  std::size_t num_steps_ = 0;
  int frame_skip_ = 0;
  std::size_t nq_ = 0;
  std::size_t nv_ = 0;
  std::size_t nu_ = 0;
  std::vector<float> controls_;          // of a step, an environment
  std::vector<std::int32_t> starts_of_;  // of a step, an environment: where in starts_, or -1
  std::vector<double> starts_;           // positions, then velocities
  std::vector<double> ends_;             // positions of an environment
};

}  // namespace limits

#endif  // ENGINE_BENCHMARKS_LIMITS_MUJOCO_TAPE_H_
