"""Environments in Python for `make bench-python`. Importing this module registers them.

Each environment represents one factor of a pool's speed: the work of a step, the size of its
results, or the variation between steps. Gymnasium's checker is off.
"""

from __future__ import annotations

import time
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool_py.cli.bench import python_task  # noqa: F401  # registers PythonCartPole-v0

EPISODE_STEPS = 200


class _Task(gymnasium.Env[Any, Any]):
    """An environment whose observation does not change."""

    observation_space: gymnasium.spaces.Space[Any] = gymnasium.spaces.Box(
        -1.0, 1.0, (4,), np.float32
    )
    action_space: gymnasium.spaces.Space[Any] = gymnasium.spaces.Discrete(2)
    observation: NDArray[Any] = np.zeros(4, np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return self.observation.copy(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._work()
        return self.observation.copy(), 0.0, False, False, {}

    def _work(self) -> None:
        """Does the work of a step."""


class DoesNothing(_Task):
    """Returns at once."""


class CheapImage(_Task):
    """Returns a prepared picture of 84 x 84 x 4 bytes."""

    observation_space = gymnasium.spaces.Box(0, 255, (84, 84, 4), np.uint8)
    observation = np.full((84, 84, 4), 7, np.uint8)


def compute(seconds: float) -> None:
    """Uses a processor for this time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


class Computes(_Task):
    """Computes for a millisecond."""

    def _work(self) -> None:
        compute(1e-3)


class Sleeps(_Task):
    """Sleeps for a millisecond, to imitate waiting for another process or the network."""

    def _work(self) -> None:
        time.sleep(1e-3)


class Uneven(_Task):
    """Computes for 0.1 ms, and twenty times as long in one step of eight, at random."""

    def _work(self) -> None:
        compute(2e-3 if self.np_random.random() < 0.125 else 1e-4)


for _task in (DoesNothing, CheapImage, Computes, Sleeps, Uneven):
    gymnasium.register(
        f"{_task.__name__}-v0",
        entry_point=f"{__name__}:{_task.__name__}",
        max_episode_steps=EPISODE_STEPS,
        disable_env_checker=True,
    )
