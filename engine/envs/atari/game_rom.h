// A game's checked ROM in its cartridge, and the state of the console just after power-on. Made
// once for each game and shared: a new console is a copy of this one. Immutable: any thread.
#ifndef ENGINE_ENVS_ATARI_GAME_ROM_H_
#define ENGINE_ENVS_ATARI_GAME_ROM_H_

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>

#include "engine/emulators/atari2600/cartridge.h"
#include "engine/emulators/atari2600/console_state.h"
#include "engine/envs/atari/games/game.h"

namespace engine::atari {

class GameRom {
 public:
  // Throws engine::Error if the image is not the one that the game's rules are written for.
  GameRom(const Game& game, std::span<const std::uint8_t> image);

  const Game& game() const { return *game_; }
  const std::shared_ptr<const atari2600::Cartridge>& cartridge() const { return cartridge_; }
  TvFormat format() const { return format_; }
  const atari2600::TiaSetup& setup() const { return state_.tia.setup(); }
  // The console after power-on, and the generator that filled its memory.
  const atari2600::ConsoleState& state() const { return state_; }
  const std::mt19937& random() const { return random_; }

 private:
  const Game* game_;
  std::shared_ptr<const atari2600::Cartridge> cartridge_;
  TvFormat format_;
  atari2600::ConsoleState state_;
  std::mt19937 random_;
};

// The MD5 digest of the bytes, 32 lower-case hexadecimal digits, as ale-py lists for its ROMs.
std::string Md5(std::span<const std::uint8_t> bytes);

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_GAME_ROM_H_
