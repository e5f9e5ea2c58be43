"""The manifest of the toy text tasks: see `envpool_py.tasks.manifest`."""

from __future__ import annotations

from envpool_py.tasks.families.toy_text.tasks import TASKS
from envpool_py.tasks.manifest import WHOLE_STATES, Family, Keys

__all__ = ["FAMILY"]

_PAINTERS = "envpool_py.tasks.families.toy_text.painters"

_LAKE = Keys({"left": (0, "left"), "down": (1, "down"), "right": (2, "right"), "up": (3, "up")})
_CLIFF = Keys({"up": (0, "up"), "right": (1, "right"), "down": (2, "down"), "left": (3, "left")})

_JAX = "it is written in JAX, and its random numbers are those of JAX"

_TAXI = "gymnasium.make('Taxi-v4').unwrapped has this function, with the same numbers of states"

FAMILY = Family(
    name="Toy text",
    tasks=TASKS,
    page="toy-text.md",
    attributes={
        name: f"envpool_py.tasks.families.toy_text.attributes:{name}" for name in ("desc", "shape")
    },
    substitutes={
        "P": "the rules are in the engine; the environment of Gymnasium has the table, "
        "gymnasium.make(id).unwrapped.P",
        "s": "the observation is the state",
        "nrow": "desc is the map",
        "ncol": "desc is the map",
        "action_mask": 'infos["action_mask"] has it for Taxi',
        "encode": _TAXI,
        "decode": _TAXI,
        "initial_state_distrib": "the option desc has the starts of FrozenLake",
        "player": WHOLE_STATES,
        "dealer": WHOLE_STATES,
    },
    absent={
        "tabular/Blackjack-v0": f"{_JAX}; take Blackjack-v1",
        "tabular/CliffWalking-v0": f"{_JAX}; take CliffWalking-v1",
    },
    painters={
        "Blackjack": f"{_PAINTERS}:BlackjackPainter",
        "CliffWalking": f"{_PAINTERS}:CliffWalkingPainter",
        "CliffWalkingSlippery": f"{_PAINTERS}:CliffWalkingPainter",
        "FrozenLake": f"{_PAINTERS}:FrozenLakePainter",
        "FrozenLake8x8": f"{_PAINTERS}:FrozenLakePainter",
        "Taxi": f"{_PAINTERS}:TaxiPainter",
    },
    keys={
        "Blackjack": Keys({"h": (1, "hit"), "s": (0, "stick")}),
        "Catch": Keys({"left": (0, "left"), "down": (1, "stay"), "right": (2, "right")}),
        "CliffWalking": _CLIFF,
        "CliffWalkingSlippery": _CLIFF,
        "FrozenLake": _LAKE,
        "FrozenLake8x8": _LAKE,
        "NChain": Keys({"right": (0, "on"), "left": (1, "back to the first")}),
        "Taxi": Keys(
            {
                "down": (0, "down"),
                "up": (1, "up"),
                "right": (2, "right"),
                "left": (3, "left"),
                "p": (4, "pick up"),
                "d": (5, "drop off"),
            }
        ),
    },
)
