// Pictures of single cells, equal to those of MiniGrid 3.2.0. A process has one atlas per tile
// size, which all pools share. The atlas draws a tile at its first use.
#ifndef ENGINE_ENVS_MINIGRID_TILES_H_
#define ENGINE_ENVS_MINIGRID_TILES_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "engine/envs/minigrid/objects.h"

namespace engine::minigrid {

inline constexpr int kLargestTile = 256;  // pixels

class TileAtlas {
 public:
  static constexpr int kNoAgent = 4;

  // Returns the atlas of a tile size (pixels). It is never freed. Any thread.
  static TileAtlas& Get(int tile_size);

  explicit TileAtlas(int tile_size);
  TileAtlas(const TileAtlas&) = delete;
  TileAtlas& operator=(const TileAtlas&) = delete;

  int tile_size() const { return tile_size_; }
  // Returns the tile of an object: tile_size rows of tile_size RGB pixels. `agent`: the direction
  // of the agent on this cell, or kNoAgent. Any thread; allocates and locks at the first use of a
  // tile.
  const std::uint8_t* Tile(Code code, int agent, bool highlight) {
    const std::size_t index = Index(code, agent, highlight);
    // Pairs with the release store in Draw, so the pixels are complete.
    const std::uint8_t* const tile = tiles_[index].load(std::memory_order_acquire);
    return tile != nullptr ? tile : Draw(index, code, agent, highlight);
  }

 private:
  static constexpr std::size_t kAgents = 5;  // four directions, and kNoAgent
  static constexpr std::size_t kNumTiles = kNumTypes * kNumColors * kNumStates * kAgents * 2;

  static std::size_t Index(Code code, int agent, bool highlight) {
    const std::size_t object = (static_cast<std::size_t>(TypeOf(code)) * kNumColors +
                                static_cast<std::size_t>(ColorOf(code))) *
                                   kNumStates +
                               StateOf(code);
    return (object * kAgents + static_cast<std::size_t>(agent)) * 2 + (highlight ? 1 : 0);
  }
  const std::uint8_t* Draw(std::size_t index, Code code, int agent, bool highlight);
  // One for all atlases: drawing is rare.
  static std::mutex& Mutex();

  const int tile_size_;
  std::array<std::atomic<const std::uint8_t*>, kNumTiles> tiles_ = {};
  std::array<std::unique_ptr<std::uint8_t[]>, kNumTiles> memory_;  // guarded by Mutex()
};

}  // namespace engine::minigrid

#endif  // ENGINE_ENVS_MINIGRID_TILES_H_
