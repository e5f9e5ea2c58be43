"""Shared code of the examples: arguments, the task, the learning curve, the final evaluation.

Each example trains on the environments of `--engine`: ours, or the environments that the library's
users normally use. The two runs do not differ otherwise. Some examples have two more engines, which
step Gymnasium's CartPole (written in Python) in worker processes: `make_python`, and the pool that
the library's users normally use for this.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import importlib.metadata
import json
import os
import platform
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, VectorEnv
from numpy.typing import NDArray

import envpool_py

TASK = "CartPole-v1"
TARGET = 475.0  # mean return at which Gymnasium counts the task as solved
WINDOW = 100  # number of episodes averaged in a point of the learning curve
EVALUATION_EPISODES = 100
_MOST_POINTS = 200  # most points of a learning curve in a record

ENGINES = ("envpool_py", "gymnasium")
PROCESS_ENGINES = ("envpool_py-processes", "gymnasium-processes")
WORKERS = 2  # processes of envpool_py-processes; Gymnasium starts a process per environment

make_env = functools.partial(gymnasium.make, TASK)
Policy = Callable[[NDArray[np.float32]], Any]


def make_envs(engine: str, num_envs: int, autoreset_mode: str) -> VectorEnv[Any, Any, Any]:
    """Returns CartPole environments of an engine.

    The engines are a pool in C++ and Gymnasium's `SyncVectorEnv`; with worker processes,
    `make_python` and Gymnasium's `AsyncVectorEnv`.
    """
    if engine == "envpool_py":
        return envpool_py.make(TASK, num_envs=num_envs, autoreset_mode=autoreset_mode)
    if engine == "envpool_py-processes":
        return envpool_py.make_python(
            make_env, num_envs, num_workers=WORKERS, autoreset_mode=autoreset_mode
        )
    mode = AutoresetMode(autoreset_mode)
    if engine == "gymnasium-processes":
        return AsyncVectorEnv([make_env] * num_envs, autoreset_mode=mode)
    return gymnasium.make_vec(
        TASK,
        num_envs=num_envs,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
    )


def evaluate(engine: str, act: Policy, seed: int) -> float:
    """Returns the mean return of 100 new episodes, each with a different seed.

    Args:
        engine: the engine of the environments.
        act: maps observations, float32 (100, 4), to actions, (100,), without exploring.
        seed: seed of the first environment.
    """
    # AsyncVectorEnv would start a process for each episode.
    engine = "gymnasium" if engine == "gymnasium-processes" else engine
    envs = make_envs(engine, EVALUATION_EPISODES, "NextStep")
    returns = np.zeros(EVALUATION_EPISODES)
    running = np.ones(EVALUATION_EPISODES, bool)
    observations, _ = envs.reset(seed=seed)
    while running.any():
        actions = np.asarray(act(observations), np.int64)
        observations, rewards, terminated, truncated, _ = envs.step(actions)
        returns += rewards * running
        running &= ~(terminated | truncated)
    envs.close()
    return float(returns.mean())


class Run:
    """One training run: its arguments, its learning curve and its record.

    Attributes:
        engine: one of ENGINES, or of PROCESS_ENGINES.
        seed: seed of all randomness.
    """

    def __init__(self, package: str, algorithm: str, engines: Sequence[str] = ENGINES) -> None:
        """Reads the command line.

        Args:
            package: name of the library's package.
            algorithm: name of the algorithm, for the record.
            engines: possible values of `--engine`; the first is the default.
        """
        parser = argparse.ArgumentParser(description=f"Learns {TASK} with {package}.")
        parser.add_argument("--engine", choices=engines, default=engines[0])
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--json", type=Path, help="file to write the record to")
        arguments = parser.parse_args()
        self.engine: str = arguments.engine
        self.seed: int = arguments.seed
        self._json: Path | None = arguments.json
        self._package = package
        self._algorithm = algorithm
        self._digest = hashlib.sha256()
        self._episodes = 0
        self._recent: deque[float] = deque(maxlen=WINDOW)
        self._curve: list[tuple[int, float]] = []
        self._began = time.perf_counter()

    def episodes_ended(self, steps: int, returns: Iterable[float]) -> None:
        """Records the returns of training episodes that ended.

        Args:
            steps: steps of all environments since training began.
            returns: one number per episode.
        """
        for value in returns:
            self._digest.update(np.float64(value).tobytes())
            self._episodes += 1
            self._recent.append(float(value))
            self._curve.append((steps, float(np.mean(self._recent))))

    def progressed(self, steps: int, mean: float, episodes: int) -> None:
        """Records the progress of training, for libraries that report only means.

        Args:
            steps: steps of all environments since training began.
            mean: mean return of the latest episodes, as the library reports it.
            episodes: number of episodes that have ended since training began.
        """
        self._digest.update(np.float64(mean).tobytes())
        self._episodes = episodes
        self._curve.append((steps, mean))

    def finish(self, steps: int, num_envs: int, act: Policy) -> None:
        """Evaluates the policy, prints the result and writes the record.

        Args:
            steps: steps of all environments in training.
            num_envs: number of training environments.
            act: the policy, as in `evaluate`.
        """
        seconds = time.perf_counter() - self._began
        final = evaluate(self.engine, act, seed=self.seed + 1_000_000)
        record = {
            "task": TASK,
            "package": self._package,
            "algorithm": self._algorithm,
            "engine": self.engine,
            "seed": self.seed,
            "num_envs": num_envs,
            "steps": steps,
            "wall_s": round(seconds, 1),
            "episodes": self._episodes,
            # Two runs have equal hashes if they had the same returns in training.
            "returns_sha256": self._digest.hexdigest(),
            "evaluation": {"episodes": EVALUATION_EPISODES, "mean_return": final},
            "curve": _thinned(self._curve),
            "versions": {
                "envpool_py": envpool_py.__version__,
                **{
                    name: importlib.metadata.version(name)
                    for name in ("gymnasium", "numpy", "torch", self._package)
                },
            },
            "python": platform.python_version(),
            "machine": {
                "cpu": _processor(),
                "cores": os.cpu_count(),
                "load_at_end": round(os.getloadavg()[0], 1),
            },
        }
        print(
            f"{self._package} {self._algorithm} on {self.engine}: mean return {final:.1f} of "
            f"{EVALUATION_EPISODES} episodes, after {steps:,} steps and {seconds:.0f} s"
        )
        if self._json is not None:
            self._json.parent.mkdir(parents=True, exist_ok=True)
            self._json.write_text(json.dumps(record) + "\n")


def _thinned(curve: list[tuple[int, float]]) -> list[list[float]]:
    """Returns at most 200 points of a curve, including the last one."""
    if not curve:
        return []
    chosen = np.unique(np.linspace(0, len(curve) - 1, _MOST_POINTS).round().astype(int))
    return [[curve[index][0], round(curve[index][1], 2)] for index in chosen.tolist()]


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()
