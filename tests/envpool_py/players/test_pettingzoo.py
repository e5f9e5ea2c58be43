"""PettingZoo's parallel API, tested by PettingZoo's own tests and by the model of the players."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box

from envpool_py.errors import InputError, InputTypeError, RenderModeError, ResetNeededError
from tests.envpool_py.players_model import Model

pytest.importorskip("envpool_py._testing")
pytest.importorskip("pettingzoo")

with warnings.catch_warnings():  # PettingZoo's tests use an import that it deprecates
    warnings.simplefilter("ignore")
    from pettingzoo.test import parallel_api_test, parallel_seed_test

from envpool_py.players.pettingzoo import PlayersEnv, parallel_env

TASKS = ("Testing/Players-v0", "Testing/FixedPlayers-v0")


@pytest.mark.filterwarnings("ignore::UserWarning")  # PettingZoo warns about unexpected names
@pytest.mark.parametrize("task_id", [TASKS[1], "Testing/PlayerActionTree-v0"])
def test_the_tests_of_pettingzoo(task_id: str) -> None:
    env = parallel_env(task_id)
    parallel_api_test(env, num_cycles=200)
    env.close()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_its_test_of_seeds() -> None:
    parallel_seed_test(lambda: parallel_env(TASKS[1]), num_cycles=50)


@pytest.mark.parametrize("task_id", TASKS)
def test_like_the_model(task_id: str) -> None:
    vary = task_id == TASKS[0]
    model = Model(0, 5, vary)
    env = parallel_env(task_id, seed=5)
    ended_alone = joined = 0
    for _ in range(12):
        observations, infos = env.reset()
        frame = model.reset()
        assert [*observations] == [f"player_{player}" for player in frame.players]
        while env.agents:
            assert env.agents == [f"player_{player}" for player in sorted(model.playing)]
            actions = {player: (player + frame.elapsed) % 3 for player in sorted(model.playing)}
            given = {f"player_{player}": action for player, action in actions.items()}
            observations, rewards, terminations, truncations, infos = env.step(given)
            frame = model.step(actions)
            for results in (observations, rewards, terminations, truncations, infos):
                assert [*results] == [f"player_{player}" for player in frame.players]
            for player, each in frame.players.items():
                agent = f"player_{player}"
                assert observations[agent]["age"].tolist() == [player, each.age]
                assert observations[agent]["sight"] == each.sight
                assert rewards[agent] == each.reward
                assert (terminations[agent], truncations[agent]) == (
                    each.terminated,
                    each.truncated,
                )
                assert infos[agent]["action_mask"].tolist() == each.mask
                assert ("bonus" in infos[agent]) == (each.bonus is not None)
                assert infos[agent]["elapsed_step"] == frame.elapsed
                assert infos[agent]["players_left"] == frame.left
                ended_alone += (each.terminated or each.truncated) and not frame.over
                joined += player not in actions
            if frame.over:
                assert env.agents == []
                with pytest.raises(ResetNeededError):
                    env.step({})
    assert (ended_alone > 0) == vary
    assert (joined > 0) == vary
    env.close()


def test_actions_of_agents() -> None:
    with pytest.raises(InputError, match="expected a task with players"):
        parallel_env("CartPole-v1")
    env = PlayersEnv(TASKS[1], seed=1)
    assert env.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
    assert env.observation_space("player_1") is env.observation_space("player_1")
    assert env.action_space("player_1") is not env.action_space("player_2")
    with pytest.raises(ResetNeededError):
        env.step({})
    env.reset()
    actions: dict[str, Any] = dict.fromkeys(env.agents, 0)
    with pytest.raises(InputError, match=r"none for \['player_2'\] and some for \['player_9'\]"):
        env.step({**{a: 0 for a in env.agents if a != "player_2"}, "player_9": 0})
    with pytest.raises(InputTypeError, match="expected a dict"):
        env.step([0, 0, 0, 0])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="environment 0, player 0"):
        env.step({**actions, "player_0": 3})
    env.step(actions)
    with pytest.raises(RenderModeError):
        env.render()
    env.close()


def test_nested_actions() -> None:
    env = parallel_env("Testing/PlayerActionTree-v0")
    env.reset()
    actions = {
        agent: {"force": np.full(2, 0.25, np.float32), "gait": number}
        for number, agent in enumerate(env.agents)
    }
    observations, rewards, *_ = env.step(actions)
    assert rewards == {"player_0": 0.0, "player_1": 1.0, "player_2": 2.0}
    assert observations["player_2"].tolist() == [0.25, 0.25, 2.0]
    env.close()


def test_a_result_without_its_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment that declares the info "state" and does not set it."""
    env = parallel_env(TASKS[1], seed=5)
    monkeypatch.setattr(env, "_info_is_state", True)
    monkeypatch.setattr(env, "state_space", Box(-np.inf, np.inf, (4,)), raising=False)
    with pytest.raises(ResetNeededError, match="expected a reset before"):
        env.state()
    env.reset()
    with pytest.raises(InputError, match=r"FixedPlayers-v0 to set its info 'state'.* got none"):
        env.state()
    env.close()
