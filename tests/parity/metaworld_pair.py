"""Steps one of our pools and environments of MetaWorld alike and compares the results.

Values must be equal bit for bit. Its scripted policies drive both, so that objects are touched and
goals reached. The import of MetaWorld registers ids with Gymnasium, which are removed again.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.tasks.families.metaworld.manifest import FAMILY

mujoco = pytest.importorskip("mujoco")
_before = dict(gymnasium.registry)
metaworld = pytest.importorskip("metaworld")
REGISTERED = {name: spec for name, spec in gymnasium.registry.items() if name not in _before}
gymnasium.registry.clear()
gymnasium.registry.update(_before)

_policies = pytest.importorskip("metaworld.policies").ENV_POLICY_MAP
_arm = pytest.importorskip("metaworld.sawyer_xyz_env").SawyerMocapBase

INFOS = (
    "success",
    "near_object",
    "grasp_success",
    "grasp_reward",
    "in_place_reward",
    "obj_to_target",
    "unscaled_reward",
)
NAMES = {task_id: name for name, task_id in FAMILY.aliases.items()}
"""The reference's name of each of our tasks."""


def _set_welds(env: Any) -> None:
    for i in np.flatnonzero(env.model.eq_type == mujoco.mjtEq.mjEQ_WELD):
        env.model.eq_data[i, :11] = [0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 5]


def shim(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the reference run from MuJoCo 3.17 on, where a row of `eq_data` has another number."""
    if mujoco.mjNEQDATA > 11:
        monkeypatch.setattr(_arm, "reset_mocap_welds", _set_welds)


@contextmanager
def goals_of_each_task(number: int) -> Iterator[None]:
    """Sets how many goals the reference gives each task."""
    before = metaworld._N_GOALS
    metaworld._N_GOALS = number
    try:
        yield
    finally:
        metaworld._N_GOALS = before


def mt1(name: str, *, num_goals: int = 50, **options: Any) -> Any:
    """Returns the reference's environment of MT1."""
    with goals_of_each_task(num_goals):
        return metaworld.make_mt_envs(name, **options)


def reference(task_id: str, seed: int, **options: Any) -> Any:
    """Returns the reference's environment of MT1, by our id."""
    return mt1(NAMES[task_id], seed=seed, **options)


class Policy:
    """The scripted policy of a task, with noise."""

    def __init__(self, task_id: str, noise: float = 0.1, dtype: Any = np.float32) -> None:
        self._policy = _policies[NAMES[task_id]]()
        self._rng = np.random.default_rng(3)
        self._noise = noise
        self._dtype = dtype

    def __call__(self, observations: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a number is above 1
            actions = np.stack([self._policy.get_action(each) for each in observations])
        actions += self._rng.normal(0.0, self._noise, actions.shape)
        return actions.astype(self._dtype)


def assert_bits(ours: Any, theirs: Any, where: str) -> None:
    """Asserts that two arrays or numbers have the same bits as float64."""
    ours, theirs = np.asarray(ours), np.asarray(theirs, dtype=np.float64)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), where
    if ours.tobytes() != theirs.tobytes():
        wrong = np.flatnonzero(np.atleast_1d(ours) != np.atleast_1d(theirs))
        raise AssertionError(f"{where}, elements {wrong}: {ours!r}, expected {theirs!r}")


class Pair:
    """Our pool without autoreset, and the reference's environments of the same seeds."""

    def __init__(
        self,
        task_id: str,
        seeds: Sequence[int],
        *,
        num_goals: int = 3,
        theirs: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.task_id = task_id
        options = {"num_goals": num_goals, **options}
        given = options if theirs is None else theirs
        self.theirs = [reference(task_id, seed, **given) for seed in seeds]
        self.ours = envpool_py.make(
            task_id,
            num_envs=len(seeds),
            num_threads=1,
            seed=list(seeds),
            autoreset_mode="Disabled",
            **options,
        )
        self.observations: Any = None
        self.steps = 0
        self.successes = 0
        self.ends = 0
        self.grasps = 0

    def __enter__(self) -> Pair:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.ours.close()
        for env in self.theirs:
            env.close()

    def reset(self, mask: Any = None, **options: Any) -> None:
        """Starts episodes, of the environments of a mask only."""
        mask = np.ones(len(self.theirs), dtype=bool) if mask is None else mask
        observations, _ = self.ours.reset(options={"reset_mask": mask, **options})
        for row in np.flatnonzero(mask):
            theirs = self.theirs[row]
            start = "sample_tasks" if options else "reset"
            expected, _ = theirs.get_wrapper_attr(start)()
            where = f"{self.task_id}, environment {row}, reset after step {self.steps}"
            assert_bits(observations[row], expected, where)
        self.observations = observations

    def step(self, actions: Any) -> None:
        """Steps both, and starts the next episodes of those that have ended."""
        self.steps += 1
        observations, rewards, terminated, truncated, infos = self.ours.step(actions)
        for row, env in enumerate(self.theirs):
            where = f"{self.task_id}, environment {row}, step {self.steps}"
            expected, reward, *ends, info = env.step(actions[row])
            assert_bits(observations[row], expected, where)
            for name in INFOS:
                assert_bits(infos[name][row], info[name], f"{where}, {name}")
            assert_bits(rewards[row], reward, f"{where}, reward")
            assert [terminated[row], truncated[row]] == ends, where
            self.successes += info["success"] == 1.0
            self.grasps += bool(info["grasp_success"])
        self.observations = observations
        ended = terminated | truncated
        if ended.any():
            self.ends += int(ended.sum())
            self.reset(ended)

    def run(self, steps: int, policy: Any = None) -> Pair:
        """Makes steps from a reset on."""
        policy = Policy(self.task_id) if policy is None else policy
        self.reset()
        for _ in range(steps):
            self.step(policy(self.observations))
        return self
