"""Random sequences of calls, with faults, give what each environment gives in a pool of its own.

The model of a pool is one ordered pool of one thread for each environment, and what is in flight.
So results must not depend on the other environments, the mode, the threads or the order of calls,
and a call that is refused must change nothing.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    EnvIdError,
    EnvironmentFailedError,
    EnvPoolError,
    InputError,
    InputTypeError,
    NothingInFlightError,
    ResetNeededError,
)

NUM_CALLS = 25
FINE, IN_STEP, INT_IN_STEP, IN_OBSERVE, IN_INFO, BYTES_IN_STEP, TERMINATE, IN_NEXT_RESET = range(8)
ODDS = [60, 3, 2, 2, 2, 2, 12, 2]  # of the actions

Row = dict[str, Any]


def rows_of(result: Any) -> tuple[list[int], list[Row]]:
    """The ids and the rows of a result of `step`, `recv` or `reset`."""
    obs, infos = result[0], result[-1]
    ids = infos["env_id"].tolist()
    rows: list[Row] = [{"obs": obs[k].tolist()} for k in range(len(ids))]
    for name, values in zip(("reward", "terminated", "truncated"), result[1:-1], strict=False):
        for row, value in zip(rows, values.tolist(), strict=True):
            row[name] = value
    for name in ("elapsed_step", "steps", "error", "final_obs"):
        if name not in infos:
            continue
        mask = infos.get("_" + name, np.ones(len(ids), bool))
        for k in np.flatnonzero(mask):
            value = infos[name][k]
            rows[k][name] = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
    return ids, rows


class Model:
    """What a pool must do."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.num_envs = settings["num_envs"]
        self.batch_size = settings["batch_size"]
        self.resets = settings["on_error"] == "reset"
        self.autoresets = settings["autoreset_mode"] != "Disabled"
        of_env = {name: settings[name] for name in ("autoreset_mode", "on_error", "max_failures")}
        self.pools = [
            envpool_py.make("Testing/Failing-v0", num_threads=1, seed=5 + env, **of_env)
            for env in range(self.num_envs)
        ]
        self.in_flight: dict[int, tuple[Row, bool]] = {}

    def close(self) -> None:
        for pool in self.pools:
            pool.close()

    def blocked(self, env: int) -> bool:
        """Whether a step of the environment is refused."""
        state = self.pools[env].health()["state"][0]
        if state == "failed":
            return not (self.resets and self.autoresets)
        return state in ("never reset", "episode over")

    def call(self, env: int, call: Callable[[Any], Any]) -> tuple[Row, bool]:
        """Makes a call of one environment; returns its row and whether it has failed."""
        try:
            result, failed = call(self.pools[env]), False
        except EnvironmentFailedError as error:
            result, failed = error.batch, True
        ids, (row,) = rows_of(result)
        assert ids == [0]
        return row, failed

    def expected_error(self, name: str, ids: Sequence[int], steps: bool) -> type[Exception] | None:
        if len(set(ids)) < len(ids) or not all(0 <= env < self.num_envs for env in ids):
            return EnvIdError
        if any(env in self.in_flight for env in ids):
            return EnvIdError
        if steps and any(map(self.blocked, ids)):
            return ResetNeededError
        first_ready = self.batch_size < self.num_envs
        if name == "step" and first_ready and len(self.in_flight) + len(ids) < self.batch_size:
            return NothingInFlightError
        return None


class Player:
    """Makes random calls of a pool and checks them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        num_envs = self.random.randint(1, 5)
        self.settings: dict[str, Any] = {
            "num_envs": num_envs,
            "batch_size": self.random.choice([num_envs, self.random.randint(1, num_envs)]),
            "autoreset_mode": self.random.choice(["NextStep", "SameStep", "Disabled"]),
            "on_error": self.random.choice(["raise", "reset"]),
            "max_failures": 10_000,
        }
        others = {
            "num_threads": self.random.randint(1, 3),
            "step_timeout": self.random.choice([None, 1000.0]),
            "check_outputs": self.random.random() < 0.2,
        }
        self.pool: Any = envpool_py.make("Testing/Failing-v0", seed=5, **self.settings, **others)
        self.model = Model(self.settings)
        self.log: list[str] = [repr({**self.settings, **others})]

    def run(self) -> None:
        calls = [self.step, self.send, self.recv, self.reset, self.async_reset, self.drain]
        calls += [self.wrong, self.states]
        weights = [30, 20, 20, 8, 6, 2, 5, 3]
        with self.pool:
            self.pool.reset()
            for env in range(self.model.num_envs):
                self.model.call(env, lambda pool: pool.reset())
            for _ in range(NUM_CALLS):
                self.random.choices(calls, weights)[0]()
            self.pool.drain()
        self.model.close()

    def ids(self) -> list[int]:
        """Ids that are mostly valid."""
        envs = range(self.model.num_envs)
        if self.random.random() < 0.8:
            idle = [env for env in envs if env not in self.model.in_flight]
            envs = idle or list(envs)  # type: ignore[assignment]
        ids = self.random.sample(list(envs), self.random.randint(1, len(envs)))
        if self.random.random() < 0.04:
            ids.append(self.random.choice([ids[0], -1, self.model.num_envs]))
        return ids

    def checked(self, name: str, call: Callable[[], Any], expected: type[Exception] | None) -> Any:
        """Makes a call that raises the expected error, or returns its result and failed ids."""
        self.log.append(f"{name} -> {expected.__name__ if expected else 'result'}")
        try:
            result, failed = call(), []
        except EnvironmentFailedError as error:
            assert expected is None, self.log
            result, failed = error.batch, list(error.env_ids)
        except EnvPoolError as error:
            if expected is None or not isinstance(error, expected):
                raise AssertionError(self.log) from error
            return None
        assert expected is None, self.log
        return result, failed

    def check(self, found: Any, rows: dict[int, tuple[Row, bool]]) -> None:
        result, failed = found
        ids, shown = rows_of(result)
        for env, row in zip(ids, shown, strict=True):
            expected, fails = rows.pop(env)
            assert row == expected, (env, row, expected, self.log)
            assert (env in failed) == fails, (env, failed, self.log)

    def step(self) -> None:
        ids = self.ids()
        actions = np.array(self.random.choices(range(8), ODDS, k=len(ids)))
        call = lambda: self.pool.step(actions, ids)  # noqa: E731
        expected = self.model.expected_error("step", ids, steps=True)
        found = self.checked(f"step({actions.tolist()}, {ids})", call, expected)
        if expected is None:
            self.advance(actions, ids)
            if self.pool.is_async:
                self.check(found, self.model.in_flight)
            else:
                self.check(found, {env: self.model.in_flight.pop(env) for env in ids})

    def advance(self, actions: np.ndarray, ids: Sequence[int]) -> None:
        for env, action in zip(ids, actions, strict=True):
            step = lambda pool, action=action: pool.step([action])  # noqa: E731
            self.model.in_flight[env] = self.model.call(env, step)

    def send(self) -> None:
        ids = self.ids()
        actions = np.array(self.random.choices(range(8), ODDS, k=len(ids)))
        expected = self.model.expected_error("send", ids, steps=True)
        self.checked(
            f"send({actions.tolist()}, {ids})", lambda: self.pool.send(actions, ids), expected
        )
        if expected is None:
            self.advance(actions, ids)

    def recv(self) -> None:
        too_few = len(self.model.in_flight) < self.model.batch_size
        found = self.checked("recv", self.pool.recv, NothingInFlightError if too_few else None)
        if not too_few:
            self.check(found, self.model.in_flight)

    def reset(self) -> None:
        ids = self.ids()
        seeds = [self.random.choice([None, self.random.randrange(99)]) for _ in ids]
        fails = self.random.random() < 0.1
        options = {"fail": True} if fails else None
        expected = self.model.expected_error("reset", ids, steps=False)
        call = lambda: self.pool.reset(ids, seed=seeds, options=options)  # noqa: E731
        found = self.checked(f"reset({ids}, {seeds}, {options})", call, expected)
        if expected is not None:
            return
        rows = {}
        for env, seed in zip(ids, seeds, strict=True):
            one = lambda pool, seed=seed: pool.reset(seed=[seed], options=options)  # noqa: E731
            rows[env] = self.model.call(env, one)
        self.check(found, rows)

    def async_reset(self) -> None:
        ids = self.ids()
        expected = self.model.expected_error("async_reset", ids, steps=False)
        self.checked(f"async_reset({ids})", lambda: self.pool.async_reset(ids), expected)
        if expected is not None:
            return

        def one(pool: Any) -> Any:
            pool.async_reset()
            return pool.recv()

        for env in ids:
            self.model.in_flight[env] = self.model.call(env, one)

    def drain(self) -> None:
        self.checked("drain", self.pool.drain, None)
        self.model.in_flight.clear()

    def wrong(self) -> None:
        """Calls that are refused whatever the state is, which change nothing."""
        n = self.model.num_envs
        calls: deque[tuple[str, Callable[[], Any], type[Exception]]] = deque(
            [
                ("actions", lambda: self.pool.step(np.full(n, 8)), EnvPoolError),
                ("shape", lambda: self.pool.send(np.zeros((n, 2), int)), EnvPoolError),
                ("dtype", lambda: self.pool.step(["x"] * n), EnvPoolError),
                ("timeout", lambda: self.pool.recv(timeout=-1), InputError),
                ("timeout", lambda: self.pool.recv(timeout="1"), InputTypeError),
                ("options", lambda: self.pool.reset(options={"fial": True}), EnvPoolError),
                ("seed", lambda: self.pool.reset(seed=[1] * (n + 1)), EnvPoolError),
                ("states", lambda: self.pool.load_states([b""] * n), EnvPoolError),
            ]
        )
        calls.rotate(self.random.randrange(len(calls)))
        name, call, error = calls[0]
        self.log.append(name)
        with pytest.raises(error):
            call()

    def states(self) -> None:
        """What a program reads at any time."""
        health = self.pool.health()
        for env in range(self.model.num_envs):
            in_flight = env in self.model.in_flight
            assert (health["state"][env] in ("in flight", "stepping")) == in_flight, self.log
            if in_flight:
                continue
            assert health["state"][env] == self.model.pools[env].health()["state"][0], self.log


@pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(500), id="short"), pytest.param(range(10_000), marks=pytest.mark.long)],
)
def test_random_calls_of_a_pool_and_of_its_environments(testing: Any, seeds: range) -> None:
    alive = testing.failing_instances()
    for seed in seeds:
        player = Player(seed)
        try:
            player.run()
        except BaseException:
            print(f"seed {seed}:", *player.log, sep="\n  ")
            raise
    assert testing.failing_instances() == alive
