"""Steps a pool of a task with agents and the reference's environments alike, and compares both.

The reference's environments have PettingZoo's parallel API.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def assert_equal(ours: Any, theirs: Any, where: str) -> None:
    """Asserts that two arrays of one dtype are equal bit by bit."""
    ours, theirs = np.ascontiguousarray(ours), np.ascontiguousarray(theirs)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), where
    bits = np.dtype(f"u{ours.itemsize}")
    differing = ours.view(bits) != theirs.view(bits)
    assert not differing.any(), f"{where}: {ours[differing]} and {theirs[differing]}"


class PlayersPair:
    """A pool in the mode NextStep, and the reference's environments; every call goes to both.

    A subclass draws the actions of agents, and compares what else a result has.
    """

    def __init__(self, name: str, ours: Any, theirs: list[Any]) -> None:
        self.name = name
        self.ours = ours
        self.theirs = theirs
        self.agents = theirs[0].possible_agents
        self.ended = np.zeros(len(theirs), np.bool_)
        self.ends = {"terminated": 0, "truncated": 0}
        self.shared = ours.single_action_space

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        self.ours.close()

    def draw(self, theirs: Any, rng: np.random.Generator) -> dict[str, Any]:
        """Returns an action of each agent's own space."""
        raise NotImplementedError

    def compare_infos(self, infos: Any, env: int, expected: Any, where: str) -> None:
        """Compares the infos of an environment with those of its agents, after a step or reset."""

    def run(self, seed: int, steps: int) -> dict[str, int]:
        """Compares a reset and steps; returns how many episodes ended in which way."""
        rng = np.random.default_rng(seed)
        self.reset(seed)
        for step in range(steps):
            self.step(rng, f"{self.name}, seed {seed}, step {step}")
        return self.ends

    def reset(self, seed: int | None) -> None:
        observations, infos = self.ours.reset(seed=seed)
        for env, theirs in enumerate(self.theirs):
            expected, more = theirs.reset(seed=None if seed is None else seed + env)
            place = f"{self.name}, reset {seed} of {env}"
            self._compare_observations(observations, env, expected, place)
            self.compare_infos(infos, env, more, place)
        self.ended[:] = False

    def step(self, rng: np.random.Generator, where: str) -> None:
        actions = [
            {} if ended else self.draw(theirs, rng)
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
                expected, more = theirs.reset()
                self._compare_observations(observations, env, expected, place)
                self.compare_infos(infos, env, more, place)
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
            self.compare_infos(infos, env, more, place)
            self.ended[env] = terminated[env] | truncated[env]
            self.ends["terminated"] += int(terminated[env])
            self.ends["truncated"] += int(truncated[env])

    def _compare_observations(self, rows: Any, env: int, expected: Any, where: str) -> None:
        for agent, row in zip(self.agents, rows[env * len(self.agents) :], strict=False):
            size = expected[agent].size
            assert_equal(row[:size], expected[agent], f"{where}, observation of {agent}")
            assert not row[size:].any()

    def _row(self, action: Any, rng: np.random.Generator) -> Any:
        """Returns an action in the space of all agents; what is not used is random."""
        if action is None:
            return self.shared.sample()
        if self.shared.shape:
            rest = rng.random(self.shared.shape[0] - action.size).astype(action.dtype)
            return np.concatenate([action, rest])
        return action
