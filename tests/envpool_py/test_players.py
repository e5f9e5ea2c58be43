"""Environments of several players, compared with a model that is stepped one at a time."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    CheckFailedError,
    EnvironmentFailedError,
    InputError,
    InputTypeError,
)
from envpool_py.players import PlayersAsEnvs, by_player, of_players, present
from envpool_py.rollout import FirstReadyRollout, Rollout
from envpool_py.single_env import SingleEnv
from tests.envpool_py.players_model import (
    Autoreset,
    Model,
    assert_episodes,
    assert_players,
    assert_result,
)

pytest.importorskip("envpool_py._testing")

NUM_ENVS = 7
SEED = 100
MODES = ("NextStep", "SameStep", "Disabled")


def task_of(vary: bool) -> str:
    return "Testing/Players-v0" if vary else "Testing/FixedPlayers-v0"


def make(vary: bool, **arguments: Any) -> Any:
    arguments = {"num_envs": NUM_ENVS, "seed": SEED, "num_threads": 2, **arguments}
    return envpool_py.make(task_of(vary), **arguments)


def models(vary: bool, mode: str, **options: Any) -> list[Autoreset]:
    return [Autoreset(Model(env, SEED + env, vary, **options), mode) for env in range(NUM_ENVS)]


def actions_of(chosen: list[Autoreset]) -> tuple[Any, list[list[int]]]:
    """Actions for the pool and for the models."""
    each = [model.actions() for model in chosen]
    return np.array([action for row in each for action in row], np.int64), each


def step_idly(pool: Any, steps: int) -> None:
    """Resets a pool and steps it with action 0 of all players."""
    result = pool.reset()
    for _ in range(steps):
        result = pool.step(np.zeros(len(result[-1]["players"]["id"]), int))


def reset_ended(pool: Any, result: Any, every: list[Autoreset]) -> None:
    """In Disabled mode, resets the environments of a result whose episodes have ended."""
    ids = result[4]["env_id"][result[2] | result[3]]
    if not len(ids):
        return
    observations, infos = pool.reset(ids)
    frames = [every[env].reset().frame for env in ids]
    assert_players(observations, infos["players"], frames, "reset")
    assert not infos["players"]["terminated"].any()


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
    """Steps of some environments, in any order; rows are in the order of the ids."""
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
    """What follows a loaded state is what followed where it was saved, rows of players included."""
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
        # A reset by mask of nothing new: the rows of all environments.
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


@pytest.mark.parametrize("num_threads", [1, 2])
def test_a_failed_environment(num_threads: int) -> None:
    """Its varying players are absent, its fixed ones have zeros; the others are unharmed."""
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
    assert (spec.players.most, spec.players.vary) == (6, True)
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
    """No copies: arrays of players belong to the block of the batch, also where rows moved."""
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


@pytest.mark.parametrize("vary", [True, False])
def test_by_player_and_back(vary: bool) -> None:
    with make(vary, batch_size=3) as pool:
        pool.async_reset()
        for _ in range(20):
            observations, rewards, _, _, infos = pool.recv()
            dense = by_player({"obs": observations, "r": (rewards,)}, infos, 4)
            here = present(infos, 4)
            assert dense["obs"]["age"].shape == (3, 4, 2)
            for row, env in enumerate(infos["env_id"]):
                mine = infos["players"]["id"][infos["players"]["env_id"] == env]
                np.testing.assert_array_equal(np.flatnonzero(here[row]), mine)
                np.testing.assert_array_equal(
                    dense["obs"]["age"][row, :, 0], np.where(here[row], np.arange(4), 0)
                )
            np.testing.assert_array_equal(of_players(dense["r"][0], infos, 4), rewards)
            pool.send(of_players(np.ones((3, 4), int), infos, 4), infos["env_id"])


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
        make(vary, mistake=mistake, check=True) as pool,
        pytest.raises(CheckFailedError, match=message),
    ):
        step_idly(pool, 40)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("vary", [True, False])
def test_a_check_changes_no_result(vary: bool, mode: str) -> None:
    every = models(vary, mode)
    with make(vary, autoreset_mode=mode, check=True) as pool:
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


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_players_as_envs(mode: str) -> None:
    """Gymnasium's own wrapper counts the episodes of players as the engine does."""
    arguments = {"autoreset_mode": mode}
    with make(False, record_episode_statistics=True, **arguments) as pool:
        plain = PlayersAsEnvs(make(False, **arguments))
        wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(plain)
        _, infos = pool.reset()
        _, infos_too = wrapped.reset()
        assert wrapped.num_envs == 4 * NUM_ENVS
        np.testing.assert_array_equal(infos_too["player_id"], infos["players"]["id"])
        np.testing.assert_array_equal(infos_too["env_id"], infos["players"]["env_id"])
        episodes = 0
        for step in range(40):
            actions = (np.arange(4 * NUM_ENVS) + step) % 3
            result, theirs = pool.step(actions), wrapped.step(actions)
            np.testing.assert_array_equal(result[0]["sight"], theirs[0]["sight"])
            np.testing.assert_array_equal(np.repeat(result[2], 4), theirs[2])
            np.testing.assert_array_equal(np.repeat(result[3], 4), theirs[3])
            assert ("final_obs" in result[4]) == ("final_obs" in theirs[4])
            if "episode" not in result[4]:
                continue
            episodes += 1
            ended = np.repeat(result[4]["_episode"], 4)
            mine = result[4]["episode"]["players"]
            np.testing.assert_allclose(
                mine["r"].ravel(), np.where(ended, theirs[4]["episode"]["r"], 0)
            )
            np.testing.assert_array_equal(
                mine["l"].ravel(), np.where(ended, theirs[4]["episode"]["l"], 0)
            )
        assert episodes > 5
        wrapped.close()
        assert plain.pool.closed


def test_players_as_envs_by_mask() -> None:
    with PlayersAsEnvs(
        make(False, autoreset_mode="Disabled", record_episode_statistics=True)
    ) as envs:
        envs.reset()
        for _ in range(40):
            _, _, terminated, truncated, infos = envs.step(np.zeros(envs.num_envs, int))
            over = terminated | truncated
            if over.any():
                assert infos["episode"]["r"].shape == (envs.num_envs,)
                envs.reset(options={"reset_mask": over})
        mask = np.zeros(envs.num_envs, bool)
        mask[1] = True
        with pytest.raises(InputError, match=r"the same for all players .* for environment 0"):
            envs.reset(options={"reset_mask": mask})
        with pytest.raises(InputError, match=r"expected shape \(28,\)"):
            envs.reset(options={"reset_mask": mask[:5]})


def test_what_refuses_players() -> None:
    with make(True) as pool:
        with pytest.raises(InputError, match="come and go"):
            PlayersAsEnvs(pool)
        wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(pool)
        with pytest.raises(InputError, match="has a row for every player"):
            wrapped.reset()
        with pytest.raises(InputTypeError):
            PlayersAsEnvs(wrapped)  # type: ignore[arg-type]
    with (
        envpool_py.make("CartPole-v1") as pool,
        pytest.raises(InputError, match="expected a task with players"),
    ):
        PlayersAsEnvs(pool)
    with make(False, batch_size=2) as pool, pytest.raises(InputError, match="batch_size"):
        PlayersAsEnvs(pool)
    with pytest.raises(InputError, match="players"):
        make(True, infos="gymnasium")
    with pytest.raises(InputError, match="one player, and this one has up to 4"):
        SingleEnv("Testing/Players-v0")


def test_rollouts_and_compiled_programs_refuse_players() -> None:
    """They have memory for one row of each environment."""
    with make(False) as pool:
        with pytest.raises(InputError, match="envs: expected environments of one player"):
            Rollout(pool, 4)
        with pytest.raises(InputError, match="several players"):
            pool._core.share_with_xla({})
        Rollout(PlayersAsEnvs(pool), 4)
    with make(False, batch_size=2) as pool:
        with pytest.raises(InputError, match="envs: expected environments of one player"):
            FirstReadyRollout(pool, 4)
        target = pool._core.make_target({"reward": np.zeros(64)})
        with pytest.raises(InputError, match="several players"):
            pool._core.add_targets(target, 0, 1)


def test_rows_of_all_players_are_limited() -> None:
    most = (2**31 - 1) // 64
    message = f"num_envs: with 64 players .* must be at most {most}, got {most + 1}"
    with pytest.raises(InputError, match=message):
        make(True, num_envs=most + 1, most=64)
