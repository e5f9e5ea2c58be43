"""Environments with several players: errors of users and of authors, spaces, memory."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    CheckFailedError,
    EnvironmentFailedError,
    InputError,
    InputTypeError,
)
from tests.envpool_py.players_model import assert_result
from tests.envpool_py.players_pools import (
    MODES,
    NUM_ENVS,
    actions_of,
    make,
    models,
    reset_ended,
    step_idly,
)

pytest.importorskip("envpool_py._testing")


@pytest.mark.parametrize("num_threads", [1, 2])
def test_a_failed_environment(num_threads: int) -> None:
    """Its players are absent if they vary, and zero if fixed; other environments are unaffected."""
    for vary in (True, False):
        with make(vary, mistake="throws", num_threads=num_threads) as pool:
            result = pool.reset()
            for _ in range(200):
                rows = len(result[-1]["players"]["id"])
                try:
                    result = pool.step(np.zeros(rows, int))
                except EnvironmentFailedError as error:
                    failed, batch = error.env_ids, error.batch
                    break
            players = batch[4]["players"]
            assert batch[4]["env_id"].tolist() == list(range(NUM_ENVS))
            of_failed = np.isin(players["env_id"], failed)
            assert of_failed.sum() == (0 if vary else 4 * len(failed))
            assert not batch[0]["sight"][of_failed].any()
            assert (batch[0]["sight"][~of_failed] != 0).all()
            with pytest.raises(envpool_py.errors.ResetNeededError):
                pool.step(np.zeros(len(players["id"]), int))
            _, infos = pool.reset(failed)
            assert set(infos["players"]["env_id"]) <= set(failed)


@pytest.mark.parametrize("vary", [True, False])
def test_wrong_actions_are_refused(vary: bool) -> None:
    with make(vary) as pool:
        _, infos = pool.reset()
        rows = len(infos["players"]["id"])
        expected = rf"expected shape \({rows},\) \(one row for each of {rows} players"
        with pytest.raises(InputError, match=expected):
            pool.step(np.zeros(rows + 1, int))
        with pytest.raises(InputError, match="players in the latest results"):
            pool.step(np.zeros(NUM_ENVS, int))
        actions = np.zeros(rows, int)
        actions[-1] = 3
        player = int(infos["players"]["id"][-1])
        with pytest.raises(InputError, match=rf"environment {NUM_ENVS - 1}, player {player}\)"):
            pool.step(actions)
        with pytest.raises(InputTypeError):
            pool.step(np.zeros(rows))
        pool.step(np.zeros(rows, int))


def test_actions_of_several_leaves() -> None:
    rng = np.random.default_rng(0)
    with envpool_py.make("Testing/PlayerActionTree-v0", num_envs=5) as pool:
        pool.reset()
        for _ in range(5):
            force = rng.uniform(-1, 1, (15, 2)).astype(np.float32)
            gait = rng.integers(0, 5, 15)
            observations, rewards, *_ = pool.step({"force": force, "gait": gait})
            np.testing.assert_array_equal(observations, np.column_stack([force, gait]))
            np.testing.assert_array_equal(rewards, gait)
        assert pool.action_space["gait"].shape == (15,)
        gait[7] = 5
        with pytest.raises(InputError, match=r"actions\['gait'\]\[7\] .environment 2, player 1"):
            pool.step({"force": force, "gait": gait})


def test_spaces_and_spec() -> None:
    spec = envpool_py.make_spec("Testing/Players-v0", most=6)
    assert spec.num_players == 6
    assert spec.players is not None
    assert (spec.players.max_players, spec.players.vary) == (6, True)
    assert [info.name for info in spec.players.infos] == ["action_mask", "bonus"]
    assert spec.players.infos[0].shape == (3,)
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert envpool_py.make_spec("CartPole-v1").players is None
    with make(True, most=6) as pool:
        assert pool.single_observation_space == spec.observation_space
        assert pool.action_space.shape == (6 * NUM_ENVS,)
        assert pool.observation_space["age"].shape == (6 * NUM_ENVS, 2)
        assert (pool.num_players, pool.has_players, pool.players_vary) == (6, True, True)
    with make(False, most=1) as pool:
        observations, infos = pool.reset()
        assert observations["age"].shape == (NUM_ENVS, 2)
        assert infos["players"]["id"].tolist() == [0] * NUM_ENVS


def test_rows_are_arrays_of_the_batch() -> None:
    """Arrays of players are views of the batch's block, even if rows were moved."""
    for vary in (True, False):
        with make(vary, num_envs=64) as pool:
            observations, infos = pool.reset()
            base = observations["sight"].base
            for array in (observations["age"], infos["players"]["action_mask"]):
                assert array.flags.writeable
                assert array.flags.c_contiguous
                assert array.ctypes.data % 64 == 0
                assert array.base is not None
            assert observations["age"].base is base


@pytest.mark.parametrize(
    ("mistake", "vary", "message"),
    [
        ("ends and plays", True, "player . has ended, and Plays"),
        ("ends while others play", False, "player 0 has ended while the episode continues"),
    ],
)
def test_players_that_cannot_end(mistake: str, vary: bool, message: str) -> None:
    with (
        make(vary, mistake=mistake) as pool,
        pytest.raises(EnvironmentFailedError, match=message),
    ):
        step_idly(pool, 40)


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (
            "unwritten",
            r'player 1: observation\["age"\]: only the first 4 of its 8 bytes are written',
        ),
        ("bounds", r'player .: observation\["sight"\]: expected a value in \[0, 1\]'),
        ("nan reward", r"player 1: reward: expected a finite number, got nan"),
        ("info unwritten", r'player .: info "bonus": only the first 4 of its 8 bytes are written'),
    ],
)
@pytest.mark.parametrize("vary", [True, False])
def test_check(mistake: str, message: str, vary: bool) -> None:
    with (
        make(vary, mistake=mistake, check_outputs=True) as pool,
        pytest.raises(CheckFailedError, match=message),
    ):
        step_idly(pool, 40)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("vary", [True, False])
def test_a_check_changes_no_result(vary: bool, mode: str) -> None:
    every = models(vary, mode)
    with make(vary, autoreset_mode=mode, check_outputs=True) as pool:
        pool.reset()
        for model in every:
            model.reset()
        for _ in range(30):
            flat, each = actions_of(every)
            result = pool.step(flat)
            expected = [model.step(row) for model, row in zip(every, each, strict=True)]
            assert_result(result, expected, vary)
            if mode == "Disabled":
                reset_ended(pool, result, every)


def test_rows_of_all_players_are_limited() -> None:
    most = (2**31 - 1) // 64
    message = f"num_envs: with 64 players .* must be at most {most}, got {most + 1}"
    with pytest.raises(InputError, match=message):
        make(True, num_envs=most + 1, most=64)
