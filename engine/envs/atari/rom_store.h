// The ROMs of this process, by game. C++ reads no files and knows no package:
// whoever does (Python, before a pool of the game is made) puts the images in,
// and pools take them out. Any thread.
#ifndef ENGINE_ENVS_ATARI_ROM_STORE_H_
#define ENGINE_ENVS_ATARI_ROM_STORE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include "engine/envs/atari/game_rom.h"

namespace engine::atari {

class RomStore {
 public:
  // The process's store. Never destroyed: pools may outlive main.
  static RomStore& Global();

  // Checks and keeps the game's image, unless it is there already. Throws Error{kUnknownTask}
  // for a game that there is not, and what GameRom throws.
  void Add(std::string_view game, std::span<const std::uint8_t> image);
  // Null if it is not there.
  std::shared_ptr<const GameRom> Find(const Game& game) const;
  // Throws Error{kRom}, with what to install, if it is not there.
  std::shared_ptr<const GameRom> Get(const Game& game) const;

 private:
  mutable std::mutex mutex_;
  std::map<const Game*, std::shared_ptr<const GameRom>> roms_;  // guarded by mutex_
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_ROM_STORE_H_
