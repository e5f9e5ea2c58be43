// Games of the library that were made together, and the memory through which it exchanges actions
// and results. An environment has a handle with one game. One thread at a time; different handles
// may be used by different threads. The library starts no threads for a handle.
#ifndef ENGINE_ENVS_PROCGEN_HANDLE_H_
#define ENGINE_ENVS_PROCGEN_HANDLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/envs/procgen/libenv.h"

namespace engine::procgen {

inline constexpr std::int64_t kSide = 64;          // pixels of an observation, in both directions
inline constexpr std::int64_t kPictureSide = 512;  // pixels of a picture
inline constexpr std::int64_t kNumActions = 15;

// What a handle is made with, beside the seed. The values have been checked.
struct GameOptions {
  std::string game;
  std::vector<std::pair<const char*, std::int32_t>> numbers;
  std::vector<std::pair<const char*, bool>> flags;
};

// What the library says about the level.
struct LevelInfos {
  std::int32_t prev_level_seed = 0;
  std::uint8_t prev_level_complete = 0;
  std::int32_t level_seed = 0;
};

class Handle {
 public:
  // Makes the games, each in its first level. `draws`: Draw() may be called. The first handle of
  // the process loads all pictures, which takes seconds; meanwhile other threads that make one
  // wait. Throws Error{kInternal} if the library has other arrays than this class expects.
  // Requires: OpenLibrary() has succeeded.
  Handle(const GameOptions& options, std::int32_t seed, std::size_t num_games, bool draws);
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Takes a step in the only game. If the step ends the level, the game is then in the first state
  // of the next level, and first() is true.
  void Step(std::int32_t action);
  // Takes a step without an action, and ends the level whatever the step does.
  void EndLevel();

  // The results of the latest step of the only game, or of the latest Load().
  std::span<const std::uint8_t> pixels() const { return pixels_; }  // (kSide, kSide, 3)
  float reward() const { return rewards_[0]; }
  bool first() const { return firsts_[0] != 0; }
  const LevelInfos& infos() const { return infos_[0]; }

  // Draws a picture of the only game: (kPictureSide, kPictureSide, 3).
  void Draw(std::span<std::uint8_t> rgb) const;

  // Requires: the option use_generated_assets is not set.
  std::string Save(std::size_t game) const;
  // Requires: `state` was returned by Save() of a game with the same options, unchanged.
  void Load(std::string_view state);

 private:
  struct Closer {
    void operator()(libenv::Environment* environment) const;
  };

  void SetBuffers(std::size_t num_infos);

  const std::size_t num_games_;
  std::vector<std::uint8_t> pixels_;
  std::vector<std::int32_t> actions_;
  std::vector<float> rewards_;
  std::vector<std::uint8_t> firsts_;
  std::vector<LevelInfos> infos_;
  mutable std::vector<std::uint8_t> picture_;  // empty unless the handle draws
  std::vector<void*> pointers_;                // to the arrays above
  // Declared last: it uses the memory above until it is closed.
  std::unique_ptr<libenv::Environment, Closer> environment_;
};

}  // namespace engine::procgen

#endif  // ENGINE_ENVS_PROCGEN_HANDLE_H_
