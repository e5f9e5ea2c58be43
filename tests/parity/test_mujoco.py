"""The MuJoCo tasks against Gymnasium: with equal seeds and actions, results are bit-equal."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.tasks.families.mujoco.tasks import TASKS

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("envpool_py._mujoco")
pytestmark = pytest.mark.usefixtures("mujoco_log_elsewhere")

TASK_IDS = sorted(TASKS)
# Every task in one autoreset mode, and in all modes tasks that end, truncate or have reset infos.
MODE_CASES = [
    (task_id, mode)
    for task_id in TASK_IDS
    for mode in ("NextStep", "SameStep", "Disabled")
    if mode == "NextStep" or task_id.startswith(("Ant", "InvertedPendulum", "Swimmer"))
]
# The long comparison has five seeds of 1,010 steps each. The default limits are at most 1,000
# steps; the lower limit also ends episodes of tasks that never terminate.
LONG_STEPS = 1010
LONG_CASES = [
    {"seeds": (0, 1000, 2**63), "autoreset_mode": "NextStep", "max_episode_steps": None},
    {"seeds": (3000,), "autoreset_mode": "SameStep", "max_episode_steps": 137},
    {"seeds": (4000,), "autoreset_mode": "Disabled", "max_episode_steps": 137},
]


def test_the_reference_runs_on_a_supported_version() -> None:
    from envpool_py import _mujoco

    assert mujoco.__version__ in _mujoco.SUPPORTED_VERSIONS


def test_ids_are_those_that_gymnasium_can_make() -> None:
    registered = {
        task_id
        for task_id, spec in gymnasium.registry.items()
        if "envs.mujoco" in str(spec.entry_point)
    }
    out_of_date = pytest.warns(DeprecationWarning, match="Pusher-v4")
    with out_of_date, pytest.raises(ImportError, match="mujoco<3"):
        gymnasium.make("Pusher-v4")
    assert registered - {"Pusher-v4"} == set(TASK_IDS)
    assert len(TASK_IDS) == 21
    assert set(TASK_IDS) <= set(envpool_py.list_all_envs())


@pytest.mark.parametrize("task_id", TASK_IDS)
def test_specs_and_spaces(task_id: str, parity: SimpleNamespace) -> None:
    parity.assert_same_limits(task_id)
    with parity.Lockstep(task_id) as pair:
        pair.check_spaces()
        bare = pair.theirs.envs[0].unwrapped
        assert envpool_py.make_spec(task_id).frame_skip == bare.frame_skip


@pytest.mark.parametrize(("task_id", "mode"), MODE_CASES)
def test_trajectories(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id, autoreset_mode=mode, max_episode_steps=22) as pair:
        for seed in (0, 2**63):
            counts = pair.run(parity.box_policy(task_id), seed, 30)
    assert counts["truncated"] + counts["terminated"] >= parity.NUM_ENVS


@pytest.mark.long
@pytest.mark.parametrize("case", LONG_CASES, ids=lambda case: case["autoreset_mode"])
@pytest.mark.parametrize("task_id", TASK_IDS)
def test_trajectories_long(task_id: str, case: dict[str, Any], parity: SimpleNamespace) -> None:
    settings = dict(case)
    seeds = settings.pop("seeds")
    with parity.Lockstep(task_id, num_envs=8, **settings) as pair:
        for seed in seeds:
            counts = pair.run(parity.box_policy(task_id), seed, LONG_STEPS)
    assert counts["truncated"] + counts["terminated"] >= 8 * len(seeds)


@pytest.mark.parametrize("task_id", ["Ant-v5", "Reacher-v4", "Pusher-v5"])
def test_unequal_seeds_and_reseeding(task_id: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id) as pair:
        pair.run_reseeded(parity.box_policy(task_id), 5)


def test_many_threads_and_first_ready_batches_change_nothing(parity: SimpleNamespace) -> None:
    task_id, steps, count = "Ant-v5", 40, 12
    policy, rng = parity.box_policy(task_id), np.random.default_rng(3)
    actions = [policy(np.zeros((count, 1)), rng) for _ in range(steps)]
    expected: dict[int, list[bytes]] = {env: [] for env in range(count)}
    with envpool_py.make(task_id, num_envs=count, num_threads=1, max_episode_steps=15) as pool:
        pool.reset(seed=9)
        for action in actions:
            observations, rewards, *_ = pool.step(action)
            for env in range(count):
                expected[env].append(observations[env].tobytes() + rewards[env].tobytes())
    got: dict[int, list[bytes]] = {env: [] for env in range(count)}
    with envpool_py.make(
        task_id, num_envs=count, batch_size=5, num_threads=3, max_episode_steps=15
    ) as pool:
        pool.async_reset(seed=9)
        taken = np.zeros(count, int)
        while min(len(rows) for rows in got.values()) < steps:
            observations, rewards, *_, infos = pool.recv()
            env_ids = infos["env_id"]
            for row, env in enumerate(env_ids.tolist()):
                if 0 < taken[env] <= steps:
                    got[env].append(observations[row].tobytes() + rewards[row].tobytes())
            pool.send(np.array([actions[taken[env] % steps][env] for env in env_ids]), env_ids)
            taken[env_ids] += 1
        pool.drain()
    assert got == expected
