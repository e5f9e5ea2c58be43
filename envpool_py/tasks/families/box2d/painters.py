"""Painters of the Box2D tasks: see `envpool_py.tasks.scenes`.

`Scene` of the environment's C++ class documents the numbers in a scene. A painter moves the bodies
of Gymnasium's environment to their positions in the scene, and that environment draws them.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from envpool_py.errors import MissingPackageError, install_command
from envpool_py.tasks.scenes import ReferencePainter, Scene

__all__ = ["BipedalWalkerPainter", "LunarLanderPainter"]

_SCALE = 30.0  # pixels per metre
_WIDTH, _HEIGHT = 600, 400  # pixels


class _Box2DPainter(ReferencePainter):
    """Imports Gymnasium's environment when it draws, because that needs Box2D."""

    _module: str
    _class: str

    @property
    def _kind(self) -> Any:
        return getattr(importlib.import_module(self._module), self._class)

    @property
    def size(self) -> tuple[int, int]:
        """Height and width, pixels."""
        return _HEIGHT, _WIDTH

    @property
    def fps(self) -> int:
        """The frame rate that Gymnasium sets."""
        return 50

    def prepare(self) -> None:
        """Imports pygame and Box2D.

        Raises:
            MissingPackageError: one of them is not installed.
        """
        for package in ("pygame", "Box2D"):
            try:
                # Box2D crashes where the warnings of its import are errors.
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    importlib.import_module(package)
            except ImportError as error:
                raise MissingPackageError(
                    f"Gymnasium's {self._class} draws its pictures with pygame and Box2D, and "
                    f"{package} cannot be imported ({error}): "
                    f"`{install_command('pictures')}`"
                ) from error


class LunarLanderPainter(_Box2DPainter):
    """Draws the lander, the ground and the exhaust."""

    _module = "gymnasium.envs.box2d.lunar_lander"
    _class = "LunarLander"
    _points = 11  # points of the ground

    def _make(self) -> Any:
        env = super()._make()
        env.reset(seed=0)
        return env

    def _pose(self, env: Any, scene: Scene) -> None:
        heights, rest = scene[: self._points], scene[self._points :]
        width, height = _WIDTH / _SCALE, _HEIGHT / _SCALE
        x = [width / (self._points - 1) * i for i in range(self._points)]
        env.sky_polys = [
            [(x[i], heights[i]), (x[i + 1], heights[i + 1]), (x[i + 1], height), (x[i], height)]
            for i in range(self._points - 1)
        ]
        _move([env.lander, *env.legs], rest)
        env._clean_particles(True)
        count, particles = int(rest[9]), rest[10:]
        for at_x, at_y, life in particles[: 3 * count].reshape(-1, 3).tolist():
            env._create_particle(1.0, at_x, at_y, life)


class BipedalWalkerPainter(_Box2DPainter):
    """Draws the walker, the ground, the clouds and one ray of the lidar."""

    _module = "gymnasium.envs.box2d.bipedal_walker"
    _class = "BipedalWalker"
    _columns = 200
    _rays = 10
    _cloud_points = 50

    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__(options)
        self._landscape = b""  # the part of the latest scene that is constant in an episode

    def _make(self) -> Any:
        env = super()._make()
        env.reset(seed=0)
        return env

    def _pose(self, env: Any, scene: Scene) -> None:
        parts = iter(np.split(scene, np.cumsum([15, 1, 4 * self._rays])))
        _move([env.hull, *env.legs], next(parts))
        env.lidar_render = int(next(parts)[0])  # render() adds 1
        env.lidar = [
            SimpleNamespace(p1=(x1, y1), p2=(x2, y2))
            for x1, y1, x2, y2 in next(parts).reshape(-1, 4).tolist()
        ]
        env.scroll = scene[0] - _WIDTH / _SCALE / 5
        landscape = next(parts)
        if landscape.tobytes() != self._landscape:
            self._landscape = landscape.tobytes()
            self._pose_landscape(env, landscape)

    def _pose_landscape(self, env: Any, landscape: Scene) -> None:
        ends = np.cumsum([self._columns, 2 * self._cloud_points, 1])
        ground, clouds, count, points = np.split(landscape, ends)
        env.cloud_poly = [
            (cloud, min(x for x, _ in cloud), max(x for x, _ in cloud))
            for cloud in clouds.reshape(-1, 5, 2).tolist()
        ]
        obstacles = points.reshape(-1, 4, 2)[: int(count[0])].tolist()
        xs = [i * (14 / _SCALE) for i in range(self._columns)]
        pieces = list(_pairs(list(zip(xs, ground.tolist(), strict=True))))
        env.terrain_poly = [
            ([start, end, (end[0], 0), (start[0], 0)], (102, 153, 76)) for start, end in pieces
        ]
        for body in env.terrain:
            env.world.DestroyBody(body)
        env.terrain = []
        for obstacle in obstacles:
            env.fd_polygon.shape.vertices = obstacle
            self._add(env, env.fd_polygon, (255, 255, 255), (153, 153, 153))
        for i, piece in enumerate(pieces):
            env.fd_edge.shape.vertices = piece
            color = (76, 255 if i % 2 == 0 else 204, 76)
            self._add(env, env.fd_edge, color, color)
        env.terrain.reverse()
        env.drawlist = [*env.terrain, *env.legs, env.hull]

    def _add(self, env: Any, fixture: Any, color1: Any, color2: Any) -> None:
        body = env.world.CreateStaticBody(fixtures=fixture)
        body.color1, body.color2 = color1, color2
        env.terrain.append(body)


def _move(bodies: list[Any], numbers: Scene) -> None:
    """Moves bodies to x, y and angle, three numbers for each."""
    for body, (x, y, angle) in zip(bodies, numbers[: 3 * len(bodies)].reshape(-1, 3), strict=True):
        body.transform = ((float(x), float(y)), float(angle))


def _pairs(points: list[tuple[float, float]]) -> Iterator[list[tuple[float, float]]]:
    for i in range(len(points) - 1):
        yield [points[i], points[i + 1]]
