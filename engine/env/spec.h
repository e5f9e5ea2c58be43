// The description of an environment for its callers: spaces of observations and actions, infos,
// pictures, players. Built at run time, once per pool, on the thread that makes the pool; immutable
// afterwards.
#ifndef ENGINE_ENV_SPEC_H_
#define ENGINE_ENV_SPEC_H_

#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/env/dtype.h"

namespace engine {

using Shape = std::vector<std::int64_t>;

std::int64_t NumElements(const Shape& shape);
// "(3, 4)", "(3,)".
std::string ShapeText(const Shape& shape);

// The last printable character of ASCII.
inline constexpr std::uint8_t kLastTextByte = 126;

enum class SpaceKind : std::uint8_t {
  kBox,            // every element between its inclusive bounds
  kDiscrete,       // one integer in [start, start + n - 1]
  kMultiDiscrete,  // element i an integer in [0, nvec[i] - 1]
  kMultiBinary,    // every element 0 or 1
  kText,           // at most `shape[0]` printable ASCII characters, then zeros; no actions
  kDict,           // named children
  kTuple,          // unnamed children, in order
};

// A tree of spaces with Gymnasium's meaning. Leaves are numbered depth first. The number is the
// `leaf` of ObsRow, and the engine stores columns in this order.
struct SpaceSpec {
  SpaceKind kind = SpaceKind::kBox;
  DType dtype = DType::kFloat32;  // leaves only
  Shape shape;                    // leaves only; () for kDiscrete
  // Inclusive bounds as elements of `dtype`, stored as bytes so that 64-bit integers keep their
  // value; kBox only. One element (the same bound everywhere) or NumElements(shape) of them.
  std::vector<std::byte> low;
  std::vector<std::byte> high;
  std::int64_t n = 0;              // kDiscrete
  std::int64_t start = 0;          // kDiscrete
  std::vector<std::int64_t> nvec;  // kMultiDiscrete, NumElements(shape) of them
  std::vector<std::pair<std::string, SpaceSpec>> children;  // kDict, kTuple

  // Defined where the type is complete, because std::pair needs a complete type.
  SpaceSpec();
  SpaceSpec(const SpaceSpec& other);
  SpaceSpec(SpaceSpec&& other) noexcept;
  SpaceSpec& operator=(const SpaceSpec& other);
  SpaceSpec& operator=(SpaceSpec&& other) noexcept;
  ~SpaceSpec();

  bool is_leaf() const { return kind != SpaceKind::kDict && kind != SpaceKind::kTuple; }
  std::size_t leaf_bytes() const {
    return SizeOf(dtype) * static_cast<std::size_t>(NumElements(shape));
  }

  // Depth-first leaves; pointers stay valid as long as this tree is unchanged.
  std::vector<const SpaceSpec*> Leaves() const;

  // Throws Error{kInternal} that describes an inconsistency (a plug-in's bug).
  void Validate(const std::string& where) const;

  template <class T>
  static SpaceSpec Box(Shape shape, const std::vector<T>& low, const std::vector<T>& high) {
    SpaceSpec space;
    space.kind = SpaceKind::kBox;
    space.dtype = DTypeOf<T>();
    space.shape = std::move(shape);
    space.low = Bytes(low);
    space.high = Bytes(high);
    return space;
  }
  template <class T>
  static SpaceSpec Box(Shape shape, T low, T high) {
    return Box<T>(std::move(shape), std::vector<T>{low}, std::vector<T>{high});
  }
  static SpaceSpec Discrete(std::int64_t n, std::int64_t start = 0);
  static SpaceSpec MultiDiscrete(std::vector<std::int64_t> nvec);
  static SpaceSpec MultiBinary(std::int64_t n);
  // Gymnasium's API returns a str, all others the characters.
  static SpaceSpec Text(std::int64_t max_length);
  static SpaceSpec Dict(std::vector<std::pair<std::string, SpaceSpec>> children);
  static SpaceSpec Tuple(std::vector<SpaceSpec> children);

 private:
  template <class T>
  static std::vector<std::byte> Bytes(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {  // by element: vector<bool> has no data()
      const T value = values[i];
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    return bytes;
  }
};

// One array of additional data per environment, as in Gymnasium's infos: the key is present only in
// batches in which at least one environment set it, and has a mask `_name`.
struct InfoSpec {
  std::string name;
  DType dtype = DType::kFloat64;
  Shape shape = {};
  // For a value whose dtype is that of the action. It has two fields: one in float32, and after it
  // this one, in float64. Each row sets one of the two. Python shows both under the key of the
  // first one. The first one may be float64, too, if no row ever sets it.
  bool widens_previous = false;

  std::size_t bytes() const { return SizeOf(dtype) * static_cast<std::size_t>(NumElements(shape)); }
};

inline constexpr std::int64_t kMaxPlayers = 4096;

// One player, in an environment whose players have names and spaces of their own.
struct PlayerSpec {
  std::string name;  // unique in the environment; PettingZoo's name of the agent
  // What is used of the spaces of the EnvSpec, which are the largest of all players. Both are of
  // the same kind and dtype. A box has the first elements of the EnvSpec's; the others are zero in
  // observations and not used in actions. A discrete space has the first values; the class
  // determines the meaning of the others.
  SpaceSpec observation;
  SpaceSpec action;
};

// The players of an environment; see players.h. Observation and action spaces of the
// EnvSpec are those of one player.
struct PlayersSpec {
  // Most players at a time; they have the numbers 0 to max_players - 1. Every environment has
  // memory for all of them.
  std::int64_t max_players = 2;
  // False: all players play from the beginning to the end of an episode. True: players may join and
  // leave, and Plays() of the class determines which players play.
  bool vary = false;
  // Arrays of one player, such as a mask of its actions.
  std::vector<InfoSpec> infos = {};
  // In the order of their numbers; empty: the players have no names, and the spaces of the EnvSpec.
  std::vector<PlayerSpec> each = {};
};

// The format of an environment's picture: RGB, 3 bytes per pixel, row by row.
struct RenderSpec {
  std::int64_t height = 0;  // pixels
  std::int64_t width = 0;
  std::int64_t fps = 30;  // frame rate of a video in real time

  std::size_t bytes() const { return static_cast<std::size_t>(height * width * 3); }
};

// Treatment of a box action outside its bounds, the same for all boxes of an action space. NaN is
// rejected in both cases.
enum class OutOfBounds : std::uint8_t {
  kReject,    // a typed error; nothing is stepped
  kEnvClips,  // passed on: the dynamics define its meaning
};

struct EnvSpec {
  SpaceSpec observation;
  // Has children only if Step takes an ActionRow.
  SpaceSpec action;
  OutOfBounds action_out_of_bounds = OutOfBounds::kReject;
  // The largest seed that a user may give. Less than 2**64 - 1 if the reference's generator accepts
  // fewer bits. The random seed that is used if the user gives none may be larger.
  std::uint64_t max_seed = std::numeric_limits<std::uint64_t>::max();
  std::vector<InfoSpec> infos;
  std::optional<RenderSpec> render;  // absent: the environment draws no pictures
  // Number of values in a scene, from which pictures are drawn outside the engine; 0: none.
  std::int64_t scene_size = 0;
  // False: the step that terminates an episode observes the next one already, so that the last
  // observation of such an episode does not exist. SameStep then has no final observation of it.
  bool has_terminal_observation = true;
  // Emulator frames per step, if the environment has them; for frame rates.
  std::int64_t frame_skip = 1;
  // Absent: an environment has one observation, one action and one reward.
  std::optional<PlayersSpec> players;

  // Rows of per-player arrays that one environment has memory for.
  std::int64_t max_players() const { return players ? players->max_players : 1; }

  // Bytes of one environment's picture or scene; 0 if it has neither.
  std::size_t picture_bytes() const {
    return render ? render->bytes() : static_cast<std::size_t>(scene_size) * sizeof(double);
  }

  void Validate(const std::string& task_id) const;
};

}  // namespace engine

#endif  // ENGINE_ENV_SPEC_H_
