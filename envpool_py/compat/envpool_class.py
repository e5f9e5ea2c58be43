"""What describes the tasks that one class of EnvPool implements. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["EnvPoolClass"]


@dataclass(frozen=True)
class EnvPoolClass:
    """The tasks that one class of EnvPool implements.

    Attributes:
        module: EnvPool's module with the classes, below `envpool`.
        ids: the ids of the tasks; empty for Atari, whose games are not listed here.
        has_threshold: whether "reward_threshold" is one of the settings.
        infos: dtypes of the infos by name, beside "env_id", "players.env_id" and "elapsed_step".
        options: defaults of the settings that only this class has, for the first id.
        by_id: defaults of other ids, where they differ.
        pixels: whether this is another class's tasks with pixel observations.
        ours: options of our tasks, unknown to EnvPool, that make them behave like EnvPool's.
        bounds: what EnvPool's specs say of bounded observations: their bounds ("stated"), what it
            says of others ("unstated"), or that they are infinite ("infinite").
        step_limits: EnvPool's step limits by id, of tasks that have none here.
        threshold: EnvPool's reward threshold of tasks that have none here.
        info_bounds: the bounds of infos by name, where EnvPool's specs state them.
        order: the names of dict observations, in EnvPool's order.
    """

    module: str
    ids: tuple[str, ...] = ()
    has_threshold: bool = False
    infos: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    by_id: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    pixels: bool = False
    ours: Mapping[str, Any] = field(default_factory=dict)
    bounds: str = "stated"
    step_limits: Mapping[str, int] = field(default_factory=dict)
    threshold: float | None = None
    info_bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    order: tuple[str, ...] = ()
