"""One environment as a `gymnasium.Env`, for `gymnasium.make("EnvPool/<id>")`.

Gymnasium adds its own wrappers: the passive checker, the step limit, human rendering. Its
`make_vec` also makes such environments, if it is called with `vectorization_mode="sync"` or
"async". A pool is faster; this class is for code that needs a single environment.
"""

from __future__ import annotations

import functools
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from envpool_py.errors import InputError, NoAttributeError, UnknownOptionError
from envpool_py.pool import env_attributes
from envpool_py.pool.arguments import PoolArguments, Seed
from envpool_py.pool.gymnasium_pool import GymnasiumPool
from envpool_py.pool.spaces import batch_of_one
from envpool_py.pool.trees import row
from envpool_py.tasks import registry
from envpool_py.tasks.manifest import resolve as resolve_reference
from envpool_py.tasks.resolve import MAKE_ARGUMENTS, resolve

__all__ = ["SingleEnv"]


class _TaskAttribute:
    """An attribute that environments of some tasks have, or of which a message knows a substitute.

    `__getattr__` would be simpler, but CPython does not cache attributes of classes that define it,
    which would make steps slower.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: SingleEnv | None, owner: type) -> Any:
        return self if instance is None else instance._task_attribute(self._name)

    def __set__(self, instance: SingleEnv, value: Any) -> None:
        instance._set_task_attribute(self._name, value)


class SingleEnv(gymnasium.Env[Any, Any]):
    """One environment of a task: a pool of one, without the dimension of the batch.

    Results are those of the task in Gymnasium: an observation of `observation_space`, the reward as
    a float, both flags as bools, and infos with the values of this environment only. There is no
    step limit and no autoreset; a step after a terminal state raises ResetNeededError.

    The options of the task are attributes, and so is what the wrappers of other libraries read and
    the engine reports, such as `ale.lives()`. They cannot be set.

    Args:
        task_id: an id from `list_all_envs`.
        render_mode: "rgb_array" enables `render`; None: no rendering.
        seed: seed of the first reset; not used if that reset is given a seed.
        num_envs: 1.
        **options: constructor options of the environment.

    Raises:
        UnknownOptionError: an argument is valid only for pools.
        Otherwise the errors of `make`.
    """

    # Gymnasium reads this from the class, to convert "human" and "rgb_array_list".
    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 30}  # noqa: RUF012
    _pool_arguments: ClassVar[frozenset[str]] = frozenset(MAKE_ARGUMENTS)

    def __init__(
        self,
        task_id: str,
        render_mode: str | None = None,
        seed: Seed = None,
        num_envs: int = 1,
        **options: Any,
    ) -> None:
        for name in options:
            if name in self._pool_arguments:
                raise UnknownOptionError(
                    f"unexpected keyword argument {name!r}: gymnasium.make makes one environment, "
                    "and only pools take this; gymnasium.make_vec or envpool_py.make makes a pool"
                )
        if num_envs != 1:
            raise InputError(
                f"num_envs: expected 1 (gymnasium.make_vec makes many environments), got {num_envs}"
            )
        task = resolve(task_id, options)
        if task.description["players"] is not None:
            raise InputError(
                f"{task_id}: gymnasium.make makes environments of one player, and this one has up "
                f"to {task.description['num_players']}; envpool_py.make makes pools of it, and "
                "envpool_py.players.pettingzoo.parallel_env makes one as a PettingZoo environment"
            )
        self._arguments = {"task_id": task_id, "render_mode": render_mode, "seed": seed, **options}
        arguments = {
            "num_threads": 1,
            "seed": seed,
            "autoreset_mode": AutoresetMode.DISABLED,
            "max_episode_steps": -1,
            "render_mode": render_mode,
            "extra_infos": False,
        }
        self._pool = GymnasiumPool(task, PoolArguments.checked(task, arguments))
        self._latest: tuple[Any, dict[str, Any]] | None = None
        self._options = {
            option["name"]: self._pool.config[option["name"]]
            for option in task.description["options"]
        }
        self._attributes = frozenset(env_attributes.names(self._pool))
        self._family = registry.family_of(self._pool.task_id)
        for name in self._task_names():
            if not hasattr(type(self), name):
                setattr(type(self), name, _TaskAttribute(name))
        self.render_mode = render_mode
        self.metadata = {
            name: value for name, value in self._pool.metadata.items() if name != "autoreset_mode"
        }
        self.observation_space = self._pool.single_observation_space
        self.action_space = self._pool.single_action_space

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Steps the environment.

        Raises:
            ResetNeededError: the environment was not reset yet, or its episode has ended.
            InputError, InputTypeError, EnvironmentFailedError, ClosedError, ForkedError.
        """
        observations, rewards, terminated, truncated, infos = self._pool.step(batch_of_one(action))
        self._latest = observations, infos
        return (
            row(observations, 0),
            float(rewards[0]),
            bool(terminated[0]),
            bool(truncated[0]),
            _infos(infos),
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts a new episode; `options` are the task's reset options.

        Raises:
            InputError, InputTypeError, OptionError, OptionTypeError, EnvironmentFailedError,
            ClosedError, ForkedError.
        """
        # Wrappers may draw from `np_random`. The environment draws from the engine's generator.
        super().reset(seed=seed)
        observations, infos = self._pool.reset(seed=seed, options=options)
        self._latest = observations, infos
        return row(observations, 0), _infos(infos)

    def render(self) -> NDArray[np.uint8]:
        """Returns the picture of the current state, uint8 (height, width, 3).

        Raises:
            RenderModeError: the environment was made without `render_mode="rgb_array"`.
            ResetNeededError, EnvironmentFailedError, ClosedError, ForkedError.
        """
        picture: NDArray[np.uint8] = self._pool.render()[0]
        return picture

    def close(self) -> None:
        """Closes the environment; closing again does nothing."""
        if hasattr(self, "_pool"):
            self._pool.close()

    def get_action_meanings(self) -> list[str]:
        """Returns ale-py's names of the actions; only Atari games have them.

        Raises:
            NoAttributeError: the task is not an Atari game, or its actions are continuous.
        """
        meanings: list[str] = self._pool.call("get_action_meanings")[0]
        return meanings

    def _task_names(self) -> set[str]:
        if self._family is None:
            return {*self._options, *self._attributes}
        return {
            *self._options,
            *self._attributes,
            *self._family.attributes,
            *self._family.methods_of(self._pool.task_id),
            *self._family.substitutes,
        }

    def _task_attribute(self, name: str) -> Any:
        """Returns an attribute for wrappers of other libraries; see `Family.attributes`."""
        if name in self._attributes:
            return self._pool.get_attr(name)[0]
        if self._family is not None and name in self._family.attributes:
            function = resolve_reference(self._family.attributes[name])
            return function(self._pool.task_id, self._config(), lambda: self._row_of_latest(name))
        if self._family is not None and name in self._family.methods_of(self._pool.task_id):
            return functools.partial(self._call_method, name)
        if self._family is not None and name in self._family.substitutes:
            raise NoAttributeError(
                f"{name}: {self._pool.task_id} has none, because its environments are not Python "
                f"objects; {self._family.substitutes[name]}"
            )
        if name in self._options:
            return self._options[name]
        if name in vars(self):  # of a program, for another task
            return vars(self)[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _call_method(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return self._pool.call(name, *args, **kwargs)[0]

    def _config(self) -> dict[str, Any]:
        current = {name: self._pool.get_attr(name)[0] for name in self._attributes}
        return {**self._pool.config, **current}

    def _row_of_latest(self, name: str) -> tuple[Any, dict[str, Any]]:
        if self._latest is None:
            raise NoAttributeError(f"{name}: the environment has no state before its first reset")
        observations, infos = self._latest
        return row(observations, 0), _infos(infos)

    def _set_task_attribute(self, name: str, value: Any) -> None:
        if name in self._attributes:
            self._pool.set_attr(name, [value])
        elif name in self._task_names():
            instead = self._pool.task.substitute_of(name) or "set options when you make them"
            raise NoAttributeError(
                f"{name}: this of environments in the engine cannot be changed; {instead}"
            )
        else:
            vars(self)[name] = value  # of a program, for another task

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(type(self), **self._arguments), ()


def _infos(infos: dict[str, Any]) -> dict[str, Any]:
    return {name: row(value, 0) for name, value in infos.items() if not name.startswith("_")}
