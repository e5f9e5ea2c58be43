// A game's checked ROM in its cartridge, and the state of the console just after power-on. Made
// once for each game and shared: a new console starts in this state. Immutable: any thread.
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
  // Throws Error{kInput} if the image's MD5 differs from game.rom_md5.
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

// Returns the MD5 digest of the bytes as 32 lower-case hexadecimal digits, the form in which ale-py
// lists the digests of its ROMs.
std::string Md5(std::span<const std::uint8_t> bytes);

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_GAME_ROM_H_
