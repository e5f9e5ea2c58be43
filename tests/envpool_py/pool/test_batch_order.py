"""Logs of the order of batches: `record_batches`, `replay_batches`, `envpool-py compare`."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.cli import main
from envpool_py.errors import EnvIdError, InputError, ReplayError
from envpool_py.pool.batch_order import Difference, first_difference
from envpool_py.pool.core import BatchLog
from envpool_py.rollout import FirstReadyRollout

N, BATCH = 12, 5

Results = list[tuple[Any, ...]]


def cartpole(**arguments: Any) -> Any:
    return envpool_py.make(
        "CartPole-v1",
        **{"num_envs": N, "batch_size": BATCH, "num_threads": 4, "seed": 3, **arguments},
    )


class Slow(gymnasium.Env[Any, Any]):
    """Steps take as long as an other program lets them, so batches come in any order."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.steps = 0
        return self.np_random.random(2), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        for _ in range(random.SystemRandom().randrange(300)):
            os.getpid()
        self.steps += 1
        return self.np_random.random(2) + action, 1.0, self.steps == 9, False, {}


def in_python(workers: Any) -> Callable[..., Any]:
    def made(**arguments: Any) -> Any:
        return envpool_py.make_python(
            [Slow] * N, batch_size=BATCH, num_workers=workers, seed=3, **arguments
        )

    return made


def start(pool: Any) -> Any:
    pool.async_reset()
    return pool.recv()


def play(pool: Any, last: Any, batches: int) -> tuple[Results, Any]:
    """Sends actions that depend on the observations; returns the results, and the last one."""
    results = []
    for _ in range(batches):
        obs, ids = np.asarray(last[0]), last[-1]["env_id"]
        pool.send((obs[:, 0] > 0.01).astype(int), ids)
        last = pool.recv()
        results.append((ids, *last[:4], last[4]["env_id"]))
    return results, last


def assert_equal(first: Results, second: Results) -> None:
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_equal(one, other)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(cartpole, id="threads"),
        pytest.param(in_python(2), id="processes"),
        pytest.param(in_python(0), id="caller"),
    ],
)
@pytest.mark.parametrize("digests", [False, True])
def test_a_replay_has_the_same_batches(
    make: Callable[..., Any], digests: bool, tmp_path: Path
) -> None:
    log, copy = tmp_path / "log", tmp_path / "copy"
    with make() as pool:
        pool.record_batches(log, digests=digests)
        first = start(pool)
        expected, _ = play(pool, first, 150)
        assert pool.batches_received == 151
    with make() as pool:
        pool.replay_batches(log)
        again = start(pool)
        np.testing.assert_equal(again[4]["env_id"], first[-1]["env_id"])
        found, _ = play(pool, again, 150)
        assert_equal(found, expected)
        pool.send(np.zeros(BATCH, int), found[-1][-1])
        with pytest.raises(ReplayError, match="the log ends after 151 batches"):
            pool.recv()
    # With fewer threads, and recorded anew.
    fewer = {} if make is not cartpole else {"num_threads": 1}
    with make(**fewer) as pool:
        pool.replay_batches(log)
        pool.record_batches(copy, digests=True)
        assert_equal(play(pool, start(pool), 150)[0], expected)
    assert first_difference(log, copy) is None
    assert (log.stat().st_size < copy.stat().st_size) == (not digests)


def test_a_rollout_is_repeated(tmp_path: Path) -> None:
    def rollouts(pool: Any) -> list[Any]:
        rollout = FirstReadyRollout(pool, 20, seed=1)
        columns = []
        for _ in range(3):
            for _ in rollout:
                rollout.act((rollout.obs[:, 0] > 0).astype(int))
            names = ("observations", "env_ids", "rewards", "terminated")
            columns += [getattr(rollout, name).copy() for name in names]
        return columns

    with cartpole() as pool:
        pool.record_batches(tmp_path / "log")
        expected = rollouts(pool)
    with cartpole() as pool:
        pool.replay_batches(tmp_path / "log")
        np.testing.assert_equal(rollouts(pool), expected)


def test_resets_drains_and_steps_are_repeated(tmp_path: Path) -> None:
    def session(pool: Any) -> Results:
        last = start(pool)
        results, last = play(pool, last, 10)
        ids = last[-1]["env_id"]
        pool.async_reset(ids[:2])
        pool.send(np.ones(BATCH - 2, int), ids[2:])
        results += play(pool, pool.recv(), 10)[0]
        pool.drain()
        pool.reset(seed=8)
        last = pool.step(np.ones(N, int))
        results += play(pool, last, 10)[0]
        return results

    with cartpole() as pool:
        pool.record_batches(tmp_path / "log")
        expected = session(pool)
    with cartpole(num_threads=2) as pool:
        pool.replay_batches(tmp_path / "log")
        assert_equal(session(pool), expected)


def test_a_killed_run_continues_as_it_would_have(tmp_path: Path) -> None:
    log, saved, whole = tmp_path / "log", tmp_path / "saved", tmp_path / "whole"
    with cartpole() as pool:
        pool.record_batches(log, digests=True)
        _, last = play(pool, start(pool), 30)
        pool.drain()
        pool.save(saved)
        pool.reset()
        pool.send(np.zeros(N, int))
        expected, _ = play(pool, pool.recv(), 50)
    whole.write_bytes(log.read_bytes())
    with log.open("ab") as file:
        file.write(b"\x00\x03part")  # of a batch that the process did not complete
    pool, _ = envpool_py.load(saved, num_threads=2)
    with pool:
        assert pool.batches_received == 31
        pool.record_batches(log, resume=True)
        pool.reset()
        pool.send(np.zeros(N, int))
        found, last = play(pool, pool.recv(), 50)
        assert_equal(found, expected)
        play(pool, last, 20)  # what the first process did not live to see
        pool.stop_recording_batches()
    assert first_difference(whole, log) == Difference(31 + 51)
    size = log.stat().st_size
    with cartpole() as pool:
        pool.replay_batches(log)
        play(pool, start(pool), 30)
    assert log.stat().st_size == size


def test_what_differs_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, other = tmp_path / "log", tmp_path / "other"
    with cartpole() as pool:
        pool.record_batches(log, digests=True)
        play(pool, start(pool), 20)
    with cartpole() as pool:
        pool.replay_batches(log)
        missing = next(env for env in read(log)[0][0] if env != 0)
        pool.async_reset(np.setdiff1d(np.arange(N), missing))
        with pytest.raises(ReplayError, match=rf"batch 0: it has environment {missing}, which has"):
            pool.recv()
        pool.async_reset([missing])
        pool.recv()
    with cartpole(seed=4) as pool:
        pool.replay_batches(log)
        pool.async_reset()
        first = read(log)[0][0][0]
        message = f"batch 0: the result of environment {first} differs"
        with pytest.raises(ReplayError, match=message):
            pool.recv()
    actions = 0
    with cartpole() as pool:
        pool.record_batches(other, digests=True)
        pool.async_reset()
        ids = pool.recv()[-1]["env_id"]
        for _ in range(20):
            pool.send(np.full(BATCH, actions), ids)
            ids = pool.recv()[-1]["env_id"]
            actions = 1 - actions
    found = first_difference(log, other)
    assert found is not None
    assert main(["compare", str(log), str(other)]) == 1
    assert str(found) in capsys.readouterr().out
    assert main(["compare", str(log), str(log)]) == 0
    assert "no difference" in capsys.readouterr().out


def test_results_that_differ_are_found(tmp_path: Path) -> None:
    logs = [tmp_path / "0", tmp_path / "1"]
    for kick, log in enumerate(logs):
        with cartpole(num_threads=1) as pool:
            pool.record_batches(log, digests=True)
            pool.async_reset()
            ids = pool.recv()[-1]["env_id"]
            for batch in range(30):
                actions = np.zeros(BATCH, int)
                if kick and batch == 20:
                    actions[2] = 1
                    odd = ids[2]
                pool.send(actions, ids)
                ids = pool.recv()[-1]["env_id"]
    found = first_difference(*logs)
    assert found is not None
    assert found.batch > 20
    assert found.env_ids == (odd, odd)
    assert f"the results of environment {odd} differ" in str(found)


def test_what_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with cartpole(batch_size=N) as pool:
        with pytest.raises(InputError, match="record_batches: expected a pool whose batch_size"):
            pool.record_batches(log)
        assert not log.exists()
    with cartpole() as pool:
        pool.async_reset()
        with pytest.raises(EnvIdError, match="no environments in flight, got 12"):
            pool.record_batches(log)
        pool.drain()
        with pytest.raises(InputError, match="max_bytes"):
            pool.record_batches(log, max_bytes=0)
        with pytest.raises(FileNotFoundError):
            pool.replay_batches(log)
        with pytest.raises(FileNotFoundError):
            pool.record_batches(tmp_path / "none" / "log")
        pool.record_batches(log)
        with pytest.raises(FileExistsError):
            pool.record_batches(log)
        (tmp_path / "text").write_text("hello")
        with pytest.raises(ReplayError, match="expected a log of batches"):
            pool.replay_batches(tmp_path / "text")
        with pytest.raises(ReplayError, match="expected a log of batches"):
            pool.record_batches(tmp_path / "text", resume=True)
        assert (tmp_path / "text").read_text() == "hello"
    with cartpole(num_envs=8) as pool, pytest.raises(InputError, match=r"num_envs=8 .*num_envs=12"):
        pool.replay_batches(log)
    with cartpole() as pool:
        pool.reset()
        start(pool)
        pool.drain()
        with pytest.raises(ReplayError, match=r"expected batch 1, .*ends before"):
            pool.replay_batches(log)
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(10):
        with pytest.raises(ReplayError):
            BatchLog(os.open(tmp_path / "text", os.O_RDONLY))
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors


def read(log: Path) -> list[tuple[list[int], list[int]]]:
    reader, batches = BatchLog(os.open(log, os.O_RDONLY)), []
    while (batch := reader.next()) is not None:
        batches.append((list(batch[0]), list(batch[1])))
    return batches


@pytest.mark.parametrize("digests", [False, True])
def test_a_log_that_is_cut_off_or_changed_has_the_batches_before(
    digests: bool, tmp_path: Path
) -> None:
    log, changed = tmp_path / "log", tmp_path / "changed"
    with cartpole() as pool:
        pool.record_batches(log, digests=digests)
        play(pool, start(pool), 40)
    batches = read(log)
    assert len(batches) == 41
    content = log.read_bytes()
    for size in range(40, len(content)):
        changed.write_bytes(content[:size])
        assert read(changed) == batches[: len(read(changed))]
        assert len(read(changed)) < 41
    changes = random.Random(5)
    for _ in range(500):
        bad = bytearray(content)
        position = changes.randrange(40, len(bad))
        bad[position] ^= 1 << changes.randrange(8)
        changed.write_bytes(bad)
        assert read(changed) == batches[: len(read(changed))]
        assert len(read(changed)) < 41


@pytest.mark.parametrize("call", ["record_batches", "replay_batches"])
def test_a_pool_is_not_loaded_under_a_log(call: str, tmp_path: Path) -> None:
    log, run = tmp_path / "log", tmp_path / "run"
    with cartpole() as pool:
        pool.record_batches(log)
        play(pool, start(pool), 5)
        pool.drain()
        pool.stop_recording_batches()
        pool.save(run)
    with cartpole() as pool:
        if call == "record_batches":
            pool.record_batches(tmp_path / "other")
        else:
            pool.replay_batches(log)
        before = pool.batches_received
        with pytest.raises(InputError, match=r"load: the pool re\w+s a log .* and the file is of"):
            pool.load(run)
        assert pool.batches_received == before
        if call == "record_batches":
            pool.stop_recording_batches()
            pool.load(run)
            assert pool.batches_received > before


def test_the_limit_and_a_full_disk_end_the_log_and_not_the_run(
    tmp_path: Path, run_script: Callable[..., str]
) -> None:
    log = tmp_path / "limited"
    with cartpole() as pool:
        pool.record_batches(log, max_bytes=200)
        play(pool, start(pool), 100)
        pool.stop_recording_batches()
        assert 100 < log.stat().st_size <= 200
        assert len(read(log)) > 3
    run_script(f"""
        import resource
        import numpy as np
        import pytest
        import envpool_py
        with envpool_py.make("CartPole-v1", num_envs=4, batch_size=2, num_threads=1) as pool:
            pool.record_batches({str(tmp_path / "full")!r})
            pool.async_reset()
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
            ids = pool.recv()[-1]["env_id"]
            for _ in range(100):
                pool.send(np.zeros(2, int), ids)
                ids = pool.recv()[-1]["env_id"]
            pool.drain()
            with pytest.raises(OSError):
                pool.save({str(tmp_path / "run")!r})
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
            for step in range(2):  # a checkpoint is written all the same
                path = {str(tmp_path)!r} + f"/run {{step}}"
                with pytest.raises(OSError, match="the log of batches ends early"):
                    pool.save(path)
            with pytest.raises(OSError, match="the log of batches ends early"):
                pool.stop_recording_batches()
            pool.load(path)
            pool.send(np.zeros(4, int))
            pool.recv()
    """)
    assert (tmp_path / "full").stat().st_size <= 100


def test_a_forked_child_writes_nothing(tmp_path: Path, run_script: Callable[..., str]) -> None:
    run_script(f"""
        import os
        import numpy as np
        import envpool_py
        pool = envpool_py.make("CartPole-v1", num_envs=4, batch_size=2, num_threads=1)
        pool.record_batches({str(tmp_path / "log")!r})
        pool.async_reset()
        pool.recv()
        child = os.fork()
        if child == 0:
            pool.close()
            del pool
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        pool.recv()
        pool.close()
    """)
    assert len(read(tmp_path / "log")) == 2
