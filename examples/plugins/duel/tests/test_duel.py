"""The checks of envpool_py, and every result of the duel compared with the game in Python."""

import numpy as np
import pytest

import envpool_py
from envpool_py.authoring.conformance.plugin import conformance_tests

TASK = "duel:Duel-v0"
WAIT, ADVANCE, RETREAT, THRUST, PARRY = range(5)

test_conformance = conformance_tests(TASK)


class Fencing:
    """One duel, with the rules of duel.h."""

    def __init__(self, seed: int, length: int = 12, reach: int = 2, limit: int = 60) -> None:
        self.rng = np.random.default_rng(seed)
        self.length, self.reach, self.limit = length, reach, limit

    def reset(self) -> None:
        self.places = [int(self.rng.integers(1, self.length // 2)) for _ in range(2)]
        self.strengths = [6, 6]
        self.steps = 0

    @property
    def between(self) -> int:
        return max(self.length - 1 - sum(self.places), 0)

    def step(self, actions: list[int]) -> tuple[list[float], bool, bool]:
        """Returns the rewards, and whether the episode has terminated or is truncated."""
        self.steps += 1
        chosen = [
            WAIT if action == THRUST and strength < 2 else action
            for action, strength in zip(actions, self.strengths, strict=True)
        ]
        hits = [
            chosen[i] == THRUST and chosen[1 - i] != PARRY and self.between <= self.reach
            for i in range(2)
        ]
        loses = [hits[1], hits[0]]
        for i in range(2):
            if chosen[i] == THRUST:
                self.strengths[i] -= 2
            elif chosen[i] == WAIT:
                self.strengths[i] = min(self.strengths[i] + 1, 6)
        between = self.between
        for i in range(2):
            if chosen[i] == ADVANCE and between > 1:
                self.places[i] += 1
            elif chosen[i] == RETREAT:
                self.places[i] -= 1
            loses[i] = loses[i] or self.places[i] < 0
        self.places = [max(place, 0) for place in self.places]
        rewards = [float(loses[1]) - float(loses[0]), float(loses[0]) - float(loses[1])]
        return rewards, any(loses), self.steps >= self.limit

    def observations(self) -> list[list[float]]:
        return [
            [
                self.places[i] / self.length,
                self.between / self.length,
                self.strengths[i] / 6,
                self.strengths[1 - i] / 6,
            ]
            for i in range(2)
        ]

    def masks(self) -> list[list[int]]:
        return [[1, int(self.between > 1), 1, int(self.strengths[i] >= 2), 1] for i in range(2)]


def assert_seen(games: list[Fencing], observations: np.ndarray, players: dict) -> None:
    expected = np.array([seen for game in games for seen in game.observations()], np.float32)
    np.testing.assert_array_equal(observations, expected)
    masks = [mask for game in games for mask in game.masks()]
    np.testing.assert_array_equal(players["action_mask"], masks)


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_every_result_is_that_of_the_game(mode: str, num_threads: int) -> None:
    count = 6
    rng = np.random.default_rng(5)
    games = [Fencing(20 + env) for env in range(count)]
    with envpool_py.make(
        TASK, num_envs=count, num_threads=num_threads, seed=20, autoreset_mode=mode
    ) as envs:
        observations, infos = envs.reset()
        for game in games:
            game.reset()
        assert_seen(games, observations, infos["players"])
        over = np.zeros(count, bool)
        endings = 0
        for _ in range(200):
            actions = rng.integers(0, 5, 2 * count)
            observations, rewards, terminated, truncated, infos = envs.step(actions)
            finals = []
            for env, game in enumerate(games):
                if mode == "NextStep" and over[env]:
                    game.reset()
                    expected = [0.0, 0.0], False, False
                else:
                    expected = game.step(actions[2 * env : 2 * env + 2].tolist())
                assert rewards[2 * env : 2 * env + 2].tolist() == expected[0]
                assert (terminated[env], truncated[env]) == expected[1:]
                if mode == "SameStep" and (expected[1] or expected[2]):
                    finals.append((env, game.observations()))
                    game.reset()
            over = terminated | truncated
            endings += int(over.sum())
            assert_seen(games, observations, infos["players"])
            for env, final in finals:
                mine = infos["final_obs"][2 * env : 2 * env + 2]
                np.testing.assert_array_equal(mine, np.array(final, np.float32))
            if mode == "Disabled" and over.any():
                observations, infos = envs.reset(np.flatnonzero(over))
                again = [games[env] for env in np.flatnonzero(over)]
                for game in again:
                    game.reset()
                assert_seen(again, observations, infos["players"])
        assert endings > 20


def test_a_masked_action_changes_nothing_for_the_worse() -> None:
    """A thrust without strength counts as a wait."""
    with envpool_py.make(TASK, num_envs=1, seed=0, length=1000) as envs:
        _, infos = envs.reset()
        for _ in range(3):
            _, _, _, _, infos = envs.step([THRUST, PARRY])
        assert infos["players"]["action_mask"].tolist() == [[1, 1, 1, 0, 1], [1, 1, 1, 1, 1]]
        observations, _, _, _, infos = envs.step([THRUST, PARRY])
        assert observations[0, 2] == np.float32(1 / 6)


def test_as_a_pettingzoo_environment() -> None:
    pytest.importorskip("pettingzoo")
    from envpool_py.players.pettingzoo import parallel_env

    env = parallel_env(TASK, seed=3)
    _, infos = env.reset()
    returns = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        actions = {
            agent: env.action_space(agent).sample(infos[agent]["action_mask"])
            for agent in env.agents
        }
        _, rewards, terminations, _, infos = env.step(actions)
        for agent, reward in rewards.items():
            returns[agent] += reward
    assert sum(returns.values()) == 0.0
    assert terminations["player_0"] == terminations["player_1"]
    env.close()
