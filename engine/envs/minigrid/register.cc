// Registers the ids of MiniGrid 3.2.0 with their options. The six MiniGrid-WFC ids are missing,
// because the published packages lack the patterns that these tasks need. Called once when the
// engine's module is loaded.
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/envs/minigrid/minigrid.h"
#include "engine/tasks/registry.h"

namespace engine {
namespace {

using minigrid::MiniGrid;

using List = std::vector<std::int64_t>;
constexpr std::monostate kNone;

// An option whose default differs from the default of the level.
struct Default {
  Default(const char* option, int number) : name(option), value(std::int64_t{number}) {}
  Default(const char* option, bool flag) : name(option), value(flag) {}
  Default(const char* option, const char* text) : name(option), value(std::string(text)) {}
  Default(const char* option, List list) : name(option), value(std::move(list)) {}
  Default(const char* option, std::monostate none) : name(option), value(none) {}

  std::string name;
  ParamValue value;
};

// Adds tasks to a registry.
class Adder {
 public:
  explicit Adder(Registry& registry) : registry_(registry) {}

  template <class E>
  void Add(const char* id, const char* level, const std::vector<Default>& defaults = {}) const {
    std::vector<std::pair<std::string, ParamValue>> values;
    for (const Default& item : defaults) values.emplace_back(item.name, item.value);
    registry_.Add<E>(id, {}, E::OptionsOf(level, values));
  }

 private:
  Registry& registry_;
};

void AddMiniGrid(const Adder& tasks) {
  tasks.Add<MiniGrid>("MiniGrid-BlockedUnlockPickup-v0", "BlockedUnlockPickup");
  tasks.Add<MiniGrid>("MiniGrid-LavaCrossingS9N1-v0", "Crossing",
                      {{"size", 9}, {"num_crossings", 1}});
  tasks.Add<MiniGrid>("MiniGrid-LavaCrossingS9N2-v0", "Crossing",
                      {{"size", 9}, {"num_crossings", 2}});
  tasks.Add<MiniGrid>("MiniGrid-LavaCrossingS9N3-v0", "Crossing",
                      {{"size", 9}, {"num_crossings", 3}});
  tasks.Add<MiniGrid>("MiniGrid-LavaCrossingS11N5-v0", "Crossing",
                      {{"size", 11}, {"num_crossings", 5}});
  tasks.Add<MiniGrid>("MiniGrid-SimpleCrossingS9N1-v0", "Crossing",
                      {{"size", 9}, {"num_crossings", 1}, {"obstacle_type", "wall"}});
  tasks.Add<MiniGrid>("MiniGrid-SimpleCrossingS9N2-v0", "Crossing",
                      {{"size", 9}, {"num_crossings", 2}, {"obstacle_type", "wall"}});
  tasks.Add<MiniGrid>("MiniGrid-SimpleCrossingS9N3-v0", "Crossing",
                      {{"size", 9}, {"num_crossings", 3}, {"obstacle_type", "wall"}});
  tasks.Add<MiniGrid>("MiniGrid-SimpleCrossingS11N5-v0", "Crossing",
                      {{"size", 11}, {"num_crossings", 5}, {"obstacle_type", "wall"}});
  tasks.Add<MiniGrid>("MiniGrid-DistShift1-v0", "DistShift", {{"strip2_row", 2}});
  tasks.Add<MiniGrid>("MiniGrid-DistShift2-v0", "DistShift", {{"strip2_row", 5}});
  tasks.Add<MiniGrid>("MiniGrid-DoorKey-5x5-v0", "DoorKey", {{"size", 5}});
  tasks.Add<MiniGrid>("MiniGrid-DoorKey-6x6-v0", "DoorKey", {{"size", 6}});
  tasks.Add<MiniGrid>("MiniGrid-DoorKey-8x8-v0", "DoorKey", {{"size", 8}});
  tasks.Add<MiniGrid>("MiniGrid-DoorKey-16x16-v0", "DoorKey", {{"size", 16}});
  tasks.Add<MiniGrid>("MiniGrid-Dynamic-Obstacles-5x5-v0", "DynamicObstacles",
                      {{"size", 5}, {"n_obstacles", 2}});
  tasks.Add<MiniGrid>("MiniGrid-Dynamic-Obstacles-Random-5x5-v0", "DynamicObstacles",
                      {{"size", 5}, {"agent_start_pos", kNone}, {"n_obstacles", 2}});
  tasks.Add<MiniGrid>("MiniGrid-Dynamic-Obstacles-6x6-v0", "DynamicObstacles",
                      {{"size", 6}, {"n_obstacles", 3}});
  tasks.Add<MiniGrid>("MiniGrid-Dynamic-Obstacles-Random-6x6-v0", "DynamicObstacles",
                      {{"size", 6}, {"agent_start_pos", kNone}, {"n_obstacles", 3}});
  tasks.Add<MiniGrid>("MiniGrid-Dynamic-Obstacles-8x8-v0", "DynamicObstacles");
  tasks.Add<MiniGrid>("MiniGrid-Dynamic-Obstacles-16x16-v0", "DynamicObstacles",
                      {{"size", 16}, {"n_obstacles", 8}});
  tasks.Add<MiniGrid>("MiniGrid-Empty-5x5-v0", "Empty", {{"size", 5}});
  tasks.Add<MiniGrid>("MiniGrid-Empty-Random-5x5-v0", "Empty",
                      {{"size", 5}, {"agent_start_pos", kNone}});
  tasks.Add<MiniGrid>("MiniGrid-Empty-6x6-v0", "Empty", {{"size", 6}});
  tasks.Add<MiniGrid>("MiniGrid-Empty-Random-6x6-v0", "Empty",
                      {{"size", 6}, {"agent_start_pos", kNone}});
  tasks.Add<MiniGrid>("MiniGrid-Empty-8x8-v0", "Empty");
  tasks.Add<MiniGrid>("MiniGrid-Empty-16x16-v0", "Empty", {{"size", 16}});
  tasks.Add<MiniGrid>("MiniGrid-Fetch-5x5-N2-v0", "Fetch", {{"size", 5}, {"numObjs", 2}});
  tasks.Add<MiniGrid>("MiniGrid-Fetch-6x6-N2-v0", "Fetch", {{"size", 6}, {"numObjs", 2}});
  tasks.Add<MiniGrid>("MiniGrid-Fetch-8x8-N3-v0", "Fetch");
  tasks.Add<MiniGrid>("MiniGrid-FourRooms-v0", "FourRooms");
  tasks.Add<MiniGrid>("MiniGrid-GoToDoor-5x5-v0", "GoToDoor");
  tasks.Add<MiniGrid>("MiniGrid-GoToDoor-6x6-v0", "GoToDoor", {{"size", 6}});
  tasks.Add<MiniGrid>("MiniGrid-GoToDoor-8x8-v0", "GoToDoor", {{"size", 8}});
  tasks.Add<MiniGrid>("MiniGrid-GoToObject-6x6-N2-v0", "GoToObject");
  tasks.Add<MiniGrid>("MiniGrid-GoToObject-8x8-N2-v0", "GoToObject", {{"size", 8}, {"numObjs", 2}});
  tasks.Add<MiniGrid>("MiniGrid-KeyCorridorS3R1-v0", "KeyCorridor",
                      {{"room_size", 3}, {"num_rows", 1}});
  tasks.Add<MiniGrid>("MiniGrid-KeyCorridorS3R2-v0", "KeyCorridor",
                      {{"room_size", 3}, {"num_rows", 2}});
  tasks.Add<MiniGrid>("MiniGrid-KeyCorridorS3R3-v0", "KeyCorridor",
                      {{"room_size", 3}, {"num_rows", 3}});
  tasks.Add<MiniGrid>("MiniGrid-KeyCorridorS4R3-v0", "KeyCorridor",
                      {{"room_size", 4}, {"num_rows", 3}});
  tasks.Add<MiniGrid>("MiniGrid-KeyCorridorS5R3-v0", "KeyCorridor",
                      {{"room_size", 5}, {"num_rows", 3}});
  tasks.Add<MiniGrid>("MiniGrid-KeyCorridorS6R3-v0", "KeyCorridor",
                      {{"room_size", 6}, {"num_rows", 3}});
  tasks.Add<MiniGrid>("MiniGrid-LavaGapS5-v0", "LavaGap", {{"size", 5}});
  tasks.Add<MiniGrid>("MiniGrid-LavaGapS6-v0", "LavaGap", {{"size", 6}});
  tasks.Add<MiniGrid>("MiniGrid-LavaGapS7-v0", "LavaGap", {{"size", 7}});
  tasks.Add<MiniGrid>("MiniGrid-LockedRoom-v0", "LockedRoom");
  tasks.Add<MiniGrid>("MiniGrid-MemoryS17Random-v0", "Memory",
                      {{"size", 17}, {"random_length", true}});
  tasks.Add<MiniGrid>("MiniGrid-MemoryS13Random-v0", "Memory",
                      {{"size", 13}, {"random_length", true}});
  tasks.Add<MiniGrid>("MiniGrid-MemoryS13-v0", "Memory", {{"size", 13}});
  tasks.Add<MiniGrid>("MiniGrid-MemoryS11-v0", "Memory", {{"size", 11}});
  tasks.Add<MiniGrid>("MiniGrid-MemoryS9-v0", "Memory", {{"size", 9}});
  tasks.Add<MiniGrid>("MiniGrid-MemoryS7-v0", "Memory", {{"size", 7}});
  tasks.Add<MiniGrid>("MiniGrid-MultiRoom-N2-S4-v0", "MultiRoom",
                      {{"minNumRooms", 2}, {"maxNumRooms", 2}, {"maxRoomSize", 4}});
  tasks.Add<MiniGrid>("MiniGrid-MultiRoom-N4-S5-v0", "MultiRoom",
                      {{"minNumRooms", 6}, {"maxNumRooms", 6}, {"maxRoomSize", 5}});
  tasks.Add<MiniGrid>("MiniGrid-MultiRoom-N4-S5-v1", "MultiRoom",
                      {{"minNumRooms", 4}, {"maxNumRooms", 4}, {"maxRoomSize", 5}});
  tasks.Add<MiniGrid>("MiniGrid-MultiRoom-N6-v0", "MultiRoom",
                      {{"minNumRooms", 6}, {"maxNumRooms", 6}});
  tasks.Add<MiniGrid>("MiniGrid-ObstructedMaze-1Dl-v0", "ObstructedMaze1",
                      {{"key_in_box", false}, {"blocked", false}});
  tasks.Add<MiniGrid>("MiniGrid-ObstructedMaze-1Dlh-v0", "ObstructedMaze1",
                      {{"key_in_box", true}, {"blocked", false}});
  tasks.Add<MiniGrid>("MiniGrid-ObstructedMaze-1Dlhb-v0", "ObstructedMaze1");
  tasks.Add<MiniGrid>("MiniGrid-ObstructedMaze-2Dl-v0", "ObstructedMazeFull",
                      {{"agent_room", List{2, 1}},
                       {"key_in_box", false},
                       {"blocked", false},
                       {"num_quarters", 1},
                       {"num_rooms_visited", 4}});
  tasks.Add<MiniGrid>("MiniGrid-ObstructedMaze-2Dlh-v0", "ObstructedMazeFull",
                      {{"agent_room", List{2, 1}},
                       {"key_in_box", true},
                       {"blocked", false},
                       {"num_quarters", 1},
                       {"num_rooms_visited", 4}});
  tasks.Add<MiniGrid>("MiniGrid-ObstructedMaze-2Dlhb-v0", "ObstructedMazeFull",
                      {{"agent_room", List{2, 1}},
                       {"key_in_box", true},
                       {"blocked", true},
                       {"num_quarters", 1},
                       {"num_rooms_visited", 4}});
  tasks.Add<MiniGrid>("MiniGrid-ObstructedMaze-1Q-v0", "ObstructedMazeFull",
                      {{"agent_room", List{1, 1}},
                       {"key_in_box", true},
                       {"blocked", true},
                       {"num_quarters", 1},
                       {"num_rooms_visited", 5}});
  tasks.Add<MiniGrid>("MiniGrid-ObstructedMaze-2Q-v0", "ObstructedMazeFull",
                      {{"agent_room", List{2, 1}},
                       {"key_in_box", true},
                       {"blocked", true},
                       {"num_quarters", 2},
                       {"num_rooms_visited", 11}});
  tasks.Add<MiniGrid>("MiniGrid-ObstructedMaze-Full-v0", "ObstructedMazeFull");
  tasks.Add<MiniGrid>("MiniGrid-ObstructedMaze-2Dlhb-v1", "ObstructedMazeFullV1",
                      {{"agent_room", List{2, 1}},
                       {"key_in_box", true},
                       {"blocked", true},
                       {"num_quarters", 1},
                       {"num_rooms_visited", 4}});
  tasks.Add<MiniGrid>("MiniGrid-ObstructedMaze-1Q-v1", "ObstructedMazeFullV1",
                      {{"agent_room", List{1, 1}},
                       {"key_in_box", true},
                       {"blocked", true},
                       {"num_quarters", 1},
                       {"num_rooms_visited", 5}});
  tasks.Add<MiniGrid>("MiniGrid-ObstructedMaze-2Q-v1", "ObstructedMazeFullV1",
                      {{"agent_room", List{2, 1}},
                       {"key_in_box", true},
                       {"blocked", true},
                       {"num_quarters", 2},
                       {"num_rooms_visited", 11}});
  tasks.Add<MiniGrid>("MiniGrid-ObstructedMaze-Full-v1", "ObstructedMazeFullV1");
  tasks.Add<MiniGrid>("MiniGrid-Playground-v0", "Playground");
  tasks.Add<MiniGrid>("MiniGrid-PutNear-6x6-N2-v0", "PutNear");
  tasks.Add<MiniGrid>("MiniGrid-PutNear-8x8-N3-v0", "PutNear", {{"size", 8}, {"numObjs", 3}});
  tasks.Add<MiniGrid>("MiniGrid-RedBlueDoors-6x6-v0", "RedBlueDoors", {{"size", 6}});
  tasks.Add<MiniGrid>("MiniGrid-RedBlueDoors-8x8-v0", "RedBlueDoors");
  tasks.Add<MiniGrid>("MiniGrid-Unlock-v0", "Unlock");
  tasks.Add<MiniGrid>("MiniGrid-UnlockPickup-v0", "UnlockPickup");
}

void AddBabyAI(const Adder& tasks) {
  tasks.Add<MiniGrid>("BabyAI-GoToRedBallGrey-v0", "BabyAI/GoToRedBallGrey");
  tasks.Add<MiniGrid>("BabyAI-GoToRedBall-v0", "BabyAI/GoToRedBall");
  tasks.Add<MiniGrid>("BabyAI-GoToRedBallNoDists-v0", "BabyAI/GoToRedBallNoDists");
  tasks.Add<MiniGrid>("BabyAI-GoToObj-v0", "BabyAI/GoToObj");
  tasks.Add<MiniGrid>("BabyAI-GoToObjS4-v0", "BabyAI/GoToObj", {{"room_size", 4}});
  tasks.Add<MiniGrid>("BabyAI-GoToObjS6-v1", "BabyAI/GoToObj", {{"room_size", 6}});
  tasks.Add<MiniGrid>("BabyAI-GoToLocal-v0", "BabyAI/GoToLocal");
  tasks.Add<MiniGrid>("BabyAI-GoToLocalS5N2-v0", "BabyAI/GoToLocal",
                      {{"room_size", 5}, {"num_dists", 2}});
  tasks.Add<MiniGrid>("BabyAI-GoToLocalS6N2-v0", "BabyAI/GoToLocal",
                      {{"room_size", 6}, {"num_dists", 2}});
  tasks.Add<MiniGrid>("BabyAI-GoToLocalS6N3-v0", "BabyAI/GoToLocal",
                      {{"room_size", 6}, {"num_dists", 3}});
  tasks.Add<MiniGrid>("BabyAI-GoToLocalS6N4-v0", "BabyAI/GoToLocal",
                      {{"room_size", 6}, {"num_dists", 4}});
  tasks.Add<MiniGrid>("BabyAI-GoToLocalS7N4-v0", "BabyAI/GoToLocal",
                      {{"room_size", 7}, {"num_dists", 4}});
  tasks.Add<MiniGrid>("BabyAI-GoToLocalS7N5-v0", "BabyAI/GoToLocal",
                      {{"room_size", 7}, {"num_dists", 5}});
  tasks.Add<MiniGrid>("BabyAI-GoToLocalS8N2-v0", "BabyAI/GoToLocal",
                      {{"room_size", 8}, {"num_dists", 2}});
  tasks.Add<MiniGrid>("BabyAI-GoToLocalS8N3-v0", "BabyAI/GoToLocal",
                      {{"room_size", 8}, {"num_dists", 3}});
  tasks.Add<MiniGrid>("BabyAI-GoToLocalS8N4-v0", "BabyAI/GoToLocal",
                      {{"room_size", 8}, {"num_dists", 4}});
  tasks.Add<MiniGrid>("BabyAI-GoToLocalS8N5-v0", "BabyAI/GoToLocal",
                      {{"room_size", 8}, {"num_dists", 5}});
  tasks.Add<MiniGrid>("BabyAI-GoToLocalS8N6-v0", "BabyAI/GoToLocal",
                      {{"room_size", 8}, {"num_dists", 6}});
  tasks.Add<MiniGrid>("BabyAI-GoToLocalS8N7-v0", "BabyAI/GoToLocal",
                      {{"room_size", 8}, {"num_dists", 7}});
  tasks.Add<MiniGrid>("BabyAI-GoTo-v0", "BabyAI/GoTo");
  tasks.Add<MiniGrid>("BabyAI-GoToOpen-v0", "BabyAI/GoTo", {{"doors_open", true}});
  tasks.Add<MiniGrid>("BabyAI-GoToObjMaze-v0", "BabyAI/GoTo",
                      {{"num_dists", 1}, {"doors_open", false}});
  tasks.Add<MiniGrid>("BabyAI-GoToObjMazeOpen-v0", "BabyAI/GoTo",
                      {{"num_dists", 1}, {"doors_open", true}});
  tasks.Add<MiniGrid>("BabyAI-GoToObjMazeS4R2-v0", "BabyAI/GoTo",
                      {{"num_dists", 1}, {"room_size", 4}, {"num_rows", 2}, {"num_cols", 2}});
  tasks.Add<MiniGrid>("BabyAI-GoToObjMazeS4-v0", "BabyAI/GoTo",
                      {{"num_dists", 1}, {"room_size", 4}});
  tasks.Add<MiniGrid>("BabyAI-GoToObjMazeS5-v0", "BabyAI/GoTo",
                      {{"num_dists", 1}, {"room_size", 5}});
  tasks.Add<MiniGrid>("BabyAI-GoToObjMazeS6-v0", "BabyAI/GoTo",
                      {{"num_dists", 1}, {"room_size", 6}});
  tasks.Add<MiniGrid>("BabyAI-GoToObjMazeS7-v0", "BabyAI/GoTo",
                      {{"num_dists", 1}, {"room_size", 7}});
  tasks.Add<MiniGrid>("BabyAI-GoToImpUnlock-v0", "BabyAI/GoToImpUnlock");
  tasks.Add<MiniGrid>("BabyAI-GoToSeq-v0", "BabyAI/GoToSeq");
  tasks.Add<MiniGrid>("BabyAI-GoToSeqS5R2-v0", "BabyAI/GoToSeq",
                      {{"room_size", 5}, {"num_rows", 2}, {"num_cols", 2}, {"num_dists", 4}});
  tasks.Add<MiniGrid>("BabyAI-GoToRedBlueBall-v0", "BabyAI/GoToRedBlueBall");
  tasks.Add<MiniGrid>("BabyAI-GoToDoor-v0", "BabyAI/GoToDoor");
  tasks.Add<MiniGrid>("BabyAI-GoToObjDoor-v0", "BabyAI/GoToObjDoor");
  tasks.Add<MiniGrid>("BabyAI-Open-v0", "BabyAI/Open");
  tasks.Add<MiniGrid>("BabyAI-OpenRedDoor-v0", "BabyAI/OpenRedDoor");
  tasks.Add<MiniGrid>("BabyAI-OpenDoor-v0", "BabyAI/OpenDoor");
  tasks.Add<MiniGrid>("BabyAI-OpenDoorDebug-v0", "BabyAI/OpenDoor",
                      {{"debug", true}, {"select_by", kNone}});
  tasks.Add<MiniGrid>("BabyAI-OpenDoorColor-v0", "BabyAI/OpenDoor", {{"select_by", "color"}});
  tasks.Add<MiniGrid>("BabyAI-OpenDoorLoc-v0", "BabyAI/OpenDoor", {{"select_by", "loc"}});
  tasks.Add<MiniGrid>("BabyAI-OpenTwoDoors-v0", "BabyAI/OpenTwoDoors");
  tasks.Add<MiniGrid>("BabyAI-OpenRedBlueDoors-v0", "BabyAI/OpenTwoDoors",
                      {{"first_color", "red"}, {"second_color", "blue"}});
  tasks.Add<MiniGrid>("BabyAI-OpenRedBlueDoorsDebug-v0", "BabyAI/OpenTwoDoors",
                      {{"first_color", "red"}, {"second_color", "blue"}, {"strict", true}});
  tasks.Add<MiniGrid>("BabyAI-OpenDoorsOrderN2-v0", "BabyAI/OpenDoorsOrder", {{"num_doors", 2}});
  tasks.Add<MiniGrid>("BabyAI-OpenDoorsOrderN4-v0", "BabyAI/OpenDoorsOrder", {{"num_doors", 4}});
  tasks.Add<MiniGrid>("BabyAI-OpenDoorsOrderN2Debug-v0", "BabyAI/OpenDoorsOrder",
                      {{"debug", true}, {"num_doors", 2}});
  tasks.Add<MiniGrid>("BabyAI-OpenDoorsOrderN4Debug-v0", "BabyAI/OpenDoorsOrder",
                      {{"debug", true}, {"num_doors", 4}});
  tasks.Add<MiniGrid>("BabyAI-Pickup-v0", "BabyAI/Pickup");
  tasks.Add<MiniGrid>("BabyAI-UnblockPickup-v0", "BabyAI/UnblockPickup");
  tasks.Add<MiniGrid>("BabyAI-PickupLoc-v0", "BabyAI/PickupLoc");
  tasks.Add<MiniGrid>("BabyAI-PickupDist-v0", "BabyAI/PickupDist");
  tasks.Add<MiniGrid>("BabyAI-PickupDistDebug-v0", "BabyAI/PickupDist", {{"debug", true}});
  tasks.Add<MiniGrid>("BabyAI-PickupAbove-v0", "BabyAI/PickupAbove");
  tasks.Add<MiniGrid>("BabyAI-PutNextLocal-v0", "BabyAI/PutNextLocal");
  tasks.Add<MiniGrid>("BabyAI-PutNextLocalS5N3-v0", "BabyAI/PutNextLocal",
                      {{"room_size", 5}, {"num_objs", 3}});
  tasks.Add<MiniGrid>("BabyAI-PutNextLocalS6N4-v0", "BabyAI/PutNextLocal",
                      {{"room_size", 6}, {"num_objs", 4}});
  tasks.Add<MiniGrid>("BabyAI-PutNextS4N1-v0", "BabyAI/PutNext",
                      {{"room_size", 4}, {"objs_per_room", 1}});
  tasks.Add<MiniGrid>("BabyAI-PutNextS5N2-v0", "BabyAI/PutNext",
                      {{"room_size", 5}, {"objs_per_room", 2}});
  tasks.Add<MiniGrid>("BabyAI-PutNextS5N1-v0", "BabyAI/PutNext",
                      {{"room_size", 5}, {"objs_per_room", 1}});
  tasks.Add<MiniGrid>("BabyAI-PutNextS6N3-v0", "BabyAI/PutNext",
                      {{"room_size", 6}, {"objs_per_room", 3}});
  tasks.Add<MiniGrid>("BabyAI-PutNextS7N4-v0", "BabyAI/PutNext",
                      {{"room_size", 7}, {"objs_per_room", 4}});
  tasks.Add<MiniGrid>("BabyAI-PutNextS5N2Carrying-v0", "BabyAI/PutNext",
                      {{"room_size", 5}, {"objs_per_room", 2}, {"start_carrying", true}});
  tasks.Add<MiniGrid>("BabyAI-PutNextS6N3Carrying-v0", "BabyAI/PutNext",
                      {{"room_size", 6}, {"objs_per_room", 3}, {"start_carrying", true}});
  tasks.Add<MiniGrid>("BabyAI-PutNextS7N4Carrying-v0", "BabyAI/PutNext",
                      {{"room_size", 7}, {"objs_per_room", 4}, {"start_carrying", true}});
  tasks.Add<MiniGrid>("BabyAI-Unlock-v0", "BabyAI/Unlock");
  tasks.Add<MiniGrid>("BabyAI-UnlockLocal-v0", "BabyAI/UnlockLocal");
  tasks.Add<MiniGrid>("BabyAI-UnlockLocalDist-v0", "BabyAI/UnlockLocal", {{"distractors", true}});
  tasks.Add<MiniGrid>("BabyAI-KeyInBox-v0", "BabyAI/KeyInBox");
  tasks.Add<MiniGrid>("BabyAI-UnlockPickup-v0", "BabyAI/UnlockPickup");
  tasks.Add<MiniGrid>("BabyAI-UnlockPickupDist-v0", "BabyAI/UnlockPickup", {{"distractors", true}});
  tasks.Add<MiniGrid>("BabyAI-BlockedUnlockPickup-v0", "BabyAI/BlockedUnlockPickup");
  tasks.Add<MiniGrid>("BabyAI-UnlockToUnlock-v0", "BabyAI/UnlockToUnlock");
  tasks.Add<MiniGrid>("BabyAI-ActionObjDoor-v0", "BabyAI/ActionObjDoor");
  tasks.Add<MiniGrid>("BabyAI-FindObjS5-v0", "BabyAI/FindObjS5");
  tasks.Add<MiniGrid>("BabyAI-FindObjS6-v0", "BabyAI/FindObjS5", {{"room_size", 6}});
  tasks.Add<MiniGrid>("BabyAI-FindObjS7-v0", "BabyAI/FindObjS5", {{"room_size", 7}});
  tasks.Add<MiniGrid>("BabyAI-KeyCorridor-v0", "BabyAI/KeyCorridor");
  tasks.Add<MiniGrid>("BabyAI-KeyCorridorS3R1-v0", "BabyAI/KeyCorridor",
                      {{"room_size", 3}, {"num_rows", 1}});
  tasks.Add<MiniGrid>("BabyAI-KeyCorridorS3R2-v0", "BabyAI/KeyCorridor",
                      {{"room_size", 3}, {"num_rows", 2}});
  tasks.Add<MiniGrid>("BabyAI-KeyCorridorS3R3-v0", "BabyAI/KeyCorridor",
                      {{"room_size", 3}, {"num_rows", 3}});
  tasks.Add<MiniGrid>("BabyAI-KeyCorridorS4R3-v0", "BabyAI/KeyCorridor",
                      {{"room_size", 4}, {"num_rows", 3}});
  tasks.Add<MiniGrid>("BabyAI-KeyCorridorS5R3-v0", "BabyAI/KeyCorridor",
                      {{"room_size", 5}, {"num_rows", 3}});
  tasks.Add<MiniGrid>("BabyAI-KeyCorridorS6R3-v0", "BabyAI/KeyCorridor",
                      {{"room_size", 6}, {"num_rows", 3}});
  tasks.Add<MiniGrid>("BabyAI-OneRoomS8-v0", "BabyAI/OneRoomS8");
  tasks.Add<MiniGrid>("BabyAI-OneRoomS12-v0", "BabyAI/OneRoomS8", {{"room_size", 12}});
  tasks.Add<MiniGrid>("BabyAI-OneRoomS16-v0", "BabyAI/OneRoomS8", {{"room_size", 16}});
  tasks.Add<MiniGrid>("BabyAI-OneRoomS20-v0", "BabyAI/OneRoomS8", {{"room_size", 20}});
  tasks.Add<MiniGrid>("BabyAI-MoveTwoAcrossS5N2-v0", "BabyAI/MoveTwoAcross",
                      {{"room_size", 5}, {"objs_per_room", 2}});
  tasks.Add<MiniGrid>("BabyAI-MoveTwoAcrossS8N9-v0", "BabyAI/MoveTwoAcross",
                      {{"room_size", 8}, {"objs_per_room", 9}});
  tasks.Add<MiniGrid>("BabyAI-Synth-v0", "BabyAI/Synth");
  tasks.Add<MiniGrid>("BabyAI-SynthS5R2-v0", "BabyAI/Synth", {{"room_size", 5}, {"num_rows", 2}});
  tasks.Add<MiniGrid>("BabyAI-SynthLoc-v0", "BabyAI/SynthLoc");
  tasks.Add<MiniGrid>("BabyAI-SynthSeq-v0", "BabyAI/SynthSeq");
  tasks.Add<MiniGrid>("BabyAI-MiniBossLevel-v0", "BabyAI/MiniBossLevel");
  tasks.Add<MiniGrid>("BabyAI-BossLevel-v0", "BabyAI/BossLevel");
  tasks.Add<MiniGrid>("BabyAI-BossLevelNoUnlock-v0", "BabyAI/BossLevelNoUnlock");
}

}  // namespace

void RegisterMinigrid(Registry& registry) {
  AddMiniGrid(Adder(registry));
  AddBabyAI(Adder(registry));
}

}  // namespace engine
