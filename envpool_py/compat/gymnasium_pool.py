"""EnvPool's pools of the Gymnasium kind."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from envpool_py.compat import pictures
from envpool_py.compat.adapter import EnvPool
from envpool_py.compat.errors import ConfigError
from envpool_py.compat.game_steps import GameSteps, games_over
from envpool_py.compat.outputs import cast, infos_of, observations_of
from envpool_py.compat.rows import Batch
from envpool_py.compat.spec import EnvSpec
from envpool_py.tasks.make import make_gymnasium

__all__ = ["GymnasiumEnvPool", "gymnasium_class"]


class GymnasiumEnvPool(EnvPool, VectorEnv[Any, Any, Any], gymnasium.Env[Any, Any]):  # type: ignore[misc]
    """EnvPool's Gymnasium pool: many environments of one task.

    It is both a `gymnasium.Env` and a `gymnasium.vector.VectorEnv`, so either kind of wrapper can
    wrap it. Results are `(observations, rewards, terminations, truncations, infos)`. Rewards are
    float32 (n,), flags bool (n,). If an episode terminates on the last step of its time limit, only
    the truncation flag is set. `infos` holds "env_id"; "elapsed_step" (with `episodic_life`, the
    steps of the game and not of the life); "players" with "env_id" (in tasks with several players,
    also "id", "terminated", "truncated" and the infos of players); and the infos of the task. The
    step after an episode's end resets.

    Attributes:
        observation_space, single_observation_space: the observation space of one environment.
        action_space, single_action_space: the action space of one environment.
        is_vector_env: True.
    """

    is_vector_env = True

    def __init__(self, spec: EnvSpec) -> None:
        arguments = {
            **spec.engine_arguments,
            **pictures.engine_arguments(spec.pictures, spec.ours),
        }
        self._start(make_gymnasium(spec.task.id, **arguments), spec)
        self.closed = False
        self.num_envs = self.pool.num_envs
        self.render_mode = spec.pictures.mode
        self.metadata = {
            "render_modes": ["rgb_array", "human"],
            "autoreset_mode": AutoresetMode.NEXT_STEP,
        }
        self.observation_space = self.single_observation_space = spec.observation_space
        self.action_space = self.single_action_space = spec.action_space
        self._observation = spec.observation_array_spec
        self._infos = spec.infos
        self._task = spec.task
        if spec.engine_arguments.get("episodic_life", False):
            self._game_steps = GameSteps(self.num_envs)

    def reset(
        self,
        env_id: Any = None,
        *,
        seed: Any = None,
        options: Mapping[str, Any] | None = None,
    ) -> Any:
        """Starts a new episode in some environments.

        Args:
            env_id: ids of the environments, integers (n,). None: all; an asynchronous pool then
                drops the results in flight, and returns the first `batch_size` that are ready.
            seed: ignored with a warning, as in EnvPool: give it to `make`.
            options: None, or a dict with only "reset_mask", bool (num_envs,): those environments
                are reset, and only their rows are returned.

        Returns:
            Observations, infos.
        """
        if seed is not None:
            warnings.warn(
                "reset(seed=...) is ignored, as in EnvPool; give the seed when the pool is made, "
                "as envpool.make(..., seed=seed). Pools of envpool_py.make take one at any reset",
                stacklevel=2,
            )
        chosen = self._ids_of_reset_mask(options)
        if chosen is not None:
            if env_id is not None:
                raise ConfigError('options["reset_mask"]: cannot be combined with env_id')
            env_id = chosen
        return self._reset(env_id)

    def _ids_of_reset_mask(self, options: Mapping[str, Any] | None) -> Any:
        if not options:
            return None
        unknown = sorted(options.keys() - {"reset_mask"})
        if unknown:
            raise ConfigError(f'options: only "reset_mask" is known, got {unknown}')
        if options["reset_mask"] is None:
            return None
        mask = np.asarray(options["reset_mask"], np.bool_)
        if mask.shape != (len(self),) or not mask.any():
            raise ConfigError(
                f'options["reset_mask"]: expected {len(self)} flags, at least one of them True, '
                f"got {mask.tolist()}"
            )
        return np.flatnonzero(mask)

    def close(self, **kwargs: Any) -> None:
        """Closes the pool. Arguments are Gymnasium's, and ignored."""
        self.closed = True
        EnvPool.close(self, **kwargs)

    def _result(self, batch: Batch, reset: bool) -> Any:
        elapsed = batch[4]["elapsed_step"]
        if self._game_steps is not None:
            elapsed = self._game_steps.count(batch[4]["env_id"], elapsed, games_over(batch))
        return self._form(batch, elapsed, reset)

    def _form(self, batch: Batch, elapsed: Any, reset: bool) -> Any:
        observations, rewards, terminated, truncated, infos = batch
        named = infos_of(self._infos, infos, observations)
        named["elapsed_step"] = elapsed
        observations = observations_of(self._task, self._observation, observations)
        if reset:
            return observations, named
        return (
            observations,
            cast(rewards, np.float32),
            terminated & ~truncated,
            truncated,
            named,
        )


@functools.cache
def gymnasium_class(class_name: str) -> type[GymnasiumEnvPool]:
    """Returns EnvPool's class of pools, such as `CartPoleGymnasiumEnvPool`."""
    attributes = {"__doc__": GymnasiumEnvPool.__doc__}
    return type(f"{class_name}GymnasiumEnvPool", (GymnasiumEnvPool,), attributes)
