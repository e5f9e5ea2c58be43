"""Players by environment, players as separate environments, and functions that refuse players."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import InputError, InputTypeError
from envpool_py.players import PlayersAsEnvs, by_player, present_mask, to_rows
from envpool_py.rollout import FirstReadyRollout, Rollout
from envpool_py.tasks.single_env import SingleEnv
from tests.envpool_py.players_pools import NUM_ENVS, make

pytest.importorskip("envpool_py._testing")


@pytest.mark.parametrize("vary", [True, False])
def test_by_player_and_back(vary: bool) -> None:
    with make(vary, batch_size=3) as pool:
        pool.async_reset()
        for _ in range(20):
            observations, rewards, _, _, infos = pool.recv()
            dense = by_player({"obs": observations, "r": (rewards,)}, infos, 4)
            here = present_mask(infos, 4)
            assert dense["obs"]["age"].shape == (3, 4, 2)
            for row, env in enumerate(infos["env_id"]):
                mine = infos["players"]["id"][infos["players"]["env_id"] == env]
                np.testing.assert_array_equal(np.flatnonzero(here[row]), mine)
                np.testing.assert_array_equal(
                    dense["obs"]["age"][row, :, 0], np.where(here[row], np.arange(4), 0)
                )
            np.testing.assert_array_equal(to_rows(dense["r"][0], infos, 4), rewards)
            pool.send(to_rows(np.ones((3, 4), int), infos, 4), infos["env_id"])


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_players_as_envs(mode: str) -> None:
    """Gymnasium's own wrapper counts the players' episodes as the engine does."""
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
        make(True, extra_infos=False)
    with pytest.raises(InputError, match="one player, and this one has up to 4"):
        SingleEnv("Testing/Players-v0")


def test_rollouts_and_compiled_programs_refuse_players() -> None:
    """Rollouts and compiled programs have one row per environment."""
    with make(False) as pool:
        with pytest.raises(InputError, match="envs: expected environments of one player"):
            Rollout(pool, 4)
        with pytest.raises(InputError, match="several players"):
            pool._core.share_with_xla({})
        Rollout(PlayersAsEnvs(pool), 4)
    with make(False, batch_size=2) as pool:
        with pytest.raises(InputError, match="envs: expected environments of one player"):
            FirstReadyRollout(pool, 4)
        with pytest.raises(InputError, match="several players"):
            pool._core.make_target({"reward": np.zeros(64)})
