"""Ants whose masses and friction change with every episode: a wrapper of a pool.

python examples/environments_that_differ/ant_randomisation.py

`ant_agents.py` trains an agent with it.
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import envpool_py

__all__ = ["RandomModels", "main", "model_of"]


def model_of(mass: float, friction: float) -> dict[str, NDArray[np.float64]]:
    """Returns the option `model` of an Ant.

    Args:
        mass: factor of all masses.
        friction: factor of all frictions.
    """
    model = gymnasium.make("Ant-v5").unwrapped.model  # type: ignore[attr-defined]
    return {
        "body_mass": model.body_mass * mass,
        "geom_friction": model.geom_friction * friction,
    }


class RandomModels(gymnasium.vector.VectorWrapper):
    """Draws the masses and the friction of each environment anew for every episode.

    Args:
        envs: a pool of Ant, in "NextStep" mode: the step after an end takes the model over.
        spread: the factors of `model_of` are in [1 - spread, 1 + spread].
        seed: seed of these numbers.
    """

    def __init__(self, envs: Any, spread: float, seed: int) -> None:
        super().__init__(envs)
        self._pool = envs
        self._rng = np.random.default_rng(seed)
        self._low, self._high = 1.0 - spread, 1.0 + spread
        self._unchanged = model_of(1.0, 1.0)

    def draw(self) -> dict[str, NDArray[np.float64]]:
        """Returns the option `model` of one environment."""
        return {
            name: value * self._rng.uniform(self._low, self._high)
            for name, value in self._unchanged.items()
        }

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        """Resets all environments, each with a model of its own."""
        models = [self.draw() for _ in range(self.num_envs)]
        return self._pool.reset(
            seed=seed, options={**(options or {}), "env_options": {"model": models}}
        )

    def step(self, actions: Any) -> Any:
        """Steps all environments; those whose episode has ended get another model."""
        result = self._pool.step(actions)
        ended = np.flatnonzero(result[2] | result[3])
        if ended.size:
            self._pool.set_env_options([{"model": self.draw()} for _ in ended], ended)
        return result


def main() -> None:
    """Steps Ants with random actions, and prints the mean reward by total mass."""
    parser = argparse.ArgumentParser(description="Ants with random masses and friction.")
    parser.add_argument("--steps", type=int, default=1_000)
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with envpool_py.make("Ant-v5", num_envs=given.envs, max_episode_steps=100) as envs:
        ants = RandomModels(envs, 0.4, given.seed)
        ants.reset(seed=given.seed)
        envs.action_space.seed(given.seed)
        rewards = sum(ants.step(envs.action_space.sample())[1] for _ in range(given.steps))
        masses = [np.sum(options["model"]["body_mass"]) for options in envs.get_env_options()]
    for mass, reward in sorted(zip(masses, rewards / given.steps, strict=True)):
        print(f"mass {mass:.3f}: mean reward {reward:.3f}")


if __name__ == "__main__":
    main()
