// PhysicsModel with random models: trees of bodies on fixed, moving and movable ground, with
// MuJoCo's kinds of geoms, constraints, actuators and sensors. Steps are bit-equal.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "tests/engine/envs/mujoco/both_ways.h"
#include "tests/engine/harness.h"

namespace engine::mujoco::testing {
namespace {

class RandomModel {
 public:
  explicit RandomModel(std::uint32_t seed) : random_(seed) {
    // Most models use few kinds of features: with every rare feature, PhysicsModel would skip
    // nothing.
    kinds_ = Pick({"contype='0'", "", "conaffinity='0'", "contype='0' conaffinity='0'", "*"});
    rich_ = Chance(0.5);
    xml_ = Options();
    xml_ += "<worldbody>" + World() + "</worldbody>";
    // These elements refer to names in the world, so they come after it.
    xml_ += Tendons();
    xml_ += Rules();
    xml_ += Actuators();
    xml_ += Sensors();
  }

  const std::string& xml() const { return xml_; }

 private:
  using Texts = std::initializer_list<const char*>;

  bool Chance(double probability) { return std::bernoulli_distribution(probability)(random_); }
  int Below(std::size_t end) {
    return static_cast<int>(std::uniform_int_distribution<std::size_t>(0, end - 1)(random_));
  }
  std::string Pick(Texts texts) { return texts.begin()[Below(texts.size())]; }
  std::string Pick(const std::vector<std::string>& texts) {
    return texts[static_cast<std::size_t>(Below(texts.size()))];
  }
  // One of the texts with this probability, else an empty text.
  std::string Maybe(double probability, Texts texts) {
    return Chance(probability) ? std::string(" ") + Pick(texts) : "";
  }
  std::string Number(double low, double high) {
    return std::to_string(std::uniform_real_distribution(low, high)(random_));
  }
  std::string Place(double width, double low, double high) {
    return " pos='" + Number(-width, width) + " " + Number(-width, width) + " " +
           Number(low, high) + "'";
  }
  static std::string NewName(std::vector<std::string>& names, const char* prefix) {
    return names.emplace_back(std::string(prefix) + std::to_string(names.size()));
  }

  std::string Options() {
    std::string flags;
    for (const char* const flag : {"midphase", "filterparent", "warmstart", "eulerdamp", "refsafe",
                                   "autoreset", "contact", "island"}) {
      if (Chance(0.05)) flags += std::string(" ") + flag + "='disable'";
    }
    for (const char* const flag : {"energy", "fwdinv", "sleep", "override"}) {
      if (Chance(0.04)) flags += std::string(" ") + flag + "='enable'";
    }
    return "<option solver='" + Pick({"PGS", "CG", "Newton"}) + "' integrator='" +
           Pick({"Euler", "RK4", "implicit", "implicitfast", "discrete"}) + "' cone='" +
           Pick({"pyramidal", "elliptic"}) + "' jacobian='" + Pick({"dense", "sparse"}) + "'" +
           Maybe(0.2, {"noslip_iterations='2'"}) + Maybe(0.2, {"iterations='2'"}) + "><flag" +
           flags + "/></option>";
  }

  // Attributes that select which geoms collide with the ground or with a part. The ground collides
  // with most geoms.
  std::string Kind(bool ground) {
    if (ground) return Pick({"", "", "", "contype='2'", "conaffinity='0'"});
    if (kinds_ != "*") return kinds_;
    return Pick({"", "contype='0'", "conaffinity='0'", "contype='2' conaffinity='2'",
                 "contype='3' conaffinity='1'"});
  }
  // The attributes of Kind() and, if rich_, the parameters of contacts.
  std::string Contact(bool ground) {
    std::string text = std::string(" ") + Kind(ground);
    if (!rich_) return text;
    return text + Maybe(0.3, {"condim='1'", "condim='4'", "condim='6'"}) +
           Maybe(0.2, {"priority='1'", "priority='2'", "priority='-1'"}) +
           Maybe(0.2, {"solmix='0'", "solmix='2'"}) +
           Maybe(0.3, {"margin='0.02'", "margin='-0.01'"}) + Maybe(0.2, {"gap='0.02'"}) +
           Maybe(0.3, {"friction='0.1 0.2 0.3'", "friction='1.5 0 0.1'"}) +
           Maybe(0.3, {"solref='0.05 0.5'", "solref='-700 -20'", "solref='0.01 1.5'"}) +
           Maybe(0.2, {"solimp='0.3 0.95 0.02 0.3 3'"}) + Maybe(0.03, {"adhesion='1'"});
  }
  std::string Geom(bool ground, const std::string& shape, const std::string& place) {
    return "<geom name='" + NewName(geoms_, "g") + "' " + shape + place + Contact(ground) + "/>";
  }
  std::string Part() {
    return Geom(false,
                Pick({"type='sphere' size='0.1'", "type='capsule' size='0.05 0.1'",
                      "type='ellipsoid' size='0.05 0.1 0.12'", "type='cylinder' size='0.1 0.06'",
                      "type='box' size='0.1 0.06 0.08'"}),
                Chance(0.5) ? "" : Place(0.05, -0.05, 0.05));
  }
  std::string Ground() {
    if (Chance(0.7)) return Geom(true, "type='plane' size='5 5 1'", Place(0.0, -0.1, 0.1));
    return Geom(true, Pick({"type='box' size='3 3 0.5'", "type='sphere' size='0.5'"}),
                " pos='0 0 -0.5'");
  }

  std::string Joint() {
    if (Chance(0.2)) {
      return "<joint type='ball'" + Maybe(0.3, {"limited='true' range='0 40'"}) + "/>";
    }
    return "<joint name='" + NewName(joints_, "j") + "' axis='" + Number(-1, 1) + " 1 " +
           Number(-1, 1) + "'" +
           Pick({" type='slide' limited='true' range='-0.1 0.1'", " type='slide'", "",
                 " limited='true' range='-40 40'"}) +
           Maybe(0.3, {"frictionloss='0.2'"}) + Maybe(0.3, {"damping='0.5'"}) +
           Maybe(0.2, {"stiffness='5'"}) + "/>";
  }
  std::string Body(const std::string& place, const std::string& joint, int depth) {
    const std::string name = NewName(bodies_, "b");
    std::string text = "<body name='" + name + "'" + place + ">" + joint + Part();
    for (int more = Below(20) - 17; more > 0; --more) text += Part();
    if (Chance(0.3)) text += "<site name='" + NewName(sites_, "s") + "' size='0.15'/>";
    for (int children = depth > 0 ? Below(3) : 0; children > 0; --children) {
      text += Body(Place(0.2, -0.2, 0.2), Chance(0.85) ? Joint() : "", depth - 1);
    }
    return text + "</body>";
  }
  std::string World() {
    std::string text;
    for (int grounds = Below(10) < 8 ? 1 : Below(3); grounds > 0; --grounds) text += Ground();
    if (Chance(0.15)) text += "<body>" + Ground() + "</body>";
    if (Chance(0.1)) text += "<body pos='0.3 0 0.1'>" + Part() + "</body>";
    if (Chance(0.2)) {
      text += "<body mocap='true' pos='0.1 0 0.1'>" + (Chance(0.3) ? Ground() : Part()) +
              (Chance(0.5) ? Body("", Chance(0.5) ? Joint() : "", 1) : "") + "</body>";
    }
    const int trees = Chance(0.6) ? 1 : 2 + Below(4);
    for (int tree = 0; tree < trees; ++tree) {
      text +=
          Body(Place(0.4, 0.05, 0.5), Chance(0.6) ? "<freejoint/>" : Joint(), trees == 1 ? 4 : 1);
    }
    return text + (Chance(0.1) ? "<body>" + Ground() + "</body>" : "");
  }

  std::string Tendons() {
    if (joints_.empty() || Chance(0.8)) return "";
    return "<tendon><fixed name='t'" + Maybe(0.3, {"limited='true' range='-0.2 0.2'"}) +
           Maybe(0.3, {"frictionloss='0.2'"}) + Maybe(0.3, {"stiffness='3' damping='0.2'"}) +
           "><joint joint='" + Pick(joints_) + "' coef='0.7'/></fixed></tendon>";
  }
  // Equality constraints, excluded pairs of bodies and explicit pairs of geoms.
  std::string Rules() {
    std::string text;
    if (joints_.size() > 1 && Chance(0.15)) {
      text +=
          "<equality><joint joint1='" + joints_[0] + "' joint2='" + joints_[1] + "'/></equality>";
    }
    if (bodies_.size() > 2 && Chance(0.15)) {
      text +=
          "<contact><exclude body1='" + bodies_[0] + "' body2='" + bodies_[2] + "'/>" +
          (Chance(0.5) ? "<pair geom1='" + geoms_[0] + "' geom2='" + geoms_.back() + "'/>" : "") +
          "</contact>";
    }
    return text;
  }
  std::string Actuators() {
    std::string text;
    for (const std::string& joint : joints_) {
      if (Chance(0.5)) {
        text += std::string("<") +
                Pick({"motor gear='2'", "position kp='5'", "intvelocity kp='5' actrange='-1 1'"}) +
                " joint='" + joint + "'/>";
      }
    }
    if (Chance(0.1)) {
      text += "<adhesion body='" + Pick(bodies_) + "' gain='3' ctrlrange='0 2'/>";
    }
    return "<actuator>" + text + "</actuator>";
  }
  std::string Sensors() {
    std::string text;
    for (const std::string& site : sites_) {
      text += std::string("<") + Pick({"touch", "accelerometer", "force", "rangefinder"}) +
              " site='" + site + "'/>";
    }
    if (Chance(0.3)) {
      text += "<contact geom1='" + Pick(geoms_) + "' data='found force dist pos' num='3'/>";
    }
    if (Chance(0.2)) text += "<contact data='found' num='1'/>";
    return "<sensor>" + text + "</sensor>";
  }

  std::mt19937 random_;
  std::string kinds_;  // attributes that select which geoms collide
  bool rich_;          // whether geoms have parameters of contacts
  std::vector<std::string> geoms_, joints_, bodies_, sites_;
  std::string xml_;
};

TEST(RandomModels, StepTheSame) {
  constexpr std::uint32_t kModels = 600;
  int steps = 0;
  int islands = 0;
  int contacts = 0;
  int listed = 0;
  for (std::uint32_t seed = 0; seed < kModels; ++seed) {
    const RandomModel random(seed);
    const Owned<mjModel> model = Compile(random.xml());
    const PhysicsModel physics(*model);
    const int left_out = physics.get()->opt.disableflags & ~model->opt.disableflags;
    islands += (left_out & mjDSBL_ISLAND) != 0;
    contacts += (left_out & mjDSBL_CONTACT) != 0;
    listed += physics.get()->npair > model->npair;
    steps += ExpectSame(*model, seed, 100, random.xml()).steps;
  }
  EXPECT_LT(99 * static_cast<int>(kModels), steps);
  // Each stage was skipped for enough models.
  for (const int count : {islands, contacts, listed}) EXPECT_LT(kModels / 10, count);
}

}  // namespace
}  // namespace engine::mujoco::testing
