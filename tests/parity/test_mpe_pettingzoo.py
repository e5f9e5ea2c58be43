"""MPE2's scenarios through PettingZoo's APIs, compared with MPE2's own environments."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils.conversions import parallel_to_aec

from envpool_py.errors import InputError
from envpool_py.players.pettingzoo import parallel_env

from .mpe_pair import SCENARIOS, reference
from .players_pair import assert_equal

pytestmark = pytest.mark.numbers

pytest.importorskip("mpe2")

with warnings.catch_warnings():  # PettingZoo's tests use an import that it deprecates
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test

CONTINUOUS = pytest.mark.parametrize("continuous", [False, True])
EVERY = pytest.mark.parametrize("task_id", SCENARIOS)


@CONTINUOUS
@EVERY
def test_the_parallel_api(task_id: str, continuous: bool) -> None:
    ours = parallel_env(task_id, continuous_actions=continuous)
    theirs = reference(task_id, continuous_actions=continuous)
    assert ours.possible_agents == theirs.possible_agents
    assert ours.state_space == theirs.state_space
    for agent in ours.possible_agents:
        assert ours.observation_space(agent) == theirs.observation_space(agent)
        assert ours.action_space(agent) == theirs.action_space(agent)
        ours.action_space(agent).seed(7)
    for seed in (4, None):
        mine, _ = ours.reset(seed)
        others, _ = theirs.reset(seed)
        while True:
            assert ours.agents == theirs.agents
            assert [*mine] == [*others]
            for agent, observation in others.items():
                assert_equal(mine[agent], observation, agent)
            assert_equal(ours.state(), theirs.state(), "state")
            if not ours.agents:
                break
            actions = {agent: ours.action_space(agent).sample() for agent in ours.agents}
            mine, *my_rest = ours.step(actions)
            others, *their_rest = theirs.step(actions)
            for part, other in zip(my_rest[:3], their_rest[:3], strict=True):
                assert part == other
    ours.close()


def _turns(env: Any, seed: int | None) -> list[tuple[Any, ...]]:
    """Plays an episode; returns what each agent gets in each of its turns."""
    rng = np.random.default_rng(2)
    turns = []
    env.reset(seed)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        turns.append((agent, observation, reward, terminated, truncated))
        space = env.action_space(agent)
        action: Any = None
        if not (terminated or truncated):
            drawn = rng.random(space.shape, np.float32) if space.shape else None
            action = rng.integers(space.n) if drawn is None else drawn
        env.step(action)
    return turns


@CONTINUOUS
@EVERY
def test_the_aec_api(task_id: str, continuous: bool) -> None:
    """PettingZoo's wrapper makes an environment whose agents take turns, as MPE2's own one."""
    ours = parallel_to_aec(parallel_env(task_id, continuous_actions=continuous))
    module = importlib.import_module(f"mpe2.{SCENARIOS[task_id]}")
    theirs = module.env(continuous_actions=continuous)
    for seed in (9, None):
        mine, others = _turns(ours, seed), _turns(theirs, seed)
        count = len(ours.possible_agents)
        assert len(mine) == 26 * count
        # At the end, the wrapper takes the agents in an order of its own.
        for turns in (mine, others):
            turns[-count:] = sorted(turns[-count:], key=lambda turn: turn[0])
        for (agent, observation, *rest), (other, expected, *more) in zip(mine, others, strict=True):
            assert (agent, rest) == (other, more)
            assert_equal(observation, expected, agent)
    ours.close()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("task_id", ["MPE-SimpleWorldComm-v3", "MPE-SimpleCrypto-v3"])
def test_the_tests_of_pettingzoo(task_id: str) -> None:
    env = parallel_env(task_id)
    parallel_api_test(env, num_cycles=100)
    env.close()
    turns = parallel_to_aec(parallel_env(task_id))
    api_test(turns, num_cycles=50)
    turns.close()
    parallel_seed_test(lambda: parallel_env(task_id), num_cycles=30)


def test_pictures_and_infos_of_agents() -> None:
    ours = parallel_env("simple_adversary_v3", render_mode="rgb_array", benchmark_data=True)
    theirs = reference("MPE-SimpleAdversary-v3", render_mode="rgb_array", benchmark_data=True)
    _, infos = ours.reset(2)
    theirs.reset(2)
    assert all("benchmark_data" not in info for info in infos.values())
    for move in range(5):
        actions = dict.fromkeys(ours.agents, move)
        *_, infos = ours.step(actions)
        *_, expected = theirs.step(actions)
        np.testing.assert_array_equal(ours.render(), theirs.render())
        data = infos["agent_1"]["benchmark_data"].tolist()
        assert data == [*expected["agent_1"]["benchmark_data"]]
    ours.close()


def test_actions_must_be_in_the_agents_own_space() -> None:
    env = parallel_env("MPE-SimpleWorldComm-v3")
    env.reset()
    actions: dict[str, Any] = dict.fromkeys(env.agents, 0)
    env.step({**actions, "leadadversary_0": 19})
    with pytest.raises(InputError, match=r"agent_1's in \[0, 4\], got 5"):
        env.step({**actions, "agent_1": 5})
    with pytest.raises(InputError):
        env.step({**actions, "agent_1": -1})
    with pytest.raises(InputError, match="environment 0, player 0"):
        env.step({**actions, "leadadversary_0": 20})
    env.close()
    env = parallel_env("MPE-SimpleSpeakerListener-v4", continuous_actions=True)
    env.reset()
    words, moves = np.zeros(3, np.float32), np.zeros(5, np.float32)
    env.step({"speaker_0": words, "listener_0": moves})
    with pytest.raises(InputError, match=r"speaker_0's of shape \(3,\), got \(5,\)"):
        env.step({"speaker_0": moves, "listener_0": moves})
    with pytest.raises(InputError):
        env.step({"speaker_0": words, "listener_0": words})
    with pytest.raises(InputError):
        env.step({"speaker_0": np.full(3, np.nan), "listener_0": moves})
    env.close()
