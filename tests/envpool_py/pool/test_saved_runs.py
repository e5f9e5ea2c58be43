"""`pool.save`, `pool.load` and `envpool_py.load`."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import EnvIdError, InputError, ResetNeededError, StateError
from envpool_py.pool.saved_run import read_run, write_run

PACKAGE = str(Path(envpool_py.__file__).resolve().parent.parent)


def play(pool: Any, steps: int, seed: int = 0) -> list[Any]:
    pool.action_space.seed(seed)
    return [pool.step(pool.action_space.sample()) for _ in range(steps)]


def assert_equal(first: list[Any], second: list[Any]) -> None:
    for one, other in zip(first, second, strict=True):
        for part, same in zip(one[:4], other[:4], strict=True):
            np.testing.assert_equal(part, same)
        episodes = [each[4].get("episode", {}).get("r") for each in (one, other)]
        np.testing.assert_equal(*episodes)


@pytest.mark.parametrize(
    ("task_id", "arguments"),
    [
        ("CartPole-v1", {"num_envs": 4, "record_episode_statistics": True}),
        ("CartPole-v1", {"num_envs": 4, "autoreset_mode": "SameStep", "max_episode_steps": 7}),
        ("FrozenLake-v1", {"num_envs": 3, "env_options": [{}, {"is_slippery": False}, {}]}),
        (
            "Hopper-v5",
            {"num_envs": 2, "model": {"body_mass": {1: 3.0}}},
        ),
        (["MiniGrid-Empty-8x8-v0", "MiniGrid-DoorKey-8x8-v0"], {"num_envs": [2, 1]}),
        ("Pong-v5", {"num_envs": 2}),
    ],
)
def test_a_new_pool_continues(task_id: Any, arguments: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "run"
    with envpool_py.make(task_id, seed=5, **arguments) as pool:
        pool.reset()
        last = play(pool, 9)[-1]
        pool.save(path)
        expected = play(pool, 20, 1)
        loaded, start = envpool_py.load(path, num_threads=1)
        with loaded:
            assert repr(loaded) == repr(pool)
            assert loaded.np_random_seed == pool.np_random_seed
            np.testing.assert_equal(start[0], last[0])
            assert_equal(play(loaded, 20, 1), expected)
        pool.load(path)
        assert_equal(play(pool, 20, 1), expected)


def test_options_of_this_and_the_next_episode(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with envpool_py.make("Pendulum-v1", num_envs=3, max_episode_steps=5, seed=0) as pool:
        pool.reset()
        pool.set_env_options({"g": [1.0, 2.0]}, [0, 1])
        play(pool, 7)
        pool.set_env_options({"g": 3.0}, [1, 2])
        now, later = pool.get_env_options(), pool.get_env_options(after_reset=True)
        assert [each["g"] for each in now] == [1.0, 2.0, 10.0]
        assert [each["g"] for each in later] == [1.0, 3.0, 3.0]
        pool.save(path)
        expected = play(pool, 12, 1)
    loaded, _ = envpool_py.load(path)
    with loaded:
        assert loaded.get_env_options() == now
        assert loaded.get_env_options(after_reset=True) == later
        assert_equal(play(loaded, 12, 1), expected)


def test_attributes_are_part_of_states(tmp_path: Path) -> None:
    with envpool_py.make("CartPole-v1", num_envs=2, seed=0) as pool:
        pool.reset()
        pool.set_attr("length", [0.4, 0.6])
        pool.save(tmp_path / "run")
        expected = play(pool, 5)
    loaded, _ = envpool_py.load(tmp_path / "run")
    with loaded:
        assert_equal(play(loaded, 5), expected)


def test_first_ready_pools(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with envpool_py.make("CartPole-v1", num_envs=4, batch_size=2, seed=0) as pool:
        pool.save(path)  # nothing has been reset
        loaded, start = envpool_py.load(path)
        assert start is None
        pool.async_reset()
        loaded.async_reset()
        with pytest.raises(EnvIdError, match="in flight"):
            pool.save(path)
        rows: list[dict[int, Any]] = []
        for each in (pool, loaded):
            rows.append({})
            for _ in range(2):
                observations, *_, infos = each.recv()
                rows[-1].update(zip(infos["env_id"].tolist(), observations.tolist(), strict=True))
        assert rows[0] == rows[1]
        pool.async_reset([1, 3])
        pool.recv()
        pool.save(path)
        loaded.close()
        loaded, (observations, _) = envpool_py.load(path)
        ids = np.array([2, 0])
        for each in (pool, loaded):
            each.send(np.zeros(2, int), ids)
        results = [each.recv() for each in (pool, loaded)]
        orders = [np.argsort(result[4]["env_id"]) for result in results]
        np.testing.assert_array_equal(results[0][0][orders[0]], results[1][0][orders[1]])
        loaded.close()


def test_the_dm_api(tmp_path: Path) -> None:
    with envpool_py.make("CartPole-v1", env_type="dm", num_envs=2, seed=0) as pool:
        pool.reset()
        step = pool.step(np.zeros(2, int))
        pool.save(tmp_path / "run")
        loaded, start = envpool_py.load(tmp_path / "run")
        np.testing.assert_array_equal(start.observation.obs, step.observation.obs)
        loaded.close()


@pytest.mark.parametrize("workers", [0, 2])
def test_environments_in_python(workers: int, tmp_path: Path) -> None:
    path = tmp_path / "run"
    made = [lambda: gymnasium.make("CartPole-v1")] * 3
    with envpool_py.make_python(made, num_workers=workers) as pool:
        pool.reset(seed=1)
        play(pool, 5)
        pool.save(path)
        expected = play(pool, 20, 1)
        for load in (envpool_py.load, pool.load):
            with pytest.raises(StateError, match="allow_pickle=True"):
                load(path)
        pool.load(path, allow_pickle=True)
        assert_equal(play(pool, 20, 1), expected)
    with pytest.raises(InputError, match="num_threads: the environments are written in Python"):
        envpool_py.load(path, allow_pickle=True, num_threads=1)
    loaded, _ = envpool_py.load(path, allow_pickle=True)
    with loaded:
        assert_equal(play(loaded, 20, 1), expected)


def test_states_that_are_pickles_need_permission(tmp_path: Path) -> None:
    """Also in a file that does not say that its environments are written in Python."""
    path = tmp_path / "run"
    made = [lambda: gymnasium.make("CartPole-v1")] * 2
    with envpool_py.make_python(made, num_workers=0) as pool:
        pool.reset()
        pool.save(path)
        run = read_run(path)
        for arguments in (None, {"task_id": "CartPole-v1", "num_envs": 2}):
            write_run(path, dataclasses.replace(run, source=None, arguments=arguments))
            with pytest.raises(StateError, match="allow_pickle=True"):
                pool.load(path)
        options: Any = [[{}] * 2] * 2
        write_run(path, dataclasses.replace(run, options=options))
        with pytest.raises(StateError, match="load: options"):
            pool.load(path, allow_pickle=True)


def test_a_part_of_a_larger_checkpoint() -> None:
    with envpool_py.make("CartPole-v1", num_envs=2, seed=0) as pool:
        pool.reset()
        file = io.BytesIO()
        for _ in range(2):
            pool.save(file)
            pool.step(np.zeros(2, int))
        file.write(b"the rest")
        file.seek(0)
        for _ in range(2):
            observations, _ = pool.load(file)
            assert observations.shape == (2, 4)
        assert file.read() == b"the rest"
        for length in (0, 20, 30, 300):
            with pytest.raises(StateError):
                pool.load(io.BytesIO(file.getvalue()[:length]))


def test_environments_that_were_not_reset_keep_their_seeds(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with envpool_py.make("CartPole-v1", num_envs=2, seed=7) as pool:
        pool.reset([0])
        pool.save(path)
    with envpool_py.make("CartPole-v1", num_envs=2, seed=99) as pool:
        observations, _ = pool.load(path)
        assert len(observations) == 1
        assert pool.np_random_seed == (7, 100)


def test_other_pools_and_failed_environments(make: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "run"
    with envpool_py.make("CartPole-v1", num_envs=2, seed=0) as pool:
        pool.reset()
        before = pool.save_states()
        for arguments, message in (
            ({"num_envs": 3}, "num_envs: the pool has 2, the saved one has 3"),
            ({"max_episode_steps": 9}, "max_episode_steps: the pool has 500, the saved one has 9"),
            ({"autoreset_mode": "SameStep"}, "autoreset_mode: the pool has 'NextStep'"),
            ({"task_id": "Acrobot-v1"}, r"task_id: the pool has \['CartPole-v1'\]"),
        ):
            with envpool_py.make(**{"task_id": "CartPole-v1", "num_envs": 2, **arguments}) as other:
                other.reset()
                other.save(path)
            with pytest.raises(StateError, match=message):
                pool.load(path)
        assert pool.save_states() == before
    with pytest.raises(InputError, match="num_envs: expected one of num_threads"):
        envpool_py.load(path, num_envs=3)
    failing = make("Failing", num_envs=2, fail_at_step=1)
    failing.reset()
    with pytest.raises(envpool_py.EnvironmentFailedError):
        failing.step(np.zeros(failing.action_space.shape, failing.action_space.dtype))
    with pytest.raises((ResetNeededError, StateError)):
        failing.save(path)


def test_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with envpool_py.make("CartPole-v1", num_envs=2, seed=0) as pool:
        pool.reset()
        pool.save(path)
    whole = path.read_bytes()
    run = read_run(path)
    assert all(state is not None for state in run.states)
    rng = np.random.default_rng(0)
    for _ in range(300):
        damaged = bytearray(whole)
        at = int(rng.integers(len(whole)))
        damaged[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        with pytest.raises(StateError, match=r"damaged|expected a file of"):
            envpool_py.load(path)
    for length in (0, 5, 24, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(StateError):
            envpool_py.load(path)


def test_headers_that_save_does_not_write(tmp_path: Path) -> None:
    """With the right checksum: an error, whatever the header says."""
    import hashlib

    path = tmp_path / "run"
    with envpool_py.make("CartPole-v1", num_envs=2, seed=0) as pool:
        pool.reset()
        pool.save(path)
    whole = path.read_bytes()
    length = int.from_bytes(whole[16:24], "little")
    header, rest = json.loads(whole[24 : 24 + length]), whole[24 + length : -32]

    def write(changed: Any) -> None:
        text = json.dumps(changed).encode()
        body = whole[:16] + len(text).to_bytes(8, "little") + text + rest
        path.write_bytes(body + hashlib.sha256(body).digest())

    write(header)
    envpool_py.load(path)[0].close()
    for name, value in (
        ("format", 2),
        ("lengths", [5, 5, None]),
        ("lengths", [-1, 10, None]),
        ("lengths", None),
        ("settings", {}),
        ("settings", []),
        ("seeds", [1]),
        ("options", [[], []]),
        ("arguments", None),
        ("arguments", []),
        ("arguments", "CartPole-v1"),
        ("arguments", {"num_envs": 2}),
        ("arguments", {"task_id": "CartPole-v1", "num_envs": 2, "env_type": "dm"}),
        ("arguments", {"task_id": "CartPole-v1", "num_envs": 3}),
    ):
        write({**header, name: value})
        with pytest.raises(StateError):
            envpool_py.load(path)
    write([])
    with pytest.raises(StateError):
        envpool_py.load(path)


SAVING = """
import sys
import numpy as np
import envpool_py
pool = envpool_py.make("CartPole-v1", num_envs=64, seed=0)
pool.reset()
pool.save(sys.argv[1])
while True:
    print("saving", flush=True)
    pool.step(np.zeros(64, int))
    pool.save(sys.argv[1])
"""


@pytest.mark.parametrize("kills", [3, pytest.param(200, marks=pytest.mark.long)])
def test_a_kill_leaves_the_old_or_the_new_file(kills: int, tmp_path: Path) -> None:
    path = tmp_path / "run"
    rng = np.random.default_rng(0)
    for _ in range(kills):
        child = subprocess.Popen(
            [sys.executable, "-c", SAVING, path],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": PACKAGE},
        )
        assert child.stdout is not None
        with child:
            for _ in range(int(rng.integers(1, 4))):
                assert child.stdout.readline() == b"saving\n"
            child.send_signal(signal.SIGKILL)
        loaded, start = envpool_py.load(path)
        assert start[0].shape == (64, 4)
        loaded.close()


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    import resource

    path = tmp_path / "run"
    with envpool_py.make("CartPole-v1", num_envs=64, seed=0) as pool:
        pool.reset()
        pool.save(path)
        old = path.read_bytes()
        play(pool, 1)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
            with pytest.raises(OSError, match="File too large"):
                pool.save(path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, handler)
        assert path.read_bytes() == old
        assert list(tmp_path.iterdir()) == [path]
        play(pool, 1)
