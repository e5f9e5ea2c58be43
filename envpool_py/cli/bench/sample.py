"""The result of a worker process: a sample, or the reason why there is none."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

__all__ = ["Outcome", "Sample", "Status"]

Status = Literal["ok", "unavailable", "failed"]


@dataclasses.dataclass(frozen=True)
class Sample:
    """One measurement of one participant.

    Attributes:
        calls: calls made, at least 1 (a `recv` and a `send` count as one).
        rows: environment steps in those calls.
        wall_ns: elapsed time of the calls, ns.
        cpu_ns: processor time of all threads of the process in that time, ns.
        stats: increase of the library's own counters in that time, if it has any.
    """

    calls: int
    rows: int
    wall_ns: int
    cpu_ns: int
    stats: Mapping[str, int] | None = None

    @property
    def steps_per_s(self) -> float:
        """Environment steps per second."""
        return self.rows * 1e9 / self.wall_ns

    @property
    def call_us(self) -> float:
        """Mean time of a call, microseconds."""
        return self.wall_ns / self.calls / 1e3

    @property
    def outside_us(self) -> float | None:
        """Mean time of a call spent outside the environments, microseconds.

        Meaningful only if a single thread steps; None if the library does not count `step_ns`.
        """
        if self.stats is None or not self.stats.get("step_ns"):
            return None
        return (self.wall_ns - self.stats["step_ns"]) / self.calls / 1e3


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How one measurement ended.

    Attributes:
        status: "ok", "unavailable" (not installed, or without the task) or "failed".
        sample: the measurement, if the status is "ok".
        version: version of the participant's package, if known.
        reason: why there is no sample.
        remedy: a command that would help, if there is one.
    """

    status: Status
    sample: Sample | None = None
    version: str | None = None
    reason: str | None = None
    remedy: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The outcome as a JSON object; `from_json` reads it back."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Outcome:
        """The outcome that `to_json` wrote."""
        fields = dict(data)
        if fields.get("sample") is not None:
            fields["sample"] = Sample(**fields["sample"])
        return cls(**fields)
