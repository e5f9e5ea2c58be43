// The eighteen joystick positions of an Atari game and sets of them, in the
// order and with the meaning that ale-py gives them. Plain data, any thread.
#ifndef ENGINE_ENVS_ATARI_ACTIONS_H_
#define ENGINE_ENVS_ATARI_ACTIONS_H_

#include <bit>
#include <cstdint>
#include <initializer_list>

namespace engine::atari {

enum class Action : std::uint8_t {
  kNoop,
  kFire,
  kUp,
  kRight,
  kLeft,
  kDown,
  kUpRight,
  kUpLeft,
  kDownRight,
  kDownLeft,
  kUpFire,
  kRightFire,
  kLeftFire,
  kDownFire,
  kUpRightFire,
  kUpLeftFire,
  kDownRightFire,
  kDownLeftFire,
};
inline constexpr int kNumActions = 18;

class ActionSet {
 public:
  constexpr ActionSet() = default;
  constexpr ActionSet(std::initializer_list<Action> actions) {
    for (const Action action : actions) bits_ |= Bit(action);
  }

  constexpr bool Contains(Action action) const { return (bits_ & Bit(action)) != 0; }
  constexpr int size() const { return std::popcount(bits_); }

  constexpr friend ActionSet operator|(ActionSet a, ActionSet b) {
    return ActionSet(a.bits_ | b.bits_);
  }
  constexpr friend ActionSet operator-(ActionSet a, ActionSet b) {
    return ActionSet(a.bits_ & ~b.bits_);
  }
  constexpr friend bool operator==(ActionSet a, ActionSet b) = default;

 private:
  constexpr explicit ActionSet(std::uint32_t bits) : bits_(bits) {}
  static constexpr std::uint32_t Bit(Action action) {
    return std::uint32_t{1} << static_cast<int>(action);
  }

  std::uint32_t bits_ = 0;
};

// The eight directions, without the button.
inline constexpr ActionSet kDirections{Action::kUp,        Action::kRight,   Action::kLeft,
                                       Action::kDown,      Action::kUpRight, Action::kUpLeft,
                                       Action::kDownRight, Action::kDownLeft};
// The button, alone and with each direction.
inline constexpr ActionSet kFiringActions{
    Action::kFire,       Action::kUpFire,        Action::kRightFire,
    Action::kLeftFire,   Action::kDownFire,      Action::kUpRightFire,
    Action::kUpLeftFire, Action::kDownRightFire, Action::kDownLeftFire};
inline constexpr ActionSet kAllActions = ActionSet{Action::kNoop} | kDirections | kFiringActions;

}  // namespace engine::atari

#endif  // ENGINE_ENVS_ATARI_ACTIONS_H_
