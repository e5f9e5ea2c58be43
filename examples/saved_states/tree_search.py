"""Monte-Carlo tree search over saved states: FrozenLake, and Hopper.

    python examples/saved_states/tree_search.py

A node of the tree is a state of the environment, from `save_states`. To expand it, `load_states`
puts the state into every environment of a pool, each environment takes another action, and all play
on at random to estimate the values of the new states. The environment that the agent acts in is
never asked what would happen: it only gives its state.

A state includes the random generator, so the search knows where the agent will slip.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import envpool_py

__all__ = ["Planner", "Result", "main", "play"]

RESULTS = Path(__file__).parents[1] / "results"
LAKE = "FrozenLake-v1"
HOPPER = "Hopper-v5"


@dataclass
class Node:
    """A state that the search has reached.

    Attributes:
        state: the saved state.
        reward: sum of the rewards of the action that led here.
        ended: whether the episode has ended.
        visits: how often the search has passed through.
        total: sum of the returns from here on.
        children: the nodes of all actions; empty: not expanded yet.
    """

    state: bytes
    reward: float = 0.0
    ended: bool = False
    visits: int = 0
    total: float = 0.0
    children: list[Node] = field(default_factory=list)

    def score(self, parent: Node, spread: float, gamma: float) -> float:
        """Returns the upper confidence bound; `spread` is that of the returns in the tree."""
        if self.visits == 0:
            return math.inf
        value = self.reward + gamma * self.total / self.visits
        return value + spread * math.sqrt(2.0 * math.log(parent.visits) / self.visits)


class Planner:
    """Searches from a state.

    Args:
        task_id: the task.
        actions: the actions that the search considers, (n, ...).
        repeat: how many steps an action is repeated.
        horizon: actions at random after a new node.
        gamma: discount per action.
        seed: seed of the random actions.
        **options: options of the task.
    """

    def __init__(
        self,
        task_id: str,
        actions: NDArray[Any],
        repeat: int,
        horizon: int,
        gamma: float,
        seed: int,
        **options: Any,
    ) -> None:
        self.actions, self.repeat = actions, repeat
        self._horizon, self._gamma = horizon, gamma
        self._rng = np.random.default_rng(seed)
        self._pool = envpool_py.make(task_id, num_envs=len(actions), **options)
        self._pool.reset(seed=0)
        self.nodes = 0

    def close(self) -> None:
        """Frees the environments."""
        self._pool.close()

    def choose(self, state: bytes, iterations: int) -> int:
        """Returns the index of the best action from a state."""
        root = Node(state)
        for _ in range(iterations):
            path = [root]
            while path[-1].children and not path[-1].ended:
                node = path[-1]
                spread = self._spread(root)
                path.append(
                    max(node.children, key=lambda child: child.score(node, spread, self._gamma))
                )
            leaf = path[-1]
            value = 0.0 if leaf.ended else self._expand(leaf)
            for node in reversed(path):
                node.visits += 1
                node.total += value
                value = node.reward + self._gamma * value
        return int(np.argmax([child.visits for child in root.children]))

    def _spread(self, root: Node) -> float:
        values = [child.total / child.visits for child in root.children if child.visits]
        return max(float(np.ptp(values)), 1e-3) if values else 1.0

    def _expand(self, leaf: Node) -> float:
        """Adds the children of a leaf, and returns the mean of their returns."""
        pool, n = self._pool, len(self.actions)
        pool.load_states([leaf.state] * n)
        rewards, ended = self._step(np.arange(n), np.zeros(n, np.bool_))
        states = pool.save_states()
        later, discount, over = np.zeros(n), 1.0, ended.copy()
        for _ in range(self._horizon):
            more, over = self._step(self._rng.integers(n, size=n), over)
            later += discount * more
            discount *= self._gamma
        for child in range(n):
            leaf.children.append(
                Node(states[child], float(rewards[child]), bool(ended[child]), 1, later[child])
            )
        self.nodes += n
        leaf.visits += n - 1
        values = rewards + self._gamma * np.where(ended, 0.0, later)
        leaf.total += float(values.sum() - values.mean())
        return float(values.mean())

    def _step(
        self, chosen: NDArray[np.int64], over: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Takes an action in every environment; returns rewards, 0 after an end, and ends."""
        total, over = np.zeros(len(chosen)), over.copy()
        for _ in range(self.repeat):
            _, rewards, terminated, truncated, _ = self._pool.step(self.actions[chosen])
            total += np.where(over, 0.0, rewards)
            over |= terminated | truncated
        return total, over


@dataclass
class Result:
    """An episode.

    Attributes:
        rewards: the reward of each action.
        nodes: nodes of all search trees.
    """

    rewards: list[float]
    nodes: int


def play(
    planner: Planner | None, env: Any, actions: NDArray[Any], repeat: int, **how: int
) -> Result:
    """Plays an episode with a planner, or at random.

    Args:
        planner: the planner; None: random actions.
        env: a pool of one environment.
        actions: the actions to choose from.
        repeat: how many steps an action is repeated.
        **how: "limit", the most actions; "iterations" of each search; "seed".
    """
    rng = np.random.default_rng(how["seed"])
    env.reset(seed=how["seed"])
    rewards: list[float] = []
    ended = False
    while not ended and len(rewards) < how["limit"]:
        if planner is None:
            chosen = int(rng.integers(len(actions)))
        else:
            chosen = planner.choose(env.save_states()[0], how["iterations"])
        rewards.append(0.0)
        for _ in range(repeat):
            _, reward, terminated, truncated, _ = env.step(actions[[chosen]])
            rewards[-1] += float(reward[0])
            ended = bool(terminated[0] | truncated[0])
            if ended:
                break
    return Result(rewards, 0 if planner is None else planner.nodes)


def lake(iterations: int, seed: int) -> tuple[Result, Result]:
    """Returns an episode on the frozen lake with the search, and one at random."""
    actions = np.arange(4)
    planner = Planner(LAKE, actions, 1, 30, 0.97, seed)
    with envpool_py.make(LAKE) as env:
        how = {"limit": 60, "iterations": iterations, "seed": seed}
        found = play(planner, env, actions, 1, **how)
        at_random = play(None, env, actions, 1, **how)
    planner.close()
    return found, at_random


def hopper(iterations: int, limit: int, seed: int) -> tuple[Result, Result]:
    """Returns an episode of Hopper with the search, and one at random."""
    actions = np.random.default_rng(7).uniform(-1.0, 1.0, (12, 3)).astype(np.float32)
    planner = Planner(HOPPER, actions, 4, 6, 0.99, seed)
    with envpool_py.make(HOPPER) as env:
        how = {"limit": limit, "iterations": iterations, "seed": seed}
        found = play(planner, env, actions, 4, **how)
        at_random = play(None, env, actions, 4, **how)
    planner.close()
    return found, at_random


def draw(episodes: dict[str, tuple[Result, Result]], path: Path) -> None:
    """Draws the return so far over the actions."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(episodes), figsize=(9, 3.2))
    for axis, (title, results) in zip(np.atleast_1d(axes), episodes.items(), strict=True):
        for name, result, colour in zip(
            ("tree search", "random actions"), results, ("#d55e00", "#0072b2"), strict=True
        ):
            axis.plot(np.cumsum([0.0, *result.rewards]), color=colour, label=name)
        axis.set(title=title, xlabel="actions", ylabel="return so far")
        axis.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main() -> None:
    """Plays both tasks, prints the returns, and draws them if matplotlib is installed."""
    parser = argparse.ArgumentParser(description="Monte-Carlo tree search over saved states.")
    parser.add_argument("--iterations", type=int, default=150, help="of each search")
    parser.add_argument("--limit", type=int, default=75, help="actions of Hopper's episode")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", type=Path, default=RESULTS / "tree_search.png")
    given = parser.parse_args()
    episodes = {
        LAKE: lake(given.iterations, given.seed),
        HOPPER: hopper(given.iterations // 3, given.limit, given.seed),
    }
    for title, (found, at_random) in episodes.items():
        print(
            f"{title}: {sum(found.rewards):.1f} in {len(found.rewards)} actions with the search "
            f"({found.nodes:,} states), {sum(at_random.rewards):.1f} at random"
        )
    try:
        draw(episodes, given.picture)
    except ImportError:
        print("no picture: it needs matplotlib")


if __name__ == "__main__":
    main()
