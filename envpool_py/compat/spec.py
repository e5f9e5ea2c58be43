"""EnvPool's spec of a task: its settings, and the arrays of its actions and results."""

from __future__ import annotations

import functools
import pprint
from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np

from envpool_py.compat import arrays
from envpool_py.compat.arrays import ArraySpec, SpecTree, by_path
from envpool_py.compat.errors import NotSupportedError
from envpool_py.compat.options import NO_LIMIT, defaults, engine_arguments, settings_of
from envpool_py.compat.outputs import InfoRule, info_rules
from envpool_py.compat.pictures import PictureSettings
from envpool_py.compat.tables import ENVPOOL_CLASSES
from envpool_py.compat.tasks import Task, task_of
from envpool_py.tasks.resolve import MAKE_ARGUMENTS
from envpool_py.tasks.spec import make_spec

__all__ = ["EnvSpec", "spec_class"]

# The arrays that every pool returns besides observations and infos, in EnvPool's order.
_ELAPSED_AND_DONE: dict[str, tuple[Any, list[int]]] = {
    "elapsed_step": (np.int32, []),
    "done": (np.bool_, []),
}
_STEP_TYPE_AND_TRUNC: dict[str, tuple[Any, list[int]]] = {
    "step_type": (np.int32, []),
    "trunc": (np.bool_, []),
}


class _GenConfig:
    """`Spec.gen_config`: makes the named tuple of the given settings and the other defaults.

    There is no step limit by default, because limits belong to ids and a class has several ids.
    """

    def __get__(self, instance: EnvSpec | None, owner: type[EnvSpec]) -> Callable[..., Any]:
        task = owner.default_task if instance is None else instance.task

        def gen_config(*values: Any, **settings: Any) -> Any:
            usual = {**defaults(task), "max_episode_steps": NO_LIMIT}
            return _config({**usual, **dict(zip(usual, values, strict=False)), **settings})

        return gen_config


class EnvSpec:
    """The spec of a task with its settings. It holds no pool.

    Made by `make_spec`, or from the result of a task class's `gen_config`. Spaces and dm_env specs
    describe one environment.

    Attributes:
        task: the task.
        ours: the result of our own `make_spec`.
        pictures: the settings of `render`.
        engine_arguments: arguments with which our `make` makes an equal pool.
    """

    default_task: Task
    gen_config = _GenConfig()
    # Gymnasium's wrappers copy the spec of the wrapped environment, and append themselves here.
    additional_wrappers: tuple[Any, ...] = ()

    def __init__(
        self,
        config: Any,
        task: Task | None = None,
        pictures: PictureSettings | None = None,
    ) -> None:
        given = config if isinstance(config, Mapping) else config._asdict()
        if task is None:
            task = self.default_task
            game = given.get("task", "pong")
            if task.class_name == "Atari" and game != "pong":
                task = task_of(_atari_id(game))
        self.task = task
        self.pictures = pictures or PictureSettings()
        self._settings = settings_of(task, given)
        self.engine_arguments = engine_arguments(task, self._settings)
        options = {
            name: value
            for name, value in self.engine_arguments.items()
            if name not in MAKE_ARGUMENTS
        }
        self.ours = make_spec(task.id, **options)
        self._infos = info_rules(task, self.ours, self._settings)
        self._observation = self._observation_tree(self.ours.observation_space)
        self._action = self._action_array()

    @property
    def config(self) -> Any:
        """The settings, as a named tuple."""
        return _config(self._settings)

    @property
    def _config_keys(self) -> list[str]:
        return list(self._settings)

    @property
    def _config_values(self) -> tuple[Any, ...]:
        return tuple(self._settings.values())

    @property
    def _state_keys(self) -> list[str]:
        return list(self.state_array_spec)

    @property
    def _action_keys(self) -> list[str]:
        return list(self.action_array_spec)

    @property
    def reward_threshold(self) -> float | None:
        """Episode return at which the task counts as solved; None: there is none."""
        threshold: float | None = self._settings.get("reward_threshold")
        return threshold

    @property
    def infos(self) -> tuple[InfoRule, ...]:
        """The infos that are specific to the task."""
        return self._infos

    @property
    def state_array_spec(self) -> dict[str, ArraySpec]:
        """The arrays of the results, by EnvPool's names."""
        return {
            "info:env_id": arrays.unbounded(np.int32, []),
            **{f"info:players.{name}": spec for name, spec in self._players().items()},
            **{name: arrays.unbounded(*what) for name, what in _ELAPSED_AND_DONE.items()},
            "reward": arrays.unbounded(np.float32, [-1]),
            "discount": ArraySpec(np.float32, [-1], 0.0, 1.0),
            **{name: arrays.unbounded(*what) for name, what in _STEP_TYPE_AND_TRUNC.items()},
            **self._in_order(
                {":".join(("obs", *path)): spec for path, spec in by_path(self._observation)},
                {f"info:{rule.name}": rule.spec for rule in self._infos},
                {"obs:pixels": self._observation},
            ),
        }

    def _players(self) -> dict[str, ArraySpec]:
        """The arrays of "players" in infos."""
        specs = {"env_id": arrays.unbounded(np.int32, [-1])}
        if self.ours.players is not None:
            specs["id"] = ArraySpec(np.int32, [-1], 0, self.ours.num_players - 1)
            for name in ("terminated", "truncated"):
                specs[name] = arrays.unbounded(np.bool_, [-1])
            for info in self.ours.players.infos:
                specs[info.name] = arrays.unbounded(info.dtype, [-1, *info.shape])
        return specs

    def _in_order(
        self, state: dict[str, Any], infos: dict[str, Any], pixels: dict[str, Any]
    ) -> dict[str, Any]:
        """Returns observations and infos by name. States come before the infos, pixels after."""
        return {**infos, **pixels} if self.task.pixels else {**state, **infos}

    @property
    def observation_array_spec(self) -> SpecTree:
        """The observation: "obs" or "obs:pixels" of `state_array_spec`; or a dict of its parts."""
        return self._observation

    @property
    def action_array_spec(self) -> dict[str, ArraySpec]:
        """The arrays of the actions, by EnvPool's names."""
        return {
            "env_id": arrays.unbounded(np.int32, []),
            "players.env_id": arrays.unbounded(np.int32, [-1]),
            "action": self._action,
        }

    @property
    def observation_space(self) -> gymnasium.Space[Any]:
        """Gymnasium space of one environment's observation."""
        return arrays.gymnasium_space(self._observation)

    @property
    def action_space(self) -> gymnasium.Space[Any]:
        """Gymnasium space of one environment's action."""
        return arrays.gymnasium_space(self._action)

    gymnasium_observation_space = observation_space
    gymnasium_action_space = action_space

    def observation_spec(self) -> Any:
        """Returns the dm_env specs of an observation, as a named tuple."""
        named: dict[str, Any] = {
            "env_id": arrays.dm_spec("env_id", arrays.unbounded(np.int32, [])),
            "players": {name: arrays.dm_spec(name, spec) for name, spec in self._players().items()},
        }
        observed = {
            "_".join(path) or "obs": arrays.dm_spec(path[-1] if path else "obs", spec)
            for path, spec in by_path(self._observation)
        }
        pixels = {}
        if isinstance(self._observation, ArraySpec):
            pixels["pixels"] = arrays.dm_spec("pixels", self._observation)
        named |= self._in_order(
            observed,
            {rule.name: arrays.dm_spec(rule.name, rule.spec) for rule in self._infos},
            pixels,
        )
        return arrays.dm_structure("State", named)

    def action_spec(self) -> Any:
        """Returns the dm_env spec of one environment's action."""
        return arrays.dm_spec("action", self._action)

    def __repr__(self) -> str:
        settings = ", ".join(f"{k}={pprint.pformat(v)}" for k, v in self._settings.items())
        return f"{type(self).__name__}({settings})"

    def _observation_tree(self, space: gymnasium.Space[Any]) -> SpecTree:
        if isinstance(space, gymnasium.spaces.Dict):
            order = () if self.task.envpool_class is None else self.task.envpool_class.order
            names = sorted(space.spaces, key=order.index) if order else list(space.spaces)
            return {name: self._observation_tree(space[name]) for name in names}
        return self._observation_array(space)

    def _observation_array(self, space: gymnasium.Space[Any]) -> ArraySpec:
        if self.task.class_name == "Blackjack":
            return ArraySpec(np.int32, [3], 0, 31)
        if isinstance(space, gymnasium.spaces.Discrete):
            spec = arrays.array_spec(space, np.int32, per_player=True)
        else:
            per_player = self.ours.players is not None
            bounds = "stated" if self.task.envpool_class is None else self.task.envpool_class.bounds
            shape = list(space.shape or ())
            if bounds == "unstated":
                return arrays.unbounded(space.dtype, shape)
            if bounds == "infinite":
                return ArraySpec(space.dtype, shape, -np.inf, np.inf)
            spec = arrays.array_spec(space, space.dtype, per_player=per_player)
        if spec is None:
            raise NotSupportedError(
                f"{self.task.name}: EnvPool has no form for {type(space).__name__} observations; "
                "envpool_py.make supports them"
            )
        return spec

    @property
    def _is_gym(self) -> bool:
        """Whether the task is one of Gymnasium's MuJoCo tasks."""
        kind = self.task.envpool_class
        return kind is not None and kind.module == "mujoco.gym"

    def _action_array(self) -> ArraySpec:
        space = self.ours.action_space
        dtype: Any = space.dtype
        if dtype == np.int64:
            dtype = np.int32
        elif self._is_gym:
            dtype = np.float64
        # EnvPool states actions of Box2D without a dimension for the players.
        per_player = self.task.envpool_class is None or self.task.envpool_class.module != "box2d"
        spec = arrays.array_spec(space, dtype, per_player=per_player)
        if spec is None:
            raise NotSupportedError(
                f"{self.task.name}: EnvPool has no form for {type(space).__name__} actions; "
                "envpool_py.make supports them"
            )
        if self._is_gym:
            spec.minimum, spec.maximum = (_shortest(x) for x in (spec.minimum, spec.maximum))
        return spec


@functools.cache
def spec_class(class_name: str, default_id: str) -> type[EnvSpec]:
    """Returns EnvPool's class of specs, such as `CartPoleEnvSpec`."""
    pixels = class_name in ENVPOOL_CLASSES and ENVPOOL_CLASSES[class_name].pixels
    attributes = {"default_task": task_of(default_id, pixels=pixels), "__doc__": EnvSpec.__doc__}
    return type(f"{class_name}EnvSpec", (EnvSpec,), attributes)


@functools.cache
def _config_type(names: tuple[str, ...]) -> Any:
    return namedtuple("Config", names)


def _config(settings: Mapping[str, Any]) -> Any:
    return _config_type(tuple(settings))(*settings.values())


def _shortest(bound: Any) -> Any:
    """Returns float32 bounds as their shortest decimal numbers: 0.4, not 0.4000000059."""
    if np.ndim(bound) == 0:
        return float(str(np.float32(bound)))
    return np.array([_shortest(item) for item in bound])


def _atari_id(game: Any) -> str:
    name = game.decode() if isinstance(game, bytes) else str(game)
    return "".join(word.capitalize() for word in name.split("_")) + "-v5"
