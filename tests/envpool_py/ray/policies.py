"""Policies for actors. They are defined inside functions so that Ray sends them by value."""

from __future__ import annotations

from typing import Any


def stamps() -> Any:
    """Returns a policy whose columns record process, step and weights of each action."""

    class Stamps:
        def __init__(self, spaces: Any) -> None:
            import os

            import numpy as np

            self._np = np
            self._pid = os.getpid()
            self._calls = 0
            self._weights = -1.0

        def set_weights(self, weights: Any) -> None:
            self._weights = float(weights["value"])

        def act(self, observations: Any) -> Any:
            np = self._np
            rows = len(observations)
            stamp = np.full((rows, 3), (self._pid, self._calls, self._weights))
            self._calls += 1
            return np.zeros(rows, np.int64), {"stamps": stamp}

    return Stamps


STAMPS = {"stamps": ((3,), "float64")}


def noise() -> Any:
    """Returns a policy whose random actions depend only on the weights."""

    class Noise:
        def __init__(self, spaces: Any) -> None:
            self._space = spaces.single_action_space

        def set_weights(self, weights: Any) -> None:
            import numpy as np

            self._random = np.random.default_rng(int(weights["value"]))

        def act(self, observations: Any) -> Any:
            import numpy as np

            rows = len(observations)
            actions = self._random.integers(self._space.n, size=rows)
            return actions, {"log_probs": self._random.random(rows, np.float32)}

    return Noise


def breaking() -> Any:
    """Returns a policy that raises an exception at its third step."""

    class Breaking:
        calls = 0

        def __init__(self, spaces: Any) -> None:
            pass

        def set_weights(self, weights: Any) -> None:
            pass

        def act(self, observations: Any) -> Any:
            import numpy as np

            self.calls += 1
            if self.calls == 3:
                raise ArithmeticError("of the user")
            return np.zeros(len(observations), np.int64), {}

    return Breaking
