"""Testing/TreeAction-v0 in Python, the oracle for the tests of nested actions."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

ACTION_SPACE = spaces.Dict(
    {
        "gait": spaces.Discrete(3, start=-1),
        "force": spaces.Box(
            np.array([-1, -2], np.float32), np.array([1, 2], np.float32), dtype=np.float32
        ),
        "parts": spaces.Tuple(
            [
                spaces.MultiDiscrete([3, 5]),
                spaces.Dict(
                    {"switches": spaces.MultiBinary(4), "dial": spaces.Box(-300, 300, (), np.int16)}
                ),
            ]
        ),
    }
)


class TreeAction(gymnasium.Env[Any, Any]):
    """Every leaf of the action changes the position; episodes end at random."""

    action_space = ACTION_SPACE
    observation_space = spaces.Dict(
        {"action": ACTION_SPACE, "position": spaces.Box(-1e6, 1e6, (), np.float64)}
    )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._action: Any = {
            "gait": 0,
            "force": np.zeros(2, np.float32),
            "parts": (
                np.zeros(2, np.int64),
                {"switches": np.zeros(4, np.int8), "dial": np.int16(0)},
            ),
        }
        self._position = self.np_random.random()
        return self._observation(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._action = action
        force = [float(value) for value in action["force"]]
        wheels, controls = action["parts"]
        self._position += 0.25 * float(action["gait"])
        self._position += force[0] - force[1] / 3.0
        self._position += float(wheels[0]) - float(wheels[1]) / 7.0
        for on in controls["switches"]:
            self._position = self._position / 2.0 if on else self._position + 0.125
        self._position += float(controls["dial"]) / 1000.0
        in_float64 = action["force"].dtype == np.float64
        terminated = self.np_random.random() < 0.1
        return self._observation(), self._position, terminated, False, {"in_float64": in_float64}

    def _observation(self) -> Any:
        action = {**self._action, "force": self._action["force"].astype(np.float32)}
        return {"action": action, "position": np.float64(self._position)}
