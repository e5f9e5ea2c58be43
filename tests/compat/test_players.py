"""Tasks with several players through EnvPool's interface."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.compat import envpool
from envpool_py.compat.errors import ActionError, ConfigError
from envpool_py.errors import EnvIdError, ResetNeededError

pytest.importorskip("envpool_py._testing")


def pools(task_id: str, **arguments: Any) -> tuple[Any, Any]:
    theirs = envpool.make_gymnasium(task_id, num_envs=5, seed=3, **arguments)
    ours = envpool_py.make(task_id, num_envs=5, seed=3, autoreset_mode="NextStep", **arguments)
    return theirs, ours


def test_array_and_dict_actions_are_the_same() -> None:
    """The rows of a dict may have any order, because "players.env_id" names their environments."""
    rng = np.random.default_rng(0)
    theirs, ours = pools("Testing/BoxPlayers-v0")
    observations, infos = theirs.reset()
    same, same_infos = ours.reset()
    np.testing.assert_array_equal(observations, same)
    for step in range(40):
        players = infos["players"]
        np.testing.assert_array_equal(players["env_id"], same_infos["players"]["env_id"])
        np.testing.assert_array_equal(players["id"], same_infos["players"]["id"])
        actions = rng.uniform(-1, 1, (len(players["id"]), 2)).astype(np.float32)
        if step % 2:
            # The environments' rows are interleaved; the rows of each one keep the players' order.
            order = np.argsort(players["id"], kind="stable")
            given: Any = {
                "action": actions[order],
                "env_id": np.arange(5, dtype=np.int32),
                "players.env_id": players["env_id"][order],
            }
        else:
            given = actions
        observations, rewards, terminated, truncated, infos = theirs.step(given)
        same, our_rewards, our_terminated, our_truncated, same_infos = ours.step(actions)
        np.testing.assert_array_equal(observations, same)
        np.testing.assert_array_equal(rewards, our_rewards.astype(np.float32))
        np.testing.assert_array_equal(truncated, our_truncated)
        np.testing.assert_array_equal(terminated, our_terminated & ~our_truncated)
    theirs.close()
    ours.close()


def test_recv_in_the_order_of_send() -> None:
    theirs, ours = pools("Testing/BoxPlayers-v0")
    _, infos = theirs.reset()
    ours.reset()
    ids = np.array([3, 0, 4, 1, 2], np.int32)
    counts = np.bincount(infos["players"]["env_id"], minlength=5)
    actions = np.zeros((counts.sum(), 2), np.float32)
    theirs.send(actions, ids)
    observations, rewards, terminated, _, infos = theirs.recv()
    expected = ours.step(actions, ids)
    assert infos["env_id"].tolist() == ids.tolist()
    np.testing.assert_array_equal(observations, expected[0])
    np.testing.assert_array_equal(rewards, expected[1].astype(np.float32))
    np.testing.assert_array_equal(infos["players"]["env_id"], expected[4]["players"]["env_id"])
    assert len(terminated) == 5
    theirs.close()
    ours.close()


def test_settings_and_specs() -> None:
    spec = envpool.make_spec("Testing/BoxPlayers-v0")
    assert spec.config.max_num_players == 4
    state = spec.state_array_spec
    assert state["obs"].shape == [-1, 3]
    assert {"info:players.env_id", "info:players.id", "info:players.terminated"} <= state.keys()
    assert spec.observation_space.shape == (3,)
    assert envpool.make_spec("Testing/BoxPlayers-v0", max_num_players=4).config.max_num_players == 4
    with pytest.raises(ConfigError, match="max_num_players: expected 4, as many as"):
        envpool.make_spec("Testing/BoxPlayers-v0", max_num_players=2)


def test_what_is_refused() -> None:
    pool, _ = pools("Testing/BoxPlayers-v0")
    with pytest.raises(ResetNeededError):
        pool.step(np.zeros((20, 2), np.float32))
    _, infos = pool.reset()
    rows = len(infos["players"]["id"])
    actions = np.zeros((rows, 2), np.float32)
    with pytest.raises(ActionError, match=f"one for each of {rows} rows"):
        pool.step({"action": actions, "players.env_id": np.zeros(rows - 1, np.int32)})
    with pytest.raises(EnvIdError, match="expected ids of env_id"):
        pool.step(
            {
                "action": actions,
                "env_id": np.arange(4, dtype=np.int32),
                "players.env_id": infos["players"]["env_id"],
            }
        )
    pool.step({"action": actions, "players.env_id": infos["players"]["env_id"]})
    pool.close()


def test_dm() -> None:
    pool = envpool.make_dm("Testing/BoxPlayers-v0", num_envs=4, seed=3)
    step = pool.reset()
    for _ in range(30):
        rows = len(step.observation.players.id)
        step = pool.step(np.zeros((rows, 2), np.float32))
        last = np.isin(step.observation.players.env_id, step.observation.env_id[step.last()])
        assert step.discount.shape == step.reward.shape == last.shape
        assert not step.discount[last].any()
    pool.close()
