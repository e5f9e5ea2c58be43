// Catch: a ball falls down a board, and a paddle in the bottom row must be under it. This is the
// environment of bsuite (Osband et al., 2020), with the rules of EnvPool's Catch. Each instance
// runs on one thread at a time. (The file is not named catch.h: a test forbids the names of
// environments in the runtime, where `catch` is a keyword.)
#ifndef ENGINE_ENVS_TOY_TEXT_CATCH_BALL_H_
#define ENGINE_ENVS_TOY_TEXT_CATCH_BALL_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include "engine/env/environment.h"
#include "engine/envs/toy_text/board_picture.h"

namespace engine::toy_text {

class Catch {
 public:
  static constexpr bool kNeverWaits = true;

  static ParamSchema Options() {
    return {{.name = "height",
             .default_value = std::int64_t{10},
             .doc = "Rows of the board; an episode has one step less than rows.",
             .low = 2.0,
             .high = kMaxSide},
            {.name = "width",
             .default_value = std::int64_t{5},
             .doc = "Columns of the board.",
             .low = 1.0,
             .high = kMaxSide}};
  }
  static ParamSchema ResetOptions() { return {}; }

  static EnvSpec Spec(const ParamValues& options) {
    EnvSpec spec;
    // 1 at the cells of the ball and of the paddle, otherwise 0.
    spec.observation = SpaceSpec::Box<float>(
        {options.Get<std::int64_t>("height"), options.Get<std::int64_t>("width")}, 0.0F, 1.0F);
    spec.action = SpaceSpec::Discrete(3);  // 0: left, 1: stay, 2: right
    spec.render = Config(options).picture.spec();
    return spec;
  }

  struct Config {
    explicit Config(const ParamValues& options)
        : height(options.Get<std::int64_t>("height")),
          width(options.Get<std::int64_t>("width")),
          picture(height, width) {}
    std::int64_t height;
    std::int64_t width;
    BoardPicture picture;
  };

  struct Start {
    explicit Start(const ParamValues&) {}
  };

  explicit Catch(const Config& config) : config_(&config) {}

  void Reset(const Start&, Rng& rng) {
    ball_row_ = 0;
    ball_column_ = rng.Integers(config_->width);
    paddle_ = config_->width / 2;
  }

  StepResult Step(ActionView action, Rng&) {
    paddle_ = std::clamp(paddle_ + action.Index() - 1, std::int64_t{0}, config_->width - 1);
    // A state in which the ball has landed may be loaded as one that goes on.
    ball_row_ = std::min(ball_row_ + 1, config_->height - 1);
    if (ball_row_ < config_->height - 1) return {};
    return {.reward = ball_column_ == paddle_ ? 1.0 : -1.0, .terminated = true};
  }

  void Observe(ObsRow row) const {
    float* board = row.Data<float>();
    std::fill_n(board, config_->height * config_->width, 0.0F);
    board[ball_row_ * config_->width + ball_column_] = 1.0F;
    board[(config_->height - 1) * config_->width + paddle_] = 1.0F;
  }

  // A caught ball is drawn on top of the paddle.
  void Render(std::span<std::uint8_t> rgb) const {
    const BoardPicture& picture = config_->picture;
    picture.Clear(rgb);
    for (std::int64_t row = 0; row < config_->height; ++row) {
      for (std::int64_t column = 0; column < config_->width; ++column) {
        picture.Tile(rgb, row, column, BoardPicture::kTile);
      }
    }
    picture.Tile(rgb, config_->height - 1, paddle_, kPaddleColour);
    picture.Piece(rgb, ball_row_, ball_column_, kBallColour);
  }

  void Save(StateWriter& state) const {
    state.Put(ball_row_);
    state.Put(ball_column_);
    state.Put(paddle_);
  }
  void Load(StateReader& state) {
    state.GetWithin("the row of the ball", ball_row_, 0, config_->height - 1);
    state.GetWithin("the column of the ball", ball_column_, 0, config_->width - 1);
    state.GetWithin("the column of the paddle", paddle_, 0, config_->width - 1);
  }

 private:
  static constexpr double kMaxSide = 4096.0;
  static constexpr Rgb kPaddleColour{60, 90, 160};
  static constexpr Rgb kBallColour{220, 110, 30};

  std::int64_t ball_row_ = 0;
  std::int64_t ball_column_ = 0;
  std::int64_t paddle_ = 0;  // column of the paddle
  const Config* config_;
};

static_assert(std::is_trivially_copyable_v<Catch>);

}  // namespace engine::toy_text

#endif  // ENGINE_ENVS_TOY_TEXT_CATCH_BALL_H_
