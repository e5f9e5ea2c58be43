"""Rollouts of first-ready pools: each environment's steps equal those of an ordered pool."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import EnvironmentFailedError, InputError
from envpool_py.rollout import FirstReadyRollout

from ..lifecycle import Make, zeros
from . import oracles
from .test_rollout import value_of

N = 12
MODES = ["NextStep", "SameStep", "Disabled"]
LIMIT = 15


class Actions:
    """Returns actions that depend only on the environment and on how many it took before."""

    def __init__(self, count: int = 2) -> None:
        self._taken = np.zeros(N, int)
        self._table = np.random.default_rng(7).integers(0, count, (N, 400))

    def __call__(self, ids: np.ndarray) -> np.ndarray:
        actions = self._table[ids, self._taken[ids]]
        self._taken[ids] += 1
        return actions


def reference(mode: str, steps: int) -> list[list[tuple[Any, ...]]]:
    """Returns per environment: observation, action, reward, flags, whether the row is a step."""
    found: list[list[tuple[Any, ...]]] = [[] for _ in range(N)]
    actions = Actions()
    with cartpole(mode, None) as pool:
        obs, _ = pool.reset(seed=3)
        ended = np.zeros(N, bool)
        for _ in range(steps):
            action = actions(np.arange(N))
            if mode == "Disabled" and ended.any():
                # As in a first-ready rollout, the action after an end resets the environment.
                fresh, _ = pool.reset(np.flatnonzero(ended))
                following, reward = obs.copy(), np.zeros(N)
                term, trunc = np.zeros(N, bool), np.zeros(N, bool)
                following[ended] = fresh
                goes_on = np.flatnonzero(~ended)
                if len(goes_on) > 0:
                    parts = pool.step(action[goes_on], goes_on)
                    following[goes_on], reward[goes_on] = parts[0], parts[1]
                    term[goes_on], trunc[goes_on] = parts[2], parts[3]
            else:
                following, reward, term, trunc, _ = pool.step(action)
            for env in range(N):
                valid = mode == "SameStep" or not ended[env]
                row = obs[env].tobytes(), int(action[env]), float(reward[env])
                found[env].append((*row, bool(term[env]), bool(trunc[env]), bool(valid)))
            obs, ended = following, term | trunc
    return found


def cartpole(mode: str, batch_size: int | None) -> Any:
    return envpool_py.make(
        "CartPole-v1",
        num_envs=N,
        batch_size=batch_size,
        num_threads=3,
        autoreset_mode=mode,
        max_episode_steps=LIMIT,
    )


def steps_in(rollout: FirstReadyRollout) -> list[list[tuple[Any, ...]]]:
    """Returns the same as `reference`, for the rows whose results have arrived."""
    rows = rollout.time_rows()
    found: list[list[tuple[Any, ...]]] = [[] for _ in range(N)]
    for env in range(N):
        for row, following in zip(rows[:, env], [*rows[1:, env], -1], strict=True):
            if row < 0 or following < 0:
                continue
            assert rollout.env_ids[row] == env
            assert rollout.next_rows[row] == following
            found[env].append(
                (
                    rollout.observations[row].tobytes(),
                    int(rollout.actions[row]),
                    float(rollout.rewards[row]),
                    bool(rollout.terminated[row]),
                    bool(rollout.truncated[row]),
                    bool(rollout.valid[row]),
                )
            )
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("batch_size", [1, 5, 12])
def test_each_environment_makes_the_steps_of_an_ordered_pool(mode: str, batch_size: int) -> None:
    """Over several rollouts no step is lost or repeated."""
    found: list[list[tuple[Any, ...]]] = [[] for _ in range(N)]
    with cartpole(mode, batch_size) as pool:
        rollout = FirstReadyRollout(pool, 1 + 100 // batch_size, seed=3)
        actions = Actions()
        for _ in range(4):
            for t in rollout:
                first = N + t * batch_size
                assert np.shares_memory(rollout.obs, rollout.observations[first])
                ids = rollout.env_ids[first : first + batch_size]
                np.testing.assert_array_equal(ids, rollout.infos["env_id"])
                rollout.act(actions(ids), values=value_of(rollout.obs))
            assert rollout.is_full
            for mine, new in zip(found, steps_in(rollout), strict=True):
                mine += new
    expected = reference(mode, max(map(len, found)))
    for mine, other in zip(found, expected, strict=True):
        assert mine == other[: len(mine)]
    assert sum(len(mine) for mine in found) > 300
    assert any(step[4] for mine in found for step in mine)  # the truncated flag
    assert any(step[3] for mine in found for step in mine)


@pytest.mark.parametrize("mode", MODES)
def test_gae_and_vtrace_follow_each_environment(mode: str) -> None:
    with cartpole(mode, 4) as pool:
        rollout = FirstReadyRollout(pool, 60, seed=1)
        actions = Actions()
        for _ in range(2):
            for _ in rollout:
                rollout.act(actions(rollout.infos["env_id"]), values=value_of(rollout.obs))
            rows = rollout.time_rows()
            next_values = rollout.next_values(value_of)
            columns = {
                "rewards": rollout.rewards,
                "values": rollout.columns["values"],
                "next_values": next_values,
                "terminated": rollout.terminated,
                "truncated": rollout.truncated,
                "valid": rollout.valid,
            }
            known = {name: rollout.by_time(column, rows) for name, column in columns.items()}
            assert not known["valid"].all()
            advantages, returns = rollout.gae(value_of, gamma=0.9, lam=0.8)
            expected = rollout.by_row(oracles.gae(known, 0.9, 0.8), rows)
            np.testing.assert_allclose(advantages, expected, rtol=1e-4, atol=1e-4)
            filled = rollout.env_ids >= 0
            np.testing.assert_allclose(
                returns[filled], (expected + columns["values"])[filled], rtol=1e-4, atol=1e-4
            )
            assert (advantages[~rollout.valid] == 0).all()
            log_ratios = np.random.default_rng(1).normal(scale=0.3, size=len(advantages))
            found = rollout.vtrace(value_of, log_ratios, columns["values"], gamma=0.9)
            wanted = oracles.vtrace(
                known, rollout.by_time(log_ratios, rows), 0.9, 1.0, (1.0, 1.0, 1.0)
            )
            for one, other in zip(found, wanted, strict=True):
                np.testing.assert_allclose(
                    one[rollout.valid],
                    rollout.by_row(other, rows)[rollout.valid],
                    rtol=1e-4,
                    atol=1e-4,
                )


def test_truncated_episodes_are_bootstrapped_from_their_last_state() -> None:
    """SameStep mode stores these observations separately; the other modes store them as rows."""
    by_mode = {}
    for mode in MODES:
        with cartpole(mode, 5) as pool:
            rollout = FirstReadyRollout(pool, 80, seed=3)
            # The policy balances the pole, so episodes are truncated.
            for _ in rollout:
                obs = rollout.obs
                rollout.act(
                    (obs[:, 2] + 0.3 * obs[:, 3] > 0).astype(np.int64), values=value_of(obs)
                )
            next_values = rollout.next_values(value_of)
            ends = np.flatnonzero(rollout.truncated & rollout.valid)
            assert len(ends) > 10
            by_mode[mode] = {
                (int(rollout.env_ids[row]), rollout.observations[row].tobytes()): next_values[row]
                for row in ends
            }
            if mode == "SameStep":
                assert sorted(rollout.final_steps.tolist()) == ends.tolist()
            else:
                assert len(rollout.final_steps) == 0
    assert by_mode["NextStep"] == by_mode["Disabled"]
    common = by_mode["NextStep"].keys() & by_mode["SameStep"].keys()
    assert len(common) > 10
    assert all(by_mode["NextStep"][key] == by_mode["SameStep"][key] for key in common)


def test_batches_are_written_in_place(make: Make) -> None:
    """Only the batches in flight at the start of a rollout are copied."""
    pool = make("Wide", num_envs=8, batch_size=2, width=65_536, num_threads=2)
    rollout = FirstReadyRollout(pool, 20)
    core = pool._core
    moved = []

    class Watched:
        """Receives each batch without a target and records whether it must be copied."""

        def __getattr__(self, name: str) -> Any:
            return getattr(core, name)

        def recv_into(self, timeout: float | None, target: Any, first: int) -> Any:
            result = core.recv(timeout)
            row = rollout.observations[first : first + 2]
            moved.append(result[0].ctypes.data != row.ctypes.data)
            row[:] = result[0]
            return result

    rollout._engine = Watched()  # type: ignore[assignment]
    for _ in range(3):
        moved.clear()
        for _ in rollout:
            rollout.act(zeros(2))
        assert len(moved) == 20
        assert not any(moved[4:])
    assert all(moved[:4])


def test_a_loop_that_is_left_early(make: Make) -> None:
    """The next loop continues; rows then in flight do not overwrite the rollout."""
    pool = make("Serial", num_envs=6, batch_size=2, num_threads=2)
    rollout = FirstReadyRollout(pool, 10)
    seen = np.zeros(6, int)
    for stop in [0, 1, 2, 3, 5, 9]:
        for t in rollout:
            ids = rollout.infos["env_id"]
            serial = rollout.obs[:, 1]
            np.testing.assert_array_equal(serial, seen[ids] + 1)
            seen[ids] = serial
            rollout.act(zeros(2))
            if t == stop:
                break
        for row in range(6, 6 + 2 * (stop + 1)):
            following = rollout.next_rows[row]
            if following >= 0:
                assert rollout.observations[following, 1] == rollout.observations[row, 1] + 1


def test_a_restart_with_a_batch_that_was_filled_in_part() -> None:
    """The incomplete batch does not share its rows with a later one."""
    with (
        envpool_py.make("CartPole-v1", num_envs=5, batch_size=2, num_threads=2) as pool,
        envpool_py.make("CartPole-v1", num_envs=5) as ordered,
    ):
        rollout = FirstReadyRollout(pool, 6)
        for seed in range(20):
            next(iter(rollout))  # with five environments, the third batch has one row
            rollout.restart(seed=seed)
            starts, _ = ordered.reset(seed=seed)
            for _ in rollout:
                ids = rollout.infos["env_id"]
                new = rollout.infos["elapsed_step"] == 0
                np.testing.assert_array_equal(rollout.obs[new], starts[ids[new]])
                rollout.act(zeros(2))


def test_a_batch_without_an_answer_is_refused() -> None:
    with envpool_py.make("CartPole-v1", num_envs=4, batch_size=2) as pool:
        rollout = FirstReadyRollout(pool, 3)
        with pytest.raises(InputError, match="read it inside a loop"):
            _ = rollout.obs
        with pytest.raises(InputError, match="has its actions already"):
            rollout.act(zeros(2))
        with pytest.raises(InputError, match="for batch 0 before the next"):
            list(rollout)
        with pytest.raises(InputError, match=r"call act\(\) for the latest batch"):
            list(rollout)
        rollout.restart(seed=0)
        for _ in rollout:
            rollout.act(zeros(2))
        assert rollout.is_full
        with pytest.raises(InputError, match="has its actions already"):
            rollout.act(zeros(2))


def test_a_failing_environment(make: Make) -> None:
    pool = make("Failing", num_envs=4, batch_size=2)
    rollout = FirstReadyRollout(pool, 6)

    def fill() -> None:
        for t in rollout:
            rollout.act(np.array([0, t == 1], np.int64))

    with pytest.raises(EnvironmentFailedError, match="told to fail"):
        fill()
    for _ in rollout:
        rollout.act(zeros(2))
    assert rollout.is_full
    assert rollout.observations[4:, 0].max() <= 6


def test_wrong_environments() -> None:
    with (
        envpool_py.make("CartPole-v1", num_envs=4, extra_infos=False) as pool,
        pytest.raises(InputError, match="extra_infos=False cannot"),
    ):
        FirstReadyRollout(pool, 4)
    with (
        envpool_py.make("CartPole-v1", num_envs=4, render_mode="rgb_array_list") as pool,
        pytest.raises(InputError, match="a pool with render_mode='rgb_array_list' cannot fill"),
    ):
        FirstReadyRollout(pool, 4)
    with pytest.raises(InputError, match=r"envs: expected a GymnasiumPool"):
        FirstReadyRollout(object(), 4)  # type: ignore[arg-type]
