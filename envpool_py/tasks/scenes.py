"""Painters of the tasks whose environments report scenes (`envpool_py.pool.pictures`).

The manifest of a family names the painters of its tasks; `register_painter` sets that of a
plug-in's task. `ReferencePainter` is for the families that Gymnasium draws.
"""

from __future__ import annotations

import importlib
import os
import threading
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from envpool_py.errors import InputTypeError, MissingPackageError, install_command
from envpool_py.pool.pictures import Painter, Picture, Scene
from envpool_py.tasks import registry
from envpool_py.tasks.manifest import resolve

__all__ = ["Painter", "Picture", "ReferencePainter", "Scene", "painter_of", "register_painter"]

_registered: dict[str, type[Painter]] = {}


def register_painter(task_id: str, painter: type[Painter]) -> None:
    """Sets the painter of a plug-in's task, whose environments report scenes.

    Call it when the plug-in is imported. A family names its painters in its manifest instead.

    Args:
        task_id: id of the task, which need not be registered yet. A later painter replaces an
            earlier one.
        painter: a class, which is called with the options of a pool.

    Raises:
        InputTypeError: `painter` is not a class derived from `Painter`.
    """
    if not (isinstance(painter, type) and issubclass(painter, Painter)):
        raise InputTypeError(f"painter: expected a class derived from Painter, got {painter!r}")
    _registered[task_id] = painter


def painter_of(task: Mapping[str, Any], given: Mapping[str, Any]) -> Painter | None:
    """Returns the painter of a task that the engine has described, or None.

    Args:
        task: the description; its "options" contain the defaults.
        given: the options that differ from the defaults.
    """
    if not task.get("scene_size"):
        return None
    kind: Any = _registered.get(task["id"])
    if kind is None:
        name = registry.painter_of(task["id"])
        if name is None:
            return None
        kind = resolve(name)
    defaults = {option["name"]: option["default"] for option in task["options"]}
    painter: Painter = kind({**defaults, **given})
    return painter


# Gymnasium's drawing code is not thread-safe.
_drawing = threading.Lock()


def _renew_lock() -> None:
    global _drawing
    _drawing = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)  # another thread of the parent may hold it


class ReferencePainter(Painter):
    """Draws with one of Gymnasium's environments, set to the state of the scene.

    The environment is never stepped. The painter provides the surface to draw on, so that the
    environment opens no display. It is never closed, because this would close all pygame windows of
    the process.
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
        """The frame rate that Gymnasium sets."""
        return int(self._kind.metadata["render_fps"])

    def prepare(self) -> None:
        """Imports pygame.

        Raises:
            MissingPackageError: pygame is not installed.
        """
        try:
            importlib.import_module("pygame")
        except ImportError as error:
            raise MissingPackageError(
                f"Gymnasium's {self._kind.__name__} draws its pictures with pygame, which cannot "
                f"be imported ({error}): `{install_command('pictures')}`"
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
