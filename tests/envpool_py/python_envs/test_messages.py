"""Messages about values that are not what was expected: results of environments, and actions."""

from __future__ import annotations

import re
import sys
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool_py
from envpool_py.errors import EnvironmentFailedError, InputError, InputTypeError

from . import awkward
from .comparing import WORKERS

# Worker processes cannot import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

NESTED = spaces.Dict(
    {"a": spaces.Box(0, 1, (2,)), "b": spaces.Tuple([spaces.Discrete(2), spaces.Text(3)])}
)
GOOD = {"a": np.zeros(2, np.float32), "b": (1, "x")}


class Returning(gymnasium.Env[Any, Any]):
    """A step returns `result`, and a reset of the second episode `start`."""

    action_space = spaces.Discrete(2)

    def __init__(self, space: Any, first: Any, result: Any, start: Any = None) -> None:
        self.observation_space = space
        self.starts = [(first, {}), (first, {}) if start is None else start]
        self.result = result

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return self.starts.pop(0)

    def step(self, action: Any) -> Any:
        return self.result


def returned(**changed: Any) -> tuple[Any, ...]:
    """Returns the result of a step with some other values."""
    result = {"observation": GOOD, "reward": 0.0, "end": False, "limit": False, "info": {}}
    return tuple({**result, **changed}.values())


# The result of a step, and the message.
STEPS: dict[str, tuple[Any, str]] = {
    "no reward": (returned(reward=None), "step(): reward: expected a number, got NoneType None"),
    "list": (returned(reward=[1.0]), "step(): reward: expected a number, got a list of 1 items"),
    "text": (returned(reward="1"), "step(): reward: expected a number, got str '1'"),
    "array": (
        returned(reward=np.ones(2)),
        "step(): reward: expected a number, got an array of shape (2,) and dtype float64",
    ),
    "two flags": (
        returned(end=np.ones(2, bool)),
        "step(): terminated: expected a bool, got an array of shape (2,) and dtype bool",
    ),
    "infos": (returned(info=[]), "step(): info: expected a dict, got a list of 0 items"),
    "four values": (
        returned()[:4],
        "step(): expected a tuple (observation, reward, terminated, truncated, info), got a tuple "
        "of 4 items",
    ),
    "nothing": (
        None,
        "step(): expected a tuple (observation, reward, terminated, truncated, info), got NoneType "
        "None",
    ),
    "a key is missing": (
        returned(observation={"b": (1, "x")}),
        "step(): observation['a']: expected an array in observation, got a dict with the keys "
        "['b']",
    ),
    "a part is missing": (
        returned(observation={**GOOD, "b": (1,)}),
        "step(): observation['b'][1]: expected a value in observation['b'], got a tuple of 1 items",
    ),
    "no dict": (
        returned(observation=None),
        "step(): observation['a']: expected an array in observation, got a NoneType",
    ),
    "another shape": (
        returned(observation={**GOOD, "a": np.zeros(3, np.float32)}),
        "step(): observation['a']: expected an array of shape (2,) and dtype float32, got an array "
        "of shape (3,) and dtype float32",
    ),
    "another dtype": (
        returned(observation={**GOOD, "b": (0.5, "x")}),
        "step(): observation['b'][0]: expected an array of shape () and dtype int64, got float 0.5",
    ),
}


@pytest.mark.parametrize("workers", WORKERS, ids=str)
@pytest.mark.parametrize(("result", "message"), STEPS.values(), ids=STEPS)
def test_what_a_step_returns(result: Any, message: str, workers: dict[str, Any]) -> None:
    def make() -> Any:
        return Returning(NESTED, GOOD, result)

    good = lambda: Returning(NESTED, GOOD, returned())  # noqa: E731
    with envpool_py.make_python([good, make], **workers) as pool:
        pool.reset()
        with pytest.raises(EnvironmentFailedError) as failure:
            pool.step(np.zeros(2, int))
        assert failure.value.env_ids == [1]
        assert failure.value.causes == [message]
        assert str(failure.value).startswith(f"environment 1 failed: {message}; ")


@pytest.mark.parametrize("num_workers", [0, 1])
def test_what_a_reset_returns(num_workers: int) -> None:
    def make() -> Any:
        return Returning(spaces.Discrete(2), 0, (1, 0.0, True, False, {}), start=0)

    with envpool_py.make_python(
        make, 1, num_workers=num_workers, autoreset_mode="SameStep"
    ) as pool:
        pool.reset()
        with pytest.raises(EnvironmentFailedError) as failure:
            pool.step(np.zeros(1, int))
        assert failure.value.causes == ["reset(): expected a tuple (observation, info), got int 0"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: None, "environment 0: expected a gymnasium.Env, got NoneType None"),
        (
            lambda: Returning(None, 0, None),
            "environment 0: observation_space: expected a gymnasium.Space, got NoneType None",
        ),
    ],
)
@pytest.mark.parametrize("num_workers", [0, None])
def test_what_a_function_returns(num_workers: int | None, make: Any, message: str) -> None:
    if num_workers is None:  # the last environment is measured
        message = message.replace("environment 0", "environment 1")
    with pytest.raises(InputTypeError, match=re.escape(message)):
        envpool_py.make_python([make, make], num_workers=num_workers)


class Obeying(awkward.Base):
    """Has a space of actions that is not a tree of arrays."""

    def __init__(self, action_space: Any) -> None:
        super().__init__(ends=0.0)
        self.action_space = action_space


TEXT = spaces.Text(5)
MIXED = spaces.Dict({"move": spaces.Box(-1, 1, (2,)), "say": TEXT})
PAIR = spaces.Tuple([TEXT, spaces.Sequence(spaces.Discrete(3))])
MOVES = np.zeros((2, 2), np.float32)

# Space, actions for two environments, the error, and its message.
ACTIONS: dict[str, tuple[Any, Any, type[Exception], str]] = {
    "too few": (TEXT, ["a"], InputError, "actions: expected one row for each of 2 env.*, got 1"),
    "one text": (TEXT, "ab", InputTypeError, "actions: expected a list or .* got str 'ab'"),
    "a number": (TEXT, 3, InputTypeError, "actions: expected a list or tuple .*, got int 3"),
    "one of": (spaces.OneOf([TEXT, TEXT]), None, InputTypeError, "actions: .*, got NoneType None"),
    "no dict": (MIXED, [1, 2], InputTypeError, r"actions\['move'\]: expected .*a list of 2 items"),
    "a key": (
        MIXED,
        {"move": MOVES},
        InputTypeError,
        r"actions\['say'\]: expected a dict with the key 'say', got a dict with the keys "
        r"\['move'\]",
    ),
    "a shape": (
        MIXED,
        {"move": MOVES[:, :1], "say": ["a", "b"]},
        InputError,
        r"actions\['move'\]: expected shape \(n, 2\) \(one row .*, got \(2, 1\)",
    ),
    "no array": (
        MIXED,
        {"move": [[1.0], [1.0, 2.0]], "say": ["a", "b"]},
        InputTypeError,
        r"actions\['move'\]: expected an array, got a list of 2 items",
    ),
    "no numbers": (
        MIXED,
        {"move": [["x", "y"]] * 2, "say": ["a", "b"]},
        InputTypeError,
        r"actions\['move'\]: expected an array of numbers, got dtype <U1",
    ),
    "rows": (
        MIXED,
        {"move": MOVES, "say": ["a"]},
        InputError,
        r"actions\['say'\]: expected 2 rows as in the other parts of the action, got 1",
    ),
    "a sequence of another kind": (
        spaces.Sequence(spaces.Discrete(3)),
        5,
        InputTypeError,
        "actions: expected a list or tuple .*, got int 5",
    ),
    "no part": (PAIR, (["a", "b"],), InputTypeError, r"actions\[1\]: .* a tuple of 1 items"),
    "no pickle": (
        TEXT,
        ["a", (x for x in "b")],
        InputTypeError,
        "actions: expected values that can be pickled, got generator",
    ),
}


@pytest.mark.parametrize("workers", WORKERS, ids=str)
@pytest.mark.parametrize(("space", "actions", "error", "message"), ACTIONS.values(), ids=ACTIONS)
def test_actions_that_are_not_arrays(
    space: Any, actions: Any, error: type[Exception], message: str, workers: dict[str, Any]
) -> None:
    with envpool_py.make_python(lambda: Obeying(space), 2, **workers) as pool:
        pool.reset()
        with pytest.raises(error, match=f"^{message}"):
            pool.step(actions)
        pool.step(pool.action_space.sample())  # nothing has changed
