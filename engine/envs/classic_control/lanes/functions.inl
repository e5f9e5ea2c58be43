// The functions of one instruction set. lane_functions.cc includes this file in a namespace for
// each, after the file of its vectors.
// clang-format off: each file uses those before it
#include "engine/envs/classic_control/lanes/arithmetic.inl"
#include "engine/envs/classic_control/lanes/sin_cos.inl"
#include "engine/envs/classic_control/lanes/batch.inl"
#include "engine/envs/classic_control/lanes/steps.inl"
// clang-format on

LANE_TARGET inline unsigned SinCosOf(const double* angles, double* sines, double* cosines) {
  Vector x;
  __builtin_memcpy(&x, angles, sizeof x);
  const SinCos found = SineAndCosine(x);
  __builtin_memcpy(sines, &found.sin, sizeof x);
  __builtin_memcpy(cosines, &found.cos, sizeof x);
  return BitsOf(found.valid);
}

template <class T>
LANE_TARGET void SquareOf(const double* numbers, double* squares) {
  Vector x;
  __builtin_memcpy(&x, numbers, sizeof x);
  const Vector square = Square<T>(x);
  __builtin_memcpy(squares, &square, sizeof x);
}

constexpr LaneFunctions kFunctions = {
    .name = kName,
    .lanes = kLanes,
    .step_acrobot = &StepGroups<AcrobotStep, AcrobotConstants>,
    .step_cartpole = &StepGroups<CartPoleStep, CartPoleConstants>,
    .step_mountain_car = &StepGroups<MountainCarStep, MountainCarConstants>,
    .step_pendulum = &StepGroups<PendulumStep, PendulumConstants>,
    .sin_cos = &SinCosOf,
    .square = &SquareOf<double>,
    .square_float32 = &SquareOf<float>};
