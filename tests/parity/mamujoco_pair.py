"""Steps a pool of a MaMuJoCo scenario and the reference's environments alike; compares results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.tasks.families.mamujoco.tasks import TASKS

from .players_pair import PlayersPair, assert_equal
from .robotics_pair import robotics  # restores Gymnasium's ids

mamujoco: Any = robotics.mamujoco_v1
OWN_INFOS = {"elapsed_step", "env_id", "players", "state"}
OF_POOL = ("max_episode_steps", "render_mode")  # arguments of `make` that are no options
# The divisions that the reference documents.
DIVISIONS: dict[str, list[str | None]] = {
    "Ant": ["2x4", "2x4d", "4x2"],
    "HalfCheetah": ["2x3", "6x1"],
    "Hopper": ["3x1"],
    "Humanoid": ["9|8"],
    "HumanoidStandup": ["9|8"],
    "InvertedDoublePendulum": [None],
    "InvertedPendulum": [None],
    "ManySegmentAnt": ["2x3", "3x1"],
    "ManySegmentSwimmer": ["10x2", "5x2", "6x1"],
    "Pusher": ["3p"],
    "Reacher": ["2x1"],
    "Swimmer": ["2x1"],
    "Walker2d": ["2x3"],
}
assert {f"MaMuJoCo/{scenario}-v1" for scenario in DIVISIONS} == TASKS.keys()


def words(categories: list[list[str]] | None) -> list[str] | None:
    """Returns local categories in our form."""
    return None if categories is None else [" ".join(names) for names in categories]


def shim(monkeypatch: pytest.MonkeyPatch, directory: Path) -> None:
    """Keeps the reference's files in a directory, and its order independent of addresses.

    Without it, the order of Pusher's two joints of one name depends on where the objects are in
    memory.
    """
    from gymnasium_robotics.envs.multiagent_mujoco import mujoco_multi, obsk

    (directory / "assets").mkdir()
    monkeypatch.setattr(mujoco_multi, "__file__", str(directory / "mujoco_multi.py"))
    known = obsk.Node.__hash__

    def by_control(node: Any) -> int:
        of_pusher = node.label.startswith("r_")
        return node.act_ids if of_pusher else known(node)

    monkeypatch.setattr(obsk.Node, "__hash__", by_control)


def assert_same_infos(ours: Any, theirs: Any, where: str) -> None:
    """Asserts that the infos of one environment or agent are equal."""
    assert ours.keys() == theirs.keys(), where
    for name, value in theirs.items():
        assert_equal(ours[name], value, f"{where}, infos[{name!r}]")


class Pair(PlayersPair):
    """A pool, and the reference's environments with the same arguments.

    `own` are options that have another form in the reference, or other names.
    """

    def __init__(
        self,
        scenario: str,
        agent_conf: str | None,
        num_envs: int = 2,
        *,
        own: dict[str, Any] | None = None,
        reference: dict[str, Any] | None = None,
        dtype: Any = np.float32,
        **options: Any,
    ) -> None:
        self.dtype = dtype
        given = {**options, **(reference or {})}
        theirs = [
            mamujoco.parallel_env(scenario=scenario, agent_conf=agent_conf, **given)
            for _ in range(num_envs)
        ]
        if "Pendulum" in scenario:
            options.pop("agent_obsk", None)
        else:
            options["agent_conf"] = agent_conf
        options.update(own or {})
        of_pool = {name: options.pop(name) for name in OF_POOL if name in options}
        self.options = options
        ours = envpool_py.make(f"MaMuJoCo/{scenario}-v1", num_envs=num_envs, **options, **of_pool)
        super().__init__(f"{scenario} {options}", ours, theirs)

    def check_spaces(self) -> None:
        spec = envpool_py.make_spec(self.ours.task_id, **self.options)
        assert spec.players is not None
        (theirs, *_) = self.theirs
        assert [player.name for player in spec.players.each] == self.agents
        for player in spec.players.each:
            assert player.observation_space == theirs.observation_space(player.name)
            assert player.action_space == theirs.action_space(player.name)

    def compare_infos(self, infos: Any, env: int, expected: Any, where: str) -> None:
        assert_equal(infos["state"][env], self.theirs[env].state(), f"{where}, state")
        (first, *others) = expected.values()
        assert all(other is first for other in others)
        mine = {
            name: value[env]
            for name, value in infos.items()
            if name not in OWN_INFOS and not name.startswith("_") and infos["_" + name][env]
        }
        assert_same_infos(mine, first, where)

    def draw(self, theirs: Any, rng: np.random.Generator) -> dict[str, Any]:
        """Returns actions that exceed their bounds."""
        drawn = {}
        for agent in self.agents:
            space = theirs.action_space(agent)
            drawn[agent] = (1.1 * rng.uniform(space.low, space.high)).astype(self.dtype)
        return drawn
