"""Atari cases: all libraries are set to produce the same frames of the same games.

The settings are those of `Pong-v5`: four emulator frames a step with one action, none of them
sticky, the maximum of the last two, grey, 84 x 84 pixels, four such frames in an observation. An
episode begins with 1 to 30 no-op frames and ends with the game; rewards are the game's points.
Features that only some of the libraries have (FIRE pressed at the beginning) are off in all.
"""

from __future__ import annotations

from typing import Any

from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.peers import ALE
from envpool_py.tasks.families.atari.tasks import TASKS

__all__ = ["atari_case", "case_of", "is_atari"]

FRAME_SKIP = 4
_NOOPS, _SIDE, _STACK = 30, 84, 4
_MOST_FRAMES = 108_000  # per episode: half an hour of play

# Options by EnvPool's names, which this package also uses.
_OPTIONS: dict[str, Any] = {
    "frame_skip": FRAME_SKIP,
    "noop_max": _NOOPS,
    "img_height": _SIDE,
    "img_width": _SIDE,
    "gray_scale": True,
    "stack_num": _STACK,
    "repeat_action_probability": 0.0,
    "reward_clip": False,
    "episodic_life": False,
    "use_fire_reset": False,
    "max_episode_steps": _MOST_FRAMES // FRAME_SKIP,
}
_ALE_OPTIONS: dict[str, Any] = {
    "frameskip": FRAME_SKIP,
    "noop_max": _NOOPS,
    "img_height": _SIDE,
    "img_width": _SIDE,
    "grayscale": True,
    "stack_num": _STACK,
    "repeat_action_probability": 0.0,
    "reward_clipping": False,
    "episodic_life": False,
    "use_fire_reset": False,
    "max_num_frames_per_episode": _MOST_FRAMES,
}
# The wrapper skips frames, so the environment does not.
_GYMNASIUM_OPTIONS: dict[str, Any] = {
    "frameskip": 1,
    "repeat_action_probability": 0.0,
    "max_num_frames_per_episode": _MOST_FRAMES,
}
_WRAPPERS: dict[str, dict[str, Any]] = {
    "AtariPreprocessing": {
        "noop_max": _NOOPS,
        "frame_skip": FRAME_SKIP,
        "screen_size": _SIDE,
        "grayscale_obs": True,
        "terminal_on_life_loss": False,
    },
    "FrameStackObservation": {"stack_size": _STACK},
}
_GYMNASIUM = ("gymnasium-sync", "gymnasium-async")
_ENVPOOL_TASKS = {"TicTacToe3D-v5": "TicTacToe3d-v5"}  # those that EnvPool spells otherwise


def is_atari(task: str) -> bool:
    """Whether `atari_case` accepts `task`: an id of the form `Pong-v5`."""
    return task in TASKS and not task.startswith("ALE/")


def atari_case(task: str, num_envs: int, batch_size: int, num_threads: int) -> Case:
    """The case of `task`, the same for every library.

    Raises:
        ValueError: no such task, or a number outside its bounds.
    """
    if not is_atari(task):
        raise ValueError(f"expected an Atari task such as Pong-v5, got {task}")
    from envpool_py.tasks.families.atari import roms  # loads the extension module

    return Case(
        task=task,
        num_envs=num_envs,
        batch_size=batch_size,
        num_threads=num_threads,
        frame_skip=FRAME_SKIP,
        options=_OPTIONS,
        peer_tasks={
            ALE: roms.game_of(task),
            "envpool": _ENVPOOL_TASKS.get(task, task),
            **dict.fromkeys(_GYMNASIUM, f"ale_py:ALE/{task}"),
        },
        peer_options={ALE: _ALE_OPTIONS, **dict.fromkeys(_GYMNASIUM, _GYMNASIUM_OPTIONS)},
        wrappers=_WRAPPERS,
    )


def case_of(task: str, num_envs: int, batch_size: int, num_threads: int) -> Case | None:
    """The case of `task` for `envpool-py bench`; None, as for `ALE/Pong-v5`: use the default."""
    return atari_case(task, num_envs, batch_size, num_threads) if is_atari(task) else None
