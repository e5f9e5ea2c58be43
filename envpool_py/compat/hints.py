"""Advice in error messages for programs that were written for EnvPool.

EnvPool's API is in `envpool_py.compat.envpool`; this module only mentions it. It imports nothing,
so any module may use it where it makes an error that such programs meet. The engine adds `ADVICE`
to two kinds of errors (`engine/bindings/errors.cc`): a step before the first reset, and an action
whose dtype or structure EnvPool accepts.
"""

from __future__ import annotations

from typing import Any

__all__ = ["ADVICE", "SETTINGS", "EnvPoolNames", "missing_attribute", "missing_task"]

ADVICE = "programs written for EnvPool run with `import envpool_py.compat.envpool as envpool`"

# Arguments of EnvPool's `make` that ours does not have.
SETTINGS = frozenset(
    {
        "base_path",
        "env_seed",
        "from_pixels",
        "gym_reset_return_info",
        "max_num_players",
        "render_camera_id",
        "render_env_id",
        "render_height",
        "render_width",
        "reward_threshold",
        "thread_affinity_offset",
    }
)
# Attributes of EnvPool's pools and specs that ours do not have. Pools have "config".
_ATTRIBUTES = frozenset(
    {
        "action_array_spec",
        "config",
        "gen_config",
        "gymnasium_action_space",
        "gymnasium_observation_space",
        "is_vector_env",
        "seed",
        "state_array_spec",
        "xla",
    }
)


# The families of EnvPool 1.2.7 that this package lacks, and the ids of their tasks: without the
# version, except where an Atari game has the same name, or only the beginning ("Craftax-*").
# `tests/compat` compares them with EnvPool.
_ABSENT = {
    "ViZDoom": """
        Basic BasicAudio BasicNotifications Cig D1Basic D2Navigation D3Battle D4Battle2
        DeadlyCorridor Deathmatch DefendTheCenter DefendTheLine HealthGathering
        HealthGatheringSupreme MultiDuel MyWayHome PredictPosition RocketBasic SimplerBasic
        TakeCover VizdoomCustom""",
    "highway-env": """
        Exit Highway HighwayFast Intersection IntersectionMultiAgent LaneKeeping Merge MergeGeneric
        Parking ParkingActionRepeat ParkingParked Racetrack RacetrackLarge RacetrackOval Roundabout
        RoundaboutGeneric TwoWay UTurn exit highway highway-fast intersection
        intersection-multi-agent lane-keeping merge merge-generic parking parking-ActionRepeat
        parking-parked racetrack racetrack-large racetrack-oval roundabout roundabout-generic
        two-way u-turn""",
    "Jumanji": """
        Jumanji/* BinPack CVRP Cleaner Connector FlatPack Game2048 GraphColoring JobShop Knapsack
        LevelBasedForaging MMST Maze Minesweeper MultiCVRP PacMan RobotWarehouse RubiksCube
        RubiksCube-partly-scrambled SearchAndRescue SlidingTilePuzzle Snake Sokoban Sudoku
        Sudoku-very-easy TSP Tetris-v0""",
    "PGX": """
        AnimalShogi Backgammon-v1 Chess ChineseGo13x13 ChineseGo19x19 ChineseGo9x9 ConnectFour
        GardnerChess Go13x13 Go19x19 Go9x9 Hex KuhnPoker LeducHoldem Othello-v1 Play2048 Shogi
        SparrowMahjong TicTacToe""",
    "Google Research Football": "gfootball/*",
    "MyoSuite": "MyoSuite/* Myo* myo* motorFinger*",
    "MuJoCo Playground": """
        MuJoCoPlayground/* AeroCubeRotateZAxis AlohaHandOver AlohaSinglePegInsertion
        ApolloJoystickFlatTerrain BarkourJoystick BerkeleyHumanoidJoystick* G1Joystick* Go1Footstand
        Go1Getup Go1Handstand Go1Joystick* H1InplaceGaitTracking H1JoystickGaitTracking LeapCube*
        Op3Joystick PandaOpenCabinet PandaPickCube* PandaRobotiqPushCube SpotFlatTerrainJoystick
        SpotGetup SpotJoystickGaitTracking T1Joystick*""",
    "Craftax": "Craftax-* Craftax/*",
    "MarlGrid": "MarlGrid-* Goalcycle-demo-solo",
    "dm_control locomotion and soccer": """
        dm_control/locomotion/* DmcCmuHumanoid* DmcRodent* DmcSoccer*""",
    "mjlab": "Mjlab-*",
}


def missing_task(task_id: str) -> str:
    """Returns a clause about a task of a family that only EnvPool has; "" for other ids."""
    name = task_id.rpartition("-v")[0] or task_id
    for family, words in _ABSENT.items():
        for word in words.split():
            if word in (name, task_id) or (word.endswith("*") and name.startswith(word[:-1])):
                return f"EnvPool's {family} tasks are not in this package"
    return ""


def missing_attribute(owner: object, name: str) -> AttributeError:
    """Returns the AttributeError for a missing attribute, with the advice if EnvPool has it."""
    advice = f": it is EnvPool's; {ADVICE}" if name in _ATTRIBUTES else ""
    return AttributeError(
        f"'{type(owner).__name__}' object has no attribute '{name}'{advice}", name=name, obj=owner
    )


class _AdviceOnly:
    """An attribute that only EnvPool's pools have: reading it raises AttributeError.

    `__getattr__` would be simpler, but CPython does not cache attributes of classes that define it,
    and a `step` of one environment would take 5 % longer.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object | None, owner: type) -> Any:
        raise missing_attribute(owner if instance is None else instance, self._name)


class EnvPoolNames:
    """Base class of pools: reading an attribute that only EnvPool's pools have gives the advice."""

    def __dir__(self) -> list[str]:
        absent = {name for name, value in vars(EnvPoolNames).items() if type(value) is _AdviceOnly}
        return sorted(set(super().__dir__()) - absent)


for _name in _ATTRIBUTES - {"config"}:
    setattr(EnvPoolNames, _name, _AdviceOnly(_name))
