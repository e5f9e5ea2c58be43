"""Describes a task without making a pool: `TaskSpec` and `make_spec`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import gymnasium

from envpool_py.compat.hints import missing_attribute
from envpool_py.pool import spaces
from envpool_py.tasks.resolve import describe

__all__ = [
    "InfoSpec",
    "OptionSpec",
    "PlayerSpec",
    "PlayersSpec",
    "RenderSpec",
    "TaskSpec",
    "make_spec",
]


@dataclass(frozen=True)
class OptionSpec:
    """One option of an environment's constructor or of a reset.

    Attributes:
        name: keyword of the option.
        type: "bool", "int", "float", "str", "list of int", "list of float", "list of str" or "dict
            of float" (numbers, or lists of numbers, by names or integers); followed by " or None"
            if None is allowed.
        default: the default value.
        doc: meaning and unit, in one line.
        low: inclusive lower bound of numbers (None: none).
        high: inclusive upper bound of numbers (None: none).
        choices: the allowed values of a str (empty: any).
    """

    name: str
    type: str
    default: Any
    doc: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]


@dataclass(frozen=True)
class InfoSpec:
    """One array of `infos` that the environment fills: name, NumPy dtype, shape per environment."""

    name: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class PlayerSpec:
    """A player of a task whose players have names and spaces of their own.

    Attributes:
        name: the name in `infos["players"]["name"]`, and of the agent in PettingZoo.
        observation_space: the space of the first elements of the player's observations; the others
            are zero.
        action_space: the space of the player's actions. Of a larger box, only the first elements
            are used; the task determines the meaning of larger integers.
    """

    name: str
    observation_space: gymnasium.Space[Any]
    action_space: gymnasium.Space[Any]


@dataclass(frozen=True)
class PlayersSpec:
    """The players of an environment.

    Attributes:
        max_players: largest number of players at a time; their ids are 0 to `max_players - 1`.
        vary: whether players come and go. Otherwise all players play from the beginning to the end
            of each episode.
        infos: the arrays of `infos["players"]` that the environment fills, beside "env_id", "id",
            "terminated" and "truncated"; shapes are those of one player.
        each: the players, in the order of their ids; empty: they have no names, and the spaces of
            the task.
    """

    max_players: int
    vary: bool
    infos: tuple[InfoSpec, ...]
    each: tuple[PlayerSpec, ...]


@dataclass(frozen=True)
class RenderSpec:
    """The pictures that `render` returns.

    Attributes:
        height: rows of pixels.
        width: pixels of a row.
        fps: the frame rate of a video in real time.
    """

    height: int
    width: int
    fps: int


@dataclass(frozen=True)
class TaskSpec:
    """A task with its options applied. Immutable and picklable; contains no environment.

    Attributes:
        id: task id for `make`.
        observation_space: Gymnasium space of one environment's observation; of one player's, if
            the task has players.
        action_space: Gymnasium space of one environment's action; of one player's, if the task has
            players.
        action_out_of_bounds: "reject" (a box action outside its bounds is an error) or "clip"
            (the dynamics clip it).
        options: constructor options by name.
        reset_options: options of `reset(options=...)` by name.
        max_episode_steps: steps after which an episode is truncated, by default; None: never.
        reward_threshold: episode return at which the task counts as solved, or None.
        infos: the environment's info arrays, beside "env_id" and "elapsed_step".
        frame_skip: emulator or physics frames per step (1 if the task has none).
        num_players: largest number of rows of observations and actions that one environment can
            have.
        players: the players of an environment; None: it has one observation, action and reward.
        render: the pictures of `render_mode="rgb_array"`; None: the task cannot be rendered.
    """

    id: str
    observation_space: gymnasium.Space[Any]
    action_space: gymnasium.Space[Any]
    action_out_of_bounds: str
    options: Mapping[str, OptionSpec]
    reset_options: Mapping[str, OptionSpec]
    max_episode_steps: int | None
    reward_threshold: float | None
    infos: tuple[InfoSpec, ...]
    frame_skip: int
    num_players: int
    players: PlayersSpec | None
    render: RenderSpec | None
    _data: dict[str, Any] = field(repr=False, compare=False)

    def observation_spec(self) -> Any:
        """Returns the dm_env spec of one observation (nested if the space is a dict or tuple)."""
        from envpool_py.pool.dm_specs import dm_spec  # imports dm_env

        return dm_spec(self._data["observation"], "obs")

    def action_spec(self) -> Any:
        """Returns the dm_env spec of one action (nested if the space is a dict or tuple)."""
        from envpool_py.pool.dm_specs import dm_spec  # imports dm_env

        return dm_spec(self._data["action"], "action")

    if not TYPE_CHECKING:  # otherwise type checkers would accept any name

        def __getattr__(self, name: str) -> Any:
            raise missing_attribute(self, name)

    def __reduce__(self) -> tuple[Any, ...]:
        # The attributes are read-only mappings, which cannot be pickled.
        return _task_spec, (self._data,)


def make_spec(task_id: str, **options: Any) -> TaskSpec:
    """Describes a task.

    Args:
        task_id: an id from `list_all_envs`, or "module:id", which imports the module first.
        **options: constructor options of the environment; they may change its spaces.

    Raises:
        UnknownTaskError, MissingPackageError, OptionError, OptionTypeError, InputTypeError.
    """
    return _task_spec(describe(task_id, options))


def _task_spec(data: dict[str, Any]) -> TaskSpec:
    """Makes the spec from the engine's description; called by pickle."""
    return TaskSpec(
        id=data["id"],
        observation_space=spaces.gymnasium_space(data["observation"]),
        action_space=spaces.gymnasium_space(data["action"]),
        action_out_of_bounds=data["action_out_of_bounds"],
        options=_option_specs(data["options"]),
        reset_options=_option_specs(data["reset_options"]),
        max_episode_steps=data["max_episode_steps"],
        reward_threshold=data["reward_threshold"],
        infos=_info_specs(data["infos"]),
        frame_skip=data["frame_skip"],
        num_players=data["num_players"],
        players=_players_spec(data["players"]),
        render=None if data["render"] is None else RenderSpec(**data["render"]),
        _data=data,
    )


def _info_specs(infos: list[dict[str, Any]]) -> tuple[InfoSpec, ...]:
    return tuple(InfoSpec(info["name"], str(info["dtype"]), tuple(info["shape"])) for info in infos)


def _players_spec(players: dict[str, Any] | None) -> PlayersSpec | None:
    if players is None:
        return None
    each = tuple(
        PlayerSpec(
            player["name"],
            spaces.gymnasium_space(player["observation"]),
            spaces.gymnasium_space(player["action"]),
        )
        for player in players["each"]
    )
    return PlayersSpec(players["max_players"], players["vary"], _info_specs(players["infos"]), each)


def _option_specs(params: list[dict[str, Any]]) -> Mapping[str, OptionSpec]:
    return MappingProxyType(
        {
            param["name"]: OptionSpec(
                name=param["name"],
                type=param["type"],
                default=param["default"],
                doc=param["doc"],
                low=param["low"],
                high=param["high"],
                choices=tuple(param["choices"] or ()),
            )
            for param in params
        }
    )
