"""Painters of the MPE2 scenarios: see `envpool_py.tasks.scenes`.

MPE2's own environment draws, set to the state of the scene. `Scene` in engine/envs/mpe/game.h
documents the numbers in a scene.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any, ClassVar

import numpy as np

from envpool_py.errors import MissingPackageError, install_command
from envpool_py.tasks.scenes import Picture, ReferencePainter, Scene

__all__ = [
    "AdversaryPainter",
    "CollectTreasurePainter",
    "CryptoPainter",
    "FormationPainter",
    "LinePainter",
    "PushPainter",
    "ReferenceScenarioPainter",
    "SimplePainter",
    "SpeakerListenerPainter",
    "SpreadPainter",
    "TagPainter",
    "WorldCommPainter",
]

_SIDE = 700  # pixels
_FPS = 10
_OF_ENTITY = 6  # numbers of an entity in a scene


class _MpePainter(ReferencePainter):
    """Draws a scenario with MPE2."""

    _scenario: ClassVar[str]
    """The module of the scenario in the package `mpe2`."""

    @property
    def size(self) -> tuple[int, int]:
        """Height and width, pixels."""
        return _SIDE, _SIDE

    @property
    def fps(self) -> int:
        """The frame rate that MPE2 sets."""
        return _FPS

    def prepare(self) -> None:
        """Imports MPE2.

        Raises:
            MissingPackageError: MPE2 is not installed.
        """
        try:
            importlib.import_module("mpe2")
        except ImportError as error:
            raise MissingPackageError(
                f"MPE2 draws the pictures of its scenarios, and cannot be imported ({error}): "
                f"`{install_command('mpe2')}`"
            ) from error

    def paint(self, scene: Scene) -> Picture:
        """Draws a scene."""
        from pygame import freetype

        # Closing any of MPE2's environments ends pygame, and with it the fonts of the others.
        if not freetype.get_init():
            self._env = None
        return super().paint(scene)

    @property
    def _kind(self) -> Any:
        return importlib.import_module(f"mpe2.{self._scenario}").raw_env

    def _make(self) -> Any:
        known = inspect.signature(self._kind.__init__).parameters
        options = {name: value for name, value in self._options.items() if name in known}
        return self._kind(render_mode="rgb_array", **options)

    def _pose(self, env: Any, scene: Scene) -> None:
        env.original_cam_range = scene[0]
        world = env.world
        end = 1 + _OF_ENTITY * len(world.entities)
        numbers = scene[1:end].reshape(-1, _OF_ENTITY)
        for entity, (x, y, red, green, blue, shown) in zip(world.entities, numbers, strict=True):
            entity.state.p_pos = np.array([x, y])
            entity.color = np.array([red, green, blue])
            if hasattr(entity, "alive"):
                entity.alive = bool(shown)
        messages = scene[end:].reshape(len(world.agents), -1) if end < len(scene) else ()
        for agent, message in zip(world.agents, messages, strict=False):
            agent.state.c = message


class AdversaryPainter(_MpePainter):
    """Draws simple_adversary."""

    _scenario = "simple_adversary_v3"


class CollectTreasurePainter(_MpePainter):
    """Draws collect_treasure."""

    _scenario = "collect_treasure_v1"


class CryptoPainter(_MpePainter):
    """Draws simple_crypto."""

    _scenario = "simple_crypto_v3"


class FormationPainter(_MpePainter):
    """Draws simple_formation."""

    _scenario = "simple_formation_v1"


class LinePainter(_MpePainter):
    """Draws simple_line."""

    _scenario = "simple_line_v1"


class PushPainter(_MpePainter):
    """Draws simple_push."""

    _scenario = "simple_push_v3"


class ReferenceScenarioPainter(_MpePainter):
    """Draws simple_reference."""

    _scenario = "simple_reference_v3"


class SimplePainter(_MpePainter):
    """Draws simple."""

    _scenario = "simple_v3"


class SpeakerListenerPainter(_MpePainter):
    """Draws simple_speaker_listener."""

    _scenario = "simple_speaker_listener_v4"


class SpreadPainter(_MpePainter):
    """Draws simple_spread."""

    _scenario = "simple_spread_v3"


class TagPainter(_MpePainter):
    """Draws simple_tag."""

    _scenario = "simple_tag_v3"


class WorldCommPainter(_MpePainter):
    """Draws simple_world_comm."""

    _scenario = "simple_world_comm_v3"
