"""`make(..., check_outputs=True)`: the message for each mistake of an author names its location."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    CheckFailedError,
    EnvironmentFailedError,
    EnvPoolError,
    InputError,
    InputTypeError,
    ResetNeededError,
)

Make = Callable[..., Any]

# Values of the option "mistake" of Testing/Mistaken-v0, with the whole message for each.
SPEED = 'observation["speed"]'
BESIDE = "is written beyond its end or before its begin"
MISTAKES = {
    "leaf_not_written": f"{SPEED} is not written",
    "element_not_written": f"{SPEED}[1, 1] is not written",
    "as_float32": f"{SPEED}: only the first 24 of its 48 bytes are written: 3 of its 6 elements of "
    "float64, or 6 elements of 4 bytes",
    "as_int32": 'observation["free"][0]: expected a float32, got the subnormal number '
    "9.80908925e-45, which has the bytes of the integer 7",
    "beyond_the_end": f"{SPEED} {BESIDE}: expected 48 bytes of float64",
    "out_of_bounds": f"{SPEED}[1, 2]: expected a value in [-1, 1], got 1.5",
    "nan": f"{SPEED}[0, 2]: expected a value in [-1, 1], got nan",
    "discrete": 'observation["cell"]: expected a value in [-1, 1], got 2',
    "reward_nan": "reward: expected a finite number, got nan",
    "reward_inf": "reward: expected a finite number, got -inf",
    "info_element": 'info "seen"[2] is not written',
    "info_dtype": 'info "bumps": 4 of the 8 bytes of this int64 are written',
    "info_beyond": f'info "seen" {BESIDE}: expected 12 bytes of float32',
    "not_const": f"{SPEED}[0, 0]: written twice for the same state, expected equal values, "
    "got 0.75 and then 0.5",
}
NUM_ENVS = 3


def step(pool: Any) -> Any:
    return pool.step(np.zeros(pool.num_envs, int))


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named(mistake: str, make: Make) -> None:
    """The mistake starts at step 2; the check finds it in all environments, which stay usable."""
    pool = make("Mistaken", num_envs=NUM_ENVS, mistake=mistake, check_outputs=True, **{"from": 2})
    pool.reset()
    step(pool)
    with pytest.raises(CheckFailedError) as caught:
        step(pool)
    error = caught.value
    assert error.env_ids == [*range(NUM_ENVS)]
    assert error.causes == [f"check: {MISTAKES[mistake]}"] * NUM_ENVS
    assert str(error).startswith(f"environment 0 failed: check: {MISTAKES[mistake]} (and 2 more")
    observations, rewards, *_ = error.batch
    assert not observations["speed"].any()
    assert not rewards.any()
    with pytest.raises(ResetNeededError, match="check: "):
        step(pool)
    pool.reset()
    step(pool)


@pytest.mark.parametrize("mistake", ["element_not_written", "reward_nan", "info_dtype"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_mistake_is_named_by_recv(mistake: str, mode: str, make: Make) -> None:
    pool = make(
        "Mistaken",
        num_envs=4,
        batch_size=2,
        num_threads=2,
        mistake=mistake,
        autoreset_mode=mode,
        check_outputs=True,
        **{"from": 4},
    )
    pool.async_reset()
    with pytest.raises(CheckFailedError, match="check: ") as caught:  # noqa: PT012  # any may raise
        for _ in range(200):
            ids = pool.recv(60.0)[4]["env_id"]
            pool.send(np.zeros(len(ids), int), ids)
    assert all(MISTAKES[mistake] in cause for cause in caught.value.causes)


@pytest.mark.parametrize("mistake", ["out_of_bounds", "leaf_not_written", "info_beyond"])
def test_the_last_observation_of_an_episode_is_checked(mistake: str, make: Make) -> None:
    pool = make(
        "Mistaken", mistake=mistake, autoreset_mode="SameStep", check_outputs=True, **{"from": 4}
    )
    pool.reset()
    for _ in range(3):
        step(pool)
    with pytest.raises(CheckFailedError) as caught:
        step(pool)
    where = " (in the last observation of an episode)"
    assert caught.value.causes == [f"check: {MISTAKES[mistake]}{where}"]


def test_a_mistake_in_a_reset(make: Make) -> None:
    pool = make("Mistaken", num_envs=2, mistake="nan", check_outputs=True)
    with pytest.raises(CheckFailedError, match="got nan"):
        pool.reset()
    pool = make("Mistaken", num_envs=2, mistake="nan", check_outputs=True)
    with pytest.raises(CheckFailedError, match="got nan"):
        pool.reset([1], seed=[4])


def test_pictures(make: Make) -> None:
    pool = make(
        "Mistaken", mistake="picture", render_mode="rgb_array", check_outputs=True, **{"from": 1}
    )
    pool.reset()
    assert (pool.render()[0] == 9).all()
    step(pool)
    with pytest.raises(CheckFailedError) as caught:
        pool.render()
    assert caught.value.causes == ["check: picture[1, 2, 0] is not written"]
    assert not caught.value.batch[0].any()


def test_an_info_that_is_declared_to_be_set(make: Make) -> None:
    pool = make("SetsNotEveryInfo", check_outputs=True)
    with pytest.raises(CheckFailedError) as caught:
        pool.reset()
    assert caught.value.causes == [
        'check: info "seen" is not written: kSetsEveryInfo says that Info sets every field'
    ]


def test_exceptions_of_environments_stay_what_they_are(make: Make) -> None:
    pool = make("Mistaken", num_envs=2, mistake="throws", check_outputs=True, **{"from": 3})
    pool.reset()
    step(pool)
    step(pool)
    with pytest.raises(EnvironmentFailedError, match="thrown by the environment") as caught:
        step(pool)
    assert type(caught.value) is EnvironmentFailedError
    assert caught.value.batch[4]["elapsed_step"].tolist() == [2, 2]
    assert pool.stats()["failures"] == 2


@pytest.mark.parametrize("mistake", MISTAKES)
def test_without_a_check_nothing_is_raised(mistake: str, make: Make) -> None:
    if "beyond" in mistake:
        pytest.skip("writes into memory of others")
    pool = make("Mistaken", num_envs=2, mistake=mistake)
    pool.reset()
    for _ in range(6):
        step(pool)


def test_the_setting_travels(make: Make) -> None:
    pool = make("Mistaken", check_outputs=True)
    assert pool.spec.kwargs["check_outputs"] is True
    assert "check_outputs" not in make("Mistaken").spec.kwargs
    again = pickle.loads(pickle.dumps(pool))
    assert again.spec.kwargs["check_outputs"] is True
    again.close()
    with pytest.raises(InputTypeError, match="check_outputs: expected a bool, got int 1"):
        make("Mistaken", check_outputs=1)
    assert issubclass(CheckFailedError, EnvPoolError)


def test_the_dm_api_checks_too(make: Make) -> None:
    pool = make("Mistaken", env_type="dm", mistake="discrete", check_outputs=True, **{"from": 1})
    pool.reset()
    with pytest.raises(CheckFailedError, match="got 2"):
        step(pool)


def test_environments_in_python_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    task = gymnasium.envs.registration.EnvSpec(
        "InPython-v0", "gymnasium.envs.classic_control:CartPoleEnv"
    )
    monkeypatch.setitem(gymnasium.registry, "InPython-v0", task)
    with pytest.raises(InputError, match=r"check_outputs: not supported for InPython-v0, .* Python"):
        envpool_py.make("InPython-v0", check_outputs=True)
