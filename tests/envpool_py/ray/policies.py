"""Policies for actors. They are defined inside functions so that Ray sends them by value."""

from __future__ import annotations

from typing import Any


def stamps() -> Any:
    """Returns a policy whose columns record process, step, weights and seed of each action."""

    class Stamps:
        def __init__(self, spaces: Any) -> None:
            import os

            import numpy as np

            self._np = np
            self._pid = os.getpid()
            self._calls = 0
            self._weights = -1.0
            self._seed = spaces.seed

        def set_weights(self, weights: Any) -> None:
            self._weights = float(weights["value"])

        def act(self, observations: Any) -> Any:
            np = self._np
            rows = len(observations)
            stamp = np.full((rows, 4), (self._pid, self._calls, self._weights, self._seed))
            self._calls += 1
            return np.zeros(rows, np.int64), {"stamps": stamp}

    return Stamps


STAMPS = {"stamps": ((4,), "float64")}


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


def seeded() -> Any:
    """Returns a policy whose random actions depend only on its seed."""

    class Seeded:
        def __init__(self, spaces: Any) -> None:
            import numpy as np

            self._random = np.random.default_rng(spaces.seed)

        def set_weights(self, weights: Any) -> None:
            pass

        def act(self, observations: Any) -> Any:
            return self._random.integers(2, size=len(observations)), {}

    return Seeded


def breaking(how: str = "step") -> Any:
    """Returns a policy that raises an exception once.

    Args:
        how: "step": at its third step; "weights": when it gets weights; "stop": StopIteration, at
            its third step; "awkward": an exception that cannot be unpickled.
    """

    class AwkwardError(Exception):
        def __init__(self, done: int, total: int) -> None:
            super().__init__(f"{done} of {total}")

    class Breaking:
        calls = 0
        refused = False

        def __init__(self, spaces: Any) -> None:
            pass

        def set_weights(self, weights: Any) -> None:
            if how == "weights" and not self.refused:
                self.refused = True
                raise ArithmeticError("of the user")

        def act(self, observations: Any) -> Any:
            import numpy as np

            self.calls += 1
            if self.calls == 3 and how != "weights":
                raise {"stop": StopIteration(), "awkward": AwkwardError(3, 4)}.get(
                    how, ArithmeticError("of the user")
                )
            return np.zeros(len(observations), np.int64), {}

    return Breaking
