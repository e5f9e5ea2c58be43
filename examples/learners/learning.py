"""Shared code of these programs: arguments, environments, the learning curve and its record."""

from __future__ import annotations

import argparse
import ctypes
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
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

import envpool_py
from envpool_py.players import PlayersAsEnvs

ENGINES = ("envpool_py", "gymnasium", "envpool")
# Tasks of several agents, with their names in MPE2. Each agent is a row of a vector environment.
MPE2 = {"MPE-SimpleSpread-v3": "simple_spread_v3"}
WINDOW = 50  # number of episodes averaged in a point of the learning curve
_MOST_POINTS = 150  # most points of a learning curve in a record


class Run:
    """One training run: its arguments, its environments, its learning curve and its record.

    Attributes:
        task: id of the task.
        engine: one of ENGINES.
        seed: seed of all randomness.
        steps: least number of steps of the run, over all environments.
        arguments: the parsed command line.
        shows: whether to print the progress.
    """

    def __init__(
        self,
        program: str,
        tasks: dict[str, int],
        engines: Sequence[str] = ENGINES,
        add_arguments: Callable[[argparse.ArgumentParser], object] | None = None,
        measure: str = "return",
    ) -> None:
        """Reads the command line.

        Args:
            program: name of the program, for the record.
            tasks: the possible tasks, with the default of `--steps` for each.
            engines: the possible engines.
            add_arguments: function that adds the program's own arguments to the parser.
            measure: what the number of an episode is, if it is not the return.
        """
        parser = argparse.ArgumentParser(description=f"Learns a task: {program}.")
        parser.add_argument("--task", choices=tasks, default=next(iter(tasks)))
        parser.add_argument("--engine", choices=engines, default=engines[0])
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--steps", type=int, help="of all environments")
        parser.add_argument("--json", type=Path, help="file to write the record to")
        if add_arguments is not None:
            add_arguments(parser)
        given = parser.parse_args()
        if given.engine != "envpool_py" and (given.engine == "mpe2") != (given.task in MPE2):
            parser.error(f"--engine {given.engine} does not have {given.task}")
        keep_freed_memory()
        self.arguments = given
        self.shows = True
        self.task: str = given.task
        self.engine: str = given.engine
        self.seed: int = given.seed
        self.steps: int = tasks[given.task] if given.steps is None else given.steps
        self._json: Path | None = given.json
        self._program = program
        self._measure = measure
        self._digest = b""
        self._episodes = 0
        self._recent: deque[float] = deque(maxlen=WINDOW)
        self._curve: list[tuple[int, float, float]] = []
        self._shown = 0.0
        self._began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return time.perf_counter() - self._began

    @property
    def mean_return(self) -> float:
        """Mean return of the latest episodes; 0 if none has ended."""
        return float(np.mean(self._recent)) if self._recent else 0.0

    def make(self, num_envs: int, batch_size: int | None = None) -> VectorEnv[Any, Any, Any]:
        """Returns the environments, with infos "episode" where an episode (or game) ended.

        Args:
            num_envs: number of environments; in tasks of several agents, each agent is a row.
            batch_size: rows of a batch; below `num_envs` for a first-ready pool. None: `num_envs`.
        """
        if self.engine == "envpool_py":
            pool = envpool_py.make(
                self.task,
                num_envs=num_envs,
                batch_size=batch_size,
                record_episode_statistics=True,
            )
            return PlayersAsEnvs(pool) if pool.has_players else pool
        if self.engine == "envpool":
            envs = _envpool(self.task, num_envs, self.seed)
        elif self.engine == "mpe2":
            envs = _Agents(MPE2[self.task], num_envs)
        else:
            envs = _gymnasium(self.task, num_envs)
        return gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)

    def episodes_ended(self, steps: int, returns: Iterable[float]) -> None:
        """Records the returns of episodes that ended.

        Args:
            steps: steps of all environments since the run began.
            returns: one number per episode.
        """
        for value in returns:
            self._digest = hashlib.sha256(self._digest + np.float64(value).tobytes()).digest()
            self._episodes += 1
            self._recent.append(float(value))
            self._curve.append((steps, self.seconds, self.mean_return))
        if self.shows and self.seconds - self._shown > 10:
            self._shown = self.seconds
            rate = steps / self.seconds
            print(
                f"{steps:>10,} steps  {self.seconds:6.0f} s  {rate:8,.0f} steps/s  "
                f"mean {self._measure} {self.mean_return:.2f}",
                flush=True,
            )

    def get_state(self) -> dict[str, Any]:
        """Returns the learning curve so far, as plain values."""
        return {
            "seconds": self.seconds,
            "episodes": self._episodes,
            "recent": list(self._recent),
            "curve": [list(point) for point in self._curve],
            "digest": self._digest,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues a learning curve."""
        self._began = time.perf_counter() - state["seconds"]
        self._episodes = state["episodes"]
        self._recent.extend(state["recent"])
        self._curve = [(int(steps), seconds, mean) for steps, seconds, mean in state["curve"]]
        self._digest = state["digest"]

    def finish(self, steps: int, num_envs: int, **more: Any) -> None:
        """Prints the result and writes the record.

        Args:
            steps: steps of all environments that were taken.
            num_envs: number of environments.
            **more: additional entries of the record.
        """
        seconds = self.seconds
        record = {
            "program": self._program,
            "task": self.task,
            "engine": self.engine,
            "seed": self.seed,
            "measure": self._measure,
            "num_envs": num_envs,
            **more,
            "steps": steps,
            "wall_s": round(seconds, 1),
            "episodes": self._episodes,
            # Two runs have equal hashes if they had the same returns in the same order.
            "returns_sha256": self._digest.hex(),
            "mean_return": round(self.mean_return, 2),
            # Triples of steps, seconds, and mean return of the latest episodes.
            "curve": _thinned(self._curve),
            "versions": {name: _version(name) for name in (self.engine, "torch", "numpy")},
            "python": platform.python_version(),
            "machine": {
                "cpu": _processor(),
                "cores": os.cpu_count(),
                "load_at_end": round(os.getloadavg()[0], 1),
            },
        }
        print(
            f"{self._program} on {self.task} of {self.engine}, seed {self.seed}: mean "
            f"{self._measure} {self.mean_return:.2f} of the latest {WINDOW} episodes, after "
            f"{steps:,} steps, {self._episodes:,} episodes and {seconds:.0f} s"
        )
        if self._json is not None:
            self._json.parent.mkdir(parents=True, exist_ok=True)
            self._json.write_text(json.dumps(record) + "\n")


def keep_freed_memory() -> None:
    """Lets malloc keep freed memory, instead of returning it to the system; needs glibc.

    PyTorch allocates and frees its large tensors in each update. By default the system clears their
    pages each time, which took a third of the time of an update of Pong's network.
    """
    trim_threshold, mmap_max = -1, -4  # M_TRIM_THRESHOLD, M_MMAP_MAX of malloc.h
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return  # not glibc
    mallopt(trim_threshold, 2**31 - 1)
    mallopt(mmap_max, 0)


def _gymnasium(task: str, num_envs: int) -> VectorEnv[Any, Any, Any]:
    """Gymnasium's environments in one process; games are preprocessed as in `envpool_py`."""
    if not task.startswith(("Pong", "Breakout")):
        return gymnasium.make_vec(task, num_envs=num_envs, vectorization_mode="sync")

    def game() -> gymnasium.Env[Any, Any]:
        import ale_py

        gymnasium.register_envs(ale_py)
        name = task.removesuffix("-v5")
        env: gymnasium.Env[Any, Any] = gymnasium.make(
            f"{name}NoFrameskip-v4", repeat_action_probability=0.0
        )
        env = gymnasium.wrappers.AtariPreprocessing(env, noop_max=30)
        return gymnasium.wrappers.FrameStackObservation(env, 4)

    return gymnasium.vector.AsyncVectorEnv([game] * num_envs)


class _EnvPool(VectorEnv[Any, Any, NDArray[Any]]):
    """EnvPool's environments as a vector environment; autoreset mode NextStep."""

    def __init__(self, task: str, num_envs: int, seed: int) -> None:
        import envpool

        name = task.replace("HalfCheetah-v5", "HalfCheetah-v4").replace("Hopper-v5", "Hopper-v4")
        self._envs: Any = envpool.make(name, env_type="gymnasium", num_envs=num_envs, seed=seed)
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_observation_space = self._envs.observation_space
        self.single_action_space = self._envs.action_space
        batched = gymnasium.vector.utils.batch_space
        self.observation_space = batched(self.single_observation_space, num_envs)
        self.action_space = batched(self.single_action_space, num_envs)

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Resets all environments. EnvPool accepts seeds only when a pool is made."""
        return self._envs.reset()[0], {}

    def step(self, actions: NDArray[Any]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Steps all environments."""
        observations, rewards, terminated, truncated, _ = self._envs.step(actions)
        return observations, rewards, terminated, truncated, {}

    def close_extras(self, **_: Any) -> None:
        """Closes the environments."""
        self._envs.close()


class _Agents(VectorEnv[Any, Any, NDArray[Any]]):
    """The agents of MPE2's environments as a vector environment; autoreset mode NextStep.

    All agents of the scenario must have the same spaces.
    """

    def __init__(self, scenario: str, num_envs: int) -> None:
        module: Any = importlib.import_module(f"mpe2.{scenario}")
        self._envs = [module.parallel_env() for _ in range(num_envs)]
        self._agents = self._envs[0].possible_agents
        self.num_envs = num_envs * len(self._agents)
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_observation_space = self._envs[0].observation_space(self._agents[0])
        self.single_action_space = self._envs[0].action_space(self._agents[0])
        batched = gymnasium.vector.utils.batch_space
        self.observation_space = batched(self.single_observation_space, self.num_envs)
        self.action_space = batched(self.single_action_space, self.num_envs)

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Resets all environments; environment i gets `seed + i`."""
        rows = []
        for number, env in enumerate(self._envs):
            rows += env.reset(seed=None if seed is None else seed + number)[0].values()
        return np.stack(rows), {}

    def step(self, actions: NDArray[Any]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Steps all environments, and resets those whose episode has ended before."""
        results = []
        for env, chosen in zip(self._envs, np.split(actions, len(self._envs)), strict=True):
            if env.agents:
                parts = env.step(dict(zip(self._agents, chosen, strict=True)))[:4]
            else:
                nothing = dict.fromkeys(self._agents, 0.0)
                over = dict.fromkeys(self._agents, False)
                parts = (env.reset()[0], nothing, over, over)
            results.append([[*part.values()] for part in parts])
        observations, rewards, ends, cuts = (
            np.concatenate(part) for part in zip(*results, strict=True)
        )
        return observations, rewards, ends, cuts, {}

    def close_extras(self, **_: Any) -> None:
        """Closes the environments."""
        for env in self._envs:
            env.close()


def _envpool(task: str, num_envs: int, seed: int) -> VectorEnv[Any, Any, Any]:
    return _EnvPool(task, num_envs, seed)


def _thinned(curve: list[tuple[int, float, float]]) -> list[list[float]]:
    """Returns at most 150 points of a curve, including the last one."""
    if not curve:
        return []
    chosen = np.unique(np.linspace(0, len(curve) - 1, _MOST_POINTS).round().astype(int))
    return [
        [curve[at][0], round(curve[at][1], 2), round(curve[at][2], 2)] for at in chosen.tolist()
    ]


def _version(package: str) -> str:
    return (
        envpool_py.__version__ if package == "envpool_py" else importlib.metadata.version(package)
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()
