"""Pictures of environments that the engine knows as scenes only: a few numbers each.

A scene is all that a picture shows of an environment's state (`Scene` in engine/env/environment.h).
The engine writes it as it would write a picture, on its own threads; a painter then draws it on the
thread that called `render`. Which painter a task has is in the table `PAINTERS`; where a module
that adds tasks of its own has painters, it adds them there.
"""

from __future__ import annotations

import importlib
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import MissingPackageError

Picture = NDArray[np.uint8]
Scene = NDArray[np.float64]

_CLASSIC_CONTROL = "envpool_py.classic_control.painters"
_TOY_TEXT = "envpool_py.toy_text.painters"

PAINTERS: dict[str, str] = {
    "Acrobot-v1": f"{_CLASSIC_CONTROL}:AcrobotPainter",
    "Blackjack-v1": f"{_TOY_TEXT}:BlackjackPainter",
    "CartPole-v0": f"{_CLASSIC_CONTROL}:CartPolePainter",
    "CartPole-v1": f"{_CLASSIC_CONTROL}:CartPolePainter",
    "CliffWalking-v0": f"{_TOY_TEXT}:CliffWalkingPainter",
    "CliffWalking-v1": f"{_TOY_TEXT}:CliffWalkingPainter",
    "CliffWalkingSlippery-v1": f"{_TOY_TEXT}:CliffWalkingPainter",
    "FrozenLake-v1": f"{_TOY_TEXT}:FrozenLakePainter",
    "FrozenLake8x8-v1": f"{_TOY_TEXT}:FrozenLakePainter",
    "MountainCar-v0": f"{_CLASSIC_CONTROL}:MountainCarPainter",
    "MountainCarContinuous-v0": f"{_CLASSIC_CONTROL}:MountainCarContinuousPainter",
    "Pendulum-v1": f"{_CLASSIC_CONTROL}:PendulumPainter",
    "Taxi-v3": f"{_TOY_TEXT}:TaxiPainter",
    "Taxi-v4": f"{_TOY_TEXT}:TaxiPainter",
}
"""Of each task that has scenes, the class that draws them, as "module:class"."""


class Painter(ABC):
    """Draws the scenes of one task. Any thread, one at a time.

    Args:
        options: the options of the task's environments, all of them.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options

    @property
    @abstractmethod
    def size(self) -> tuple[int, int]:
        """Height and width of the pictures, pixels."""

    @property
    @abstractmethod
    def fps(self) -> int:
        """Steps a second at which a video looks as it should."""

    @abstractmethod
    def prepare(self) -> None:
        """Gets what drawing needs.

        Raises:
            MissingPackageError: it is not installed; the message says how to install it.
        """

    @abstractmethod
    def paint(self, scene: Scene) -> Picture:
        """Draws a scene, float64 (scene_size,).

        Returns:
            uint8 (height, width, 3), RGB; new, writable and contiguous.
        """


def painter_of(task: Mapping[str, Any], given: Mapping[str, Any]) -> Painter | None:
    """Returns the painter of a task that the engine has described, or None where it has none.

    Args:
        task: the description; its "options" have the defaults.
        given: the options that are not the defaults.
    """
    name = PAINTERS.get(task["id"]) if task.get("scene_size") else None
    if name is None:
        return None
    module, _, kind = name.partition(":")
    defaults = {option["name"]: option["default"] for option in task["options"]}
    painter: Painter = getattr(importlib.import_module(module), kind)({**defaults, **given})
    return painter


# What Gymnasium draws with is not made for several threads.
_drawing = threading.Lock()


def _renew_lock() -> None:
    global _drawing
    _drawing = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)  # another thread of the parent may have held it


class ReferencePainter(Painter):
    """Draws with the code of one of Gymnasium's environments, set to the state of the scene.

    That environment never steps. It is given the surface to draw on, so that it opens no display,
    and is never closed: closing would take all windows of the process with it.
    """

    _surface: ClassVar[str] = "screen"
    """The attribute in which Gymnasium's environment keeps its surface."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__(options)
        self._env: Any = None

    @property
    @abstractmethod
    def _kind(self) -> Any:
        """The class of Gymnasium's environment."""

    @abstractmethod
    def _pose(self, env: Any, scene: Scene) -> None:
        """Sets Gymnasium's environment to the state of the scene."""

    def _make(self) -> Any:
        return self._kind(render_mode="rgb_array")

    @property
    def fps(self) -> int:
        """Steps a second, as Gymnasium has it."""
        return int(self._kind.metadata["render_fps"])

    def prepare(self) -> None:
        """Imports pygame.

        Raises:
            MissingPackageError: it is not installed.
        """
        try:
            importlib.import_module("pygame")
        except ImportError as error:
            raise MissingPackageError(
                f"Gymnasium's {self._kind.__name__} draws its pictures with pygame, which cannot "
                f"be imported ({error}); it comes with `pip install 'envpool_py[pictures]'`"
            ) from error

    def paint(self, scene: Scene) -> Picture:
        """Draws a scene."""
        with _drawing:
            if self._env is None:
                self._env = self._make_with_surface()
            self._pose(self._env, scene)
            return np.ascontiguousarray(self._env.render())

    def _make_with_surface(self) -> Any:
        import pygame

        env = self._make()
        height, width = self.size
        setattr(env, self._surface, pygame.Surface((width, height), depth=32))
        return env
