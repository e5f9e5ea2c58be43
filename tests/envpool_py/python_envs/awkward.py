"""Environments with unusual spaces, infos and behaviour, for the tests of Python pools."""

from __future__ import annotations

import os
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

Info = dict[str, Any]


class Base(gymnasium.Env[Any, Any]):
    """Ends at random; subclasses draw observations and infos from its generator."""

    observation_space: Any = spaces.Box(-1.0, 1.0, (3,), np.float32)
    action_space: Any = spaces.Discrete(3)

    def __init__(self, ends: float = 0.15) -> None:
        self.ends = ends
        self.steps = 0

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        super().reset(seed=seed)
        self.steps = 0
        return self.observe(None), self.info(options)

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, Info]:
        self.steps += 1
        draw = self.np_random.random()
        info = self.info(action)
        return self.observe(action), draw, draw < self.ends, draw > 1 - self.ends / 2, info

    def observe(self, action: Any) -> Any:
        return self.np_random.random(3, dtype=np.float32)

    def info(self, what: Any) -> Info:
        return {}


class Nested(Base):
    """Arrays of all kinds in dicts and tuples."""

    observation_space = spaces.Dict(
        {
            "image": spaces.Box(0, 255, (2, 3), np.uint8),
            "parts": spaces.Tuple(
                [
                    spaces.Discrete(5, start=2),
                    spaces.MultiBinary(4),
                    spaces.MultiDiscrete([3, 4]),
                    spaces.Dict({"half": spaces.Box(-1, 1, (2,), np.float16)}),
                ]
            ),
            "big": spaces.Box(-1, 1, (1,), np.float64),
            "scalar": spaces.Box(0, 9, (), np.int16),
            "flag": spaces.Box(0, 1, (2,), np.bool_),
        }
    )
    action_space = spaces.Dict(
        {"move": spaces.Discrete(3), "force": spaces.Tuple([spaces.Box(-1, 1, (2,), np.float32)])}
    )

    def observe(self, action: Any) -> Any:
        rng = self.np_random
        return {
            "image": rng.integers(0, 255, (2, 3), dtype=np.uint8),
            "parts": (
                int(rng.integers(2, 7)),
                rng.integers(0, 2, 4, dtype=np.int8),
                rng.integers(0, 3, 2),
                {"half": rng.random(2).astype(np.float16)},
            ),
            # A dtype that NumPy converts to the space's.
            "big": rng.random(1, dtype=np.float32),
            "scalar": np.int16(rng.integers(0, 9)),
            "flag": rng.random(2) < 0.5,
        }

    def info(self, what: Any) -> Info:
        if not isinstance(what, dict) or "move" not in what:
            return {"options": repr(what)}
        force = what["force"][0]
        return {"action": repr((type(what["move"]).__name__, what["move"], force, force.dtype))}


class ManyInfos(Base):
    """Infos of all types; the keys differ between steps."""

    def info(self, what: Any) -> Info:
        rng = self.np_random
        info: Info = {
            "int": int(rng.integers(9)),
            "float": float(rng.random()),
            "bool": bool(rng.random() < 0.5),
            "scalar": np.float32(rng.random()),
            "array": rng.random((2, 2)),
            "text": str(what),
            "list": [1, None],
            "nested": {"a": int(rng.integers(9)), "deeper": {"b": "x" * int(rng.integers(4))}},
        }
        for key in list(info):
            if rng.random() < 0.4:
                del info[key]
        return info


class TextObs(Base):
    """Observations and actions that are not arrays."""

    observation_space = spaces.Dict(
        {"text": spaces.Text(20), "image": spaces.Box(0, 255, (2,), np.uint8)}
    )
    action_space = spaces.Text(5)

    def observe(self, action: Any) -> Any:
        text = "".join(self.np_random.choice(list("abc"), self.np_random.integers(1, 20)))
        return {
            "text": f"{action or ''}{text}"[:20],
            "image": self.np_random.integers(0, 255, 2, dtype=np.uint8),
        }


class SequenceObs(Base):
    """Observations of varying length, and actions of two kinds."""

    observation_space = spaces.Sequence(spaces.Discrete(10))
    action_space = spaces.Tuple([spaces.Discrete(2), spaces.Text(3)])

    def observe(self, action: Any) -> Any:
        return tuple(self.np_random.integers(0, 10, self.np_random.integers(0, 5)).tolist())

    def info(self, what: Any) -> Info:
        return {"got": repr(what)}


class GraphObs(Base):
    observation_space = spaces.Graph(spaces.Box(-1, 1, (2,)), spaces.Discrete(3))

    def observe(self, action: Any) -> Any:
        self.observation_space.seed(int(self.np_random.integers(1 << 30)))
        return self.observation_space.sample()


class OwnSpace(spaces.Space[Any]):
    """A space of a type that Gymnasium cannot batch."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return f"sample {int(self.np_random.integers(100))}"

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnSpace)

    __hash__ = None  # type: ignore[assignment]


class OwnBox(spaces.Box):
    """Gymnasium batches its samples like those of a Box."""


class OwnSpaces(Base):
    observation_space = spaces.Dict(
        {"own": OwnSpace(), "box": OwnBox(-1, 1, (2,), np.float16), "one": spaces.Discrete(3)}
    )
    action_space = spaces.Tuple([OwnSpace(), OwnBox(-1, 1, (2,))])

    def observe(self, action: Any) -> Any:
        self.observation_space.seed(int(self.np_random.integers(1 << 30)))
        return self.observation_space.sample()

    def info(self, what: Any) -> Info:
        return {"got": repr(what)}


class OneOfObs(Base):
    observation_space = spaces.OneOf([spaces.Discrete(3), spaces.Box(-1, 1, (2,))])
    action_space = spaces.OneOf([spaces.Discrete(2), spaces.Text(3)])

    def observe(self, action: Any) -> Any:
        self.observation_space.seed(int(self.np_random.integers(1 << 30)))
        return self.observation_space.sample()

    def info(self, what: Any) -> Info:
        return {"got": repr(what)}


class HalfActions(Base):
    """Actions with numbers of every type."""

    action_space = spaces.Dict(
        {
            "half": spaces.Box(-1, 1, (2,), np.float16),
            "byte": spaces.Box(0, 255, (1,), np.uint8),
            "flag": spaces.MultiBinary([2, 2]),
            "many": spaces.MultiDiscrete([[2, 3], [4, 5]], start=[[1, -1], [0, 7]]),
            "small": spaces.Discrete(5, start=-2, dtype=np.int16),
        }
    )

    def info(self, what: Any) -> Info:
        if not isinstance(what, dict) or "half" not in what:
            return {}
        return {key: repr((value, value.dtype)) for key, value in what.items()}


class EmptyBox(Base):
    observation_space = spaces.Box(-1, 1, (0,), np.float32)

    def observe(self, action: Any) -> Any:
        return np.zeros(0, np.float32)


class BigImage(Base):
    observation_space = spaces.Box(0, 255, (4, 84, 84), np.uint8)
    action_space = spaces.Box(-1, 1, (2,), np.float32)

    def observe(self, action: Any) -> Any:
        return self.np_random.integers(0, 255, (4, 84, 84), dtype=np.uint8)

    def info(self, what: Any) -> Info:
        return {} if what is None or isinstance(what, dict) else {"action": np.array(what)}


class Obedient(Base):
    """Obeys the action: 1 raises, 2 ends the process, 3 never returns, 4 ends the episode."""

    action_space = spaces.Discrete(5)

    def __init__(self, fails_to_start: bool = False, reason: str = "") -> None:
        super().__init__(ends=0.0)
        self.calls: list[Any] = []
        self.reason = reason
        if fails_to_start:
            raise ValueError(f"this environment does not start{reason}")

    def observe(self, action: Any) -> Any:
        return np.full(3, self.steps, np.float32)

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, Info]:
        observation, reward, _, _, info = super().step(action)
        if action == 1:
            raise ValueError(f"told to raise after {self.steps} steps{self.reason}")
        if action == 2:
            os._exit(3)
        while action == 3:
            pass
        return observation, reward, bool(action == 4), False, info

    def note(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Records its arguments."""
        self.calls.append((args, kwargs))
        return (*args, len(self.calls))

    def refuse(self) -> None:
        raise KeyError("refused")

    def process(self) -> int:
        """Returns the id of the process that runs the environment."""
        return os.getpid()


class Gated(Base):
    """With action 1 a step waits for a byte from a named pipe, so that a test controls its end."""

    def __init__(self, path: str | None) -> None:
        super().__init__(ends=0.0)
        self.path = path

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, Info]:
        if self.path is not None and action == 1:
            with open(self.path, "rb") as pipe:  # noqa: PTH123  # a pipe
                pipe.read(1)
        return super().step(action)
