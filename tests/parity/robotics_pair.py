"""Gymnasium-Robotics as the reference of our tasks: registers only the ids that we have, too.

Its import changes Gymnasium's ids of other tasks, which are restored, and from MuJoCo 3.12 on some
of its environments cannot be made without `shim`.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from envpool_py.tasks.families.robotics.tasks import TASKS

mujoco = pytest.importorskip("mujoco")
_before = dict(gymnasium.registry)
robotics = pytest.importorskip("gymnasium_robotics")
ALL_SPECS = {
    task_id: spec for task_id, spec in gymnasium.registry.items() if task_id not in _before
}
gymnasium.registry.clear()
gymnasium.registry.update(
    {**_before, **{task_id: ALL_SPECS[task_id] for task_id in TASKS if task_id in ALL_SPECS}}
)


def nested(rows: Sequence[str]) -> list[list[int | str]]:
    """Returns the rows of a maze in the reference's form."""
    return [[int(letter) if letter in "01" else letter for letter in row] for row in rows]


def of_rows(like: str) -> str:
    """Returns the id of the reference's task `like`, whose option maze_map has our form."""
    task_id = f"Parity/{like}"
    if task_id not in gymnasium.registry:
        spec = ALL_SPECS[like]

        def make(maze_map: Sequence[str], **options: Any) -> Any:
            entry: Any = gymnasium.envs.registration.load_env_creator(str(spec.entry_point))
            return entry(**{**spec.kwargs, **options, "maze_map": nested(maze_map)})

        gymnasium.register(task_id, entry_point=make, max_episode_steps=spec.max_episode_steps)
    return task_id


def assert_same_models(ours: Any, theirs: Any) -> None:
    """Asserts that two compiled models have equal numbers and names."""
    checked = 0
    for name in dir(ours):
        value, other = getattr(ours, name), getattr(theirs, name)
        if name.startswith("_") or name == "paths" or callable(value):
            continue
        if isinstance(value, np.ndarray):
            assert (value.dtype, value.shape) == (other.dtype, other.shape), name
            assert value.tobytes() == other.tobytes(), name
            checked += 1
        elif isinstance(value, (int, float, bytes)):
            assert value == other, name
            checked += 1
    assert checked > 300


class _Numbers(types.SimpleNamespace):
    """MuJoCo's module with kinds of joints that are equal to NumPy's integers."""


def shim(monkeypatch: pytest.MonkeyPatch, directory: Path) -> None:
    """Lets the reference run, and keeps its temporary files in a directory.

    Since MuJoCo 3.12, the reference's comparison of an element of `jnt_type` with a member of
    MuJoCo's enumeration is never true, so that its assertions fail.
    """
    from gymnasium_robotics.utils import mujoco_utils

    kinds = types.SimpleNamespace(
        **{
            name: int(getattr(mujoco.mjtJoint, name))
            for name in ("mjJNT_FREE", "mjJNT_BALL", "mjJNT_SLIDE", "mjJNT_HINGE")
        }
    )
    known: Mapping[str, Any] = vars(mujoco)
    monkeypatch.setattr(mujoco_utils, "mujoco", _Numbers(**{**known, "mjtJoint": kinds}))
    monkeypatch.setattr("tempfile.tempdir", str(directory))
