"""The allowed outcomes on a pool that several threads use: the oracle of the stress test.

Environments number their own calls (`Testing/Serial-v0`), so a row identifies the call that it
belongs to. For each environment the model counts the calls that may have begun and the calls that
were certainly accepted. Calls are recorded before and after they are made, but not during them, so
these counts are bounds. They are equal when no thread is inside a call.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

Ids = np.ndarray


class Model:
    """Bounds on the work that one pool has done. All methods may be called from any thread."""

    def __init__(self, num_envs: int) -> None:
        self.num_envs = num_envs
        self._lock = threading.Lock()
        self._begun = np.zeros(num_envs, np.int64)  # upper bound
        self._accepted = np.zeros(num_envs, np.int64)  # lower bound while the pool is open
        self._returned = np.zeros((num_envs, 1024), np.bool_)  # serial numbers seen in rows
        self._numbers = np.zeros(num_envs, np.int64)  # 0: not seen yet
        self.closing = threading.Event()  # set before the first close begins
        self.throws = threading.Event()  # set before the first step that throws is sent
        self.outcomes: Counter[tuple[str, str]] = Counter()

    def begin(self, ids: Ids) -> None:
        """Must be called before a call that would step or reset `ids`."""
        with self._lock:
            self._begun[ids] += 1

    def refused(self, ids: Ids) -> None:
        """Records that the call was refused and had no effect."""
        with self._lock:
            self._begun[ids] -= 1

    def accepted(self, ids: Ids) -> None:
        """Records that the call was accepted: it steps or resets each of `ids` once."""
        with self._lock:
            self._accepted[ids] += 1

    def least(self) -> np.ndarray:
        """Returns the least serial numbers that a call beginning now may show."""
        with self._lock:
            return self._accepted.copy()

    def check_rows(
        self, ids: Ids, obs: np.ndarray, least: np.ndarray, failed: Sequence[int] = ()
    ) -> None:
        """Checks rows that a call has returned."""
        ids = np.asarray(ids)
        assert len(set(ids.tolist())) == len(ids), f"twice in one batch: {ids}"
        assert set(failed) <= set(ids.tolist()), f"failed {failed}, returned {ids}"
        broken = np.isin(ids, list(failed))
        assert not obs[broken].any(), "the row of a failed environment is not zero"
        ids, obs = ids[~broken], obs[~broken]
        serials = obs[:, 1]
        with self._lock:
            self._check_shown(ids, obs[:, 0], serials, least)
            if len(serials) and serials.max() >= self._returned.shape[1]:
                more = np.zeros((self.num_envs, int(serials.max()) + 1), np.bool_)
                self._returned = np.concatenate([self._returned, more], axis=1)
            again = self._returned[ids, serials]
            assert not again.any(), f"returned twice: {ids[again]}, serial {serials[again]}"
            self._returned[ids, serials] = True

    def check_pictures(self, ids: Ids, pictures: Sequence[Any], least: np.ndarray) -> None:
        """Checks pictures that `render` has returned; these may repeat serial numbers."""
        assert len(pictures) == len(ids)
        shown = np.array([np.frombuffer(p.tobytes()[:16], np.int64) for p in pictures])
        with self._lock:
            self._check_shown(ids, shown[:, 0], shown[:, 1], least)

    def _check_shown(
        self, ids: Ids, numbers: np.ndarray, serials: np.ndarray, least: np.ndarray
    ) -> None:
        known = self._numbers[ids]
        assert (numbers > 0).all()
        assert ((known == 0) | (known == numbers)).all(), "a row of another environment"
        self._numbers[ids] = numbers
        assert (serials >= least[ids]).all(), f"old: {serials} of {ids}, expected {least[ids]}"
        most = self._begun[ids]
        assert (serials <= most).all(), f"never begun: {serials} of {ids}, expected up to {most}"

    def check_quiet(self, serials: np.ndarray, stats: dict[str, int]) -> None:
        """Checks the counts: no thread is inside a call, nothing in flight, the pool is open."""
        assert (self._accepted <= serials).all(), f"lost: {self._accepted} accepted, {serials} done"
        assert (serials <= self._begun).all(), f"{serials} done, {self._begun} begun"
        counted = stats["steps"] + stats["resets"] + stats["failures"]
        assert counted == serials.sum(), f"stats count {counted}, environments {serials.sum()}"

    def check_stats(self, stats: dict[str, int]) -> None:
        """Checks the counts at any time, also on a closed pool."""
        assert all(isinstance(value, int) and value >= 0 for value in stats.values()), stats
        with self._lock:
            most = self._begun.sum()
        counted = stats["steps"] + stats["resets"] + stats["failures"]
        assert counted <= most, f"stats count {counted}, {most} were begun"
