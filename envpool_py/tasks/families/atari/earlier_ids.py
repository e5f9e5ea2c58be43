"""Gymnasium's earlier ids of Atari games, and the current task and options that are equal to them.

In ids such as `PongNoFrameskip-v4`, the name determines the number of frames per step, "-ram" means
that the observation is the console's memory, and the version determines whether actions are sticky.
The numbers are those of `gym[atari]` 0.21 and of `ale_py.registration`, which still registers some
of the ids.
"""

from __future__ import annotations

import re

from envpool_py.tasks.families.atari.tasks import TASKS

__all__ = ["advice", "arguments_of"]

_EARLIER = re.compile(
    r"(?:ALE/)?(?P<game>\w+?)(?P<ram>-ram)?(?P<frames>Deterministic|NoFrameskip|)-v(?P<version>[04])"
)
# Frames per step: a number, or a half-open range from which each step draws one.
_FRAME_SKIPS: dict[str, object] = {"": (2, 5), "Deterministic": 4, "NoFrameskip": 1}
# If only every fourth frame is observed, the shots of this game are invisible.
_DETERMINISTIC = {"SpaceInvaders": 3}
_STICKY = {"0": 0.25, "4": 0.0}


def arguments_of(task_id: str) -> tuple[str, dict[str, object]] | None:
    """Returns the current id and its options for an earlier id; None for other ids."""
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
    """Returns a sentence that names the current task for an earlier id; None for other ids."""
    found = arguments_of(task_id)
    if found is None:
        return None
    today, options = found
    arguments = "".join(f", {name}={value!r}" for name, value in options.items())
    return f'it is an earlier id of make("{today}"{arguments})'
