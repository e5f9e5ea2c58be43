"""Random calls of one thread, each checked against the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from envpool_py.errors import (
    ClosedError,
    CloseTimeoutError,
    EnvIdError,
    EnvironmentFailedError,
    NothingInFlightError,
    RecvTimeoutError,
    ResetNeededError,
)

from .model import Model

LIGHT, HEAVY, THROW = 0, 1, 2

# Relative frequencies of the calls.
WEIGHTS = {
    "send": 30,
    "recv": 35,
    "step": 12,
    "reset": 5,
    "async_reset": 5,
    "drain": 2,
    "render": 6,
    "stats": 5,
}
# Errors that a call may raise on an open pool that other threads use too. ResetNeededError and
# EnvironmentFailedError are possible only after a step that throws was sent.
POSSIBLE: dict[str, tuple[type[Exception], ...]] = {
    "send": (EnvIdError, ResetNeededError),
    "recv": (NothingInFlightError, RecvTimeoutError, EnvironmentFailedError),
    "step": (EnvIdError, ResetNeededError, EnvironmentFailedError),
    "first-ready step": (
        EnvIdError,
        ResetNeededError,
        EnvironmentFailedError,
        NothingInFlightError,
    ),
    "reset": (EnvIdError,),
    "async_reset": (EnvIdError,),
    "drain": (),
    "render": (EnvIdError, ResetNeededError),
    "stats": (),
}


class Player:
    """Makes one thread's calls on a pool."""

    def __init__(self, pool: Any, model: Model, seed: int, *, throws: bool, closes: float) -> None:
        self._pool = pool
        self._model = model
        self._rng = np.random.default_rng(seed)
        self._throws = throws
        self._closes = closes  # the probability that a call is `close`
        self._ordered = pool.batch_size == pool.num_envs
        self._names = list(WEIGHTS)
        weights = np.array(list(WEIGHTS.values()), float)
        self._odds = weights / weights.sum()
        self.calls = 0  # calls made so far; the watching thread reads it

    def play(self) -> bool:
        """Makes a call; returns False if the pool was closed."""
        self.calls += 1
        if self._rng.random() < self._closes:
            self._close()
            return False
        name = str(self._rng.choice(self._names, p=self._odds))
        outcome = "returned"
        try:
            getattr(self, "_" + name)()
        except ClosedError:
            assert self._model.closing.is_set(), f"{name}: ClosedError of an open pool"
            outcome = "ClosedError"
        except self._possible(name) as error:
            outcome = type(error).__name__
            self._check_cause(error)
        self._model.outcomes[name, outcome] += 1
        return outcome != "ClosedError"

    def check_closed(self) -> None:
        """Asserts that every call on a closed pool raises ClosedError."""
        pool, n = self._pool, self._pool.num_envs
        calls: list[Callable[[], Any]] = [
            lambda: pool.send(np.zeros(n, np.int64)),
            lambda: pool.step(np.zeros(n, np.int64)),
            lambda: pool.step([0], [0]),
            lambda: pool.recv(),
            lambda: pool.recv(0),
            lambda: pool.reset(),
            lambda: pool.async_reset(),
            lambda: pool.drain(),
            lambda: pool.render(),
        ]
        for call in calls:
            try:
                call()
            except ClosedError:
                continue
            raise AssertionError("a call on a closed pool returned")
        self._model.check_stats(pool.stats())
        pool.close()
        self._model.check_stats(pool.stats())

    def _check_cause(self, error: Exception) -> None:
        if isinstance(error, (ResetNeededError, EnvironmentFailedError)):
            assert self._model.throws.is_set(), f"{error!r}, but no environment was told to throw"

    def _possible(self, name: str) -> tuple[type[Exception], ...]:
        return POSSIBLE["first-ready step" if name == "step" and not self._ordered else name]

    def _ids(self) -> np.ndarray:
        n = self._pool.num_envs
        if self._rng.random() < 0.1:
            return np.arange(n)
        return self._rng.permutation(n)[: self._rng.integers(1, max(2, n // 4) + 1)]

    def _actions(self, n: int) -> np.ndarray:
        odds = [0.7, 0.28, 0.02] if self._throws else [0.7, 0.3, 0.0]
        actions = self._rng.choice(3, n, p=odds)
        if (actions == THROW).any():
            self._model.throws.set()
        return actions

    def _or_all(self, ids: np.ndarray) -> np.ndarray | None:
        return None if len(ids) == self._pool.num_envs and self._rng.random() < 0.5 else ids

    def _work(self, call: Callable[[np.ndarray | None], Any], ids: np.ndarray) -> Any:
        """Makes a call that steps or resets `ids`, and records it; a refused call has no effect."""
        self._model.begin(ids)
        named = self._or_all(ids)
        if named is None:
            ids = np.arange(self._pool.num_envs)
        try:
            result = call(named)
        except (EnvIdError, ResetNeededError):
            self._model.refused(ids)
            raise
        except EnvironmentFailedError:
            self._model.accepted(ids)
            raise
        # After ClosedError, the work may or may not have been done. The same holds for
        # NothingInFlightError from a first-ready step whose rows another receiver took.
        self._model.accepted(ids)
        return result

    def _rows(self, call: Callable[[], Any]) -> None:
        """Makes a call that returns a batch, and checks its rows."""
        least = self._model.least()
        try:
            result, failed = call(), []
        except EnvironmentFailedError as error:
            result, failed = error.batch, error.env_ids
            assert failed
            self._model.check_rows(result[-1]["env_id"], result[0], least, failed)
            raise
        self._model.check_rows(result[-1]["env_id"], result[0], least, failed)

    def _send(self) -> None:
        ids = self._ids()
        actions = self._actions(len(ids))
        if len(ids) == self._pool.num_envs:
            ids = np.arange(self._pool.num_envs)
        self._work(lambda named: self._pool.send(actions, named), ids)

    def _recv(self) -> None:
        timeout = self._rng.choice([0.0, 0.001, 0.02, 60.0])
        self._rows(lambda: self._pool.recv(timeout))

    def _step(self) -> None:
        ids = self._ids()
        actions = self._actions(len(ids))
        self._rows(lambda: self._work(lambda named: self._pool.step(actions, named), ids))

    def _reset(self) -> None:
        ids = self._ids()
        self._rows(lambda: self._work(lambda named: self._pool.reset(env_id=named), ids))

    def _async_reset(self) -> None:
        self._work(lambda named: self._pool.async_reset(named), self._ids())

    def _drain(self) -> None:
        self._pool.drain()

    def _render(self) -> None:
        ids = self._ids()
        least = self._model.least()
        self._model.check_pictures(ids, self._pool.render(ids), least)

    def _stats(self) -> None:
        self._model.check_stats(self._pool.stats())

    def _close(self) -> None:
        self._model.closing.set()
        try:
            self._pool.close(timeout=self._rng.choice([0.0, 60.0]))
        except CloseTimeoutError:
            self._model.outcomes["close", "CloseTimeoutError"] += 1
        else:
            self._model.outcomes["close", "returned"] += 1
