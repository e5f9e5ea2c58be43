"""tools.foreign: which tests are counted, and what raises an error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run_foreign(suite: str, checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.foreign", suite, str(checkout)],
        cwd=ROOT,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


PASSES = """
import gymnasium
import envpool_py
import numpy as np
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

def make(name):
    def made():
        env = gymnasium.make(name)
        env.action_space.seed(5)
        env.reset(seed=5)
        return env
    return made

def test_pool():
    envs = SyncVectorEnv([make("CartPole-v1")] * 2, autoreset_mode="SameStep")
    assert isinstance(envs.unwrapped, envpool_py.GymnasiumPool)
    assert envs.np_random_seed == (5, 5)
    again = AsyncVectorEnv([make("CartPole-v1")] * 2, shared_memory=False)
    assert isinstance(again, envpool_py.GymnasiumPool)
    assert np.all(envs.action_space.sample() == again.action_space.sample())
    envs.close()
    again.close()

def test_make_vec():
    envs = gymnasium.make_vec("CartPole-v1", num_envs=2)
    assert isinstance(envs, envpool_py.GymnasiumPool)
    assert envs.reset()[1] == {}
    envs.close()
"""
NO_POOL = """
def test_of_wrappers():
    envs = gymnasium.make_vec(
        "CartPole-v1", num_envs=2, wrappers=[gymnasium.wrappers.RecordEpisodeStatistics]
    )
    envs.close()
    assert False, "and so it says nothing of pools"
"""
FAILS = """
def test_of_something_else():
    with SyncVectorEnv([make("CartPole-v1")]):
        assert False
"""
LISTED = """
import pytest

@pytest.mark.parametrize("number", [1])
def test_partial_reset_failure(number):
    with SyncVectorEnv([make("CartPole-v1")]) as envs:
        envs.reset()
        envs.step_wait()
"""
PASSES_THOUGH_LISTED = """
import pytest

@pytest.mark.parametrize("number", [1])
def test_partial_reset_failure(number):
    SyncVectorEnv([make("CartPole-v1")]).close()
"""


@pytest.mark.parametrize(
    ("parts", "code", "summary"),
    [
        ((PASSES, NO_POOL, LISTED), 0, "2 passed, 1 excluded, 0 failed, 0 skipped"),
        ((PASSES, FAILS), 1, "2 passed, 0 excluded, 1 failed, 0 skipped"),
        ((PASSES, PASSES_THOUGH_LISTED), 1, "2 passed, 0 excluded, 1 failed, 0 skipped"),
        (("import gymnasium", NO_POOL), 1, "0 passed, 0 excluded, 0 failed, 0 skipped"),
    ],
    ids=["passes", "fails", "listed in vain", "nothing counts"],
)
def test_what_counts(tmp_path: Path, parts: tuple[str, ...], code: int, summary: str) -> None:
    (tmp_path / "tests" / "vector").mkdir(parents=True)
    (tmp_path / "tests" / "vector" / "test_vector_env.py").write_text("\n".join(parts))
    done = run_foreign("gymnasium", tmp_path)
    assert (done.returncode, summary in done.stdout) == (code, True), done.stdout + done.stderr


PYTHON = """
import gymnasium
import numpy as np
import pytest
from envpool_py.python_envs.pool import PythonEnvPool
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

make = lambda: gymnasium.make("CartPole-v1")

def test_pools():
    for kind, workers in ((SyncVectorEnv, 0), (AsyncVectorEnv, 2)):
        envs = kind([make] * 3, shared_memory=True) if workers else kind([make] * 3, copy=False)
        assert isinstance(envs, PythonEnvPool)
        assert envs.num_workers == workers
        envs.set_attr("gravity", [9.5, 9.6, 9.7])
        assert envs.get_attr("gravity") == (9.5, 9.6, 9.7)
        assert envs.reset(seed=3)[1] == {}
        envs.close()

def test_final_obs():
    envs = SyncVectorEnv([make], autoreset_mode="SameStep")
    envs.reset(seed=1)
    infos = {}
    while "final_obs" not in infos:
        infos = envs.step(np.array([1]))[4]
    assert infos["final_obs"].dtype == object
    envs.close()

def test_others():
    envs = SyncVectorEnv([make], observation_mode="different")
    assert not isinstance(envs, PythonEnvPool)
    envs.close()
"""


def test_environments_in_python(tmp_path: Path) -> None:
    (tmp_path / "tests" / "vector").mkdir(parents=True)
    (tmp_path / "tests" / "vector" / "test_async_vector_env.py").write_text(PYTHON)
    done = run_foreign("gymnasium-python", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed, 0 excluded, 0 failed, 0 skipped" in done.stdout
