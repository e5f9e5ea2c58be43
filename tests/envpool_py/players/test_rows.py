"""Results with several players, compared with a model that steps one environment at a time."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from tests.envpool_py.players_model import assert_episodes, assert_players, assert_result
from tests.envpool_py.players_pools import (
    MODES,
    NUM_ENVS,
    actions_of,
    make,
    models,
    reset_ended,
)

pytest.importorskip("envpool_py._testing")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("vary", [True, False])
@pytest.mark.parametrize("num_threads", [1, 2])
def test_ordered(vary: bool, mode: str, num_threads: int) -> None:
    every = models(vary, mode)
    with make(
        vary, autoreset_mode=mode, num_threads=num_threads, record_episode_statistics=True
    ) as pool:
        observations, infos = pool.reset()
        frames = [model.reset().frame for model in every]
        assert_players(observations, infos["players"], frames, "reset")
        counts = set()
        for _ in range(60):
            flat, each = actions_of(every)
            result = pool.step(flat)
            expected = [model.step(row) for model, row in zip(every, each, strict=True)]
            assert_result(result, expected, vary)
            assert_episodes(result[4], expected)
            counts.add(len(result[1]))
            if mode == "Disabled":
                reset_ended(pool, result, every)
    assert len(counts) > 5 if vary else counts == {4 * NUM_ENVS}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("vary", [True, False])
def test_subsets(vary: bool, mode: str) -> None:
    """Steps some environments, in any order; rows have the order of the ids."""
    rng = np.random.default_rng(4)
    every = models(vary, mode)
    with make(vary, autoreset_mode=mode) as pool:
        pool.reset()
        for model in every:
            model.reset()
        for _ in range(60):
            ids = rng.permutation(NUM_ENVS)[: rng.integers(1, NUM_ENVS, endpoint=True)]
            chosen = [every[env] for env in ids]
            flat, each = actions_of(chosen)
            result = pool.step(flat, ids)
            expected = [model.step(row) for model, row in zip(chosen, each, strict=True)]
            assert_result(result, expected, vary)
            if mode == "Disabled":
                reset_ended(pool, result, every)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("vary", [True, False])
@pytest.mark.parametrize("num_threads", [1, 2])
def test_first_ready(vary: bool, mode: str, num_threads: int) -> None:
    every = models(vary, mode)
    fresh = np.ones(NUM_ENVS, bool)
    taken = 0
    with make(vary, autoreset_mode=mode, batch_size=3, num_threads=num_threads) as pool:
        pool.async_reset()
        sent: dict[int, list[int]] = {}
        while taken < 40 * NUM_ENVS:
            result = pool.recv()
            ids = result[4]["env_id"]
            expected = [
                every[env].reset() if fresh[env] else every[env].step(sent[env]) for env in ids
            ]
            assert_result(result, expected, vary)
            fresh[ids] = False
            taken += len(ids)
            if mode == "Disabled":
                over = result[2] | result[3]
                fresh[ids[over]] = True
                if over.any():
                    pool.async_reset(ids[over])
                ids = ids[~over]
            chosen = [every[env] for env in ids]
            flat, each = actions_of(chosen)
            if len(ids):
                pool.send(flat, ids)
            sent.update(zip(ids.tolist(), each, strict=True))


@pytest.mark.parametrize("vary", [True, False])
def test_dm(vary: bool) -> None:
    pytest.importorskip("dm_env")
    every = models(vary, "NextStep")
    with make(vary, env_type="dm") as pool:
        spec = pool.step_spec()
        step = pool.reset()
        for model in every:
            model.reset()
        assert spec.reward.shape == (4 * NUM_ENVS,)
        assert spec.observation.players.action_mask.shape == (4 * NUM_ENVS, 3)
        if not vary:
            spec.observation.obs["age"].validate(step.observation.obs["age"])
            spec.observation.players.bonus.validate(step.observation.players.bonus)
            spec.discount.validate(step.discount)
        for _ in range(40):
            flat, each = actions_of(every)
            step = pool.step(flat)
            expected = [model.step(row) for model, row in zip(every, each, strict=True)]
            observation = step.observation
            frames = [result.frame for result in expected]
            seen = [each for frame in frames for each in frame.players.values()]
            assert len(step.reward) == len(step.discount) == len(seen)
            infos = {"env_id": observation.env_id, "elapsed_step": observation.elapsed_step}
            infos["players_left"] = observation.players_left
            players = observation.players._asdict()
            bonus = [each.bonus or [0.0, 0.0] for each in seen]
            np.testing.assert_array_equal(players.pop("bonus"), np.array(bonus, np.float32))
            flags = [(each.terminated, each.truncated) for each in seen]
            np.testing.assert_array_equal(
                np.stack([players["terminated"], players["truncated"]], 1), flags
            )
            rewards = [
                result.rewards.get(player, 0.0)
                for result in expected
                for player in result.frame.players
            ]
            np.testing.assert_array_equal(step.reward, rewards)
            np.testing.assert_array_equal(step.discount, [1.0 - each.terminated for each in seen])
            kinds = [2 if frame.over else 0 if frame.elapsed == 0 else 1 for frame in frames]
            np.testing.assert_array_equal(step.step_type, kinds)
        assert pickle.loads(pickle.dumps(step.observation)).players.id.tolist()


def test_dm_step_before_the_first_reset() -> None:
    pytest.importorskip("dm_env")
    with make(False, env_type="dm") as pool:
        step = pool.step(np.zeros(4 * NUM_ENVS, int))
        assert step.first().all()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("vary", [True, False])
def test_reset_by_mask_leaves_the_others(vary: bool, mode: str) -> None:
    every = models(vary, mode)
    mask = np.arange(NUM_ENVS) % 2 == 0
    with make(vary, autoreset_mode=mode) as pool:
        pool.reset()
        for model in every:
            model.reset()
        for _ in range(30):
            flat, each = actions_of(every)
            pool.step(flat)
            for model, row in zip(every, each, strict=True):
                model.step(row)
            observations, infos = pool.reset(options={"reset_mask": mask})
            frames = [
                model.reset().frame if chosen else model.frame
                for model, chosen in zip(every, mask, strict=True)
            ]
            assert_players(observations, infos["players"], frames, "reset")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("vary", [True, False])
def test_states(vary: bool, mode: str) -> None:
    """Results after a loaded state equal those after the saved one, including rows of players."""
    arguments = {"autoreset_mode": mode, "record_episode_statistics": True}

    def run(pool: Any, count: int, result: Any) -> list[Any]:
        results = []
        for step in range(count):
            rows = len(result[-1]["players"]["id"])
            if mode == "Disabled" and step and (result[2] | result[3]).any():
                pool.reset(options={"reset_mask": result[2] | result[3]})
                rows = _rows(pool)
            result = pool.step(np.arange(rows) % 3)
            results.append(result)
        return results

    def _rows(pool: Any) -> int:
        # Loading equal states changes nothing, but returns the rows of all environments.
        _, infos = pool.load_states(pool.save_states())
        return len(infos["players"]["id"])

    with make(vary, **arguments) as pool, make(vary, **{**arguments, "seed": 9}) as other:
        first = pool.reset()
        last = run(pool, 7, first)[-1]
        if mode == "Disabled" and (last[2] | last[3]).any():
            pool.reset(options={"reset_mask": last[2] | last[3]})
            last = None
        states = pool.save_states()
        seen, infos = other.load_states(states)
        if last is not None:
            np.testing.assert_array_equal(seen["sight"], last[0]["sight"])
            for name in ("id", "terminated", "truncated"):
                np.testing.assert_array_equal(
                    infos["players"][name], last[4]["players"][name], name
                )
        ours, theirs = run(pool, 12, (None, infos)), run(other, 12, (None, infos))
        for left, right in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(left[0]["sight"], right[0]["sight"])
            np.testing.assert_array_equal(left[1], right[1])
            np.testing.assert_array_equal(left[4]["players"]["id"], right[4]["players"]["id"])
            assert ("episode" in left[4]) == ("episode" in right[4])
            if "episode" in left[4]:
                for name in ("r", "l"):
                    np.testing.assert_array_equal(
                        left[4]["episode"]["players"][name], right[4]["episode"]["players"][name]
                    )
