"""The dm_env API: a pool that is a `dm_env.Environment` with batched time steps.

Imported when a dm pool is made, because it needs dm_env.
"""

from __future__ import annotations

import functools
import keyword
import re
from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any

import dm_env
import numpy as np
from dm_env import specs
from gymnasium.vector import AutoresetMode

from envpool_py.errors import EnvironmentFailedError, InputError, RenderModeError
from envpool_py.pool.arguments import PoolArguments, Seed
from envpool_py.pool.base import EnvIds, PoolBase, split_reset_options
from envpool_py.pool.dm_specs import dm_spec
from envpool_py.pool.task import ResolvedTask

__all__ = ["FIXED_FIELDS", "DmPool"]

FIXED_FIELDS = ("obs", "env_id", "elapsed_step")
# Infos that are fields of the time step itself.
TIME_STEP_INFOS = ("timestep.discount", "timestep.step_type")
PLAYER_FIELDS = ("env_id", "id", "terminated", "truncated")


class DmPool(PoolBase, dm_env.Environment):  # type: ignore[misc]
    """Many environments of one task, stepped together in C++, as batched `dm_env.TimeStep`s.

    Made by `envpool_py.make_dm`. Every array is new, writable, C-contiguous, aligned to 64 bytes
    and belongs to the caller.

    A time step holds, for n rows: `step_type` int32 (n,) (0 first, 1 mid, 2 last); `reward` float64
        (n,), 0.0 on a first step; `discount` float64 (n,), 0.0 where the episode terminated,
        otherwise 1.0 (also where it was truncated); `observation`, a named tuple of `obs` (an
        array, or a dict or tuple of arrays, like the task's observation space), `env_id` and
        `elapsed_step` (int32 (n,)), and one array for each info field of the task (zero where the
        environment did not set it).

    Tasks with several players: `reward`, `discount`, `observation.obs` and actions have a row for
        each player; `observation.players` is a named tuple of "env_id", "id", "terminated",
        "truncated" and the infos of players. `discount` is also 0.0 for a player that has
        terminated while its episode continues. The specs describe the largest number of rows.

    The step after a last one starts a new episode and ignores its action (NextStep), or raises
    ResetNeededError (Disabled).

    Rows: `reset` returns `num_envs` rows, where row i is environment i; with `env_id`, it returns a
        row per id in the order of the ids. `step` does the same in ordered mode (`batch_size ==
        num_envs`). `recv`, and `step` in first-ready mode, return the first `batch_size` rows that
        are ready, and `observation.env_id` names their environments. The specs describe `num_envs`
        rows.
    """

    def __init__(self, task: ResolvedTask, arguments: PoolArguments) -> None:
        if arguments.autoreset_mode is AutoresetMode.SAME_STEP:
            raise InputError(
                "autoreset_mode: expected 'NextStep' or 'Disabled' with env_type 'dm' (dm_env "
                "needs the last time step of an episode, which 'SameStep' replaces), got 'SameStep'"
            )
        if not arguments.extra_infos:
            raise InputError("extra_infos: expected True with env_type 'dm', got False")
        if arguments.render_mode not in (None, "rgb_array"):
            raise RenderModeError(
                "render_mode: expected None or 'rgb_array' with env_type 'dm', got "
                f"{arguments.render_mode!r}"
            )
        if arguments.record_episode_statistics:
            raise InputError(
                "record_episode_statistics: expected False with env_type 'dm' (a dm_env time step "
                "has no field for them), got True"
            )
        PoolBase.__init__(self, task, arguments, "dm")
        task = self._task
        infos = [info for info in task.description["infos"] if info["name"] not in TIME_STEP_INFOS]
        fixed = (*FIXED_FIELDS, "players") if self.has_players else FIXED_FIELDS
        fields = _field_names([info["name"] for info in infos], fixed)
        self._observation_type = _observation_type((*fixed, *fields), "Observation")
        self._infos = _shapes(infos)
        self._most_rows = self.num_envs * self.num_players
        if self.has_players:
            self._player_infos = _shapes(task.description["players"]["infos"])
            names = _field_names([name for name, _, _ in self._player_infos], PLAYER_FIELDS)
            self._players_type = _observation_type((*PLAYER_FIELDS, *names), "Players")

    def step(self, action: Any, env_id: EnvIds = None) -> dm_env.TimeStep:
        """Steps environments and waits for them; in first-ready mode, `send` followed by `recv`.

        Args:
            action: one row per environment, as in `action_spec`; an array, or a nest of them.
            env_id: distinct ids of the environments, integers (n,), in the order of the rows; none
                may be in flight. None: all of them.

        Raises:
            NothingInFlightError: (first-ready mode) too few environments would be in flight for a
                batch.
            BatchMemoryError: `max_live_batches` blocks of batch memory are in use.
            InputError, InputTypeError, EnvIdError, ResetNeededError, EnvironmentFailedError,
            ClosedError, ForkedError.
        """
        try:
            return self._time_step(self._step(action, env_id))
        except EnvironmentFailedError as error:
            self._convert_batch(error)
            raise

    def recv(self, timeout: float | None = None) -> dm_env.TimeStep:
        """Waits for the next `batch_size` results of `send` and `async_reset`.

        Args:
            timeout: seconds, at least 0; None: no limit.

        Raises:
            NothingInFlightError: fewer than `batch_size` environments are in flight.
            RecvTimeoutError, InputError, InputTypeError, EnvironmentFailedError, ClosedError,
            ForkedError.
        """
        try:
            return self._time_step(self._core.recv(timeout))
        except EnvironmentFailedError as error:
            self._convert_batch(error)
            raise

    def reset(
        self,
        env_id: EnvIds = None,
        *,
        seed: Seed = None,
        options: Mapping[str, Any] | None = None,
    ) -> dm_env.TimeStep:
        """Starts a new episode in some environments, which must not be in flight.

        Args:
            env_id: ids of the environments, integers (n,). None: all of them.
            seed: None (the environments' generators continue); an int in [0, 2**64 - num_envs]
                (environment i gets `seed + i`); or a list of None and ints in [0, 2**64 - 1], one
                per environment to be reset.
            options: the task's reset options. Also "reset_mask", bool (num_envs,), with at least
                one True: resets those environments and returns all `num_envs` rows. It cannot be
                combined with `env_id`. Also "env_options", constructor options that the
                environments have from this reset on; see `set_env_options`.

        Raises:
            ResetNeededError: "reset_mask" omits an environment that was never reset or has failed.
            BatchMemoryError: `max_live_batches` blocks of batch memory are in use.
            InputError, InputTypeError, EnvIdError, OptionError, OptionTypeError,
            EnvironmentFailedError, ClosedError, ForkedError.
        """
        mask = None
        if options is not None:
            options, mask = split_reset_options(options, env_id, self.num_envs)
        try:
            return self._time_step(self._core.reset(env_id, seed, mask, options))
        except EnvironmentFailedError as error:
            self._convert_batch(error)
            raise

    def load_states(self, states: Sequence[bytes], env_id: EnvIds = None) -> dm_env.TimeStep:
        """Continues from saved states, as `PoolBase.load_states`; returns a time step."""
        try:
            return self._time_step(super().load_states(states, env_id))
        except EnvironmentFailedError as error:
            self._convert_batch(error)
            raise

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._core.closed

    def observation_spec(self) -> Any:
        """Returns the named tuple of specs of `observation`, for all rows."""
        rows = self.num_envs
        return self._observation_type(
            dm_spec(self._task.description["observation"], "obs", self._most_rows),
            specs.BoundedArray((rows,), np.int32, 0, rows - 1, "env_id"),
            specs.BoundedArray((rows,), np.int32, 0, np.iinfo(np.int32).max, "elapsed_step"),
            *([self._players_spec()] if self.has_players else []),
            *(specs.Array((rows, *shape), dtype, name) for name, dtype, shape in self._infos),
        )

    def _players_spec(self) -> Any:
        rows = self._most_rows
        return self._players_type(
            specs.BoundedArray((rows,), np.int32, 0, self.num_envs - 1, "env_id"),
            specs.BoundedArray((rows,), np.int32, 0, self.num_players - 1, "id"),
            specs.Array((rows,), np.bool_, "terminated"),
            specs.Array((rows,), np.bool_, "truncated"),
            *(
                specs.Array((rows, *shape), dtype, name)
                for name, dtype, shape in self._player_infos
            ),
        )

    def action_spec(self) -> Any:
        """Returns the spec of the actions of all environments."""
        return dm_spec(self._task.description["action"], "action", self._most_rows)

    def reward_spec(self) -> specs.Array:
        """Returns the spec of the rewards: float64 (num_envs,), or (num_envs * num_players,)."""
        return specs.Array((self._most_rows,), np.float64, "reward")

    def discount_spec(self) -> specs.BoundedArray:
        """Returns the spec of the discounts, 0.0 or 1.0: float64, in the shape of the rewards."""
        return specs.BoundedArray((self._most_rows,), np.float64, 0.0, 1.0, "discount")

    def step_type_spec(self) -> specs.BoundedArray:
        """Returns the spec of the step types: int32 (num_envs,), in [0, 2]."""
        return specs.BoundedArray((self.num_envs,), np.int32, 0, 2, "step_type")

    def step_spec(self) -> dm_env.TimeStep:
        """Returns a time step that holds a spec in each field."""
        return dm_env.TimeStep(
            self.step_type_spec(),
            self.reward_spec(),
            self.discount_spec(),
            self.observation_spec(),
        )

    def _time_step(self, result: tuple[Any, ...]) -> dm_env.TimeStep:
        step_type, reward, discount, obs, infos = result
        fields = _values(infos, self._infos, len(step_type))
        if self.has_players:
            players = infos["players"]
            fixed = [players[name] for name in PLAYER_FIELDS]
            rest = _values(players, self._player_infos, len(reward))
            fields = [self._players_type(*fixed, *rest), *fields]
        observation = self._observation_type(obs, infos["env_id"], infos["elapsed_step"], *fields)
        return dm_env.TimeStep(step_type, reward, discount, observation)

    def _convert_batch(self, error: EnvironmentFailedError) -> None:
        error.batch = self._time_step(error.batch)


_Shapes = list[tuple[str, np.dtype[Any], tuple[int, ...]]]


def _shapes(infos: list[dict[str, Any]]) -> _Shapes:
    return [(info["name"], np.dtype(info["dtype"]), tuple(info["shape"])) for info in infos]


def _values(infos: Mapping[str, Any], shapes: _Shapes, rows: int) -> list[Any]:
    """Returns the infos in order, with zeros for infos that no row of the batch has set."""
    return [
        np.zeros((rows, *shape), dtype) if infos.get(name) is None else infos[name]
        for name, dtype, shape in shapes
    ]


@functools.cache
def _observation_type(fields: tuple[str, ...], name: str) -> Any:
    """Returns the class of named tuples with these fields, shared by all pools.

    Its objects can be pickled, although the class has no name in a module.
    """
    plain = namedtuple(name, fields)  # type: ignore[misc]
    return type(name, (plain,), {"__slots__": (), "__reduce__": _reduce_observation})


def _reduce_observation(observation: Any) -> tuple[Any, ...]:
    return _observation, (observation._fields, tuple(observation), type(observation).__name__)


def _observation(
    fields: tuple[str, ...], values: tuple[Any, ...], name: str = "Observation"
) -> Any:
    """Makes an observation; called by pickle."""
    return _observation_type(fields, name)(*values)


def _field_names(names: list[str], fixed: tuple[str, ...] = FIXED_FIELDS) -> list[str]:
    """Converts the names of info fields to distinct field names of a named tuple."""
    taken = set(fixed)
    fields = []
    for name in names:
        # A field must not be a keyword and must not begin with a digit or an underscore.
        base = re.sub(r"\W", "_", name).lstrip("_") or "info"
        if base[0].isdigit():
            base = "info_" + base
        if keyword.iskeyword(base):
            base += "_"
        field, copies = base, 1
        while field in taken:
            copies += 1
            field = f"{base}_{copies}"
        taken.add(field)
        fields.append(field)
    return fields
