"""Options and reset options of every type: accepted, applied, rejected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from envpool_py.errors import OptionError, OptionTypeError, UnknownOptionError

Make = Callable[..., Any]


def test_options_of_every_type(make: Make) -> None:
    pool = make(
        "Counter",
        num_envs=2,
        episode_length=5,
        draws=False,
        scale=2,  # an int is accepted as a float
        sign="negative",
        label="größe",
        increments=np.array([1, 10]),
        weights=(0.5, 0.25),
    )
    pool.reset(seed=0)
    counts = []
    for step in range(1, 6):
        obs, reward, terminated, _, infos = pool.step([0, 1])
        counts.append(int(obs[0, 0]))
        np.testing.assert_array_equal(reward, [-2.0 * counts[-1] + 0.75] * 2)
        np.testing.assert_array_equal(terminated, [step == 5] * 2)
        np.testing.assert_array_equal(infos["label_bytes"], [len("größe".encode())] * 2)
        np.testing.assert_array_equal(obs[:, 2], [0, 0])
    assert counts == [1, 11, 12, 22, 23]


@pytest.mark.parametrize("one", [0.5, 2], ids=str)
def test_one_number_for_a_list(make: Make, one: float) -> None:
    pools = [make("Counter", weights=weights) for weights in (one, [one])]
    for pool in pools:
        pool.reset(seed=0)
    rewards = [pool.step([0])[1] for pool in pools]
    np.testing.assert_array_equal(rewards, [[1.0 + one]] * 2)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize(
    ("options", "length", "ends"),
    [
        ({"truncates_at": 4}, 4, (False, True)),
        ({"truncates_at": 4, "episode_length": 4}, 4, (True, True)),
        ({"truncates_at": 4, "max_episode_steps": 4}, 4, (False, True)),
        ({"truncates_at": 4, "max_episode_steps": 3}, 3, (False, True)),
        ({"truncates_at": 12}, 10, (True, False)),
    ],
    ids=str,
)
def test_an_environment_truncates_by_itself(
    make: Make, mode: str, options: dict[str, Any], length: int, ends: tuple[bool, bool]
) -> None:
    pool = make("Counter", num_envs=2, autoreset_mode=mode, **options)
    pool.reset(seed=0)
    for _ in range(2):
        for step in range(1, length + 1):
            _, _, terminated, truncated, infos = pool.step([0, 0])
            assert (terminated[0], truncated[0]) == (ends if step == length else (False, False))
        if mode == "NextStep":
            infos = pool.step([0, 0])[4]
        elif mode == "Disabled":
            infos = pool.reset()[1]
        else:
            assert infos["final_info"]["elapsed_step"].tolist() == [length] * 2
        assert infos["elapsed_step"].tolist() == [0, 0]
    assert pool.stats()["episodes"] == 4


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"episode_lenght": 3}, UnknownOptionError, ["episode_lenght", "episode_length"]),
        ({"episode_length": -1}, OptionError, ["episode_length", "-1"]),
        ({"episode_length": 10**13}, OptionError, ["episode_length"]),
        ({"episode_length": 10**30}, OptionError, ["episode_length"]),
        ({"episode_length": 1.0}, OptionTypeError, ["episode_length", "int", "float"]),
        ({"episode_length": True}, OptionTypeError, ["episode_length", "int", "bool"]),
        ({"episode_length": None}, OptionTypeError, ["episode_length"]),
        ({"draws": 1}, OptionTypeError, ["draws", "bool"]),
        ({"scale": True}, OptionTypeError, ["scale", "float"]),
        ({"scale": "1"}, OptionTypeError, ["scale", "float"]),
        ({"scale": 100.5}, OptionError, ["scale", "100"]),
        ({"scale": float("nan")}, OptionError, ["scale"]),
        ({"sign": "negativ"}, OptionError, ["sign", "negative"]),
        ({"label": b"bytes"}, OptionTypeError, ["label", "str"]),
        ({"label": "\ud800"}, OptionError, ["label"]),
        ({"increments": [1, -2]}, OptionError, ["increments", "-2"]),
        ({"increments": [1, 2.5]}, OptionTypeError, ["increments"]),
        ({"increments": []}, OptionError, ["increments"]),
        ({"increments": 3}, OptionTypeError, ["increments"]),
        ({"episode_length": np.array([1, 2])}, OptionTypeError, ["episode_length", "list of int"]),
        ({"episode_length": np.array(1.0)}, OptionTypeError, ["episode_length"]),
        ({"weights": np.array(["a"])}, OptionTypeError, ["weights"]),
        ({"weights": ["a"]}, OptionTypeError, ["weights"]),
        ({"weights": "a"}, OptionTypeError, ["weights", "float or list of float"]),
        ({"weights": True}, OptionTypeError, ["weights", "float or list of float", "bool"]),
        ({"weights": float("nan")}, OptionError, ["weights"]),
        ({"weights": [1.0, float("nan")]}, OptionError, ["weights"]),
    ],
    ids=str,
)
def test_bad_options(
    make: Make, options: dict[str, Any], error: type[Exception], words: list[str]
) -> None:
    with pytest.raises(error) as caught:
        make("Counter", **options)
    assert type(caught.value) is error
    for word in words:
        assert word in str(caught.value)


def test_reset_options(make: Make) -> None:
    pool = make("Counter", num_envs=8, episode_length=2)
    obs, _ = pool.reset(seed=3, options={"low": 5, "high": 7})
    expected = [np.random.default_rng(3 + i).integers(5, 7, endpoint=True) for i in range(8)]
    np.testing.assert_array_equal(obs[:, 1], expected)
    # An autoreset uses the defaults, as Gymnasium's does.
    for _ in range(3):
        obs, *_ = pool.step(np.zeros(8, np.int64))
    assert obs[:, 1].max() > 7
    obs, _ = pool.reset(env_id=[1], seed=[9], options={"low": -4, "high": -4})
    np.testing.assert_array_equal(obs[:, 1], [-4])


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"lo": 1}, OptionError, ["lo", "low"]),
        ({"low": 1.5}, OptionTypeError, ["low", "int"]),
        ({"low": 9, "high": 8}, OptionError, ["low", "high"]),
        ({1: 2}, OptionTypeError, []),
    ],
    ids=str,
)
def test_bad_reset_options_change_nothing(
    make: Make, options: dict[Any, Any], error: type[Exception], words: list[str]
) -> None:
    pools = [make("Counter", num_envs=3) for _ in range(2)]
    for pool in pools:
        pool.reset(seed=1)
    with pytest.raises(error) as caught:
        pools[0].reset(seed=2, options=options)
    for word in words:
        assert word in str(caught.value)
    for _ in range(4):
        a, b = (pool.step(np.zeros(3, np.int64))[0] for pool in pools)
        np.testing.assert_array_equal(a, b)
