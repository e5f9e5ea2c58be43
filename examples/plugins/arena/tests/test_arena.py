"""The checks of envpool_py, and every result of the arena compared with the game in Python."""

import warnings

import numpy as np
import pytest

import envpool_py
from envpool_py.authoring.conformance.plugin import conformance_tests
from envpool_py.players import by_player, present_mask

TASK = "arena:Arena-v0"
MOVES = [(0, 0), (-1, 0), (0, 1), (1, 0), (0, -1)]
FIRST, MEAL, MOST = 12, 8, 24

test_conformance = conformance_tests(TASK)


class Game:
    """One arena, with the rules of arena.h; `robots` is a dict, because players come and go."""

    def __init__(
        self, seed: int, size: int = 8, most: int = 6, start: int = 3, food: int = 5
    ) -> None:
        self.rng = np.random.default_rng(seed)
        self.size, self.most, self.start, self.food_count = size, most, start, food
        self.joins, self.limit = 0.02, 200

    def reset(self) -> None:
        self.steps = 0
        self.food: set[tuple[int, int]] = set()
        self.robots: dict[int, list[int]] = {}  # row, column, energy
        for _ in range(self.food_count):
            self.food.add(self.free_cell())
        for player in range(self.start):
            self.robots[player] = [*self.free_cell(), FIRST]
        self.seen = dict(self.robots)
        self.terminated: set[int] = set()

    def free_cell(self) -> tuple[int, int]:
        while True:
            cell = divmod(int(self.rng.integers(0, self.size**2)), self.size)
            if cell not in self.food and cell not in [tuple(r[:2]) for r in self.robots.values()]:
                return cell

    def step(self, actions: dict[int, int]) -> tuple[dict[int, float], bool, bool]:
        """Returns the rewards, and whether the episode has terminated or is truncated."""
        self.steps += 1
        rewards = dict.fromkeys(actions, 0.0)
        for player, action in sorted(actions.items()):
            robot = self.robots[player]
            for axis in range(2):
                robot[axis] = min(max(robot[axis] + MOVES[action][axis], 0), self.size - 1)
            robot[2] -= 1
            if tuple(robot[:2]) in self.food:
                self.food.remove(tuple(robot[:2]))
                self.food.add(self.free_cell())
                robot[2] = min(robot[2] + MEAL, MOST)
                rewards[player] += 1.0
        out = {player for player, robot in self.robots.items() if robot[2] <= 0}
        for player, robot in self.robots.items():
            here = [p for p, other in sorted(self.robots.items()) if other[:2] == robot[:2]]
            strongest = max(here, key=lambda p: self.robots[p][2])
            if self.robots[strongest][2] > robot[2]:
                out.add(player)
                rewards[strongest] += 1.0
        self.seen = {}
        for player in range(self.most):
            if player in actions:
                self.seen[player] = self.robots[player]
                if player in out:
                    rewards[player] -= 1.0
                    del self.robots[player]
            elif self.rng.random() < self.joins:
                self.robots[player] = [*self.free_cell(), FIRST]
                self.seen[player] = self.robots[player]
        terminated, truncated = not self.robots, self.steps >= self.limit
        self.terminated = set(self.seen) if terminated else out
        return rewards, terminated, truncated

    def view(self, player: int) -> np.ndarray:
        view = np.zeros((5, 5), np.uint8)
        row, column, _ = self.seen[player]
        taken = {tuple(robot[:2]) for robot in self.robots.values()}
        for index in np.ndindex(5, 5):
            cell = row + index[0] - 2, column + index[1] - 2
            if not (0 <= cell[0] < self.size and 0 <= cell[1] < self.size):
                view[index] = 3
            elif cell in taken:
                view[index] = 2
            elif cell in self.food:
                view[index] = 1
        return view


def who_of(players: dict) -> list[tuple[int, int]]:
    return list(zip(players["env_id"].tolist(), players["id"].tolist(), strict=True))


def assert_seen(games: list[Game], observations: dict, infos: dict) -> None:
    players = infos["players"]
    rows = [(game, player) for game in games for player in sorted(game.seen)]
    assert players["id"].tolist() == [player for _, player in rows]
    assert infos["robots"].tolist() == [len(game.robots) for game in games]
    views = np.array([game.view(player) for game, player in rows], np.uint8).reshape(-1, 5, 5)
    np.testing.assert_array_equal(observations["view"], views)
    energies = [max(game.seen[player][2], 0) / MOST for game, player in rows]
    np.testing.assert_array_equal(observations["energy"], np.array(energies, np.float32))


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_every_result_is_that_of_the_game(mode: str, num_threads: int) -> None:
    count = 4
    rng = np.random.default_rng(1)
    games = [Game(50 + env) for env in range(count)]
    with envpool_py.make(
        TASK, num_envs=count, num_threads=num_threads, seed=50, autoreset_mode=mode
    ) as envs:
        observations, infos = envs.reset()
        for game in games:
            game.reset()
        assert_seen(games, observations, infos)
        over = np.zeros(count, bool)
        endings, sizes = 0, set()
        for _ in range(250):
            players = infos["players"]
            actions = rng.integers(0, 5, len(players["id"]))
            chosen = dict(zip(who_of(players), actions.tolist(), strict=True))
            observations, rewards, terminated, truncated, infos = envs.step(actions)
            expected: dict[tuple[int, int], float] = {}
            gone = set()
            for env, game in enumerate(games):
                if mode == "NextStep" and over[env]:
                    game.reset()
                    continue
                mine = {player: chosen[env, player] for player in game.robots}
                own, *flags = game.step(mine)
                assert [terminated[env], truncated[env]] == flags
                expected |= {(env, player): reward for player, reward in own.items()}
                gone |= {(env, player) for player in game.terminated}
                if mode == "SameStep" and any(flags):
                    game.reset()
            players = infos["players"]
            who = who_of(players)
            assert rewards.tolist() == [expected.get(each, 0.0) for each in who]
            assert players["terminated"].tolist() == [each in gone for each in who]
            over = terminated | truncated
            endings += int(over.sum())
            sizes.add(len(who))
            assert_seen(games, observations, infos)
            if mode == "Disabled" and over.any():
                envs.reset(np.flatnonzero(over))
                for env in np.flatnonzero(over):
                    games[env].reset()
                # Reloading returns the rows of all environments, which the next step needs.
                observations, infos = envs.load_states(envs.save_states())
                assert_seen(games, observations, infos)
        assert endings >= 4
        assert len(sizes) > 8


def test_the_first_robots_that_are_ready() -> None:
    with envpool_py.make(TASK, num_envs=8, batch_size=3, seed=1, check_outputs=True) as envs:
        envs.async_reset()
        for _ in range(200):
            observations, rewards, _, _, infos = envs.recv()
            here = present_mask(infos, envs.num_players)
            assert by_player(observations, infos, envs.num_players)["view"].shape == (3, 6, 5, 5)
            assert here.sum() == len(rewards)
            mask = infos["players"]["action_mask"]
            envs.send(np.array([np.flatnonzero(row)[-1] for row in mask], int), infos["env_id"])


def test_options_that_do_not_fit() -> None:
    with pytest.raises(envpool_py.errors.OptionError, match="at most `most`"):
        envpool_py.make(TASK, most=2, start=3)


def test_as_a_pettingzoo_environment() -> None:
    pytest.importorskip("pettingzoo")
    with warnings.catch_warnings():  # pettingzoo's tests use imports that it has deprecated
        warnings.simplefilter("ignore")
        from pettingzoo.test import parallel_api_test

    from envpool_py.players.pettingzoo import parallel_env

    env = parallel_env(TASK, seed=3, joins=0.0)
    parallel_api_test(env, num_cycles=500)
    env.close()
