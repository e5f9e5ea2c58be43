// The tasks of MetaWorld, in the order in which the reference lists them.
#include <memory>
#include <vector>

#include "engine/envs/mujoco/metaworld/rules.h"
#include "engine/envs/mujoco/metaworld/tasks/basketball.h"
#include "engine/envs/mujoco/metaworld/tasks/bin_picking.h"
#include "engine/envs/mujoco/metaworld/tasks/box_close.h"
#include "engine/envs/mujoco/metaworld/tasks/button.h"
#include "engine/envs/mujoco/metaworld/tasks/coffee.h"
#include "engine/envs/mujoco/metaworld/tasks/dial_turn.h"
#include "engine/envs/mujoco/metaworld/tasks/door.h"
#include "engine/envs/mujoco/metaworld/tasks/drawer.h"
#include "engine/envs/mujoco/metaworld/tasks/faucet.h"
#include "engine/envs/mujoco/metaworld/tasks/hammer.h"
#include "engine/envs/mujoco/metaworld/tasks/hand_insert.h"
#include "engine/envs/mujoco/metaworld/tasks/handle.h"
#include "engine/envs/mujoco/metaworld/tasks/lever_pull.h"
#include "engine/envs/mujoco/metaworld/tasks/lock.h"
#include "engine/envs/mujoco/metaworld/tasks/nut.h"
#include "engine/envs/mujoco/metaworld/tasks/peg.h"
#include "engine/envs/mujoco/metaworld/tasks/pick_out_of_hole.h"
#include "engine/envs/mujoco/metaworld/tasks/pick_place.h"
#include "engine/envs/mujoco/metaworld/tasks/plate.h"
#include "engine/envs/mujoco/metaworld/tasks/push.h"
#include "engine/envs/mujoco/metaworld/tasks/reach.h"
#include "engine/envs/mujoco/metaworld/tasks/shelf_place.h"
#include "engine/envs/mujoco/metaworld/tasks/soccer.h"
#include "engine/envs/mujoco/metaworld/tasks/stick.h"
#include "engine/envs/mujoco/metaworld/tasks/sweep.h"
#include "engine/envs/mujoco/metaworld/tasks/window.h"

namespace engine::mujoco::metaworld {
namespace {

template <class... Each>
std::vector<std::unique_ptr<const Rules>> MakeEach() {
  std::vector<std::unique_ptr<const Rules>> all;
  (all.push_back(std::make_unique<Each>()), ...);
  return all;
}

}  // namespace

std::vector<std::unique_ptr<const Rules>> AllRules() {
  return MakeEach<
      AssemblyRules, BasketballRules, BinPickingRules, BoxCloseRules, ButtonPressTopdownRules,
      ButtonPressTopdownWallRules, ButtonPressRules, ButtonPressWallRules, CoffeeButtonRules,
      CoffeePullRules, CoffeePushRules, DialTurnRules, DisassembleRules, DoorCloseRules,
      DoorLockRules, DoorOpenRules, DoorUnlockRules, HandInsertRules, DrawerCloseRules,
      DrawerOpenRules, FaucetOpenRules, FaucetCloseRules, HammerRules, HandlePressSideRules,
      HandlePressRules, HandlePullSideRules, HandlePullRules, LeverPullRules, PickPlaceWallRules,
      PickOutOfHoleRules, PickPlaceRules, PlateSlideRules, PlateSlideSideRules, PlateSlideBackRules,
      PlateSlideBackSideRules, PegInsertSideRules, PegUnplugSideRules, SoccerRules, StickPushRules,
      StickPullRules, PushRules, PushWallRules, PushBackRules, ReachRules, ReachWallRules,
      ShelfPlaceRules, SweepIntoRules, SweepRules, WindowOpenRules, WindowCloseRules>();
}

}  // namespace engine::mujoco::metaworld
