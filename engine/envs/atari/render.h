// Pictures of Atari environments: the console's picture of the latest frame, as ale-py's
// getScreenRGB returns it, independent of the type of observation.
//
// Normally an environment does not draw frames that are not observed, and if an episode ends within
// a step, the latest frame is not observed. After EnableRender an environment therefore draws the
// latest frame in any case. Pure functions: any thread.
#ifndef ENGINE_ENVS_ATARI_RENDER_H_
#define ENGINE_ENVS_ATARI_RENDER_H_

#include <cstdint>
#include <span>

#include "engine/emulators/atari2600/picture.h"
#include "engine/env/spec.h"
#include "engine/envs/atari/game_runner.h"
#include "engine/envs/atari/games/game.h"
#include "engine/envs/atari/hardware.h"
#include "engine/envs/atari/pixels/palette.h"

namespace engine::atari {

// As in Gymnasium, the rate is 30 pictures per second for every game and frame skip.
inline RenderSpec RenderSpecOf(const Game& game) {
  return {.height = PictureLines(game.hardware, game.hardware.format),
          .width = atari2600::kWidth,
          .fps = 30};
}

// Requires: rgb.size() == RenderSpecOf(runner.game()).bytes().
inline void RenderPicture(const GameRunner& runner, std::span<std::uint8_t> rgb) {
  ToRgb(runner.console().pixels(), runner.rom().format(), rgb.data());
}

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_RENDER_H_
