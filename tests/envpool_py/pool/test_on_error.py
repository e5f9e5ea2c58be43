"""`make(..., on_error="reset")`: failed environments begin new episodes, the others go on."""

from __future__ import annotations

import logging
import os
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import EnvironmentFailedError, InputError, ResetNeededError

N = 6
# Actions of Testing/Failing-v0.
FINE, IN_STEP, INT_IN_STEP, IN_OBSERVE, IN_INFO, BYTES_IN_STEP, TERMINATE, IN_NEXT_RESET = range(8)


def failing(testing: Any, **arguments: Any) -> Any:
    settings = {"num_envs": N, "seed": 5, "on_error": "reset", "max_failures": 1000}
    return envpool_py.make("Testing/Failing-v0", **{**settings, **arguments})


def rows(pool: Any, steps: int, actions: np.ndarray) -> dict[int, list[Any]]:
    """Steps `pool`; returns the results of each environment, in either mode."""
    found: dict[int, list[Any]] = {env: [] for env in range(N)}
    taken = np.zeros(N, int)

    def note(result: Any) -> np.ndarray:
        obs, reward, terminated, truncated, infos = result
        errors = infos.get("error", np.full(len(obs), None))
        assert list(infos.get("_error", errors != None)) == list(errors != None)  # noqa: E711
        for row, env in enumerate(infos["env_id"]):
            values = (tuple(obs[row]), reward[row], terminated[row], truncated[row], errors[row])
            found[int(env)].append((*values, int(infos["elapsed_step"][row])))
        return np.asarray(infos["env_id"])

    if not pool.is_async:
        pool.reset()
        for _ in range(steps):
            note(pool.step(actions[taken, range(N)]))
            taken += 1
        return found
    pool.async_reset()
    while min(len(each) for each in found.values()) <= steps:
        ids = note(pool.recv())
        pool.send(actions[np.minimum(taken[ids], steps - 1), ids], ids)
        taken[ids] += 1
    return {env: each[1 : steps + 1] for env, each in found.items()}


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("arguments", [{}, {"num_threads": 3}, {"batch_size": 2, "num_threads": 2}])
def test_the_others_do_not_notice(testing: Any, mode: str, arguments: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    steps = 60
    quiet = rng.choice([FINE, TERMINATE], (steps, N), p=[0.9, 0.1])
    loud = quiet.copy()
    victims = [1, 4]
    for env in victims:
        at = rng.choice(steps, 25, replace=False)
        loud[at, env] = rng.choice([IN_STEP, INT_IN_STEP, IN_OBSERVE, IN_INFO, BYTES_IN_STEP], 25)
    with failing(testing, autoreset_mode=mode, **arguments) as pool:
        expected = rows(pool, steps, quiet)
    with failing(testing, autoreset_mode=mode, **arguments) as pool:
        found = rows(pool, steps, loud)
        counted = pool.health()["failures"]
    with failing(testing, autoreset_mode=mode, num_threads=1) as pool:
        again = rows(pool, steps, loud)
    assert found == again  # also those that fail: their generators continue
    for env in range(N):
        if env not in victims:
            assert found[env] == expected[env]
            continue
        failed = [step for step, row in enumerate(found[env]) if row[4] is not None]
        assert 0 < len(failed) <= counted[env]
        for step in failed:
            obs, reward, terminated, truncated, _, _ = found[env][step]
            assert (obs, reward, terminated, truncated) == ((0, 0), 0.0, False, True)
            if step + 1 < steps:
                following = found[env][step + 1]
                assert following[0][0] == 0  # the first observation of an episode
                assert following[1:] == (0.0, False, False, None, 0)


def test_the_messages(testing: Any, caplog: pytest.LogCaptureFixture) -> None:
    with failing(testing) as pool, caplog.at_level(logging.WARNING):
        pool.reset()
        actions = np.full(N, FINE)
        actions[[2, 5]] = IN_STEP, BYTES_IN_STEP
        infos = pool.step(actions)[4]
        assert infos["error"].tolist() == [
            None,
            None,
            "told to fail",
            None,
            None,
            r"bytes \xff\xfe here",
        ]
        assert infos["_error"].tolist() == [False, False, True, False, False, True]
        assert "error" not in pool.step(np.full(N, FINE))[4]
    assert "environment 2 (seed 7) failed: told to fail" in caplog.messages[0]


def test_an_automatic_reset_that_fails_is_tried_again(testing: Any) -> None:
    with failing(testing) as pool:
        pool.reset()
        actions = np.full(N, FINE)
        actions[3] = IN_NEXT_RESET
        assert pool.step(actions)[2].tolist() == [False] * 3 + [True] + [False] * 2
        infos = pool.step(np.full(N, FINE))[4]
        assert infos["_error"].tolist() == [False] * 3 + [True] + [False] * 2
        infos = pool.step(np.full(N, FINE))[4]
        assert "error" not in infos
        assert infos["elapsed_step"][3] == 0


def test_a_reset_that_fails_raises(testing: Any) -> None:
    with failing(testing) as pool:
        with pytest.raises(EnvironmentFailedError, match="told to fail"):
            pool.reset(options={"fail": True})
        infos = pool.step(np.full(N, FINE))[4]
        assert infos["elapsed_step"].tolist() == [0] * N


def test_without_autoreset_the_caller_resets(testing: Any) -> None:
    with failing(testing, autoreset_mode="Disabled") as pool:
        pool.reset()
        actions = np.full(N, FINE)
        actions[3] = IN_STEP
        _, _, terminated, truncated, infos = pool.step(actions)
        assert (terminated | truncated).tolist() == [False] * 3 + [True] + [False] * 2
        assert infos["error"][3] == "told to fail"
        with pytest.raises(ResetNeededError, match="environment 3 failed"):
            pool.step(np.full(N, FINE))
        mask = np.arange(N) == 3
        pool.reset(options={"reset_mask": mask})
        assert "error" not in pool.step(np.full(N, FINE))[4]


def test_an_environment_that_fails_too_often_raises(testing: Any) -> None:
    with failing(testing, max_failures=2) as pool:
        pool.reset()
        actions = np.full(N, FINE)
        actions[0] = IN_STEP
        for _ in range(2):
            assert pool.step(actions)[4]["error"][0] == "told to fail"
            pool.step(np.full(N, FINE))
        actions[1] = IN_STEP
        with pytest.raises(EnvironmentFailedError) as raised:
            pool.step(actions)
        assert raised.value.env_ids == [0]
        assert raised.value.batch[3].tolist() == [True, True] + [False] * 4
        with pytest.raises(ResetNeededError, match="environment 0 failed"):
            pool.step(np.full(N, FINE))
        pool.reset([0])
        pool.step(np.full(N, FINE))
        with pytest.raises(EnvironmentFailedError):
            pool.step(actions)  # within the same hour
    with failing(testing, max_failures=0) as pool:
        pool.reset()
        with pytest.raises(EnvironmentFailedError):
            pool.step(actions)


def test_dm_env(testing: Any) -> None:
    with failing(testing, env_type="dm") as pool:
        pool.reset()
        actions = np.full(N, FINE)
        actions[3] = IN_STEP
        assert pool.step(actions).step_type.tolist() == [1, 1, 1, 2, 1, 1]
        assert pool.step(np.full(N, FINE)).step_type.tolist() == [1, 1, 1, 0, 1, 1]


@pytest.mark.parametrize("batch_size", [None, 2])
def test_with_checked_outputs(testing: Any, batch_size: int | None) -> None:
    actions = np.full((20, N), FINE)
    actions[[3, 9], 2] = IN_STEP, IN_OBSERVE
    with failing(testing, check_outputs=True, batch_size=batch_size) as pool:
        found = rows(pool, 20, actions)
    with failing(testing) as pool:
        assert rows(pool, 20, actions) == found


class Fragile(gymnasium.Env[Any, Any]):
    """Action 1 raises an error, 2 ends the process."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self) -> None:
        self.steps = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.steps = 0
        return np.array([0.0, self.np_random.random()]), {"begins": True}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if action == 1:
            raise ValueError("as told")
        if action == 2:
            os._exit(3)
        self.steps += 1
        return np.array([self.steps, self.np_random.random()]), 1.0, self.steps == 6, False, {}


@pytest.mark.parametrize(
    "workers", [{"num_workers": 0}, {"num_workers": 2}, {"workers": "threads", "num_workers": 2}]
)
@pytest.mark.parametrize("batch_size", [None, 2])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_environments_in_python(workers: Any, batch_size: int | None, mode: str) -> None:
    def made() -> Any:
        return envpool_py.make_python(
            [Fragile] * N,
            batch_size=batch_size,
            seed=3,
            on_error="reset",
            autoreset_mode=mode,
            **workers,
        )

    quiet = np.zeros((30, N), int)
    loud = quiet.copy()
    loud[[4, 5, 20], 1] = 1
    with made() as pool:
        expected = rows(pool, 30, quiet)
    with made() as pool:
        found = rows(pool, 30, loud)
    for env in (0, *range(2, N)):
        assert found[env] == expected[env]
    for step in (4, 20):
        assert "ValueError: as told" in found[1][step][4]
        assert found[1][step][3]
        assert found[1][step + 1][0][0] == 0
        assert found[1][step + 1][1:] == (0.0, False, False, None, 0)


@pytest.mark.parametrize("batch_size", [None, 2])
def test_a_worker_process_that_dies(batch_size: int | None) -> None:
    def made() -> Any:
        return envpool_py.make_python(
            [Fragile] * N, batch_size=batch_size, seed=3, on_error="reset", num_workers=2
        )

    quiet = np.zeros((30, N), int)
    loud = quiet.copy()
    loud[10, 0] = 2
    with made() as pool:
        expected = rows(pool, 30, quiet)
    with made() as pool:
        found = rows(pool, 30, loud)
    same_worker = {env for env in range(N) if found[env] != expected[env]}
    assert 0 in same_worker
    assert len(same_worker) <= N // 2
    for env in same_worker:
        errors = [step for step, row in enumerate(found[env]) if row[4] is not None]
        assert errors, env
        assert "exited with status 3" in found[env][errors[0]][4]
        last = errors[-1]
        if last + 1 < 30:
            assert found[env][last + 1][0][0] == 0


def test_the_arguments_are_checked() -> None:
    with pytest.raises(InputError, match="on_error: expected 'raise' or 'reset', got 'ignore'"):
        envpool_py.make("CartPole-v1", on_error="ignore")
    with pytest.raises(InputError, match="max_failures"):
        envpool_py.make("CartPole-v1", on_error="reset", max_failures=-1)
