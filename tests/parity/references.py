"""Gymnasium's ids of our tasks."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.classic_control.pendulum import PendulumEnv

# EnvPool's ids of tasks for which Gymnasium 1.4 has only a later version.
_RENAMED = {
    "CarRacing-v2": "CarRacing-v3",
    "CliffWalking-v0": "CliffWalking-v1",
    "LunarLander-v2": "LunarLander-v3",
    "LunarLanderContinuous-v2": "LunarLanderContinuous-v3",
    "Pendulum-v0": "Parity/Pendulum-v0",
    "Taxi-v3": "Taxi-v4",
}


class PendulumOfVersion0(PendulumEnv):
    """Gymnasium's pendulum, but the angle moves by the speed before its limit is applied."""

    def step(self, u: Any) -> Any:
        angle, speed = self.state
        _, reward, *flags = super().step(u)
        torque = np.clip(u, -self.max_torque, self.max_torque)[0]
        pull = 3 * self.g / (2 * self.l) * np.sin(angle)
        speed = speed + (pull + 3.0 / (self.m * self.l**2) * torque) * self.dt
        self.state = np.array([angle + speed * self.dt, self.state[1]])
        return self._get_obs(), reward, *flags


gymnasium.register("Parity/Pendulum-v0", entry_point=PendulumOfVersion0, max_episode_steps=200)


def reference_id(task_id: str) -> str:
    """Returns Gymnasium's id of the task, which is `task_id` itself unless it is renamed."""
    return _RENAMED.get(task_id, task_id)
