// The C interface of Procgen's library, called libenv. Two versions of it exist: 1 in gym3, with
// which procgen and procgen-mirror are built, and 3 in procgen-gym. They differ in the order of two
// structs and in how options are passed.
#ifndef ENGINE_ENVS_PROCGEN_LIBENV_H_
#define ENGINE_ENVS_PROCGEN_LIBENV_H_

#include <cstdint>

namespace engine::procgen::libenv {

inline constexpr int kVersionOfGym3 = 1;
inline constexpr int kVersionOfProcgenGym = 3;

inline constexpr int kMaxName = 128;  // bytes, with the final zero
inline constexpr int kMaxDims = 16;

// int in C, as is the enumeration of spaces.
enum class ElementType : int { kUint8 = 1, kInt32 = 2, kFloat32 = 3 };
enum class ScalarType : int { kReal = 1, kDiscrete = 2 };
enum class Space : int { kObservation = 1, kAction = 2, kInfo = 3 };

using Environment = void;

union Value {
  std::uint8_t uint8;
  std::int32_t int32;
  float float32;
};

struct Option {
  char name[kMaxName];
  ElementType type;
  int count;
  const void* data;
};
struct Options {
  const Option* items;
  int count;
};

// The description of one array of a space.
struct TensorType1 {
  char name[kMaxName];
  ScalarType scalar;
  ElementType element;
  int shape[kMaxDims];
  int num_dims;
  Value low;
  Value high;
};
struct TensorType3 {
  char name[kMaxName];
  ScalarType scalar;
  ElementType element;
  int num_dims;
  int shape[kMaxDims];
  Value low;
  Value high;
};

// Where the library reads actions and writes results. `observation`, `info` and `action` have a
// pointer for each array and game, array by array.
struct Buffers1 {
  void** observation;
  float* reward;
  std::uint8_t* first;
  void** info;
  void** action;
};
struct Buffers3 {
  void** observation;
  void** action;
  void** info;
  float* reward;
  std::uint8_t* first;
};

using Make1 = Environment* (*)(int num_games, Options options);
using Make3 = Environment* (*)(int num_games, const Options* options);

}  // namespace engine::procgen::libenv

#endif  // ENGINE_ENVS_PROCGEN_LIBENV_H_
