"""The configuration of one comparison, as plain data that is sent to the worker process as JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

__all__ = ["Case"]


@dataclasses.dataclass(frozen=True)
class Case:
    """One task in one configuration.

    Attributes:
        task: id of the environment, such as "CartPole-v1".
        num_envs: environments in the pool, at least 1.
        batch_size: rows of one batch, from 1 to num_envs. Below num_envs the case is first-ready:
            libraries that have `send` and `recv` use them, the others step all environments.
        num_threads: threads that step environments, at least 1. Libraries without threads of
            their own ignore it.
        frame_skip: frames of one step, at least 1; a frame rate is reported when it is above 1.
        seed: seed of the environments and of the actions.
        options: constructor options for every participant.
        peer_tasks: ids of the task by participant, for participants with another id.
        peer_options: options by participant, which replace `options` for participants with other
            option names.
        wrappers: names in `gymnasium.wrappers`, each with its options, innermost first. They wrap
            each of Gymnasium's environments to make it the same task.
        in_python: only Gymnasium has the task; this package steps its environments, in as many
            worker processes as it finds worthwhile.
        consumer_us: microseconds, at least 0, that the simulated policy takes for each batch,
            between its results and its actions.
        consumer_waits: whether the simulated policy waits for that time, as for a GPU, instead of
            computing.
        warmup_calls: smallest number of calls before those that are measured, at least 1.

    Raises:
        ValueError: if a number is outside its bounds.
    """

    task: str
    num_envs: int
    batch_size: int
    num_threads: int
    frame_skip: int = 1
    seed: int = 0
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    peer_tasks: Mapping[str, str] = dataclasses.field(default_factory=dict)
    peer_options: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    wrappers: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    in_python: bool = False
    consumer_us: float = 0.0
    consumer_waits: bool = False
    warmup_calls: int = 3

    def __post_init__(self) -> None:
        for name in ("num_envs", "batch_size", "num_threads", "frame_skip", "warmup_calls"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        if not 0 <= self.consumer_us < math.inf:
            raise ValueError(f"consumer_us must be at least 0, got {self.consumer_us}")
        if self.batch_size > self.num_envs:
            raise ValueError(
                f"batch_size must be at most num_envs ({self.num_envs}), got {self.batch_size}"
            )

    @property
    def first_ready(self) -> bool:
        """Whether a batch holds fewer rows than there are environments."""
        return self.batch_size < self.num_envs

    @property
    def title(self) -> str:
        """A short name for tables and plots."""
        envs = "1 env" if self.num_envs == 1 else f"{self.num_envs:,} envs"
        batches = f", batches of {self.batch_size:,}" if self.first_ready else ""
        consumer = f", consumer {self.consumer_us:,.4g} us" if self.consumer_us else ""
        return f"{self.task.rpartition(':')[2]}, {envs}{batches}{consumer}"

    def task_for(self, participant: str) -> str:
        """The id of the task in `participant`."""
        return self.peer_tasks.get(participant, self.task)

    def options_for(self, participant: str) -> dict[str, Any]:
        """The constructor options for `participant`."""
        return dict(self.peer_options.get(participant, self.options))

    def to_json(self) -> dict[str, Any]:
        """The case as a JSON object; `from_json` reads it back."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Case:
        """The case that `to_json` wrote."""
        return cls(**data)
