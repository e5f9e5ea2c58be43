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

from envpool_py.errors import InputError, UnknownOptionError
from envpool_py.pool.arguments import PoolArguments, Seed
from envpool_py.pool.gymnasium_pool import GymnasiumPool
from envpool_py.pool.spaces import batch_of_one
from envpool_py.pool.trees import row
from envpool_py.tasks.resolve import MAKE_ARGUMENTS, resolve

__all__ = ["SingleEnv"]


class SingleEnv(gymnasium.Env[Any, Any]):
    """One environment of a task: a pool of one, without the dimension of the batch.

    Results are those of the task in Gymnasium: an observation of `observation_space`, the reward as
    a float, both flags as bools, and infos with the values of this environment only. There is no
    step limit and no autoreset; a step after a terminal state raises ResetNeededError.

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

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(type(self), **self._arguments), ()


def _infos(infos: dict[str, Any]) -> dict[str, Any]:
    return {name: row(value, 0) for name, value in infos.items() if not name.startswith("_")}
