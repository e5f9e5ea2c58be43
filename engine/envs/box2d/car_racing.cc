#include "engine/envs/box2d/car_racing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "engine/envs/box2d/viewport.h"

namespace engine::box2d {
namespace {

using physics2d::BodyId;
using physics2d::Shape;
using physics2d::Vec2;

constexpr double kStepTime = 1.0 / kFps;  // s
constexpr double kStepCost = 0.1;         // score per step
constexpr double kRoadValue = 1000.0;     // score of all tiles together
constexpr double kLostReward = -100.0;    // reward for leaving the playfield

constexpr std::size_t kLongRoad = 448;  // tiles; more than the longest of many generated roads

// User data of bodies: a tile has its number plus 1, and bodies of the car have the numbers of
// RaceCar::Create.
constexpr std::int64_t kFirstWheel = -2;

Rgb ToRgb(const std::array<double, 3>& color) {
  return {static_cast<std::uint8_t>(color[0]), static_cast<std::uint8_t>(color[1]),
          static_cast<std::uint8_t>(color[2])};
}

std::array<double, 3> RandomColor(Rng& rng) {
  std::array<double, 3> color;
  for (double& channel : color) channel = rng.Uniform(0.0, 210.0);
  return color;
}

constexpr Attribute<CarRacing::Constants> kRaceAttributes[] = {
    AttributeOf<&CarRacing::Constants::lap_complete_percent>("lap_complete_percent"),
    AttributeOf<&CarRacing::Constants::domain_randomize>("domain_randomize")};

}  // namespace

ParamSchema CarRacing::Options() {
  return {
      {.name = "continuous",
       .default_value = true,
       .doc = "Actions are steering, gas and brake, not one of five choices."},
      {.name = "domain_randomize",
       .default_value = false,
       .doc = "Road, background and grass have other colors in each episode."},
      {.name = "lap_complete_percent",
       .default_value = 0.95,
       .doc = "Fraction of the tiles that must have been visited before the start counts as the "
              "end of a lap."}};
}

ParamSchema CarRacing::ResetOptions() {
  return {{.name = "randomize",
           .default_value = true,
           .doc = "With `domain_randomize`: whether the colors change."}};
}

EnvSpec CarRacing::Spec(const ParamValues& options) {
  EnvSpec spec;
  spec.observation = SpaceSpec::Box<std::uint8_t>({kRaceObservationSize, kRaceObservationSize, 3},
                                                  std::uint8_t{0}, std::uint8_t{255});
  if (options.Get<bool>("continuous")) {
    spec.action = SpaceSpec::Box<float>({3}, {-1.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f});
    spec.action_out_of_bounds = OutOfBounds::kEnvClips;
  } else {
    spec.action = SpaceSpec::Discrete(5);  // 0: nothing, 1: right, 2: left, 3: gas, 4: brake
  }
  spec.infos = {{.name = "lap_finished", .dtype = DType::kBool}};
  spec.render = RenderSpec{.height = kRaceVideoHeight, .width = kRaceVideoWidth, .fps = 50};
  return spec;
}

CarRacing::Config::Config(const ParamValues& options)
    : constants{.lap_complete_percent = options.Get<double>("lap_complete_percent"),
                .domain_randomize = options.Get<bool>("domain_randomize")} {}

std::vector<AttributeSpec> CarRacing::Attributes(const Config& config) {
  return Describe(kRaceAttributes, config.constants);
}

void CarRacing::SetAttribute(std::size_t index, std::span<const double> value) {
  constants_.Set(kRaceAttributes[index], value);
}

CarRacing::CarRacing(const Config& config)
    : constants_(config.constants),
      world_(Vec2{0.0f, 0.0f}),
      has_colors_(!config.constants.domain_randomize) {
  world_.set_skips_settled(config.skips_settled);
  // Allocates memory for long roads here, so that resets do not allocate. A cleared world equals a
  // new one.
  track_.Reserve(kLongRoad);
  road_.reserve(kLongRoad);
  touched_.reserve(kLongRoad);
  visited_.reserve(kLongRoad);
  for (std::size_t i = 0; i < kLongRoad; ++i) {
    world_.CreateFixture(world_.CreateBody({}), {.shape = Shape::Rectangle(1.0f, 1.0f)});
  }
  world_.Clear();
}

void CarRacing::Reset(const Start& start, Rng& rng) {
  DestroyAll();
  score_ = score_before_ = 0.0;
  visited_count_ = 0;
  time_ = 0.0;
  lap_is_complete_ = false;
  lap_share_ = constants_->lap_complete_percent;
  lap_finished_.reset();
  if (marks_) *marks_ = {};
  if (constants_->domain_randomize && start.randomize) {
    DrawColors(rng);
  } else if (constants_->domain_randomize && !has_colors_) {
    // In the reference these colors come from a generator without a seed.
    Rng other = rng;
    DrawColors(other);
  }
  track_.Generate(rng);
  MakeRoad();
  car_.Create(track_.nodes()[0], world_);
  // As in the reference, the first observation is made after a step without an action.
  Move();
  shown_score_ = score_;
}

// Destroys the bodies in the reference's order. The order affects later episodes, because the world
// is kept.
void CarRacing::DestroyAll() {
  if (road_.empty()) return;
  for (const BodyId tile : road_) world_.DestroyBody(tile);
  road_.clear();
  car_.Destroy(world_, nullptr);
}

void CarRacing::DrawColors(Rng& rng) {
  const std::array<double, 3> road = RandomColor(rng);
  const std::array<double, 3> background = RandomColor(rng);
  std::array<double, 3> grass = background;
  grass[static_cast<std::size_t>(rng.Integers(3))] += 20.0;
  colors_.road = ToRgb(road);
  colors_.background = ToRgb(background);
  colors_.grass = ToRgb(grass);
  for (std::size_t i = 0; i < colors_.tiles.size(); ++i) {
    const double lighter = 0.01 * static_cast<double>(i) * 255.0;
    colors_.tiles[i] = ToRgb({road[0] + lighter, road[1] + lighter, road[2] + lighter});
  }
  has_colors_ = true;
}

void CarRacing::MakeRoad() {
  for (const RoadPiece& piece : track_.pieces()) {
    if (piece.kind != RoadPiece::Kind::kTile) continue;
    std::array<Vec2, 4> corners;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      corners[i] = ToVec(piece.corners[i].x, piece.corners[i].y);
    }
    road_.push_back(world_.CreateBody({.user_data = static_cast<std::int64_t>(road_.size()) + 1}));
    world_.CreateFixture(road_.back(), {.shape = Shape::Polygon(corners), .sensor = true});
  }
  touched_.assign(road_.size(), 0);
  visited_.assign(road_.size(), 0);
}

void CarRacing::OnContact(const physics2d::Contact& contact, bool begins) {
  std::int64_t tile = world_.body(contact.bodies[0]).user_data;
  std::int64_t other = world_.body(contact.bodies[1]).user_data;
  if (other > 0) std::swap(tile, other);
  if (tile <= 0) return;
  const auto i = static_cast<std::size_t>(tile - 1);
  touched_[i] = 1;
  if (other > kFirstWheel) return;
  car_.wheel(static_cast<std::size_t>(kFirstWheel - other)).tiles += begins ? 1 : -1;
  if (begins && visited_[i] == 0) Visit(i);
}

void CarRacing::Visit(std::size_t tile) {
  const auto tiles = static_cast<double>(road_.size());
  visited_[tile] = 1;
  score_ += kRoadValue / tiles;
  ++visited_count_;
  const double share = static_cast<double>(visited_count_) / tiles;
  if (tile == 0 && share > lap_share_) lap_is_complete_ = true;
}

void CarRacing::Move() {
  const auto slips = car_.Drive(kStepTime, world_);
  if (marks_) {
    for (std::size_t i = 0; i < slips.size(); ++i) {
      marks_->AddSlip(i, slips[i], world_.body(car_.wheels()[i].body).position());
    }
  }
  ContactRecorder contacts(*this);
  world_.Step(kTimeStep, kVelocityIterations, kPositionIterations, &contacts);
  time_ += kStepTime;
}

StepResult CarRacing::StepPedals(double steering, double gas, double brake) {
  car_.SetSteering(-steering);
  car_.SetGas(gas);
  car_.SetBrake(brake);
  Move();
  shown_score_ = score_;
  score_ -= kStepCost;
  StepResult result{.reward = score_ - score_before_};
  score_before_ = score_;
  lap_finished_.reset();
  if (visited_count_ == static_cast<std::int64_t>(road_.size()) || lap_is_complete_) {
    lap_finished_ = true;
  }
  const Vec2 at = world_.body(car_.hull()).position();
  if (std::abs(static_cast<double>(at.x)) > kPlayfield ||
      std::abs(static_cast<double>(at.y)) > kPlayfield) {
    lap_finished_ = false;
    result.reward = kLostReward;
  }
  result.terminated = lap_finished_.has_value();
  return result;
}

StepResult CarRacing::StepChoice(std::int64_t choice) {
  const double steering = choice == 1 ? 0.6 : choice == 2 ? -0.6 : -0.0;
  return StepPedals(steering, choice == 3 ? 0.2 : 0.0, choice == 4 ? 0.8 : 0.0);
}

RaceScene CarRacing::SceneOf(double score, const SkidMarks* marks) const {
  return {.pieces = &track_.pieces(),
          .touched = &touched_,
          .colors = &colors_,
          .car = &car_,
          .world = &world_,
          .marks = marks,
          .time = time_,
          .score = score};
}

void CarRacing::Observe(ObsRow row) const {
  DrawRaceObservation(SceneOf(shown_score_, nullptr), row.Data<std::uint8_t>());
}

void CarRacing::Info(InfoRow row, bool) const {
  if (lap_finished_) row.Set(0, *lap_finished_);
}

void CarRacing::Render(std::span<std::uint8_t> rgb) const {
  DrawRaceVideo(SceneOf(score_, marks_.get()), rgb.data());
}

void CarRacing::Save(StateWriter& state) const {
  world_.Save(state);
  track_.Save(state);
  state.PutAll(std::span(road_));
  state.PutAll(std::span(touched_));
  state.PutAll(std::span(visited_));
  state.Put(visited_count_);
  state.Put(car_);
  state.Put(colors_);
  state.Put(has_colors_);
  state.Put(lap_is_complete_);
  state.Put(lap_share_);
  for (const double value : {time_, score_, score_before_, shown_score_}) state.Put(value);
  state.Put(static_cast<std::int8_t>(lap_finished_ ? *lap_finished_ : -1));
  state.Put(marks_ != nullptr);
  if (marks_) state.Put(*marks_);
}

void CarRacing::Load(StateReader& state) {
  world_.Load(state);
  track_.Load(state);
  road_ = state.GetVector<BodyId>();
  touched_ = state.GetVector<std::uint8_t>();
  visited_ = state.GetVector<std::uint8_t>();
  state.GetWithin("the number of visited tiles", visited_count_, 0,
                  static_cast<std::int64_t>(road_.size()));
  state.Get(car_);
  state.Get(colors_);
  state.Get(has_colors_);
  state.Get(lap_is_complete_);
  state.Get(lap_share_);
  for (double* value : {&time_, &score_, &score_before_, &shown_score_}) {
    state.GetWithin("a time or a score", *value, -kGreatestScore, kGreatestScore);
  }
  const auto finished = state.Get<std::int8_t>();
  lap_finished_ = finished < 0 ? std::nullopt : std::optional(finished != 0);
  CheckRoadAndCar();
  if (!state.Get<bool>()) {
    // The state was saved without pictures, so there are no skid marks yet.
    if (marks_) *marks_ = {};
    return;
  }
  const auto marks = state.Get<SkidMarks>();
  ExpectState(marks.IsConsistent(), "skid marks");
  if (marks_) *marks_ = marks;
}

// After Load: the world consists of the tiles of the road and the parts of the car, with the user
// data by which OnContact() recognizes them.
void CarRacing::CheckRoadAndCar() const {
  const auto tiles = static_cast<std::size_t>(
      std::count_if(track_.pieces().begin(), track_.pieces().end(),
                    [](const RoadPiece& piece) { return piece.kind == RoadPiece::Kind::kTile; }));
  ExpectState(tiles > 0 && tiles == road_.size() && tiles == touched_.size() &&
                  tiles == visited_.size() && world_.num_bodies() == tiles + 1 + RaceCar::kWheels,
              "a number of tiles");
  const auto is = [&](BodyId body, std::int64_t user_data) {
    return world_.Has(body) && world_.body(body).user_data == user_data;
  };
  for (std::size_t i = 0; i < tiles; ++i)
    ExpectState(is(road_[i], static_cast<std::int64_t>(i) + 1), "a tile");
  ExpectState(is(car_.hull(), -1), "the hull of the car");
  for (std::size_t i = 0; i < RaceCar::kWheels; ++i) {
    const RaceWheel& wheel = car_.wheels()[i];
    const auto most = static_cast<std::int64_t>(tiles);
    ExpectState(is(wheel.body, kFirstWheel - static_cast<std::int64_t>(i)) &&
                    world_.HasJoint(wheel.joint) && -most <= wheel.tiles && wheel.tiles <= most,
                "a wheel");
  }
}

}  // namespace engine::box2d
