"""PettingZoo's parallel API: one environment of several players as a `pettingzoo.ParallelEnv`.

Only this module needs pettingzoo. A pool steps many environments faster. This class is for code
that needs one environment with an action for each agent.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from envpool_py.errors import (
    InputError,
    InputTypeError,
    MissingPackageError,
    ResetNeededError,
    install_command,
)
from envpool_py.pool.trees import copied_row
from envpool_py.tasks.make import make_gymnasium
from envpool_py.tasks.spec import InfoSpec, PlayerSpec, make_spec

try:
    from pettingzoo import ParallelEnv
except ImportError as error:
    raise MissingPackageError(
        f"envpool_py.players.pettingzoo needs pettingzoo: {install_command('pettingzoo')}"
    ) from error

__all__ = ["PlayersEnv", "parallel_env"]

# Keys of `infos["players"]` that are not infos of the agents.
_OWN = ("env_id", "id", "name", "terminated", "truncated")
# The info of an environment that `PlayersEnv.state` returns, if it is a float array of one
# dimension. An environment sets it in every result.
_STATE = "state"


class PlayersEnv(ParallelEnv[str, Any, Any]):
    """One environment of a task with players.

    An agent has the name of its player, or "player_p" for player p of a task whose players have no
    names. If players have spaces of their own (`PlayersSpec.each`), these are the agent's. `agents`
    are the players that take part in the next step. An agent that has terminated or is truncated
    leaves `agents`, and may return in a later step if the task's players come and go. The end of an
    episode ends all agents; `reset` begins the next episode.

    `infos` of an agent holds the infos of its player, the infos of the environment, and
    "elapsed_step" (int, steps since the reset). A mask of legal actions is
    `infos[agent]["action_mask"]`, if the task has one.

    `state_space` is the space of `state`: that of the task's info "state", if it has one, which is
    then no info of the agents; otherwise, if the number of players is fixed and observations are
    boxes of one dimension, that of all observations.

    Args:
        task_id: an id from `list_all_envs`, or "module:id".
        seed: seed of the first reset, not used if that reset is given a seed; an int in
            [0, 2**64 - 1], or None.
        max_episode_steps: as in `make`.
        render_mode: "rgb_array" enables `render`; None: no rendering.
        check_outputs: as in `make`.
        **options: constructor options of the environment.

    Raises:
        InputError: the task has no players.
        Otherwise the errors of `make`.
    """

    def __init__(
        self,
        task_id: str,
        seed: int | None = None,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        check_outputs: bool = False,
        **options: Any,
    ) -> None:
        task = make_spec(task_id, **options)
        players = task.players
        if players is None:
            raise InputError(f"task_id: expected a task with players, got {task_id!r}")
        self._pool = make_gymnasium(
            task_id,
            num_envs=1,
            num_threads=1,
            seed=seed,
            autoreset_mode="Disabled",
            max_episode_steps=max_episode_steps,
            render_mode=render_mode,
            check_outputs=check_outputs,
            **options,
        )
        self._takes_reset_options = bool(task.reset_options)
        self.render_mode = render_mode
        self.metadata = {
            "name": self._pool.task_id,
            "render_modes": self._pool.metadata["render_modes"],
            "is_parallelizable": True,
            **({"render_fps": self._pool.metadata["render_fps"]} if render_mode else {}),
        }
        shared = PlayerSpec("", self._pool.single_observation_space, self._pool.single_action_space)
        # Each agent has its own space objects, because a space has a generator for samples.
        specs = {each.name: each for each in copy.deepcopy(players.each)} or {
            f"player_{player}": copy.deepcopy(shared) for player in range(players.max_players)
        }
        self.possible_agents = [*specs]
        self.agents: list[str] = []
        self.observation_spaces = {agent: own.observation_space for agent, own in specs.items()}
        self.action_spaces = {agent: own.action_space for agent, own in specs.items()}
        self._present: list[str] = []  # agents of the latest result, in the order of its rows
        self._unused = _first_of(shared.action_space)
        self._state: NDArray[Any] | None = None
        state_space = _state_of(task.infos)
        self._info_is_state = state_space is not None
        if state_space is None and not players.vary:
            state_space = _joined([*self.observation_spaces.values()])
        if state_space is not None:
            self.state_space = state_space

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions, always the same object."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begins an episode.

        Args:
            seed: an int in [0, 2**64 - 1]; None: the environment's generator continues.
            options: the task's reset options. Ignored if the task has none, as PettingZoo requires.

        Returns:
            Observations and infos by agent.

        Raises:
            The errors of the pool's `reset`.
        """
        given = options if self._takes_reset_options else None
        observations, infos = self._pool.reset(seed=seed, options=given)
        self._note(infos)
        return self._by_agent(observations), self._infos(infos)

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Steps the environment.

        Args:
            actions: the action of each agent in `agents`.

        Returns:
            Observations, rewards, terminations, truncations and infos, by agent, for all agents
            that have taken part in this step or have joined in it.

        Raises:
            InputError: an agent has no action, or an action belongs to no agent.
            ResetNeededError: the environment was not reset yet, or the episode has ended.
            InputTypeError, EnvironmentFailedError, ClosedError, ForkedError.
        """
        result = self._pool.step(self._batch(actions))
        observations, rewards, _, _, infos = result
        self._note(infos)
        players = infos["players"]
        return (
            self._by_agent(observations),
            {agent: float(rewards[row]) for row, agent in enumerate(self._present)},
            {agent: bool(players["terminated"][row]) for row, agent in enumerate(self._present)},
            {agent: bool(players["truncated"][row]) for row, agent in enumerate(self._present)},
            self._infos(infos),
        )

    def state(self) -> NDArray[Any]:
        """Returns the current state, of `state_space`.

        That is the info "state" or, without it, the latest observations of all agents, one after
        another.

        Raises:
            InputError: the task has no `state_space`, or the environment has not set its info
                "state" in the latest result.
            ResetNeededError: the environment was not reset yet.
        """
        if not hasattr(self, "state_space"):
            raise InputError(
                f"state: {self._pool.task_id} has none, because its players come and go, or its "
                "observations are not boxes of one dimension"
            )
        if self._state is None:
            if self._present:
                raise InputError(
                    f"state: expected {self._pool.task_id} to set its info {_STATE!r} in every "
                    "result, got none in the latest one"
                )
            raise ResetNeededError("state: expected a reset before")
        state: NDArray[Any] = self._state.copy()
        return state

    def render(self) -> Any:
        """Returns the picture of the current state, uint8 (height, width, 3).

        Raises:
            RenderModeError: the environment was made without `render_mode="rgb_array"`.
        """
        return self._pool.render()[0]

    def close(self) -> None:
        """Closes the pool."""
        self._pool.close()

    def _batch(self, actions: Mapping[str, Any]) -> Any:
        """Returns the actions in the rows of the latest result; ended agents get a dummy action."""
        if not isinstance(actions, Mapping):
            raise InputTypeError(
                f"actions: expected a dict with an action for each agent, got "
                f"{type(actions).__name__}"
            )
        if actions.keys() != set(self.agents):
            missing = [agent for agent in self.agents if agent not in actions]
            others = [agent for agent in actions if agent not in self.agents]
            raise InputError(
                f"actions: expected one for each of {self.agents}, got none for {missing} and "
                f"some for {others}"
            )
        rows = [
            self._widened(agent, actions[agent]) if agent in actions else self._unused
            for agent in self._present
        ]
        return _stack(self._pool.single_action_space, rows)

    def _widened(self, agent: str, action: Any) -> Any:
        """Returns an action of the agent's own space as one of the space of all players.

        The pool checks the rest.
        """
        own, shared = self.action_spaces[agent], self._pool.single_action_space
        if isinstance(own, spaces.Discrete) and isinstance(shared, spaces.Discrete):
            number = np.asarray(action)
            is_number = number.shape == () and number.dtype.kind in "iu"
            if own.n < shared.n and is_number and number >= own.start + own.n:
                raise InputError(
                    f"actions: expected {agent}'s in [{own.start}, {own.start + own.n - 1}], got "
                    f"{number}"
                )
        elif isinstance(own, spaces.Box):
            values = np.asarray(action)
            if values.shape != own.shape:
                raise InputError(
                    f"actions: expected {agent}'s of shape {own.shape}, got {values.shape}"
                )
            return np.concatenate([values, self._unused[len(values) :]])
        return action

    def _note(self, infos: Mapping[str, Any]) -> None:
        """Sets the agents, and a state among the infos, to those of a result."""
        if self._info_is_state:
            is_set = _STATE in infos and infos["_" + _STATE][0]
            self._state = infos[_STATE][0] if is_set else None
        players = infos["players"]
        self._present = [self.possible_agents[player] for player in players["id"]]
        ended = players["terminated"] | players["truncated"]
        self.agents = [agent for agent, over in zip(self._present, ended, strict=True) if not over]

    def _by_agent(self, batch: Any) -> dict[str, Any]:
        observations = {}
        for row, agent in enumerate(self._present):
            observation = copied_row(batch, row)
            own = self.observation_spaces[agent]
            if isinstance(own, spaces.Box) and observation.shape != own.shape:
                observation = observation[: own.shape[0]].copy()
            observations[agent] = observation
        if not self._info_is_state and hasattr(self, "state_space"):
            self._state = np.concatenate([*observations.values()])
        return observations

    def _infos(self, infos: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        shared = {
            name: value[0]
            for name, value in infos.items()
            if name not in ("env_id", "players", "episode")
            and not (name == _STATE and self._info_is_state)
            and not name.startswith("_")
            and infos["_" + name][0]
        }
        players = infos["players"]
        result = {}
        for row, agent in enumerate(self._present):
            own = {
                name: value[row].copy()
                for name, value in players.items()
                if name not in _OWN and not name.startswith("_") and players["_" + name][row]
            }
            result[agent] = {**copy.deepcopy(shared), **own}
        return result


def parallel_env(task_id: str, **arguments: Any) -> PlayersEnv:
    """Makes one environment of a task with players; the arguments are those of `PlayersEnv`."""
    return PlayersEnv(task_id, **arguments)


def _stack(space: spaces.Space[Any], actions: list[Any]) -> Any:
    """Returns a batch of actions; the pool checks their values."""
    if isinstance(space, spaces.Dict):
        return {
            name: _stack(child, [action[name] for action in actions])
            for name, child in space.spaces.items()
        }
    if isinstance(space, spaces.Tuple):
        return tuple(
            _stack(child, [action[index] for action in actions])
            for index, child in enumerate(space.spaces)
        )
    if not actions:
        return np.zeros((0, *(space.shape or ())), space.dtype)
    return np.stack([np.asarray(action) for action in actions])


def _state_of(infos: tuple[InfoSpec, ...]) -> spaces.Box | None:
    """Returns the box of the info that is the state, or None if there is none."""
    for info in infos:
        if info.name == _STATE and len(info.shape) == 1 and info.dtype in ("float32", "float64"):
            dtype: Any = np.dtype(info.dtype).type
            return spaces.Box(-np.inf, np.inf, info.shape, dtype)
    return None


def _joined(parts: list[spaces.Space[Any]]) -> spaces.Box | None:
    """Returns the box of boxes of one dimension and one dtype, or None if they are not such."""
    boxes = [part for part in parts if isinstance(part, spaces.Box) and len(part.shape) == 1]
    if len(boxes) < len(parts) or len({box.dtype for box in boxes}) != 1:
        return None
    low, high = (np.concatenate([getattr(box, end) for box in boxes]) for end in ("low", "high"))
    return spaces.Box(low, high, dtype=low.dtype.type)


def _first_of(space: spaces.Space[Any]) -> Any:
    """Returns any action of the space, for players whose action is not used."""
    unused = copy.deepcopy(space)
    unused.seed(0)
    return unused.sample()
