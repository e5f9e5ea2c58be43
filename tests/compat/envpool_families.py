"""EnvPool's families: how many ids each has, and which of them the compat module has.

`test_against_envpool.py` compares this with EnvPool, and `tools/guide/envpool_differences.py` makes
a table of `docs/coming-from-envpool.md` of it. The module imports neither library.
"""

from __future__ import annotations

from dataclasses import dataclass

ALL = "all"
WITHOUT_OLDER = "all from `-v4` on, but `Pusher-v4`"
REFUSED = "refused: `envpool_py.make` has them, with the numbers of the original"
REFUSED_BUT_WFC = REFUSED.replace("has them", "has them, but for six `MiniGrid-WFC-*`")
NONE = "none"


@dataclass(frozen=True)
class Family:
    """One family.

    Attributes:
        name: its name; for a family that this package lacks, that in `hints.missing_task`.
        module: EnvPool's module, below `envpool`.
        ids: the number of ids in EnvPool 1.2.5 and in 1.2.7.
        here: which of them the compat module has.
    """

    name: str
    module: str
    ids: tuple[int, int]
    here: str = NONE


FAMILIES = (
    Family("Atari", "atari", (104, 104), ALL),
    Family("classic control", "classic_control", (10, 10), ALL),
    Family("toy text", "toy_text", (11, 12), ALL),
    Family("Box2D", "box2d", (8, 8), ALL),
    Family("Gymnasium's MuJoCo tasks", "mujoco.gym", (33, 33), WITHOUT_OLDER),
    Family("Gymnasium-Robotics", "mujoco.robotics", (157, 157), ALL),
    Family("MetaWorld", "mujoco.metaworld", (50, 50), ALL),
    Family("Procgen", "procgen", (50, 50), ALL),
    Family("MiniGrid, BabyAI", "minigrid", (177, 178), REFUSED_BUT_WFC),
    Family("dm_control", "mujoco.dmc", (51, 51), REFUSED),
    Family("MyoSuite", "mujoco.myosuite", (796, 796)),
    Family("MuJoCo Playground", "mujoco.playground", (58, 58)),
    Family("Jumanji", "jumanji", (52, 54)),
    Family("highway-env", "highway", (36, 62)),
    Family("ViZDoom", "vizdoom", (21, 21)),
    Family("PGX", "pgx", (19, 19)),
    Family("Google Research Football", "gfootball", (18, 18)),
    Family("dm_control locomotion and soccer", "mujoco.locomotion", (0, 26)),
    Family("mjlab", "mujoco.mjlab", (0, 24)),
    Family("Craftax", "craftax", (0, 16)),
    Family("MarlGrid", "marlgrid", (0, 7)),
)
