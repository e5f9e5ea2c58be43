"""A curriculum on FrozenLake: Q-learning on maps that grow while the pool runs.

The maps are the lower right corners of FrozenLake8x8's map, so each contains the smaller ones. The
table is indexed by the distance to the goal, and what is learned on one map holds on the next. An
environment moves on to a larger map when its agent reaches the goal without exploring.

    python examples/environments_that_differ/curriculum.py
    python examples/environments_that_differ/curriculum.py --from-size 8     # no curriculum
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from gymnasium.envs.toy_text.frozen_lake import MAPS
from numpy.typing import NDArray

import envpool_py

__all__ = ["lake_of", "main", "train"]

LARGEST = 8
NUM_ENVS = 16
DISCOUNT, LEARNING_RATE, EXPLORATION = 0.95, 0.5, 0.2


def lake_of(size: int) -> list[str]:
    """Returns the map whose side has `size` tiles; it starts in the upper left corner."""
    corner = [row[-size:] for row in MAPS["8x8"][-size:]]
    return ["S" + corner[0][1:], *corner[1:]]


def train(steps: int, from_size: int, seed: int) -> tuple[int | None, list[int]]:
    """Trains until the agent solves the largest map.

    Args:
        steps: largest number of steps of the pool.
        from_size: size of the first map.
        seed: seed of the pool and of the exploration.

    Returns:
        The number of steps after which the largest map was solved, or None; and the size of the
        map after every 100 steps.
    """
    rng = np.random.default_rng(seed)
    table = np.zeros((LARGEST * LARGEST, 4))
    size, sizes = from_size, []
    # Made with the largest map, so that the observation space includes all of them.
    with envpool_py.make(
        "FrozenLake-v1",
        num_envs=NUM_ENVS,
        desc=lake_of(LARGEST),
        is_slippery=False,
        max_episode_steps=64,
        seed=seed,
    ) as envs:
        options = {"desc": [lake_of(from_size)] * NUM_ENVS}
        observations, _ = envs.reset(options={"env_options": options})
        for step in range(steps):
            tiles = _from_goal(observations, size)
            actions = _greedy(table[tiles], rng)
            explores = rng.random(NUM_ENVS) < EXPLORATION
            actions[explores] = rng.integers(0, 4, explores.sum())
            observations, rewards, terminated, _, infos = envs.step(actions)
            real = infos["elapsed_step"] > 0  # the other rows begin an episode
            after = table[_from_goal(observations, size)].max(axis=1)
            targets = rewards + DISCOUNT * np.where(terminated, 0.0, after)
            error = targets - table[tiles, actions]
            table[tiles[real], actions[real]] += LEARNING_RATE * error[real]
            if step % 100 == 99:
                sizes.append(size)
                if _solves(table, size):
                    if size == LARGEST:
                        return step + 1, sizes
                    size += 1
                    envs.set_env_options({"desc": [lake_of(size)] * NUM_ENVS})
                    observations, _ = envs.reset()
    return None, sizes


def _from_goal(observations: NDArray[Any], size: int) -> NDArray[np.int64]:
    """Returns the indices of tiles in the table, which has the goal at 0."""
    rows, columns = np.divmod(size * size - 1 - observations, size)
    return np.asarray(rows * LARGEST + columns, np.int64)


def _greedy(values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Returns the best action of each row; among equals a random one."""
    best = values == values.max(axis=1, keepdims=True)
    chosen: NDArray[np.int64] = np.argmax(best * rng.random(best.shape), axis=1)
    return chosen


def _solves(table: NDArray[np.float64], size: int) -> bool:
    """Returns whether the agent reaches the goal of a map without exploring."""
    with envpool_py.make("FrozenLake-v1", desc=lake_of(size), is_slippery=False) as env:
        observations, _ = env.reset(seed=0)
        for _ in range(2 * size):
            action = table[_from_goal(observations, size)].argmax(axis=1)
            observations, rewards, terminated, _, _ = env.step(action)
            if terminated[0]:
                return bool(rewards[0] == 1.0)
    return False


def main() -> None:
    """Trains and prints how far the agent came."""
    parser = argparse.ArgumentParser(description="A curriculum on FrozenLake.")
    parser.add_argument("--steps", type=int, default=20_000, help="steps of the pool, at most")
    parser.add_argument("--from-size", type=int, default=2, help="side of the first map, 2 to 8")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    solved, sizes = train(given.steps, given.from_size, given.seed)
    for step in range(0, len(sizes), max(len(sizes) // 20, 1)):
        print(f"{100 * (step + 1):7,} steps: {sizes[step]} x {sizes[step]} tiles")
    print("not solved" if solved is None else f"solved 8 x 8 after {solved:,} steps of 16 lakes")


if __name__ == "__main__":
    main()
