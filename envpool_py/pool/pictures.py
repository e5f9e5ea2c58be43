"""Pictures of environments, drawn by the engine or by a painter from scenes.

A scene contains all data of an environment's state that its picture shows, a few numbers (`Scene`
in engine/env/environment.h). The engine's threads write scenes in place of pictures. A painter then
draws them on the thread that called `render`. `envpool_py.tasks.scenes` knows the painters.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from envpool_py.errors import EnvironmentFailedError
from envpool_py.pool.core import EngineCore

if TYPE_CHECKING:
    from envpool_py.pool.task import ResolvedTask

__all__ = ["Painter", "Picture", "Scene", "draw_pictures"]

Picture = NDArray[np.uint8]
"""Rows of RGB: uint8 (height, width, 3)."""
Scene = NDArray[np.float64]
"""The numbers that determine a picture: float64 (scene_size,)."""


class Painter(ABC):
    """Draws the scenes of one task. Called from any thread, but by one thread at a time.

    Args:
        options: all options of the task's environments.
    """

    _is_prepared = False

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options

    @property
    @abstractmethod
    def size(self) -> tuple[int, int]:
        """Height and width of the pictures, pixels."""

    @property
    @abstractmethod
    def fps(self) -> int:
        """The frame rate of a video in real time."""

    @abstractmethod
    def prepare(self) -> None:
        """Imports the packages that drawing needs; called before the first picture of a pool.

        Raises:
            MissingPackageError: a package is not installed; the message says how to install it.
        """

    @abstractmethod
    def paint(self, scene: Scene) -> Picture:
        """Draws a scene, float64 (scene_size,).

        Returns:
            uint8 (height, width, 3), RGB; new, writable and contiguous.
        """


def draw_pictures(
    core: EngineCore, task: ResolvedTask, env_id: ArrayLike | None
) -> tuple[NDArray[np.uint8], ...]:
    """Returns the pictures of idle environments, drawn by the engine or by the task's painter.

    Environments that differ in their options have painters of their own.

    Raises:
        EnvironmentFailedError: an environment could not be drawn. `batch` has all pictures, black
            for the failed environments.
        MissingPackageError: the painter needs a package that is not installed.
    """
    ids = range(core.num_envs) if env_id is None else np.asarray(env_id)
    try:
        drawn = core.render(env_id)
    except EnvironmentFailedError as error:
        painters = _painters(core, task, env_id, len(error.batch))
        error.batch = _painted(painters, error.batch, np.isin(ids, error.env_ids))
        raise
    return _painted(_painters(core, task, env_id, len(drawn)), drawn)


def _painters(
    core: EngineCore, task: ResolvedTask, env_id: ArrayLike | None, rows: int
) -> list[Painter] | None:
    """Returns the painter of each row; None: the engine has drawn pictures."""
    if task.parts:
        of_envs = task.of_envs
        tasks = of_envs if env_id is None else [of_envs[env] for env in np.asarray(env_id)]
    else:
        tasks = [task] * rows
    painter = tasks[0].painter
    if painter is None:  # the pictures of one pool have one form
        return None
    if not core.has_env_options:
        return [painter] * rows
    painters: dict[tuple[str, str], Painter] = {}
    found = []
    for own, options in zip(tasks, core.env_options(env_id, False), strict=True):
        key = own.id, repr(options)
        if key not in painters:
            assert own.make_painter is not None
            painters[key] = own.make_painter(options)
        found.append(painters[key])
    return found


def _painted(
    painters: list[Painter] | None, drawn: NDArray[Any], failed: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.uint8], ...]:
    """Returns pictures of the engine's drawings or scenes; failed environments are black."""
    if painters is None:
        return tuple(drawn)
    for painter in painters:
        if not painter._is_prepared:
            painter.prepare()
            painter._is_prepared = True
    if failed is None:
        failed = np.zeros(len(drawn), np.bool_)
    return tuple(
        np.zeros((*painter.size, 3), np.uint8) if fails else painter.paint(scene)
        for painter, scene, fails in zip(painters, drawn, failed, strict=True)
    )
