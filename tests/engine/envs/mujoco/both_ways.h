// Steps a model and its PhysicsModel, and compares the results.
#ifndef ENGINE_TESTS_ENGINE_ENVS_MUJOCO_BOTH_WAYS_H_
#define ENGINE_TESTS_ENGINE_ENVS_MUJOCO_BOTH_WAYS_H_

#include <mujoco/mujoco.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/envs/mujoco/library.h"
#include "engine/envs/mujoco/physics_model.h"
#include "tests/engine/envs/mujoco/open_library.h"
#include "tests/engine/harness.h"

namespace engine::mujoco::testing {

struct Deleter {
  void operator()(mjModel* model) const { Library().delete_model(model); }
  void operator()(mjData* data) const { Library().delete_data(data); }
};
template <class T>
using Owned = std::unique_ptr<T, Deleter>;

inline Owned<mjModel> Load(const std::string& path) {
  OpenOnce();
  char error[1024] = "";
  mjModel* model = nullptr;
  Guarded([&] { model = Library().load_xml(path.c_str(), nullptr, error, sizeof error); });
  ASSERT_TRUE(model != nullptr) << error;
  return Owned<mjModel>(model);
}

// Compiles a model from the XML between <mujoco> and </mujoco>.
inline Owned<mjModel> Compile(const std::string& xml) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("physics_model_test_" + std::to_string(std::random_device{}()) + ".xml");
  std::ofstream(path) << "<mujoco>" << xml << "</mujoco>";
  const std::shared_ptr<const std::filesystem::path> removed(
      &path, [](const auto* file) { std::filesystem::remove(*file); });
  return Load(path.string());
}

inline std::uint64_t BitsOf(mjtNum value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// All observable results of a step, as bits.
class Seen {
 public:
  Seen(const mjModel& model, const mjData& data) {
    const auto nv = static_cast<std::size_t>(model.nv);
    const auto of_bodies = static_cast<std::size_t>(6 * model.nbody);
    Add(data.qpos, static_cast<std::size_t>(model.nq));
    for (const mjtNum* values : {data.qvel, data.qacc, data.qacc_warmstart, data.qfrc_constraint,
                                 data.qfrc_passive, data.qfrc_actuator}) {
      Add(values, nv);
    }
    for (const mjtNum* values : {data.cacc, data.cfrc_int, data.cfrc_ext, data.cvel}) {
      Add(values, of_bodies);
    }
    Add(data.act, static_cast<std::size_t>(model.na));
    Add(data.sensordata, static_cast<std::size_t>(model.nsensordata));
    Add(data.energy, 2);
    bits_.push_back(static_cast<std::uint64_t>(data.nefc));
    Add(data.efc_force, static_cast<std::size_t>(data.nefc));
    for (int i = 0; i < data.ncon; ++i) Add(data.contact[i]);
    for (const mjWarningStat& warning : data.warning) Add(warning.number);
  }

  bool operator==(const Seen&) const = default;

 private:
  void Add(const mjtNum* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) bits_.push_back(BitsOf(values[i]));
  }
  void Add(int value) { bits_.push_back(static_cast<std::uint64_t>(value)); }
  void Add(const mjContact& contact) {
    Add(&contact.dist, 1);
    Add(contact.pos, 3);
    Add(contact.frame, 9);
    Add(&contact.includemargin, 1);
    Add(contact.friction, 5);
    Add(contact.solref, mjNREF);
    Add(contact.solreffriction, mjNREF);
    Add(contact.solimp, mjNIMP);
    Add(&contact.mu, 1);
    Add(contact.H, 36);
    for (const int value :
         {contact.dim, contact.geom[0], contact.geom[1], contact.exclude, contact.efc_address}) {
      Add(value);
    }
  }

  std::vector<std::uint64_t> bits_;
};

struct Run {
  int steps = 0;
  int contacts = 0;     // of all steps
  int constraints = 0;  // of all steps
};

// Steps both models from equal states, with equal controls and equal random changes of velocity.
inline Run ExpectSame(const mjModel& model, std::uint32_t seed, int steps,
                      const std::string& what) {
  const PhysicsModel physics(model);
  const Functions& mj = Library();
  const Owned<mjData> theirs(mj.make_data(&model));
  const Owned<mjData> ours(mj.make_data(&model));
  std::mt19937 random(seed);
  std::normal_distribution<mjtNum> normal;
  Run run;
  for (; run.steps < steps; ++run.steps) {
    for (int i = 0; i < model.nu; ++i) ours->ctrl[i] = theirs->ctrl[i] = normal(random);
    if (run.steps % 50 == 0) {
      for (int i = 0; i < model.nv; ++i) theirs->qvel[i] = ours->qvel[i] += normal(random);
    }
    // If MuJoCo itself fails, there is no result to compare with. A model with two grounds may have
    // more pairs of bodies than MuJoCo reserves memory for.
    try {
      Guarded([&] {
        mj.step(&model, theirs.get());
        mj.rne_post_constraint(&model, theirs.get());
      });
    } catch (const Error&) {
      break;
    }
    Guarded([&] {
      mj.step(physics.get(), ours.get());
      mj.rne_post_constraint(physics.get(), ours.get());
    });
    run.contacts += theirs->ncon;
    run.constraints += theirs->nefc;
    const bool same = Seen(model, *theirs) == Seen(model, *ours);
    EXPECT_TRUE(same) << what << ", seed " << seed << ", step " << run.steps;
    if (!same) break;
  }
  return run;
}

}  // namespace engine::mujoco::testing

#endif  // ENGINE_TESTS_ENGINE_ENVS_MUJOCO_BOTH_WAYS_H_
