// Steps of many environments with vector instructions: one environment in each lane of a vector.
//
// StepMany of a class collects its environments in a LaneBatch and calls the class's function of
// Lanes(). The results are bitwise equal to those of Step. What a lane cannot do (angles outside of
// its sines' range, NaN) it leaves to Step, before anything of the environment changes.
//
// lane_functions.cc compiles the functions (*.inl) for AVX2 and for AVX-512. Lanes() has those of
// the best instruction set of the processor, if the C library's sines, cosines and squares are
// those of the functions, which is tested with samples. Otherwise it has no functions. Any thread
// may call them.
#ifndef ENGINE_ENVS_CLASSIC_CONTROL_LANES_LANES_H_
#define ENGINE_ENVS_CLASSIC_CONTROL_LANES_LANES_H_

#include <cstdint>
#include <limits>

#include "engine/base/numpy_kernels.h"
#include "engine/env/step_range.h"

namespace engine::classic_control {

inline constexpr std::uint32_t kMostLanes = 8;
static_assert(kMostTogether % kMostLanes == 0);

struct AcrobotConstants;
struct CartPoleConstants;
struct MountainCarConstants;
struct PendulumConstants;

// The environments of one call. C: the constants of one environment.
template <class C>
struct LaneBatch {
  // The results are those of `range`.
  template <class E>
  explicit LaneBatch(const StepRange<E>& range) : rewards(range.rewards()), ends(range.ends()) {}

  // Adds an environment. `state`: its variables, doubles, which the function reads and writes.
  template <class State>
  void Add(State& state, const C& constants, double input) {
    static_assert(sizeof(State) % sizeof(double) == 0);
    states[count] = reinterpret_cast<double*>(&state);
    all_constants[count] = &constants;
    inputs[count] = input;
    share_constants = share_constants && &constants == all_constants[0];
    ++count;
  }
  // Fills the lanes behind the last environment. Called after all have been added, at least one.
  void FillLanes() {
    for (std::uint32_t k = count; k % kMostLanes != 0; ++k) {
      states[k] = states[count - 1];
      all_constants[k] = all_constants[count - 1];
      inputs[k] = inputs[count - 1];
    }
  }

  // Not initialized: only the elements of environments and filled lanes are read.
  double* states[kMostTogether];
  const C* all_constants[kMostTogether];
  double inputs[kMostTogether];      // what follows from the action: a force, a torque
  std::uint32_t float32_inputs = 0;  // only Pendulum: the number of inputs that are float32
  std::uint32_t count = 0;
  bool share_constants = true;
  // The results, by environment. `ends`: EndBits.
  double* const rewards;
  std::uint8_t* const ends;
};

// The functions of one instruction set.
struct LaneFunctions {
  const char* name = "none";
  std::uint32_t lanes = 0;  // environments per instruction; 0: there are no functions
  void (*step_acrobot)(const LaneBatch<AcrobotConstants>& batch) = nullptr;
  void (*step_cartpole)(const LaneBatch<CartPoleConstants>& batch) = nullptr;
  void (*step_mountain_car)(const LaneBatch<MountainCarConstants>& batch) = nullptr;
  void (*step_pendulum)(const LaneBatch<PendulumConstants>& batch) = nullptr;
  // For tests: the sine and the cosine of `lanes` angles, and squares of `lanes` numbers; sin_cos
  // returns a bit for each lane whose sine and cosine are valid. The numbers and squares of
  // square_float32 are float32.
  unsigned (*sin_cos)(const double* angles, double* sines, double* cosines) = nullptr;
  void (*square)(const double* numbers, double* squares) = nullptr;
  void (*square_float32)(const double* numbers, double* squares) = nullptr;
};

// Whether the sines, cosines and squares of the functions equal the C library's, by samples and by
// angles that tell its method from others. The processor must have the instructions.
bool AgreesWithLibrary(const LaneFunctions& functions);

// The functions of each instruction set that this processor has and whose results equal the C
// library's, the best first. Ends with an element without functions.
const LaneFunctions* FindLanes();

// The functions in use: initially the first of FindLanes(). Only tests change them, while no
// environment is stepped.
extern LaneFunctions lanes_in_use;
inline const LaneFunctions& Lanes() { return lanes_in_use; }

// The least number of environments for which StepMany of a class is worth calling.
// NumPy's sines must then be the C library's.
enum class LaneSines : std::uint8_t { kLibrary, kNumpy };
inline std::uint32_t LeastInLanes(LaneSines sines) {
  const NumpyShortcuts& shortcuts = numpy_internal::shortcuts;
  const bool equal = sines == LaneSines::kLibrary || (shortcuts.sin && shortcuts.cos);
  return Lanes().lanes != 0 && equal ? 2 : std::numeric_limits<std::uint32_t>::max();
}

}  // namespace engine::classic_control

#endif  // ENGINE_ENVS_CLASSIC_CONTROL_LANES_LANES_H_
