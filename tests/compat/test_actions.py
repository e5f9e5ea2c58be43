"""Actions of the compat module: the accepted forms, and calls that are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool_py.compat.envpool as envpool
from envpool_py.errors import (
    EnvIdError,
    EnvPoolError,
    InputError,
)


@pytest.mark.parametrize("form", ["list", "tuple", "float16", "array-like"])
def test_more_forms_of_actions(form: str) -> None:
    class Tensor:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.ones(2, dtype)

    actions = {
        "list": [1, 1],
        "tuple": (1, 1),
        "float16": np.ones(2, np.float16),
        "array-like": Tensor(),
    }
    one, other = (envpool.make_gymnasium("CartPole-v1", num_envs=2) for _ in range(2))
    one.reset()
    other.reset()
    np.testing.assert_array_equal(one.step(actions[form])[0], other.step(np.ones(2, np.int32))[0])


def test_fractions_are_cut_off() -> None:
    one, other = (envpool.make_gymnasium("Taxi-v3", num_envs=3, seed=1) for _ in range(2))
    one.reset()
    other.reset()
    given, meant = np.array([0.9, 2.5, 3.0]), np.array([0, 2, 3])
    np.testing.assert_array_equal(one.step(given)[0], other.step(meant)[0])


WRONG_CALLS = {
    "a choice that there is not": (np.array([0, 2]), None, InputError),
    "no number": (np.array([0, np.nan]), None, InputError),
    "too few": (np.zeros(1), None, InputError),
    "too many": (np.zeros(3), None, InputError),
    "a scalar": (1, None, RuntimeError),
    "text": (["a", "b"], None, RuntimeError),
    "a dict without": ({"env_id": np.arange(2, dtype=np.int32)}, None, RuntimeError),
    "a dict with more": ({"action": np.zeros(2, np.int32), "x": 1}, None, RuntimeError),
    "an id too high": (np.zeros(1), np.array([2]), EnvIdError),
    "a negative id": (np.zeros(1), np.array([-1]), EnvIdError),
    "an id twice": (np.zeros(2), np.array([1, 1]), EnvIdError),
    "more ids": (np.zeros(1), np.array([0, 1]), InputError),
    "ids of text": (np.zeros(1), np.array(["a"]), AssertionError),
}


@pytest.mark.parametrize("what", WRONG_CALLS)
@pytest.mark.parametrize("reset_first", [False, True])
def test_wrong_calls_are_refused_and_change_nothing(what: str, reset_first: bool) -> None:
    actions, ids, error = WRONG_CALLS[what]
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    if reset_first:
        env.reset()
    elif what in ("a choice that there is not", "no number"):
        pytest.skip("the first step resets, and ignores its action")
    with pytest.raises(EnvPoolError) as raised:
        env.step(actions, ids)
    assert isinstance(raised.value, error)

    def send_and_receive() -> None:
        env.send(actions, ids)  # `send` refuses some errors, `recv` reports the others
        env.recv()

    with pytest.raises(EnvPoolError):
        send_and_receive()
    expected = [1, 1] if reset_first else [0, 0]
    assert env.step(np.zeros(2))[4]["elapsed_step"].tolist() == expected
