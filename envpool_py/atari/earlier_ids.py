"""Gymnasium's earlier ids of Atari games, and what makes the same environment today.

`PongNoFrameskip-v4` and its like: the name says how many frames a step takes, "-ram" that the
observation is the console's memory, and the version whether actions are sticky. The numbers are
those of `gym[atari]` 0.21 and of `ale_py.registration`, which still registers some of the ids.
"""

from __future__ import annotations

import re

from envpool_py.atari.tasks import TASKS

__all__ = ["advice", "arguments_of"]

_EARLIER = re.compile(
    r"(?:ALE/)?(?P<game>\w+?)(?P<ram>-ram)?(?P<frames>Deterministic|NoFrameskip|)-v(?P<version>[04])"
)
# Frames that a step takes; a range without its end is drawn from.
_FRAME_SKIPS: dict[str, object] = {"": (2, 5), "Deterministic": 4, "NoFrameskip": 1}
# With every fourth frame, the shots of this game are invisible.
_DETERMINISTIC = {"SpaceInvaders": 3}
_STICKY = {"0": 0.25, "4": 0.0}


def arguments_of(task_id: str) -> tuple[str, dict[str, object]] | None:
    """Returns today's id and its options for an earlier one; None if it is none of a game."""
    match = _EARLIER.fullmatch(task_id)
    if match is None or f"ALE/{match['game']}-v5" not in TASKS:
        return None
    frames = _FRAME_SKIPS[match["frames"]]
    if match["frames"] == "Deterministic":
        frames = _DETERMINISTIC.get(match["game"], frames)
    options: dict[str, object] = {
        "frameskip": frames,
        "repeat_action_probability": _STICKY[match["version"]],
    }
    if match["ram"]:
        options["obs_type"] = "ram"
    return f"ALE/{match['game']}-v5", options


def advice(task_id: str) -> str | None:
    """Returns the sentence about an earlier id, or None."""
    found = arguments_of(task_id)
    if found is None:
        return None
    today, options = found
    arguments = "".join(f", {name}={value!r}" for name, value in options.items())
    return f'it is an earlier id of make("{today}"{arguments})'
