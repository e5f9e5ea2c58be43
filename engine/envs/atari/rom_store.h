// The ROMs of this process, by game. C++ does not read files or search packages: Python adds the
// images before a pool of the game is made, and pools read them. Any thread.
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

  // Checks and stores the game's image, unless it is stored already. Throws Error{kUnknownTask} for
  // an unknown game, and Error{kInput} for a wrong image.
  void Add(std::string_view game, std::span<const std::uint8_t> image);
  // Returns null if the game's ROM is not stored.
  std::shared_ptr<const GameRom> Find(const Game& game) const;
  // Throws Error{kRom}, whose message names the package to install, if the ROM is not stored.
  std::shared_ptr<const GameRom> Get(const Game& game) const;

 private:
  mutable std::mutex mutex_;
  std::map<const Game*, std::shared_ptr<const GameRom>> roms_;  // guarded by mutex_
};

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_ROM_STORE_H_
