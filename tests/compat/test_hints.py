"""The main API names the compat module in errors that EnvPool's programs meet, and only there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import InputError, InputTypeError, OptionError, ResetNeededError

ADVICE = "import envpool_py.compat.envpool as envpool"


@pytest.fixture
def pool() -> Any:
    made = envpool_py.make("CartPole-v1", num_envs=2)
    made.reset()
    return made


STUMBLES: list[tuple[Callable[[Any], Any], type[Exception]]] = [
    (lambda _: envpool_py.make("CartPole-v1").step(np.zeros(1, int)), ResetNeededError),
    (lambda _: envpool_py.make("CartPole-v1").send(np.zeros(1, int)), ResetNeededError),
    (lambda pool: pool.step(np.zeros(2)), InputTypeError),
    (lambda pool: pool.send({"action": np.zeros(2, int)}), InputTypeError),
    (lambda pool: pool.xla(), AttributeError),
    (lambda pool: pool.seed(1), AttributeError),
    (lambda _: envpool_py.make_spec("CartPole-v1").config, AttributeError),
    (lambda _: envpool_py.make_spec("CartPole-v1", num_envs=4), OptionError),
    (lambda _: envpool_py.make("CartPole-v1", thread_affinity_offset=0), OptionError),
    (lambda _: envpool_py.make("CartPole-v1", gym_reset_return_info=True), OptionError),
    (lambda _: envpool_py.make("CartPole-v1", num_threads=0), InputError),
    (lambda _: envpool_py.make("CartPole-v1", batch_size=0), InputError),
]
OTHERS: list[tuple[Callable[[Any], Any], type[Exception]]] = [
    (lambda pool: pool.step(np.zeros(3, int)), InputError),
    (lambda pool: pool.step(["a", "b"]), InputTypeError),
    (lambda pool: pool.no_such_thing, AttributeError),
    (lambda _: envpool_py.make_spec("CartPole-v1").no_such_thing, AttributeError),
    (lambda _: envpool_py.make("CartPole-v1", sutton=1), OptionError),
    (lambda _: envpool_py.make("CartPole-v1", num_envs=0), InputError),
    (lambda _: envpool_py.make("CartPole-v1", max_live_batches=0), InputError),
]


@pytest.mark.parametrize(("call", "error"), STUMBLES)
def test_where_a_program_from_envpool_stumbles(call: Any, error: Any, pool: Any) -> None:
    with pytest.raises(error) as raised:
        call(pool)
    assert str(raised.value).count(ADVICE) == 1
    pool.step(np.zeros(2, np.int64))


@pytest.mark.parametrize(("call", "error"), OTHERS)
def test_other_errors_say_nothing_of_it(call: Any, error: Any, pool: Any) -> None:
    with pytest.raises(error) as raised:
        call(pool)
    assert "compat" not in str(raised.value)


def test_make_spec_says_whose_argument_it_is() -> None:
    with pytest.raises(OptionError) as raised:
        envpool_py.make_spec("CartPole-v1", num_envs=4)
    assert "an argument of make" in str(raised.value)
    assert "did you mean" not in str(raised.value)


def test_attributes_stay_missing(pool: Any) -> None:
    for name in ("xla", "seed", "is_vector_env"):
        assert not hasattr(pool, name)
        assert getattr(pool, name, 5) == 5
    assert not hasattr(envpool_py.make_spec("CartPole-v1"), "config")


def test_attributes_of_envpool_are_not_offered() -> None:
    """Class attributes give the advice; a `__getattr__` would slow down every access to a pool."""
    with envpool_py.make("CartPole-v1") as pool:
        assert not hasattr(pool, "xla")
        assert "xla" not in dir(pool)
        assert not hasattr(type(pool), "__getattr__")
        assert {"config", "step"} < set(dir(pool))
