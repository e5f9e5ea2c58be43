"""The manifest of the MiniGrid and BabyAI tasks: see `envpool_py.tasks.manifest`."""

from __future__ import annotations

from envpool_py.tasks.families.minigrid.tasks import TASKS
from envpool_py.tasks.manifest import Family, Keys, base_name

__all__ = ["FAMILY"]

_MOVES = {"left": (0, "turn left"), "right": (1, "turn right"), "up": (2, "forward")}
_KEYS = Keys(
    {
        **_MOVES,
        "p": (3, "pick up"),
        "d": (4, "drop"),
        "space": (5, "toggle"),
        "return": (6, "done"),
    }
)

_WFC = (
    "it needs patterns that the published packages of minigrid lack, so minigrid cannot make it "
    "either; for rooms and doors take MiniGrid-MultiRoom-N6-v0"
)

_FULL = (
    'use observation="full", in which the cell of the agent has type 10, in place of the wrappers '
    "that show the grid; envpool_py.make_python takes environments of minigrid in other wrappers, "
    "such as ActionBonus, PositionBonus, DirectionObsWrapper and NoDeath"
)

FAMILY = Family(
    name="MiniGrid",
    tasks=TASKS,
    page="minigrid.md",
    noun="levels",
    keys={
        name: Keys(_MOVES) if name.startswith("MiniGrid-Dynamic-Obstacles") else _KEYS
        for name in map(base_name, TASKS)
    },
    representatives=frozenset(
        {
            "BabyAI-BossLevel-v0",
            "BabyAI-GoToLocal-v0",
            "BabyAI-PutNextS5N2Carrying-v0",
            "BabyAI-UnblockPickup-v0",
            "MiniGrid-DoorKey-8x8-v0",
            "MiniGrid-Dynamic-Obstacles-Random-5x5-v0",
            "MiniGrid-LavaCrossingS9N2-v0",
            "MiniGrid-MultiRoom-N6-v0",
            "MiniGrid-ObstructedMaze-2Dlhb-v1",
            "MiniGrid-Playground-v0",
        }
    ),
    absent={
        f"MiniGrid-WFC-{name}-v0": _WFC
        for name in (
            "DungeonMazeScaled",
            "MazeSimple",
            "ObstaclesAngular",
            "ObstaclesBlackdots",
            "ObstaclesHogs3",
            "RoomsFabric",
        )
    },
    attributes={
        name: f"envpool_py.tasks.families.minigrid.attributes:{name}"
        for name in ("agent_dir", "height", "mission", "width")
    },
    substitutes={
        "grid": _FULL,
        "agent_pos": _FULL,
        "front_pos": _FULL,
        "carrying": _FULL,
        "get_frame": 'use observation="rgb_full" or "rgb_partial" in place of the wrappers with '
        "pictures, and `render` for others",
        "gen_obs": "`reset` and `step` return the observation",
        "gen_obs_grid": 'use observation="full" or "partial"',
        "actions": "actions are 0 to 6: left, right, forward, pickup, drop, toggle, done",
    },
    compat_exclusion=(
        "EnvPool draws other levels from the same seed and gives missions as bytes, so programs "
        "written for its MiniGrid tasks would not do the same"
    ),
)
