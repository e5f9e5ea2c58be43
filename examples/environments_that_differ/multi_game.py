"""The sampler of an agent that plays several Atari games: one pool, one memory per game.

Games take different times per step, and a pool in first-ready mode returns those first that are
ready first. So a game with short steps gives more transitions. The sampler keeps them by game, and
each minibatch has equally many of each, with the index of the game for the agent's network.

    python examples/environments_that_differ/multi_game.py --steps 20000
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import envpool_py

__all__ = ["Memory", "Minibatch", "collect", "main"]

GAMES = ("Pong-v5", "Breakout-v5", "Seaquest-v5")
NUM_ACTIONS = 18  # with full_action_space


@dataclass(frozen=True)
class Minibatch:
    """Transitions of all games, with the same number of each.

    Attributes:
        games: index of the game of each row, int32 (n,).
        observations, after: uint8 (n, 4, 84, 84), before and after the step.
        actions, rewards, terminated: int64, float64 and bool (n,).
    """

    games: NDArray[np.int32]
    observations: NDArray[np.uint8]
    actions: NDArray[np.int64]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    after: NDArray[np.uint8]


class Memory:
    """The latest transitions of each game.

    Args:
        num_games: number of games.
        capacity: transitions that are kept of each game.
        num_envs: number of environments of the pool.
    """

    def __init__(self, num_games: int, capacity: int, num_envs: int) -> None:
        self.counts = np.zeros(num_games, np.int64)
        self._capacity = capacity
        shape = (num_games, capacity)
        self._observations = np.zeros((*shape, 4, 84, 84), np.uint8)
        self._after = np.zeros((*shape, 4, 84, 84), np.uint8)
        self._actions = np.zeros(shape, np.int64)
        self._rewards = np.zeros(shape)
        self._terminated = np.zeros(shape, np.bool_)
        # By environment, because its next row may be in any batch.
        self._latest = np.zeros((num_envs, 4, 84, 84), np.uint8)
        self._action = np.zeros(num_envs, np.int64)

    def began(self, observations: NDArray[np.uint8], envs: NDArray[np.int32]) -> None:
        """Notes the first observations of environments."""
        self._latest[envs] = observations

    def chose(self, actions: NDArray[np.int64], envs: NDArray[np.int32]) -> None:
        """Notes the actions that are sent to environments."""
        self._action[envs] = actions

    def add(self, result: tuple[Any, ...]) -> None:
        """Adds the transitions of a result of `recv`, except the rows that begin an episode."""
        observations, rewards, terminated, _, infos = result
        for row in np.flatnonzero(infos["elapsed_step"] > 0):
            env, game = infos["env_id"][row], infos["task"][row]
            place = self.counts[game] % self._capacity
            self._observations[game, place] = self._latest[env]
            self._after[game, place] = observations[row]
            self._actions[game, place] = self._action[env]
            self._rewards[game, place] = rewards[row]
            self._terminated[game, place] = terminated[row]
            self.counts[game] += 1
        self._latest[infos["env_id"]] = observations

    def sample(self, rows_of_each: int, rng: np.random.Generator) -> Minibatch:
        """Returns random transitions, `rows_of_each` of each game, which must have been added."""
        num_games = len(self.counts)
        games = np.repeat(np.arange(num_games, dtype=np.int32), rows_of_each)
        kept = np.minimum(self.counts, self._capacity)[games]
        places = rng.integers(0, kept)
        return Minibatch(
            games=games,
            observations=self._observations[games, places],
            actions=self._actions[games, places],
            rewards=self._rewards[games, places],
            terminated=self._terminated[games, places],
            after=self._after[games, places],
        )


def collect(
    games: Sequence[str], envs_of_each: int, steps: int, capacity: int, seed: int
) -> tuple[Memory, dict[str, float]]:
    """Plays random actions.

    Args:
        games: ids of the games.
        envs_of_each: environments of each game.
        steps: steps of all environments together, about.
        capacity: transitions that are kept of each game.
        seed: seed of the pool and of the actions.

    Returns:
        The memory, and the mean return of each game's episodes.
    """
    rng = np.random.default_rng(seed)
    num_envs = envs_of_each * len(games)
    returns: dict[str, list[float]] = {game: [] for game in games}
    with envpool_py.make(
        games,
        num_envs=num_envs,
        batch_size=max(num_envs // 2, 1),
        full_action_space=True,
        record_episode_statistics=True,
        seed=seed,
    ) as envs:
        memory = Memory(len(games), capacity, num_envs)
        observations, infos = envs.reset()
        memory.began(observations, infos["env_id"])
        ids = infos["env_id"]
        for _ in range(steps // envs.batch_size):
            actions = rng.integers(0, NUM_ACTIONS, len(ids))
            memory.chose(actions, ids)
            envs.send(actions, ids)
            result = envs.recv()
            memory.add(result)
            infos = result[4]
            ids = infos["env_id"]
            for row in np.flatnonzero(infos.get("_episode", ())):
                game = envs.task_ids[infos["task"][row]]
                returns[game].append(infos["episode"]["r"][row])
    return memory, {game: float(np.mean(each)) for game, each in returns.items() if each}


def main() -> None:
    """Collects transitions and prints what a minibatch contains."""
    parser = argparse.ArgumentParser(description="The sampler of a multi-game agent.")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--envs", type=int, default=4, help="environments of each game")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    memory, returns = collect(GAMES, given.envs, given.steps, 1_000, given.seed)
    batch = memory.sample(32, np.random.default_rng(given.seed))
    for index, game in enumerate(GAMES):
        rows = batch.games == index
        print(
            f"{game}: {memory.counts[index]:,} transitions, mean return "
            f"{returns.get(game, float('nan')):.1f}, {rows.sum()} rows of the minibatch"
        )


if __name__ == "__main__":
    main()
