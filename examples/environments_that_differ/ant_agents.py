"""What randomisation gives: two agents of Ant on frictions that neither has seen.

    python examples/environments_that_differ/ant_agents.py

Trains two agents with PPO, one on the Ant of the file, one on Ants whose masses and friction change
with every episode (`RandomModels`), one after the other; about 20 minutes each on two processors. Then one pool
steps both over a range of frictions, all of them at once. Writes the returns and a picture to
`examples/results/environments_that_differ`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import envpool_py

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "learners")]
from ant_randomisation import RandomModels, model_of  # noqa: E402

from torch_ppo import ActorCritic, Settings, train  # noqa: E402

__all__ = ["Agent", "main", "returns_of"]

RESULTS = Path(__file__).parents[1] / "results" / "environments_that_differ"
SPREAD = 0.5
"""The randomised agent sees masses and frictions of 0.5 to 1.5 times those of the file."""
FRICTIONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)
SETTINGS = Settings(
    steps=1_200_000,
    num_envs=16,
    length=128,
    minibatch=256,
    epochs=10,
    learning_rate=3e-4,
    gamma=0.99,
    lam=0.95,
    log_std=-0.5,
    normalizes=True,
)


class Agent:
    """A policy that was trained with PPO.

    Args:
        spread: that of `RandomModels`; 0: all episodes have the model of the file.
        steps: number of steps, over all environments.
        seed: seed of all randomness.
    """

    def __init__(self, spread: float, steps: int, seed: int) -> None:
        torch.manual_seed(seed)
        pool = envpool_py.make("Ant-v5", num_envs=SETTINGS.num_envs, record_episode_statistics=True)
        with pool:
            envs = RandomModels(pool, spread, seed) if spread else pool
            self._model = ActorCritic(envs, SETTINGS.width, log_std=SETTINGS.log_std)
            self.curve: list[tuple[int, float]] = []
            self._name = f"spread {spread}"
            self._recent: deque[float] = deque(maxlen=50)
            self._shown = time.perf_counter()
            self._look = train(envs, self._model, SETTINGS, steps, seed, self._episodes_ended)

    def act(self, observations: NDArray[Any]) -> NDArray[np.float32]:
        """Returns the means of the policy's actions, clipped to the action space, (n, 8)."""
        with torch.no_grad():
            output = self._model.actor(self._look(torch.as_tensor(observations)))
        return np.asarray(output.clamp(-1.0, 1.0), np.float32)

    def _episodes_ended(self, steps: int, returns: Any) -> None:
        self._recent.extend(returns)
        if not self._recent:
            return
        self.curve.append((steps, float(np.mean(self._recent))))
        if time.perf_counter() - self._shown > 10:
            self._shown = time.perf_counter()
            print(
                f"{self._name}: {steps:>10,} steps, mean return {self.curve[-1][1]:.0f}", flush=True
            )


def returns_of(
    agent: Agent, frictions: tuple[float, ...], episodes: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Plays episodes with each friction, all at once.

    Returns:
        The returns, and whether the Ant was still healthy at the limit of 1,000 steps, both
        (number of frictions, episodes).
    """
    models = [model_of(1.0, factor) for factor in np.repeat(frictions, episodes)]
    with envpool_py.make("Ant-v5", num_envs=len(models), env_options={"model": models}) as envs:
        observations, _ = envs.reset(seed=seed)
        total, ended = np.zeros(len(models)), np.zeros(len(models), np.bool_)
        survived = ended.copy()
        while not ended.all():
            observations, rewards, _, truncated, _ = step = envs.step(agent.act(observations))
            total += np.where(ended, 0.0, rewards)
            survived |= ~ended & truncated
            ended |= step[2] | truncated
    return total.reshape(-1, episodes), survived.reshape(-1, episodes)


def draw(record: dict[str, Any], path: Path) -> None:
    """Draws the learning curves, and the returns by friction."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
    for name, colour in (("the file's model", "#0072b2"), ("random models", "#d55e00")):
        agent = record["agents"][name]
        left.plot(*zip(*agent["curve"], strict=True), color=colour, label=name)
        right.plot(record["frictions"], agent["returns"], "o-", color=colour, label=name)
    left.set(xlabel="steps", ylabel="mean return of 50 episodes", title="training")
    right.axvspan(1 - record["spread"], 1 + record["spread"], color="#eeeeee", zorder=0)
    right.set(xscale="log", xlabel="friction, times that of the file", title="held-out frictions")
    right.text(1.0, right.get_ylim()[0], "trained", ha="center", va="bottom", color="#888888")
    left.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main() -> None:
    """Trains both agents, compares them, and writes the record and the picture."""
    parser = argparse.ArgumentParser(description="Agents of Ant on frictions they have not seen.")
    parser.add_argument("--steps", type=int, default=SETTINGS.steps, help="of each training")
    parser.add_argument("--episodes", type=int, default=10, help="for each friction")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, default=RESULTS, help="directory to write to")
    given = parser.parse_args()
    torch.set_num_threads(1)
    record: dict[str, Any] = {
        "steps": given.steps,
        "seed": given.seed,
        "spread": SPREAD,
        "frictions": FRICTIONS,
    }
    agents = record["agents"] = {}
    for name, spread in (("the file's model", 0.0), ("random models", SPREAD)):
        began = time.perf_counter()
        agent = Agent(spread, given.steps, given.seed)
        returns, survived = returns_of(agent, FRICTIONS, given.episodes, given.seed + 1)
        agents[name] = {
            "seconds": round(time.perf_counter() - began),
            "returns": returns.mean(1).round(1).tolist(),
            "survived": survived.mean(1).round(2).tolist(),
            "curve": [
                [at, round(mean, 1)] for at, mean in agent.curve[:: len(agent.curve) // 100 + 1]
            ],
        }
    print("friction  " + "  ".join(f"{name:>24}" for name in agents))
    for at, friction in enumerate(FRICTIONS):
        cells = (
            f"{each['returns'][at]:10.0f}, {each['survived'][at]:4.0%} survive"
            for each in agents.values()
        )
        print(f"{friction:8.2f}  " + "  ".join(f"{cell:>24}" for cell in cells))
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / "ant.json").write_text(json.dumps(record) + "\n")
    draw(record, given.results / "ant.png")


if __name__ == "__main__":
    main()
