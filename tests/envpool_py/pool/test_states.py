"""`save_states` and `load_states`: settings of pools, invalid bytes, failures. The conformance
checks `states.*` compare results after a loaded state."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    ClosedError,
    EnvIdError,
    InputError,
    InputTypeError,
    ResetNeededError,
    StateError,
)

Make = Callable[..., Any]
CARTPOLE = "CartPole-v1"


def stepped(steps: int = 3, **arguments: Any) -> Any:
    """Returns a pool of CartPole in the middle of episodes."""
    pool = envpool_py.make(CARTPOLE, **{"num_envs": 3, "seed": 1, **arguments})
    pool.reset()
    for _ in range(steps):
        pool.step(np.array([0, 1, 0]))
    return pool


def test_states_move_to_other_ids_and_pools() -> None:
    with stepped() as pool, envpool_py.make(CARTPOLE, num_envs=5, num_threads=2) as other:
        one, two = pool.save_states([2, 0])
        observations, infos = other.load_states([two, one, two], [4, 1, 0])
        assert infos["env_id"].tolist() == [4, 1, 0]
        assert infos["elapsed_step"].tolist() == [3, 3, 3]
        first = pool.step(np.array([1, 1, 1]))[0]
        then = other.step(np.array([1, 1, 1]), [4, 1, 0])[0]
        assert then.tolist() == [first[env].tolist() for env in (0, 2, 0)]
        assert observations[0].tolist() == observations[2].tolist()


def test_states_move_to_other_processes(tmp_path: Path) -> None:
    script = """
import pickle, sys
import numpy as np
import envpool_py
states, actions, expected = pickle.load(open(sys.argv[1], "rb"))
with envpool_py.make("Breakout-v5", num_envs=2) as pool:
    pool.load_states(states)
    for each, after in zip(actions, expected):
        assert (pool.step(each)[0] == after).all()
"""
    actions = np.random.default_rng(0).integers(0, 4, (40, 2))
    with envpool_py.make("Breakout-v5", num_envs=2, seed=5) as pool:
        pool.reset()
        for each in actions[:20]:
            pool.step(each)
        states = pool.save_states()
        expected = [pool.step(each)[0] for each in actions[20:]]
    path = tmp_path / "states"
    path.write_bytes(pickle.dumps((states, actions[20:], expected)))
    subprocess.run([sys.executable, "-c", script, str(path)], check=True, timeout=600)


def test_the_end_of_an_episode_is_part_of_a_state() -> None:
    """NextStep resets in the next step, Disabled requires a reset, SameStep has no such state."""
    arguments = {"max_episode_steps": 4}
    with stepped(4, **arguments) as pool:
        states = pool.save_states()
        expected = pool.step(np.zeros(3, int))
        assert expected[4]["elapsed_step"].tolist() == [0, 0, 0]
    with stepped(1, **arguments) as pool:
        pool.load_states(states)
        again = pool.step(np.zeros(3, int))
        assert again[0].tolist() == expected[0].tolist()
    with stepped(1, **arguments, autoreset_mode="Disabled") as pool:
        pool.load_states(states)
        with pytest.raises(ResetNeededError, match="has ended and autoreset is disabled"):
            pool.step(np.zeros(3, int))
        assert pool.reset()[0].tolist() == expected[0].tolist()
    with stepped(1, **arguments, autoreset_mode="SameStep") as pool:
        before = pool.save_states()
        with pytest.raises(StateError, match=r"states\[0\]: the state is the end of an episode"):
            pool.load_states(states)
        assert pool.save_states() == before


def test_statistics_go_on() -> None:
    with stepped(3, max_episode_steps=5, record_episode_statistics=True) as pool:
        states = pool.save_states()
    with stepped(1, max_episode_steps=5, record_episode_statistics=True) as pool:
        pool.load_states(states)
        pool.step(np.zeros(3, int))
        episode = pool.step(np.zeros(3, int))[4]["episode"]
        assert episode["r"].tolist() == [5.0] * 3
        assert episode["l"].tolist() == [5] * 3
        assert (episode["t"] > 0).all()
    with stepped(3) as pool:
        plain = pool.save_states()
    with (
        stepped(1, record_episode_statistics=True) as pool,
        pytest.raises(StateError, match="saved with record_episode_statistics"),
    ):
        pool.load_states(plain)


def damaged(state: bytes, place: int) -> bytes:
    return state[:place] + bytes([state[place] ^ 1]) + state[place + 1 :]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: b"", "expected bytes of save_states, got other ones"),
        (lambda state: b"no state of anything at all" * 9, "expected bytes of save_states"),
        (lambda state: state[:-1], "damaged or not complete"),
        (lambda state: state + b"x", "damaged or not complete"),
        (lambda state: damaged(state, len(state) // 2), "damaged or not complete"),
        (lambda state: damaged(state, 8), "expected version 3 of the format, got version 2"),
    ],
)
def test_wrong_bytes_are_refused_and_nothing_changes(
    change: Callable[[bytes], bytes], message: str
) -> None:
    with stepped() as pool:
        states = pool.save_states()
        with pytest.raises(StateError, match=message) as caught:
            pool.load_states([*states[:2], change(states[2])])
        assert str(caught.value).startswith("states[2]: ")
        assert pool.save_states() == states


def test_states_of_others_are_refused() -> None:
    with stepped() as pool, envpool_py.make("CartPole-v0", seed=0) as other:
        other.reset()
        with pytest.raises(StateError, match="a state of CartPole-v0, got one of CartPole-v1"):
            other.load_states(pool.save_states([0]))
    with (
        envpool_py.make("FrozenLake-v1", seed=0, success_rate=0.75) as lake,
        envpool_py.make("FrozenLake-v1", seed=0) as other,
    ):
        lake.reset()
        expected = r"the option success_rate=0\.333+, got one with success_rate=0\.75"
        with pytest.raises(StateError, match=expected):
            other.load_states(lake.save_states())


@pytest.mark.parametrize(
    ("states", "env_id", "error", "message"),
    [
        (lambda saved: saved[:2], None, InputError, "states: expected 3, one for each .*, got 2"),
        (lambda saved: saved, [0], InputError, "states: expected 1, one for each .*, got 3"),
        (lambda saved: saved[0], None, InputTypeError, "expected a list of bytes, got bytes"),
        (lambda saved: 5, None, InputTypeError, "expected a list of bytes, got int"),
        (lambda saved: [*saved[:2], "x"], None, InputTypeError, r"\[2\]: expected bytes, got str"),
        (lambda saved: saved[:2], [0, 3], EnvIdError, "expected a value in"),
        (lambda saved: saved[:2], [1, 1], EnvIdError, "more than once"),
        (lambda saved: [], [], InputError, "env_id"),
    ],
)
def test_wrong_arguments(
    states: Callable[[list[bytes]], Any], env_id: Any, error: type[Exception], message: str
) -> None:
    with stepped() as pool:
        saved = pool.save_states()
        with pytest.raises(error, match=message):
            pool.load_states(states(saved), env_id)
        assert pool.save_states() == saved


def test_environments_that_have_no_state(make: Make) -> None:
    with envpool_py.make(CARTPOLE, num_envs=2) as pool:
        with pytest.raises(ResetNeededError, match="save_states: environment 0 has not been reset"):
            pool.save_states()
        pool.async_reset()
        with pytest.raises(EnvIdError, match="in flight"):
            pool.save_states([1])
    with pytest.raises(ClosedError):
        pool.save_states()
    assert envpool_py.make(CARTPOLE).capabilities.can_save_states
    counter = make("Counter")
    assert not counter.capabilities.can_save_states
    counter.reset()
    for call in (counter.save_states, lambda: counter.load_states([b""])):
        with pytest.raises(StateError, match="save no states: their class has no Save and Load"):
            call()


def test_the_dm_api_returns_a_time_step() -> None:
    with envpool_py.make(CARTPOLE, env_type="dm", num_envs=2, seed=3) as pool:
        first = pool.reset()
        states = pool.save_states()
        pool.step(np.zeros(2, int))
        step = pool.load_states(states)
        assert step.first().all()
        np.testing.assert_array_equal(step.observation.obs, first.observation.obs)


@pytest.mark.parametrize("task_id", ["ALE/Breakout-v5", "Catch-v0", "MiniGrid-DoorKey-8x8-v0"])
def test_pictures_of_loaded_states(task_id: str) -> None:
    with envpool_py.make(task_id, num_envs=2, seed=0, render_mode="rgb_array") as pool:
        pool.reset()
        for _ in range(3):
            pool.step(np.ones(2, int))
        pictures, states = pool.render(), pool.save_states()
        for _ in range(3):
            pool.step(np.zeros(2, int))
        assert (np.stack(pool.render()) != np.stack(pictures)).any()
        pool.load_states(states)
        np.testing.assert_array_equal(pool.render(), pictures)
    with envpool_py.make("Catch-v0", seed=0, render_mode="rgb_array_list") as pool:
        pool.reset()
        pool.load_states(pool.save_states())
        assert len(pool.render()[0]) == 1


def test_states_of_checked_pools() -> None:
    with stepped(check_outputs=True) as pool, stepped(1) as plain:
        states = pool.save_states()
        observations, infos = pool.load_states(states)
        expected, also = plain.load_states(states)
        assert observations.tolist() == expected.tolist()
        assert infos.keys() == also.keys()
