"""The search for the fastest settings of a pool on this machine.

The search measures whole loops: a pool's results, the policy or a simulated one, and the actions.
It has three stages: a grid of settings that are far apart; moves from the best setting to its
neighbours, each measured alternately with the best one; and a final, in which the best few run
alternately until the time is over. Other load on the machine affects all settings of a stage alike.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Callable, Iterator, Sequence

__all__ = ["Limits", "Measured", "Setting", "Tuner"]

# A setting must be faster by this factor to replace another one.
_BETTER = 1.02
# Settings within this factor of the fastest count as equal. The smallest of them is chosen, because
# it needs less memory and its data come from a more recent policy.
_EQUALLY_GOOD = 0.97
_FINALISTS = 4
# Fractions of the whole time at which a stage ends.
_GRID_ENDS = 0.45
_CLIMB_ENDS = 0.75
# A measurement lasts this fraction of the whole time, within the bounds (seconds).
_PART = 1 / 150
_SHORTEST, _LONGEST = 0.05, 0.4
_FINAL_FACTOR = 2.0


@dataclasses.dataclass(frozen=True, order=True)
class Setting:
    """The tuned settings of a pool. In their order, smaller ones come first.

    Attributes:
        num_envs: number of environments.
        workers: threads that step environments; for environments in Python: worker processes,
            or 0.
        batch_size: rows of a batch, at most `num_envs`.
    """

    num_envs: int
    workers: int
    batch_size: int


@dataclasses.dataclass(frozen=True)
class Limits:
    """Which settings may be tried.

    Attributes:
        workers: the numbers of threads or processes, ascending.
        most_envs: upper bound of `num_envs`, at least 1.
        num_envs: the only value of `num_envs`; None: any.
    """

    workers: Sequence[int]
    most_envs: int
    num_envs: int | None = None

    def envs(self) -> list[int]:
        """Returns the values of `num_envs`, ascending: powers of two and the bound."""
        if self.num_envs is not None:
            return [self.num_envs]
        powers = [2**k for k in range(self.most_envs.bit_length())]
        return powers if powers[-1] == self.most_envs else [*powers, self.most_envs]


class Measured:
    """All measurements of one setting."""

    def __init__(self) -> None:
        self.rates: list[float] = []
        self.latest: list[float] = []  # rates in the final

    @property
    def rate(self) -> float:
        """Median steps per second: of the final if the setting is in it, else of all turns."""
        return statistics.median(self.latest or self.rates)


Measure = Callable[[Setting, float], float]
"""Runs a setting for some seconds; returns steps per second, or 0.0 if it cannot be used."""


class Tuner:
    """One search.

    Args:
        limits: which settings may be tried.
        measure: measures one.
        seconds: time for the search. The search finishes the measurement that exceeds it.
        clock: returns the current time, seconds.
        on_progress: gets the elapsed fraction of the time, in [0, 1], and the current setting as
            text.
    """

    def __init__(
        self,
        limits: Limits,
        measure: Measure,
        seconds: float,
        clock: Callable[[], float],
        on_progress: Callable[[float, str], None] = lambda part, text: None,
    ) -> None:
        self._limits = limits
        self._measure = measure
        self._seconds = seconds
        self._clock = clock
        self._on_progress = on_progress
        self._start = clock()
        self._length = min(max(seconds * _PART, _SHORTEST), _LONGEST)
        self.results: dict[Setting, Measured] = {}

    def run(self, default: Setting) -> Setting:
        """Returns the setting to use; `default` takes part in all stages.

        Afterwards `results` has all measurements.
        """
        self._try(default, self._length)
        for setting in self._grid():
            if self._part() > _GRID_ENDS:
                break
            if setting not in self.results:
                self._try(setting, self._length)
        best = self._climb(self._best())
        return self._final(best, default)

    def finalists(self) -> list[Setting]:
        """Returns the settings of the final, fastest first."""
        final = [setting for setting, measured in self.results.items() if measured.latest]
        return sorted(final, key=lambda setting: -self.results[setting].rate)

    def _part(self) -> float:
        return (self._clock() - self._start) / self._seconds

    def _try(self, setting: Setting, seconds: float, *, final: bool = False) -> float:
        batches = "" if setting.batch_size == setting.num_envs else f" by {setting.batch_size}"
        text = f"{setting.num_envs} environments{batches}, {setting.workers} workers"
        self._on_progress(min(self._part(), 1.0), text)
        rate = self._measure(setting, seconds)
        measured = self.results.setdefault(setting, Measured())
        measured.rates.append(rate)
        if final:
            measured.latest.append(rate)
        return rate

    def _best(self) -> Setting:
        return max(self.results, key=lambda setting: self.results[setting].rate)

    def _grid(self) -> Iterator[Setting]:
        """Yields settings that are far apart, coarse ones first."""
        envs = self._limits.envs()
        workers = self._limits.workers
        # Starts with the largest numbers: there the number of environments matters least.
        for step in (4, 2):
            for num_envs in envs[::-1][::step]:
                for count in (workers[-1], workers[0]):
                    yield Setting(num_envs, count, num_envs)
                    if num_envs > 1:
                        yield Setting(num_envs, count, math.ceil(num_envs / 2))

    def _neighbours(self, at: Setting) -> Iterator[Setting]:
        """Yields settings that differ in one respect."""
        for values, value, change in (
            (self._limits.workers, at.workers, self._with_workers),
            (self._limits.envs(), at.num_envs, self._with_envs),
        ):
            index = list(values).index(value) if value in values else -1
            if index < 0:
                continue
            for other in (index + 1, index - 1):
                if 0 <= other < len(values):
                    yield change(at, values[other])
        for batch in (at.batch_size // 2, at.batch_size * 2):
            if 1 <= batch <= at.num_envs:
                yield dataclasses.replace(at, batch_size=batch)

    @staticmethod
    def _with_workers(at: Setting, workers: int) -> Setting:
        return dataclasses.replace(at, workers=workers)

    @staticmethod
    def _with_envs(at: Setting, num_envs: int) -> Setting:
        batch = max(1, round(at.batch_size * num_envs / at.num_envs))
        return Setting(num_envs, at.workers, min(batch, num_envs))

    def _climb(self, best: Setting) -> Setting:
        """Moves to a better neighbour as long as there is one."""
        while True:
            for other in self._neighbours(best):
                if self._part() > _CLIMB_ENDS:
                    return best
                if other in self.results:
                    continue
                rate = self._try(other, self._length)
                if rate > _BETTER * self._try(best, self._length):
                    best = other
                    break
            else:
                return best

    def _final(self, best: Setting, default: Setting) -> Setting:
        ranked = sorted(self.results, key=lambda setting: -self.results[setting].rate)
        close = [s for s in ranked if self.results[s].rate > 0.9 * self.results[best].rate]
        # The final includes the smallest settings among those that may be equally good.
        smallest = sorted(close)[: _FINALISTS // 2]
        chosen = dict.fromkeys([best, default, *ranked[:_FINALISTS], *smallest])
        first = True
        while first or self._part() < 1.0:
            for setting in chosen:
                if first or self._part() < 1.0:
                    self._try(setting, _FINAL_FACTOR * self._length, final=True)
            first = False
        fastest = max(self.results[setting].rate for setting in chosen)
        return min(s for s in chosen if self.results[s].rate >= _EQUALLY_GOOD * fastest)
