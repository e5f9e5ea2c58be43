// Snake, implemented by a C library that keeps its state on the heap and reports errors as codes.
#include <envpool.h>

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "snakelib.h"

// Observation: uint8 (size, size): 0 empty, 1 body, 2 head, 3 food. Actions: 0 up, 1 right, 2 down,
// 3 left. The reward is 1 for food and -1 when the snake dies.
class Snake {
 public:
  static constexpr bool kNeverWaits = true;

  static engine::ParamSchema Options() {
    return {{.name = "size",
             .default_value = std::int64_t{8},
             .doc = "rows and columns of the board",
             .low = 3.0,
             .high = 64.0}};
  }
  static engine::EnvSpec Spec(const engine::ParamValues& options) {
    const auto size = options.Get<std::int64_t>("size");
    engine::EnvSpec spec;
    spec.observation = engine::SpaceSpec::Box<std::uint8_t>({size, size}, 0, 3);
    spec.action = engine::SpaceSpec::Discrete(4);
    spec.infos = {{.name = "length", .dtype = engine::DType::kInt64}};
    spec.render = engine::RenderSpec{.height = size * kTile, .width = size * kTile, .fps = 8};
    return spec;
  }

  struct Config {
    explicit Config(const engine::ParamValues& options)
        : size(static_cast<std::int32_t>(options.Get<std::int64_t>("size"))) {}
    std::int32_t size;
  };

  // The object owns the memory that the library allocates, and frees it, also if the pool is closed
  // in the middle of an episode. Each environment has its own game, so no two threads use the same
  // one.
  explicit Snake(const Config& config)
      : config_(&config), game_(snake_new(config.size, config.size)) {
    if (game_ == nullptr) throw std::bad_alloc();
  }

  // The library has its own random generator. It is seeded with a number from the environment's
  // generator, so episodes depend only on the seed of `reset`.
  void Reset(engine::Rng& rng) { snake_restart(game_.get(), rng.NextUint64()); }

  engine::StepResult Step(engine::ActionView action, engine::Rng&) {
    switch (snake_move(game_.get(), static_cast<int>(action.Index()))) {
      case SNAKE_MOVED:
        return {.reward = 0.0};
      case SNAKE_ATE:
        return {.reward = 1.0, .terminated = snake_length(game_.get()) == Cells()};
      case SNAKE_DIED:
        return {.reward = -1.0, .terminated = true};
      case SNAKE_BAD_DIRECTION:
        break;
    }
    // An error code becomes an exception: this environment fails, and the others continue.
    throw engine::Error(engine::ErrorKind::kInternal,
                        "snakelib: bad direction " + std::to_string(action.Index()));
  }

  // The library writes directly into the batch.
  void Observe(engine::ObsRow row) const { snake_board(game_.get(), row.Data<std::uint8_t>()); }

  void Info(engine::InfoRow row, bool /*after_reset*/) const {
    row.Set("length", std::int64_t{snake_length(game_.get())});
  }

  void Render(std::span<std::uint8_t> rgb) const {
    static constexpr engine::Colour kColours[] = {
        {20, 30, 20}, {70, 160, 70}, {150, 230, 90}, {220, 60, 50}};
    std::vector<std::uint8_t> cells(static_cast<std::size_t>(Cells()));
    snake_board(game_.get(), cells.data());
    const std::int64_t side = config_->size * kTile;
    engine::Canvas canvas(rgb, {.height = side, .width = side});
    canvas.Clear(kColours[0]);
    for (std::int64_t cell = 0; cell < Cells(); ++cell) {
      const std::int64_t x = cell % config_->size * kTile;
      const std::int64_t y = cell / config_->size * kTile;
      canvas.FillRect(x + 1, y + 1, x + kTile - 1, y + kTile - 1,
                      kColours[cells[static_cast<std::size_t>(cell)]]);
    }
  }

  void Save(engine::StateWriter& state) const {
    std::vector<std::uint8_t> bytes(snake_state_size(game_.get()));
    snake_save(game_.get(), bytes.data());
    state.PutAll(std::span(bytes));
  }
  void Load(engine::StateReader& state) {
    std::vector<std::uint8_t> bytes(snake_state_size(game_.get()));
    state.GetAll(std::span(bytes));
    if (snake_load(game_.get(), bytes.data()) == 0)
      throw engine::Error(engine::ErrorKind::kState, "the bytes are no state of this board");
  }

 private:
  static constexpr std::int64_t kTile = 12;  // pixels

  std::int32_t Cells() const { return config_->size * config_->size; }

  struct Free {
    void operator()(snake_game* game) const { snake_free(game); }
  };

  const Config* config_;
  std::unique_ptr<snake_game, Free> game_;
};

ENVPOOL_PLUGIN(snake) { registry.Add<Snake>("Snake-v0", {.max_episode_steps = 500}); }
