// ModelVariant: its numbers are those of a whole copy of the model, and it shares what does not
// differ. LoadModel and CompileModel: models in use are shared.
#include "engine/envs/mujoco/model_variant.h"

#include <dlfcn.h>
#include <mujoco/mujoco.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/envs/mujoco/base_model.h"
#include "engine/envs/mujoco/library.h"
#include "engine/envs/mujoco/model_changes.h"
#include "tests/engine/envs/mujoco/both_ways.h"
#include "tests/engine/envs/mujoco/open_library.h"
#include "tests/engine/harness.h"

namespace engine::mujoco::testing {
namespace {

ParamValues Options(const NumberTable& changes, bool constants) {
  return ParamValues(WithModelChanges({}), {{"model", changes}, {"model_constants", constants}},
                     "option", "Task-v0");
}

// Returns a function of the library that the family itself does not call.
void* Find(const char* name) {
  void* const library = dlopen(MUJOCO_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  void* const found = library == nullptr ? nullptr : dlsym(library, name);
  ASSERT_TRUE(found != nullptr) << name;
  return found;
}

// All numbers of a model, as MuJoCo writes them to a file.
std::string Saved(const mjModel& model) {
  static auto* const size_of = reinterpret_cast<decltype(&mj_sizeModel)>(Find("mj_sizeModel"));
  static auto* const save = reinterpret_cast<decltype(&mj_saveModel)>(Find("mj_saveModel"));
  std::string bytes(static_cast<std::size_t>(size_of(&model)), '\0');
  save(&model, nullptr, bytes.data(), static_cast<int>(bytes.size()));
  return bytes;
}

void CompareWithWholeCopy(const mjModel& base, const NumberTable& changes, bool constants) {
  const ParamValues options = Options(changes, constants);
  const ModelChanges read(options);
  const std::string before = Saved(base);
  const ModelVariant variant(base, read, {});
  static auto* const copy = reinterpret_cast<decltype(&mj_copyModel)>(Find("mj_copyModel"));
  const Owned<mjModel> whole(copy(nullptr, &base));
  read.Write(*whole);
  if (constants) {
    const Owned<mjData> data(Library().make_data(whole.get()));
    Library().set_const(whole.get(), data.get());
  }
  EXPECT_TRUE(Saved(*variant.get()) == Saved(*whole));
  EXPECT_TRUE(Saved(base) == before);
}

TEST(ModelVariant, VariantsHaveTheNumbersOfWholeCopies) {
  OpenOnce();
  for (const char* const name : {"ant.xml", "humanoid.xml", "half_cheetah.xml", "swimmer.xml"}) {
    const BaseModelPtr base = LoadModel(name);
    for (const bool constants : {false, true}) {
      CompareWithWholeCopy(*base->get(), {}, constants);
      CompareWithWholeCopy(*base->get(), {{"body_mass[1]", {3.0}}}, constants);
      CompareWithWholeCopy(*base->get(),
                           {{"opt.gravity", {0.0, 0.0, -1.0}},
                            {"geom_friction[1]", {0.5, 0.5, 0.5}},
                            {"geom_rgba[0]", {0.5, 0.25, 0.125, 1.0}},
                            {"geom_condim[0]", {4.0}},
                            {"jnt_limited[1]", {0.0}},
                            {"body_pos[1]", {0.0, 0.0, 2.0}}},
                           constants);
    }
  }
}

TEST(ModelVariant, VariantsShareArraysThatDoNotDiffer) {
  OpenOnce();
  const BaseModelPtr base = LoadModel("ant.xml");
  const ParamValues options = Options({{"body_mass[torso]", {3.0}}}, false);
  const auto before = ModelVariant::BytesOfAll();
  {
    ModelVariant variant(*base->get(), ModelChanges(options), {});
    EXPECT_TRUE(variant.get()->body_mass != base->get()->body_mass);
    EXPECT_TRUE(variant.get()->body_inertia == base->get()->body_inertia);
    EXPECT_TRUE(variant.get()->names == base->get()->names);
    EXPECT_EQ(variant.get()->body_mass[1], 3.0);
    EXPECT_TRUE(base->get()->body_mass[1] != 3.0);
    // The masses of 14 bodies, at multiples of 64 bytes.
    EXPECT_EQ(ModelVariant::BytesOfAll() - before, 128);
  }
  EXPECT_EQ(ModelVariant::BytesOfAll(), before);
}

TEST(ModelVariant, ArraysOfTheCallerAreItsOwn) {
  OpenOnce();
  const BaseModelPtr base = LoadModel("ant.xml");
  const std::string before = Saved(*base->get());
  const ParamValues options = Options({}, true);
  const Offset own[] = {static_cast<Offset>(offsetof(mjModel, geom_size)),
                        static_cast<Offset>(offsetof(mjModel, site_rgba))};  // no sites
  ModelVariant variant(*base->get(), ModelChanges(options), own);
  EXPECT_EQ(variant.get()->geom_size[0], base->get()->geom_size[0]);
  variant.get()->geom_size[0] += 1.0;
  EXPECT_TRUE(Saved(*base->get()) == before);
}

TEST(BaseModel, ModelsInUseAreShared) {
  OpenOnce();
  const int before = NumBaseModels();
  const auto text_of = [](const std::string& name) {
    return "<mujoco><worldbody><body name='" + name +
           "'><freejoint/><geom size='1'/></body></worldbody></mujoco>";
  };
  BaseModelPtr first = CompileModel("ball", text_of);
  EXPECT_TRUE(CompileModel("ball", text_of) == first);
  EXPECT_EQ(NumBaseModels(), before + 1);
  first.reset();
  EXPECT_EQ(NumBaseModels(), before);
}

TEST(BaseModel, ChangedFilesAreOtherModels) {
  OpenOnce();
  const auto path = std::filesystem::temp_directory_path() /
                    ("model_variant_test_" + std::to_string(std::random_device{}()) + ".xml");
  const auto write = [&](const std::string& xml) { std::ofstream(path) << xml; };
  const auto ball = [](const std::string& more) {
    return "<mujoco>" + more + "<worldbody><body><geom size='1'/></body></worldbody></mujoco>";
  };
  write(ball(""));
  const BaseModelPtr first = LoadModel(path.string());
  EXPECT_TRUE(LoadModel(path.string()) == first);
  write(ball("<!-- another file -->"));
  const BaseModelPtr second = LoadModel(path.string());
  EXPECT_TRUE(second != first);
  EXPECT_TRUE(LoadModel(path.string()) == second);
  // Files that a file names belong to it.
  const auto part = path.string() + ".part.xml";
  const auto write_part = [&](const std::string& xml) {
    std::ofstream(part) << "<mujocoinclude>" << xml << "</mujocoinclude>";
  };
  write_part("<option timestep='0.01'/>");
  write(ball("<include file='" + part + "'/>"));
  const BaseModelPtr third = LoadModel(path.string());
  EXPECT_TRUE(LoadModel(path.string()) == third);
  write_part("<option timestep='0.02'/>");
  const BaseModelPtr fourth = LoadModel(path.string());
  EXPECT_TRUE(fourth != third);
  EXPECT_EQ(fourth->get()->opt.timestep, 0.02);
  std::filesystem::remove(path);
  std::filesystem::remove(part);
}

TEST(BaseModel, FilesOfMeshesBelongToTheModel) {
  OpenOnce();
  const auto directory = std::filesystem::temp_directory_path() /
                         ("model_variant_test_" + std::to_string(std::random_device{}()));
  std::filesystem::create_directories(directory / "shapes");
  const auto write_mesh = [&](const std::string& height) {
    std::ofstream(directory / "shapes" / "peak.obj")
        << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 " << height
        << "\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  };
  write_mesh("1");
  const auto path = directory / "model.xml";
  std::ofstream(path) << "<mujoco><compiler meshdir='shapes'/><asset><mesh name='peak' "
                         "file='peak.obj'/></asset><worldbody><body><geom type='mesh' "
                         "mesh='peak'/></body></worldbody></mujoco>";
  const BaseModelPtr first = LoadModel(path.string());
  EXPECT_TRUE(LoadModel(path.string()) == first);
  write_mesh("2.5");
  // MuJoCo itself keeps meshes for a while, so the numbers may be those of the former file.
  EXPECT_TRUE(LoadModel(path.string()) != first);
  std::filesystem::remove_all(directory);
}

TEST(ModelVariant, WrongChangesLeaveNothing) {
  OpenOnce();
  const BaseModelPtr base = LoadModel("ant.xml");
  const auto before = ModelVariant::BytesOfAll();
  const std::vector<std::pair<NumberTable, std::string>> cases = {
      {{{"body_mass(2, 7)", std::vector<double>(14, 1.0)}}, "(14,), got an array of shape (2, 7)"},
      {{{"body_mass[leg]", {1.0}}}, "expected the name of a body or its id in [0, 13]"},
      {{{"body_mass[torso]", {-1.0}}}, "got -1 for the body \"torso\""},
      {{{"nbody", {1.0}}}, "it is a size"},
  };
  for (const auto& [changes, named] : cases) {
    const ParamValues options = Options(changes, true);
    std::string message;
    try {
      const ModelVariant variant(*base->get(), ModelChanges(options), {});
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == ErrorKind::kOption);
      message = error.what();
    }
    EXPECT_TRUE(message.find(named) != std::string::npos) << message;
  }
  EXPECT_EQ(ModelVariant::BytesOfAll(), before);
}

}  // namespace
}  // namespace engine::mujoco::testing
