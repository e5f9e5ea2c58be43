"""`save_states` and `load_states` of environments in Python."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest
from gymnasium.utils import EzPickle

import envpool_py
from envpool_py.errors import InputError, InputTypeError, ResetNeededError, StateError

WORKERS: list[dict[str, Any]] = [
    {"num_workers": 0},
    {"num_workers": 2},
    {"num_workers": 2, "workers": "threads"},
]
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import this module


class Walk(gymnasium.Env[Any, Any]):
    """A random walk that ends at 5; the observation is an array that is used again."""

    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (2,), np.float64)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self) -> None:
        self.seen = np.zeros(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.seen[:] = self.np_random.normal(), 0.0
        return self.seen, {"start": self.seen[0]}

    def step(self, action: Any) -> Any:
        self.seen += (self.np_random.normal(), 1.0 + action)
        return self.seen, float(self.seen[0]), bool(self.seen[1] >= 5), False, {"seen": [1, 2]}


class WithMethods(Walk):
    """Cannot be pickled, but has state methods."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()

    def get_state(self) -> Any:
        return self.seen.copy(), self.np_random.bit_generator.state

    def set_state(self, state: Any) -> None:
        self.seen[:], self.np_random.bit_generator.state = state


class Locked(Walk):
    """Cannot be pickled."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


class ArgumentsOnly(Walk, EzPickle):
    """Is pickled without its state."""

    def __init__(self) -> None:
        EzPickle.__init__(self)
        super().__init__()


class Reading(Walk):
    """Cannot be unpickled in its second step."""

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        if self.seen[1] > 1.5:
            raise ValueError("no")


def limited(kind: type[gymnasium.Env[Any, Any]]) -> Callable[[], Any]:
    """Returns a function that makes an environment with a wrapper that has a state."""
    return lambda: gymnasium.wrappers.TimeLimit(kind(), 4)


def steps(pool: Any, count: int) -> list[Any]:
    pool.action_space.seed(count)
    return [pool.step(pool.action_space.sample()) for _ in range(count)]


def assert_equal(first: list[Any], second: list[Any]) -> None:
    for one, other in zip(first, second, strict=True):
        np.testing.assert_equal(one[:4], other[:4])
        np.testing.assert_equal(one[4], other[4])


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("kind", [Walk, WithMethods])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_loaded_state_continues(kind: Any, workers: Any, mode: str) -> None:
    made = [limited(kind)] * 3
    arguments = {**workers, "autoreset_mode": mode}
    with (
        envpool_py.make_python(made, **arguments) as pool,
        envpool_py.make_python(made, **arguments) as other,
    ):
        pool.reset(seed=3)
        last = steps(pool, 2)[-1]
        states = pool.save_states()
        expected = steps(pool, 9)
        observations, infos = pool.load_states(states)
        np.testing.assert_array_equal(observations, last[0])
        assert infos["elapsed_step"].tolist() == [2, 2, 2]
        assert_equal(steps(pool, 9), expected)
        # Another pool, whose environments have never been reset.
        observations, _ = other.load_states(states)
        np.testing.assert_array_equal(observations, last[0])
        assert_equal(steps(other, 9), expected)
        # One environment.
        pool.load_states([states[0]], [2])
        after = pool.save_states([2])
        pool.load_states([states[0]], [1])
        assert len(after) == 1
        pool.step(np.zeros(3, int))


def test_statistics_and_ends_are_saved() -> None:
    arguments = {"record_episode_statistics": True, "autoreset_mode": "NextStep"}
    with envpool_py.make_python([limited(Walk)] * 2, num_workers=1, **arguments) as pool:
        pool.reset(seed=0)
        steps(pool, 4)  # the limit: the next step resets
        states = pool.save_states()
        expected = steps(pool, 6)
        pool.load_states(states)
        found = steps(pool, 6)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_equal(one[:4], other[:4])
            assert ("episode" in one[4]) == ("episode" in other[4])
            if "episode" in one[4]:
                np.testing.assert_equal(one[4]["episode"]["r"], other[4]["episode"]["r"])
    with (
        envpool_py.make_python([limited(Walk)] * 2, autoreset_mode="SameStep") as same,
        pytest.raises(StateError, match="the state is the end of an episode"),
    ):
        same.load_states(states)


@pytest.mark.parametrize("workers", WORKERS)
def test_environments_that_cannot_be_saved(workers: Any) -> None:
    for kind, why in ((Locked, "TypeError: cannot pickle"), (ArgumentsOnly, "EzPickle")):
        with envpool_py.make_python([Walk, kind], **workers) as pool:
            with pytest.raises(ResetNeededError, match="environment 0 has not been reset"):
                pool.save_states()
            pool.reset(seed=0)
            expected = r"save_states: environment 1: .*" + kind.__name__ + " cannot be saved: .*"
            with pytest.raises(StateError, match=expected + why):
                pool.save_states()
            assert len(pool.save_states([0])) == 1


@pytest.mark.parametrize("workers", WORKERS)
def test_refused_states_change_nothing(workers: Any) -> None:
    with envpool_py.make_python([Reading] * 2, **workers) as pool:
        pool.reset(seed=0)
        first = pool.save_states()
        pool.step(np.ones(2, int))
        second = pool.save_states()
        expected = pool.step(np.zeros(2, int))
        with pytest.raises(StateError, match=r"environment 1: .*Reading cannot be read.*: no"):
            pool.load_states([first[0], second[1]])
        assert pool.step(np.zeros(2, int))[0][0, 1] > expected[0][0, 1]  # it was not loaded
        for states, error, message in (
            ([first[0], b"x"], StateError, "environment 1: expected bytes of save_states"),
            ([first[0], first[1][:-1] + b"?"], StateError, "environment 1: .*damaged"),
            ([first[0], "x"], InputTypeError, r"states\[1\]: expected bytes"),
            ([first[0]], InputError, "expected 2"),
            (b"x", InputTypeError, "a list of bytes"),
        ):
            with pytest.raises(error, match=message):
                pool.load_states(states)
        with (
            envpool_py.make_python([Walk] * 2) as other,
            pytest.raises(StateError, match=r"expected a state of .*Walk, got one of .*Reading"),
        ):
            other.load_states(first)
        pool.load_states(first)


def test_the_dm_api() -> None:
    with envpool_py.make_python([Walk] * 2, env_type="dm", num_workers=0) as pool:
        first = pool.reset()
        states = pool.save_states()
        pool.step(np.zeros(2, int))
        step = pool.load_states(states)
        assert step.first().all()
        np.testing.assert_array_equal(step.observation.obs, first.observation.obs)


def test_ale_saves_its_generator() -> None:
    pytest.importorskip("ale_py")
    import ale_py

    gymnasium.register_envs(ale_py)
    with envpool_py.make_python(
        [lambda: gymnasium.make("ALE/Breakout-v5", obs_type="ram")] * 2, num_workers=1
    ) as pool:
        pool.reset(seed=1)
        steps(pool, 20)
        states = pool.save_states()
        expected = steps(pool, 30)
        pool.load_states(states)
        assert_equal(steps(pool, 30), expected)
