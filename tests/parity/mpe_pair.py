"""Steps a pool of an MPE2 scenario and MPE2's own environments alike, and compares the results."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from pettingzoo.utils.env_logger import EnvLogger

import envpool_py
from envpool_py.tasks.registry import all_families

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


def assert_equal(ours: Any, theirs: Any, where: str) -> None:
    """Asserts that two arrays of one dtype are equal bit by bit."""
    ours, theirs = np.ascontiguousarray(ours), np.ascontiguousarray(theirs)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), where
    bits = np.dtype(f"u{ours.itemsize}")
    differing = ours.view(bits) != theirs.view(bits)
    assert not differing.any(), f"{where}: {ours[differing]} and {theirs[differing]}"


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


class Pair:
    """A pool, and MPE2's environments with the same options.

    Actions are random, and half of those in discrete spaces lead to a landmark, so that agents meet
    each other.
    """

    def __init__(self, task_id: str, num_envs: int = 3, **options: Any) -> None:
        self.task_id = task_id
        self.options = options
        self.theirs = [reference(task_id, **options) for _ in range(num_envs)]
        self.ours = envpool_py.make(task_id, num_envs=num_envs, **options)
        self.agents = self.theirs[0].possible_agents
        self.ended = np.zeros(num_envs, np.bool_)
        self.ends = {"terminated": 0, "truncated": 0}
        self.shared = self.ours.single_action_space

    def __enter__(self) -> Pair:
        return self

    def __exit__(self, *error: object) -> None:
        self.ours.close()

    def run(self, seed: int, steps: int) -> dict[str, int]:
        """Compares a reset and steps; returns how many episodes ended in which way."""
        rng = np.random.default_rng(seed)
        self.reset(seed)
        for step in range(steps):
            self.step(rng, f"{self.task_id} {self.options}, seed {seed}, step {step}")
        return self.ends

    def reset(self, seed: int | None) -> None:
        observations, _ = self.ours.reset(seed=seed)
        for env, theirs in enumerate(self.theirs):
            expected, _ = theirs.reset(seed=None if seed is None else seed + env)
            self._compare_observations(observations, env, expected, f"reset {seed} of {env}")
        self.ended[:] = False

    def step(self, rng: np.random.Generator, where: str) -> None:
        actions = [
            {} if ended else self._draw(theirs, rng)
            for theirs, ended in zip(self.theirs, self.ended, strict=True)
        ]
        rows = [self._row(given.get(agent), rng) for given in actions for agent in self.agents]
        observations, rewards, terminated, truncated, infos = self.ours.step(np.array(rows))
        players = infos["players"]
        for env, theirs in enumerate(self.theirs):
            place = f"{where}, environment {env}"
            begin = env * len(self.agents)
            mine = slice(begin, begin + len(self.agents))
            assert players["name"][mine].tolist() == self.agents
            if self.ended[env]:
                expected, _ = theirs.reset()
                self._compare_observations(observations, env, expected, place)
                assert not rewards[mine].any()
                assert not terminated[env]
                assert not truncated[env]
                self.ended[env] = False
                continue
            expected, gains, ends, cuts, more = theirs.step(actions[env])
            self._compare_observations(observations, env, expected, place)
            gained = np.array([gains[agent] for agent in self.agents], np.float64)
            assert_equal(rewards[mine], gained, f"{place}, rewards")
            assert players["terminated"][mine].tolist() == [*ends.values()], place
            assert players["truncated"][mine].tolist() == [*cuts.values()], place
            assert (terminated[env], truncated[env]) == (all(ends.values()), all(cuts.values()))
            self._compare_data(players, begin, more, place)
            self.ended[env] = terminated[env] | truncated[env]
            self.ends["terminated"] += int(terminated[env])
            self.ends["truncated"] += int(truncated[env])

    def _compare_observations(self, rows: Any, env: int, expected: Any, where: str) -> None:
        for agent, row in zip(self.agents, rows[env * len(self.agents) :], strict=False):
            size = expected[agent].size
            assert_equal(row[:size], expected[agent], f"{where}, observation of {agent}")
            assert not row[size:].any()

    def _compare_data(self, players: Any, begin: int, more: Any, where: str) -> None:
        if not self.options.get("benchmark_data", False):
            assert "benchmark_data" not in players
            return
        # Without a column if all of MPE2's data are empty.
        rows = players.get("benchmark_data", np.zeros((begin + len(self.agents), 0)))
        for agent, row in zip(self.agents, rows[begin:], strict=False):
            expected = numbers(more[agent]["benchmark_data"])
            assert row[: len(expected)].tolist() == expected, f"{where}, data of {agent}"
            assert not row[len(expected) :].any()

    def _draw(self, theirs: Any, rng: np.random.Generator) -> dict[str, Any]:
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

    def _row(self, action: Any, rng: np.random.Generator) -> Any:
        """Returns an action in the space of all agents; what is not used is random."""
        if action is None:
            return self.shared.sample()
        if self.shared.shape:
            rest = rng.random(self.shared.shape[0] - action.size).astype(np.float32)
            return np.concatenate([action, rest])
        return action
