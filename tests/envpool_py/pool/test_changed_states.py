"""Saved states whose bytes were changed, with the checksum repaired: an error or a game that goes
on, never a crash or a hang."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import EnvironmentFailedError, StateError

from ..word_hash import mix_bytes

# Every class that saves states: its ids differ in options.
TASKS = {
    "CartPole-v1": {},
    "MountainCar-v0": {},
    "MountainCarContinuous-v0": {},
    "Pendulum-v1": {},
    "Acrobot-v1": {},
    "FrozenLake-v1": {},
    "Taxi-v4": {},
    "NChain-v0": {},
    "CliffWalking-v1": {},
    "Blackjack-v1": {},
    "Catch-v0": {"render_mode": "rgb_array"},
    "LunarLander-v3": {"enable_wind": True},
    "BipedalWalker-v3": {},
    "CarRacing-v3": {"render_mode": "rgb_array"},
    "Pong-v5": {},
    "Pitfall2-v5": {},
    "ALE/Breakout-v5": {"obs_type": "ram"},
    "Testing/FixedPlayers-v0": {},
    "CartpoleSwingup-v1": {},
    "DogFetch-v1": {},
    "ManipulatorBringBall-v1": {},
    "StackerStack2-v1": {},
    "QuadrupedEscape-v1": {},
    "PointMaze_UMaze-v3": {},
    "AntMaze_UMaze-v5": {},
    "FetchPush-v4": {},
    "AdroitHandRelocate-v1": {},
    "FrankaKitchen-v1": {},
    "HandReach-v3": {},
    "HandManipulateBlock-v1": {},
    "MPE-SimpleTag-v3": {},
    "CoinrunEasy-v0": {"render_mode": "rgb_array"},
    "Hopper-v5": {},
    "Ant-v5": {"frame_stack": 2},
    "MiniGrid-DoorKey-8x8-v0": {"render_mode": "rgb_array"},
    "MiniGrid-Dynamic-Obstacles-8x8-v0": {},
    "MiniGrid-MemoryS7-v0": {},
    "BabyAI-BossLevel-v0": {},
}


def _checksum(data: bytes) -> int:
    return mix_bytes(len(data), data)


def _state_begins(saved: bytes) -> int:
    """Returns where the environment's bytes begin in a saved state."""
    place = 8 + 4 + 4  # the magic number, the version of the format and that of the class
    for _ in ("task id", "options"):
        place += 8 + struct.unpack_from("<Q", saved, place)[0]
    return place + 8


def _changed(saved: bytes, rng: np.random.Generator) -> bytes:
    """Returns a copy with one number overwritten and the checksum repaired."""
    data = bytearray(saved[:-8])
    size = int(rng.choice([1, 4, 8]))
    place = int(rng.integers(_state_begins(saved), len(data) - size + 1))
    wide = [bytes(size), b"\xff" * size, b"\xff" * (size - 1) + b"\x7f", b"\x01" + bytes(size - 1)]
    if size == 1:
        wide.append(bytes([data[place] ^ (1 << int(rng.integers(8)))]))
    else:
        wide.append(struct.pack("<f" if size == 4 else "<d", np.nan))
        wide.append(struct.pack("<f" if size == 4 else "<d", -1e30))
    data[place : place + size] = wide[int(rng.integers(len(wide)))]
    return bytes(data) + struct.pack("<Q", _checksum(bytes(data)))


def _play(pool: Any, steps: int) -> Iterator[Any]:
    for _ in range(steps):
        yield pool.step(pool.action_space.sample())
        if pool.render_mode is not None:
            pool.render()


def _try(pool: Any, state: bytes) -> bool:
    """Loads a state and plays on; returns whether the state was accepted."""
    try:
        pool.load_states([state])
        for _ in _play(pool, 3):
            pass
    except (StateError, EnvironmentFailedError):
        return False
    return True


def _fuzz(make: Callable[..., Any], task_id: str, tries: int) -> None:
    if not task_id.startswith("Testing/"):
        make = functools.partial(envpool_py.make, task_id)
    else:
        make = functools.partial(make, task_id.removeprefix("Testing/").removesuffix("-v0"))
    rng = np.random.default_rng(0)
    with make(num_envs=1, seed=5, **TASKS[task_id]) as pool:
        pool.action_space.seed(1)
        pool.reset()
        for _ in _play(pool, 20):
            pass
        (saved,) = pool.save_states()
        assert _changed(saved, rng)[-8:] != saved[-8:]
        action = pool.action_space.sample()
        expected = pool.step(action)
        for _ in range(tries):
            _try(pool, _changed(saved, rng))
            try:
                pool.reset()
            except EnvironmentFailedError:
                pool.reset()  # of a new instance
        # Nothing of the changed states is left.
        pool.load_states([saved])
        after = pool.step(action)
        np.testing.assert_equal(after[:4], expected[:4])


@pytest.mark.usefixtures("task_packages")
@pytest.mark.parametrize("task_id", TASKS)
def test_changed_bytes_do_no_harm(make: Callable[..., Any], task_id: str) -> None:
    _fuzz(make, task_id, 25)


@pytest.mark.long
@pytest.mark.usefixtures("task_packages")
@pytest.mark.parametrize("task_id", TASKS)
def test_many_changed_bytes_do_no_harm(make: Callable[..., Any], task_id: str) -> None:
    _fuzz(make, task_id, 400)


@pytest.mark.parametrize(
    ("task_id", "place", "message"),
    [
        ("FrozenLake-v1", 0, "the state has the tile -1, and Load expects 0 to 15"),
        ("Taxi-v4", 8, "the state has the destination -1, and Load expects 0 to 3"),
        ("Catch-v0", 16, "the state has the column of the paddle .*, and Load expects 0 to 4"),
    ],
)
def test_a_refusal_names_the_value(task_id: str, place: int, message: str) -> None:
    with envpool_py.make(task_id, num_envs=1, seed=0) as pool:
        pool.reset()
        (saved,) = pool.save_states()
        data = bytearray(saved[:-8])
        # The environment's own bytes follow those of its episode and of its generators.
        at = len(data) - _OWN_BYTES[task_id] + place
        data[at : at + 4] = b"\xff\xff\xff\xff"
        state = bytes(data) + struct.pack("<Q", _checksum(bytes(data)))
        with pytest.raises(EnvironmentFailedError, match=message):
            pool.load_states([state])
        pool.load_states([saved])


_OWN_BYTES = {"FrozenLake-v1": 4 + 3 + 8, "Taxi-v4": 12 + 3, "Catch-v0": 24}
