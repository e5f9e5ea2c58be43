"""Steps a pool of an MPE2 scenario and MPE2's own environments alike, and compares the results."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from pettingzoo.utils.env_logger import EnvLogger

import envpool_py
from envpool_py.tasks.registry import all_families

from .players_pair import PlayersPair

FAMILY = all_families()["mpe"]
# The scenarios by our ids: names of modules of `mpe2`.
SCENARIOS = {
    task_id: alias for alias, task_id in FAMILY.aliases.items() if not alias.startswith("mpe/")
}
# Options that only our tasks have.
OWN_OPTIONS = ("curriculum_stage",)

EnvLogger.suppress_output()  # one warning for each action that is clipped


def reference(task_id: str, **options: Any) -> Any:
    """Makes MPE2's environment with the parallel API."""
    theirs = {name: value for name, value in options.items() if name not in OWN_OPTIONS}
    env = importlib.import_module(f"mpe2.{SCENARIOS[task_id]}").parallel_env(**theirs)
    if "curriculum_stage" in options:
        env.unwrapped.set_curriculum_stage(options["curriculum_stage"])
    return env


def numbers(data: Any) -> list[float]:
    """Returns the numbers of MPE2's "benchmark_data"; None is -1, and {} has none."""
    if data is None:
        return [-1.0]
    if isinstance(data, dict):
        assert not data
        return []
    if isinstance(data, tuple | list | np.ndarray):
        return [number for part in data for number in numbers(part)]
    return [float(data)]


class Pair(PlayersPair):
    """A pool, and MPE2's environments with the same options.

    Actions are random, and half of those in discrete spaces lead to a landmark, so that agents meet
    each other.
    """

    def __init__(self, task_id: str, num_envs: int = 3, **options: Any) -> None:
        self.options = options
        theirs = [reference(task_id, **options) for _ in range(num_envs)]
        ours = envpool_py.make(task_id, num_envs=num_envs, **options)
        super().__init__(f"{task_id} {options}", ours, theirs)

    def compare_infos(self, infos: Any, env: int, expected: Any, where: str) -> None:
        players, begin = infos["players"], env * len(self.agents)
        if not self.options.get("benchmark_data", False):
            assert "benchmark_data" not in players
            return
        if infos["elapsed_step"][env] == 0:
            return  # a reset has no data
        # Without a column if all of MPE2's data are empty.
        rows = players.get("benchmark_data", np.zeros((begin + len(self.agents), 0)))
        for agent, row in zip(self.agents, rows[begin:], strict=False):
            data = numbers(expected[agent]["benchmark_data"])
            assert row[: len(data)].tolist() == data, f"{where}, data of {agent}"
            assert not row[len(data) :].any()

    def draw(self, theirs: Any, rng: np.random.Generator) -> dict[str, Any]:
        """Returns an action of each agent's own space; boxes exceed their bounds."""
        if hasattr(self.shared, "shape") and self.shared.shape:
            drawn = {}
            for agent in self.agents:
                size = theirs.action_space(agent).shape
                action = rng.uniform(-0.2, 1.2, size).astype(np.float32)
                drawn[agent] = np.where(rng.random() < 0.1, np.float32(-0.0), action)
            return drawn
        world = theirs.unwrapped.world
        drawn = {}
        for number, (agent, body) in enumerate(zip(self.agents, world.agents, strict=True)):
            count = int(theirs.action_space(agent).n)
            action = int(rng.integers(count))
            if body.movable and world.landmarks and rng.random() < 0.5:
                goal = world.landmarks[number % len(world.landmarks)]
                x, y = goal.state.p_pos - body.state.p_pos
                towards = (2 if x > 0 else 1) if abs(x) > abs(y) else (4 if y > 0 else 3)
                action = action // 5 * 5 + towards
            drawn[agent] = action
        return drawn
