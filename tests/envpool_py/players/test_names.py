"""Players with names: in specs, infos, as environments, and in PettingZoo."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.players import PlayerRows, PlayersAsEnvs

pytest.importorskip("envpool_py._testing")

FIXED, VARYING = "Testing/FixedPlayers-v0", "Testing/Players-v0"
MODES = pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])


def assert_named(infos: dict[str, Any]) -> None:
    names = infos["players"]["name"]
    assert names.dtype.kind == "U"
    assert names.tolist() == [f"robot_{number}" for number in infos["players"]["id"]]


def test_specs() -> None:
    assert envpool_py.make_spec(FIXED).players.each == ()  # type: ignore[union-attr]
    spec = envpool_py.make_spec(FIXED, named=True)
    assert spec.players is not None
    assert [player.name for player in spec.players.each] == [f"robot_{i}" for i in range(4)]
    for player in spec.players.each:
        assert player.observation_space == spec.observation_space
        assert player.action_space == spec.action_space


@MODES
@pytest.mark.parametrize("task_id", [FIXED, VARYING])
def test_every_row_has_its_name(task_id: str, mode: str) -> None:
    with envpool_py.make(task_id, num_envs=5, named=True, autoreset_mode=mode, seed=1) as pool:
        rows = PlayerRows(pool)
        _, infos = rows.reset()
        assert_named(infos)
        for _ in range(40):
            result = rows.step(rows.action_space.sample())
            assert_named(result[4])
            ended = result[2] | result[3]
            if mode == "Disabled" and ended.any():
                assert_named(pool.reset(np.flatnonzero(ended))[1])
                assert_named(rows.reset(options={"reset_mask": np.ones(5, np.bool_)})[1])
            if mode == "SameStep" and ended.any():
                assert "name" not in result[4]["final_info"]["players"]


def test_batches_of_the_first_that_are_ready() -> None:
    with envpool_py.make(FIXED, num_envs=6, batch_size=3, named=True, seed=1) as pool:
        pool.async_reset()
        for _ in range(20):
            *_, infos = pool.recv()
            assert_named(infos)
            pool.send(np.zeros(12, np.int64), infos["env_id"])


def test_batches_share_the_names() -> None:
    with envpool_py.make(FIXED, num_envs=4, named=True) as pool:
        names = pool.reset()[1]["players"]["name"]
        with pytest.raises(ValueError, match="read-only"):
            names[0] = "other"
        assert pool.step(np.zeros(16, np.int64))[4]["players"]["name"] is names
        assert np.shares_memory(pool.reset([2])[1]["players"]["name"], names)


def test_dm_env_has_ids_alone() -> None:
    with envpool_py.make(FIXED, env_type="dm", num_envs=2, named=True) as pool:
        players = pool.reset().observation.players
        assert "name" not in players._fields
        assert players.id.tolist() == [0, 1, 2, 3] * 2


def test_players_as_environments() -> None:
    with PlayersAsEnvs(envpool_py.make(FIXED, num_envs=2, named=True)) as envs:
        _, infos = envs.reset()
        assert infos["player_name"].tolist() == [f"robot_{i}" for i in range(4)] * 2
        assert infos["_player_name"].all()
        assert "name" not in infos


def test_agents() -> None:
    pytest.importorskip("pettingzoo")
    from envpool_py.players.pettingzoo import parallel_env

    env = parallel_env(VARYING, named=True, seed=3)
    assert env.possible_agents == [f"robot_{i}" for i in range(4)]
    observations, infos = env.reset()
    assert [*observations] == env.agents
    assert all("name" not in info for info in infos.values())
    with pytest.raises(envpool_py.errors.InputError, match="its players come and go"):
        env.state()
    env.close()
