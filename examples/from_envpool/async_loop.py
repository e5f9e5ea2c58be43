"""An asynchronous loop with `send` and `recv`: searches a policy for CartPole. Needs only NumPy.

    python examples/from_envpool/async_loop.py [--library envpool] [--seed 0]

Cross-entropy method (Szita and Lorincz, 2006) over linear policies. Each environment plays an
episode with one candidate, and then takes the next candidate. There are 32 environments, and each
batch has the first 8 that are ready. With both libraries, the order in which environments become
ready differs from run to run.
"""

from __future__ import annotations

import numpy as np

from trial import Trial

TASK = "CartPole-v1"
NUM_ENVS = 32
BATCH_SIZE = 8
STEPS = 150_000
GENERATION = 48  # candidates from which the next distribution is made
BEST = 8  # candidates with the highest returns, which determine the next distribution


class Candidates:
    """Draws policies, and moves towards those with the highest returns."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._mean, self._std = np.zeros(4), np.ones(4)
        self._played: list[tuple[float, list[float]]] = []

    def draw(self) -> list[float]:
        """Returns the weights of a policy."""
        weights: list[float] = self._rng.normal(self._mean, self._std).tolist()
        return weights

    def played(self, weights: list[float], total: float) -> None:
        """Records the return of an episode that was played with the weights."""
        self._played.append((total, weights))
        if len(self._played) < GENERATION:
            return
        best = np.array([weights for _, weights in sorted(self._played, reverse=True)[:BEST]])
        self._mean, self._std = best.mean(axis=0), best.std(axis=0) + 0.02
        self._played = []


def main(arguments: list[str] | None = None) -> None:
    """Trains."""
    trial = Trial("async_loop", TASK, steps=STEPS, num_envs=NUM_ENVS, arguments=arguments)
    envs = trial.envpool.make_gymnasium(
        TASK, num_envs=NUM_ENVS, batch_size=BATCH_SIZE, num_threads=2, seed=trial.seed
    )
    candidates = Candidates(trial.seed)
    weights = np.array([candidates.draw() for _ in range(NUM_ENVS)])
    returns = np.zeros(NUM_ENVS)
    steps = 0
    envs.async_reset()
    while steps < trial.steps:
        obs, rew, term, trunc, info = envs.recv()
        env_id = info["env_id"]
        steps += len(env_id)
        returns[env_id] += rew
        for index in env_id[term | trunc]:
            candidates.played(weights[index].tolist(), float(returns[index]))
            trial.episodes_ended(steps, [returns[index]])
            weights[index], returns[index] = candidates.draw(), 0.0
        act = (np.sum(obs * weights[env_id], axis=1) > 0).astype(np.int32)
        envs.send(act, env_id)
    envs.close()
    trial.finish(steps)


if __name__ == "__main__":
    main()
