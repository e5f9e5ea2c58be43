"""The manifest of the Box2D tasks: see `envpool_py.tasks.manifest`."""

from __future__ import annotations

from envpool_py.tasks.families.box2d.tasks import TASKS
from envpool_py.tasks.manifest import Family, Keys

__all__ = ["FAMILY"]

_PAINTERS = "envpool_py.tasks.families.box2d.painters"

FAMILY = Family(
    name="Box2D",
    tasks=TASKS,
    page="box2d.md",
    substitutes=dict.fromkeys(
        ("world", "lander", "hull", "car", "legs", "terrain", "road", "track", "wind_idx"),
        "the bodies are in the engine; `save_states` and `load_states` of a pool (envpool_py.make) "
        "keep and set whole states",
    ),
    painters={
        "LunarLander": f"{_PAINTERS}:LunarLanderPainter",
        "LunarLanderContinuous": f"{_PAINTERS}:LunarLanderPainter",
        "BipedalWalker": f"{_PAINTERS}:BipedalWalkerPainter",
        "BipedalWalkerHardcore": f"{_PAINTERS}:BipedalWalkerPainter",
    },
    # The other ids are the same tasks under EnvPool's names.
    representatives=frozenset(
        {
            "BipedalWalker-v3",
            "BipedalWalkerHardcore-v3",
            "CarRacing-v3",
            "LunarLander-v3",
            "LunarLanderContinuous-v3",
        }
    ),
    keys={
        "LunarLander": Keys(
            {
                "left": (1, "fire the left engine"),
                "up": (2, "fire the main engine"),
                "right": (3, "fire the right engine"),
            },
            idle=(0,),
        ),
    },
    warnings="envpool_py.tasks.families.box2d.options:warnings_of",
    seed_only_options={
        "BipedalWalker": {"fresh_world": True},
        "BipedalWalkerHardcore": {"fresh_world": True},
    },
)
