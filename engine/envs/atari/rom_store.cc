// See the header.
#include "engine/envs/atari/rom_store.h"

#include <string>

#include "engine/base/error.h"
#include "engine/base/fork_lock.h"
#include "engine/envs/atari/games/game_table.h"

namespace engine::atari {

RomStore& RomStore::Global() {
  static RomStore* const store = new RomStore;
  HoldDuringFork<[]() -> std::mutex& { return Global().mutex_; }>();
  return *store;
}

void RomStore::Add(std::string_view id, std::span<const std::uint8_t> image) {
  const Game& game = FindGame(id);
  if (Find(game) != nullptr) return;
  // Made without the lock, because this takes a second. If two threads make the same ROM at once,
  // the store keeps the one that is added first.
  auto rom = std::make_shared<const GameRom>(game, image);
  const std::lock_guard lock(mutex_);
  roms_.emplace(&game, std::move(rom));
}

std::shared_ptr<const GameRom> RomStore::Find(const Game& game) const {
  const std::lock_guard lock(mutex_);
  const auto found = roms_.find(&game);
  return found == roms_.end() ? nullptr : found->second;
}

std::shared_ptr<const GameRom> RomStore::Get(const Game& game) const {
  if (std::shared_ptr<const GameRom> rom = Find(game)) return rom;
  throw Error(ErrorKind::kRom, std::string(game.id) +
                                   ": its ROM is not loaded; it comes with the ale-py package: "
                                   "`pip install 'ale-py>=0.11'`, and make pools with "
                                   "envpool_py.make");
}

}  // namespace engine::atari
