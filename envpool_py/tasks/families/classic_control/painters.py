"""Painters of the classic control tasks: see `envpool_py.tasks.scenes`.

`Scene` of the environment's C++ class documents the numbers in a scene.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from gymnasium.envs.classic_control.acrobot import AcrobotEnv
from gymnasium.envs.classic_control.cartpole import CartPoleEnv
from gymnasium.envs.classic_control.continuous_mountain_car import Continuous_MountainCarEnv
from gymnasium.envs.classic_control.mountain_car import MountainCarEnv
from gymnasium.envs.classic_control.pendulum import PendulumEnv

from envpool_py.tasks.scenes import ReferencePainter, Scene

__all__ = [
    "AcrobotPainter",
    "CartPolePainter",
    "MountainCarContinuousPainter",
    "MountainCarPainter",
    "PendulumPainter",
]


@functools.cache
def _screen_size(kind: Any) -> tuple[int, int]:
    """Height and width of the environment's pictures, which only an instance has."""
    env = kind()
    return env.screen_height, env.screen_width


class CartPolePainter(ReferencePainter):
    """Draws the cart and the pole."""

    _kind = CartPoleEnv

    @property
    def size(self) -> tuple[int, int]:
        """Height and width, pixels."""
        return _screen_size(self._kind)

    def _pose(self, env: Any, scene: Scene) -> None:
        position, angle, length, x_threshold = scene.tolist()
        env.state = np.array([position, 0.0, angle, 0.0])
        env.length = length
        env.x_threshold = x_threshold


class MountainCarPainter(ReferencePainter):
    """Draws the car in the valley."""

    _kind: Any = MountainCarEnv

    @property
    def size(self) -> tuple[int, int]:
        """Height and width, pixels."""
        return _screen_size(self._kind)

    def _pose(self, env: Any, scene: Scene) -> None:
        self._set_valley(env, scene)
        env.state = np.array([scene[0], 0.0])

    def _set_valley(self, env: Any, scene: Scene) -> None:
        env.min_position, env.max_position, env.goal_position = scene[1:4].tolist()


class MountainCarContinuousPainter(MountainCarPainter):
    """Draws the car in the valley."""

    _kind: Any = Continuous_MountainCarEnv

    def _pose(self, env: Any, scene: Scene) -> None:
        self._set_valley(env, scene)
        position, after_reset = scene[0], scene[4]
        # The dtype of a state affects how positions in its picture are rounded.
        env.state = np.array([position, 0.0], np.float64 if after_reset else np.float32)


class PendulumPainter(ReferencePainter):
    """Draws the pendulum and the torque of the latest step."""

    _kind = PendulumEnv

    @property
    def size(self) -> tuple[int, int]:
        """Height and width, pixels."""
        side = _pendulum_side()
        return side, side

    def _pose(self, env: Any, scene: Scene) -> None:
        angle, torque, is_float32 = scene
        env.state = np.array([angle, 0.0])
        # The dtype of the torque affects how its picture is rounded.
        env.last_u = None if np.isnan(torque) else np.float32(torque) if is_float32 else torque


@functools.cache
def _pendulum_side() -> int:
    return int(PendulumEnv().screen_dim)


class AcrobotPainter(ReferencePainter):
    """Draws both links."""

    _kind = AcrobotEnv

    @property
    def size(self) -> tuple[int, int]:
        """Height and width, pixels."""
        return AcrobotEnv.SCREEN_DIM, AcrobotEnv.SCREEN_DIM

    def _pose(self, env: Any, scene: Scene) -> None:
        first, second, after_reset, *lengths = scene.tolist()
        env.LINK_LENGTH_1, env.LINK_LENGTH_2 = lengths
        env.state = np.array([first, second, 0.0, 0.0], np.float32 if after_reset else np.float64)
