"""The inner loops of a measurement: one for each way of stepping, the same for every library.

Only worker processes use this module, on their main thread. A loop only calls the library: actions
are sampled beforehand. The last result stays referenced until the next one arrives, as in a
training program.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from envpool_py.players.rows import PlayerRows

__all__ = [
    "CallerResetsDriver",
    "Consume",
    "Driver",
    "FirstReadyDriver",
    "OrderedDriver",
    "ParallelDriver",
    "SingleDriver",
    "make_consumer",
    "pace",
]

# The usual overrun of time.sleep on Linux: the timer slack and the wake-up.
_SLEEP_OVERRUN_NS = 70_000


Consume = Callable[[], None]
"""Takes the time of a policy."""


class Driver(Protocol):
    """An environment that has been reset and can be stepped."""

    num_actions: int
    """Rows of each batch of actions that `advance` takes."""
    rows_per_call: int
    """Environment steps of one batch of actions."""
    by_row: bool
    """Whether a batch of dict or tuple actions has one action per row, not one array per part."""

    def action_space(self) -> Any:
        """The Gymnasium space of one environment's action."""

    def advance(self, actions: Iterable[Any]) -> None:
        """Makes one call per batch of actions."""

    def stats(self) -> Mapping[str, int] | None:
        """The library's own counters since the environment was made, or None."""

    def close(self) -> None:
        """Closes the environment."""


class _EnvDriver:
    """The common part of all drivers: the environment, its action space, its counters, closing."""

    by_row = False

    def __init__(self, env: Any, rows: int) -> None:
        # An upper bound of the rows of actions; `PlayerRows` uses as many as it needs.
        self.num_actions = rows * getattr(env, "num_players", 1)
        self.rows_per_call = rows
        self._env: Any = PlayerRows(env) if getattr(env, "players_vary", False) else env

    def action_space(self) -> Any:
        return getattr(self._env, "single_action_space", None) or self._env.action_space

    def stats(self) -> Mapping[str, int] | None:
        stats = getattr(self._env, "stats", None)
        return dict(stats()) if callable(stats) else None

    def close(self) -> None:
        self._env.close()


class OrderedDriver(_EnvDriver):
    """Steps all environments at once with `step(actions)`."""

    def __init__(self, env: Any, num_envs: int, seed: int | None, *, by_row: bool = False) -> None:
        super().__init__(env, num_envs)
        self.by_row = by_row
        self._env.reset() if seed is None else self._env.reset(seed=seed)

    def advance(self, actions: Iterable[Any]) -> None:
        """Steps once per batch of actions."""
        step = self._env.step
        for action in actions:
            result = step(action)  # noqa: F841 - held as in a training program


class SingleDriver(_EnvDriver):
    """Steps one environment, without a pool."""

    by_row = True

    def __init__(self, env: Any, actions: int, seed: int | None) -> None:
        super().__init__(env, actions)
        env.reset(seed=seed)

    def advance(self, actions: Iterable[Any]) -> None:
        """Steps once per action of each batch."""
        step, reset = self._env.step, self._env.reset
        for batch in actions:
            for action in batch:
                result = step(action)
                if result[2] or result[3]:
                    result = reset()


class CallerResetsDriver(_EnvDriver):
    """Steps all environments at once, and resets those whose episode has ended."""

    by_row = True

    def __init__(self, env: Any, num_envs: int) -> None:
        super().__init__(env, num_envs)
        env.reset()

    def action_space(self) -> Any:
        """The first element of the library's list, which has a space per environment."""
        return self._env.action_space[0]

    def advance(self, actions: Iterable[Any]) -> None:
        """Steps once per batch of actions."""
        step, reset = self._env.step, self._env.reset
        for action in actions:
            _, _, terminated, truncated, _ = step(action)
            ended = terminated | truncated
            if ended.any():
                reset(ended.nonzero()[0])


class ParallelDriver:
    """Steps environments of PettingZoo's parallel API one after another, and resets ended ones.

    All agents have the same action space, as far as actions are concerned that are sampled from it.
    """

    by_row = False

    def __init__(self, envs: Sequence[Any], seed: int) -> None:
        self._envs = envs
        self._agents = envs[0].possible_agents
        self.rows_per_call = len(envs)
        self.num_actions = len(envs) * len(self._agents)
        for number, env in enumerate(envs):
            env.reset(seed=seed + number)

    def action_space(self) -> Any:
        """The space of the first agent's action."""
        return self._envs[0].action_space(self._agents[0])

    def advance(self, actions: Iterable[Any]) -> None:
        """Steps every environment once per batch of actions."""
        agents, count = self._agents, len(self._agents)
        for batch in actions:
            for number, env in enumerate(self._envs):
                if env.agents:
                    rows = batch[number * count : (number + 1) * count]
                    result = env.step(dict(zip(agents, rows, strict=True)))
                else:
                    result = env.reset()  # noqa: F841 - held as in a training program

    def stats(self) -> Mapping[str, int] | None:
        """There are no counters."""
        return None

    def close(self) -> None:
        """Closes the environments."""
        for env in self._envs:
            env.close()


class FirstReadyDriver(_EnvDriver):
    """Receives batches of the first environments to finish, and sends their next actions."""

    def __init__(self, env: Any, batch_size: int) -> None:
        super().__init__(env, batch_size)
        self.consume: Consume | None = None
        """Called between a batch and its actions, while the other environments are stepped."""
        env.async_reset()

    def advance(self, actions: Iterable[Any]) -> None:
        """Receives one batch and sends its actions, once per batch of actions."""
        recv, send, consume = self._env.recv, self._env.send, self.consume
        if consume is None:
            for action in actions:
                result = recv()
                send(action, result[4]["env_id"])
            return
        for action in actions:
            result = recv()
            consume()
            send(action, result[4]["env_id"])


def make_consumer(microseconds: float, waits: bool) -> Consume | None:
    """Returns a function that takes the time of a policy; None if `microseconds` is 0.

    Args:
        microseconds: time of one call (one batch), at least 0.
        waits: whether it waits, as for a GPU, instead of computing in the calling thread.
    """
    if microseconds == 0:
        return None
    ns = round(microseconds * 1e3)

    def compute() -> None:
        clock = time.perf_counter_ns
        end = clock() + ns
        while clock() < end:
            pass

    def wait() -> None:
        end = time.perf_counter_ns() + ns
        time.sleep(max(ns - _SLEEP_OVERRUN_NS, 0) / 1e9)
        while time.perf_counter_ns() < end:
            time.sleep(0)

    return wait if waits else compute


def pace(driver: Driver, actions: Iterator[Any], consume: Consume | None) -> Iterator[Any]:
    """Returns an iterator over `actions` that calls `consume` before each batch.

    A first-ready driver calls `consume` itself, between `recv` and `send`.
    """
    if consume is None:
        return actions
    if isinstance(driver, FirstReadyDriver):
        driver.consume = consume
        return actions
    return _consumed(actions, consume)


def _consumed(actions: Iterator[Any], consume: Consume) -> Iterator[Any]:
    for action in actions:
        consume()
        yield action
