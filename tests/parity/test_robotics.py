"""Gymnasium-Robotics: with equal seeds and actions, results are bit-equal to the reference's."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.pool import env_attributes
from envpool_py.tasks.families.robotics import models
from envpool_py.tasks.families.robotics.tasks import TASKS

from .robotics_pair import ALL_SPECS, assert_same_models, mujoco, of_rows, shim

pytest.importorskip("envpool_py._mujoco")
pytestmark = [
    pytest.mark.usefixtures("reference"),
    pytest.mark.filterwarnings("ignore:.*is out of date:DeprecationWarning"),
]

# Ids that the short tests run: each class, sparse and dense rewards, few and many goals.
STAND_INS = [
    "PointMaze_UMaze-v3",
    "PointMaze_Open_Diverse_GDense-v3",
    "AntMaze_UMaze-v3",
    "AntMaze_Open_Diverse_GR-v4",
    "AntMaze_MediumDense-v5",
    "FetchReach-v4",
    "FetchPushDense-v4",
    "FetchSlide-v4",
    "FetchPickAndPlace-v4",
    "AdroitHandDoor-v1",
    "AdroitHandHammer-v1",
    "AdroitHandPenSparse-v1",
    "AdroitHandRelocate-v1",
    "HandReach-v3",
    "HandReachDense-v3",
    "HandManipulateBlock-v1",
    "HandManipulateBlockRotateZDense-v1",
    "HandManipulateBlockRotateParallel_BooleanTouchSensors-v1",
    "HandManipulateEggRotate_ContinuousTouchSensors-v1",
    "HandManipulatePenDense-v1",
]
ALL = [
    pytest.param(task_id, marks=[] if task_id in STAND_INS else pytest.mark.long)
    for task_id in sorted(TASKS)
    if task_id != "FrankaKitchen-v1"  # in test_kitchen.py
]
ANTS = ["AntMaze_Open_Diverse_GR-v3", "AntMaze_Open_Diverse_GR-v4", "AntMaze_Open_Diverse_GR-v5"]
SEEDS = (0, 4711, 2**63)


@pytest.fixture
def reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mujoco_log_elsewhere: None) -> None:
    shim(monkeypatch, tmp_path)


def to_goal(observations: Any, rng: np.random.Generator) -> np.ndarray:
    """Pushes a point to its goal, with noise."""
    way = observations["desired_goal"] - observations["achieved_goal"]
    push = 4.0 * way - 0.8 * observations["observation"][:, 2:4]
    return np.asarray(push + rng.normal(0.0, 0.3, push.shape), dtype=np.float32)


def random_policy(task_id: str, parity: SimpleNamespace) -> Any:
    box = parity.box_policy(task_id)
    return lambda observations, rng: box(observations["observation"], rng)


def to_object(observations: Any, rng: np.random.Generator) -> np.ndarray:
    """Moves a gripper onto the object, or to the goal if there is none; opens and closes it."""
    grip = observations["observation"][:, :3]
    has_object = observations["observation"].shape[1] == 25
    way = observations["achieved_goal" if has_object else "desired_goal"] - grip
    fingers = rng.uniform(-1.5, 1.5, (len(way), 1))
    noise = rng.normal(0.0, 0.2, way.shape)
    return np.concatenate([12.0 * way + noise, fingers], axis=1).astype(np.float32)


def policy_of(task_id: str, parity: SimpleNamespace) -> Any:
    if task_id.startswith("PointMaze"):
        return to_goal
    if task_id.startswith("Adroit"):
        return parity.box_policy(task_id)
    return to_object if task_id.startswith("Fetch") else random_policy(task_id, parity)


def test_ids_are_those_of_the_reference() -> None:
    of_groups = re.compile(
        r"PointMaze_\w+-v3|AntMaze_\w+-v[345]|Fetch\w+-v4|AdroitHand\w+-v1|FrankaKitchen-v1"
        r"|HandReach\w*-v3|HandManipulate\w+-v1"
    )
    assert {task_id for task_id in ALL_SPECS if of_groups.fullmatch(task_id)} == set(TASKS)
    assert len(TASKS) == 153
    assert set(TASKS) <= set(envpool_py.list_all_envs())


@pytest.mark.parametrize("task_id", ALL)
def test_specs_and_spaces(task_id: str, parity: SimpleNamespace) -> None:
    parity.assert_same_limits(task_id)
    with parity.Lockstep(task_id, num_envs=1) as pair:
        pair.check_spaces()
        bare = pair.theirs.envs[0].unwrapped
        assert pair.ours.metadata["render_fps"] == bare.metadata["render_fps"]


@pytest.mark.parametrize("task_id", ALL)
def test_trajectories(task_id: str, parity: SimpleNamespace) -> None:
    policy = policy_of(task_id, parity)
    with parity.Lockstep(task_id, num_envs=2, max_episode_steps=18) as pair:
        for seed in SEEDS:
            counts = pair.run(policy, seed, 5 * 19)
    assert counts["truncated"] >= 2 * 5 * len(SEEDS)


@pytest.mark.long
@pytest.mark.parametrize("mode", ["SameStep", "Disabled"])
@pytest.mark.parametrize("task_id", ALL)
def test_whole_episodes(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id, num_envs=2, autoreset_mode=mode) as pair:
        steps = envpool_py.make_spec(task_id).max_episode_steps
        assert steps is not None
        counts = pair.run(policy_of(task_id, parity), 31, steps + 30)
    assert counts["truncated"] == 2


@pytest.mark.parametrize(
    "task_id", ["PointMaze_Open_Diverse_GR-v3", *ANTS[1:], "FetchReach-v4", "FetchPickAndPlace-v4"]
)
def test_reseeding_and_float64_actions(task_id: str, parity: SimpleNamespace) -> None:
    box = random_policy(task_id, parity)
    with parity.Lockstep(task_id, num_envs=3) as pair:
        pair.run_reseeded(lambda *of: box(*of).astype(np.float64) * 1.01, 4)


@pytest.mark.parametrize(
    "options",
    [
        {"continuing_task": False},
        {"reset_target": True},
        {"reset_target": True, "reward_type": "dense"},
        {"continuing_task": False, "reset_target": True, "reward_type": "dense"},
    ],
)
def test_a_point_at_its_goal(options: dict[str, Any], parity: SimpleNamespace) -> None:
    task_id = "PointMaze_Open_Diverse_GR-v3"
    reached = 0
    with parity.Lockstep(task_id, num_envs=4, **options) as pair:
        pair.reset(5)
        rng = np.random.default_rng(2)
        goals = pair.observations["desired_goal"].copy()
        for _ in range(400):
            pair.step(to_goal(pair.observations, rng))
            reached += int((goals != pair.observations["desired_goal"]).any())
            goals = pair.observations["desired_goal"].copy()
    assert reached >= 4  # goals were replaced, or episodes ended
    assert (pair.counts["terminated"] > 0) == (not options.get("continuing_task", True))


@pytest.mark.parametrize("continues", [True, False])
@pytest.mark.parametrize("task_id", ANTS)
def test_an_ant_at_its_goal(task_id: str, continues: bool, parity: SimpleNamespace) -> None:
    """Ants start in the cell of the goal, without noise, so that the goal is reached."""
    options = {} if task_id.endswith("v3") else {"reset_target": True}
    where = {"goal_cell": np.array([2, 3]), "reset_cell": np.array([2, 3])}
    with parity.Lockstep(task_id, num_envs=2, continuing_task=continues, **options) as pair:
        for envs in (pair.ours, pair.theirs):
            envs.set_attr("position_noise_range", [0.0, 0.01])
        pair.run(random_policy(task_id, parity), 8, 25, where)
        assert (pair.counts["terminated"] > 0) == (not continues)


@pytest.mark.parametrize("task_id", ["PointMaze_Large-v3", "AntMaze_UMaze-v3", "AntMaze_UMaze-v5"])
def test_named_cells(task_id: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id, num_envs=3) as pair:
        for options in (
            {"goal_cell": np.array([1, 1])},
            {"reset_cell": np.array([3, 3]), "goal_cell": None},
            {"reset_cell": np.array([1, 3]), "goal_cell": np.array([1, 3])},
        ):
            for seed in (3, None):
                pair.reset(seed, options)
                pair.step(
                    random_policy(task_id, parity)(pair.observations, np.random.default_rng(1))
                )


MAPS = [
    ["1111", "1rg1", "1111"],
    ["11111", "1g0r1", "10001", "1cc11"],
    ["00r0", "0g00"],
    ["11111", "1c001", "10111", "1c0c1", "11111", "10001", "10g01", "10001", "11111"],
]


@pytest.mark.parametrize("like", ["PointMaze_UMaze-v3", "AntMaze_UMaze-v3", "AntMaze_UMaze-v5"])
@pytest.mark.parametrize("rows", MAPS)
def test_maps_of_ones_own(rows: list[str], like: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(
        like, num_envs=2, reference_id=of_rows(like), maze_map=rows, max_episode_steps=7
    ) as pair:
        pair.run(random_policy(like, parity), 17, 16)


@pytest.mark.parametrize(
    ("like", "agent", "xml_file"),
    [("PointMaze_UMaze-v3", "point", ""), ("AntMaze_UMaze-v5", "ant", "ant.xml")],
)
@pytest.mark.parametrize("rows", [MAPS[1], MAPS[3]])
def test_compiled_models(rows: list[str], like: str, agent: str, xml_file: str) -> None:
    env: Any = gymnasium.make(of_rows(like), maze_map=rows).unwrapped
    ours = mujoco.MjModel.from_xml_string(models.maze_text(agent, xml_file, rows))
    ours.site_pos[-1] = env.model.site_pos[-1]  # the reference moves the mark of the goal
    assert_same_models(ours, env.model)
    env.close()


@pytest.mark.parametrize(
    "options",
    [
        {"ctrl_cost_weight": 0.25, "healthy_z_range": (0.4, 0.6), "healthy_reward": 0.5},
        {"include_cfrc_ext_in_observation": False, "frame_skip": 3, "main_body": 2},
    ],
)
def test_options_of_the_ant(options: dict[str, Any], parity: SimpleNamespace) -> None:
    with parity.Lockstep("AntMaze_UMaze-v5", num_envs=2, **options) as pair:
        pair.check_spaces()
        pair.run(random_policy("AntMaze_UMaze-v5", parity), 2, 12)


def test_forces_of_the_ant_of_version_4(parity: SimpleNamespace) -> None:
    with parity.Lockstep("AntMaze_UMaze-v4", num_envs=2, use_contact_forces=True) as pair:
        pair.check_spaces()
        pair.run(random_policy("AntMaze_UMaze-v4", parity), 2, 20)


def test_an_ant_of_ones_own(variant_of: Any, parity: SimpleNamespace) -> None:
    path = variant_of("ant.xml", {'damping="1"': 'damping="0.5"'}, "loose.xml")
    with parity.Lockstep("AntMaze_UMaze-v5", num_envs=2, xml_file=path) as pair:
        pair.run(random_policy("AntMaze_UMaze-v5", parity), 2, 12)


VALUES: dict[str, list[Any]] = {
    "reward_type": ["dense", "sparse", "dense"],
    "continuing_task": [False, True, False],
    "position_noise_range": [0.0, 0.1, 0.45],
    "reset_target": [True, False, True],
}


FETCH_VALUES: dict[str, list[Any]] = {
    "reward_type": ["dense", "sparse", "dense"],
    "distance_threshold": [0.2, 0.01, 0.7],
    "obj_range": [0.1, 0.2, 0.3],
    "target_range": [0.0, 0.05, 0.4],
    "target_in_the_air": [False, True, False],
}


@pytest.mark.parametrize(
    "task_id", ["PointMaze_Open_Diverse_G-v3", "AntMaze_Open-v3", "FetchPickAndPlace-v4"]
)
def test_attributes(task_id: str, parity: SimpleNamespace) -> None:
    values = FETCH_VALUES if task_id.startswith("Fetch") else VALUES
    names = [name for name in values if name != "reset_target" or task_id.startswith("Point")]
    policy = policy_of(task_id, parity)
    steps, limit = (90, 60) if task_id.startswith("Point") else (12, 5)
    with parity.Lockstep(task_id, num_envs=3, max_episode_steps=limit) as pair:
        assert set(names) == set(env_attributes.names(pair.ours))
        for seed, name in enumerate(names):
            first = pair.ours.get_attr(name)
            assert first == pair.theirs.get_attr(name)
            pair.run(policy, seed, 3)
            for envs in (pair.ours, pair.theirs):
                envs.set_attr(name, values[name])
                assert envs.get_attr(name) == tuple(values[name])
            rng = np.random.default_rng(seed)
            for _ in range(steps):
                pair.step(policy(pair.observations, rng))
            for envs in (pair.ours, pair.theirs):
                envs.set_attr(name, list(first))


@pytest.mark.usefixtures("egl")
@pytest.mark.parametrize("task_id", ["PointMaze_Large-v3", "PointMaze_UMaze-v3", ANTS[1], ANTS[2]])
def test_pictures(task_id: str, parity: SimpleNamespace) -> None:
    options: dict[str, Any] = {"render_mode": "rgb_array", "width": 120, "height": 90}
    with parity.Lockstep(task_id, num_envs=2, reset_target=True, **options) as pair:
        pair.reset(4)
        rng = np.random.default_rng(0)
        for _ in range(4):
            expected = np.stack(pair.theirs.render())
            np.testing.assert_array_equal(np.stack(pair.ours.render()), expected)
            for _ in range(30):
                pair.step(policy_of(task_id, parity)(pair.observations, rng))
        assert expected.std() > 1.0, "nothing is to be seen"


@pytest.mark.usefixtures("egl")
@pytest.mark.parametrize("steps", [0, 7])
@pytest.mark.parametrize("task_id", ["FetchReach-v4", "FetchPush-v4"])
def test_first_pictures_of_fetch(task_id: str, steps: int, parity: SimpleNamespace) -> None:
    """One picture: after it, the reference continues from other warm starts."""
    options: dict[str, Any] = {"render_mode": "rgb_array", "width": 120, "height": 90}
    with parity.Lockstep(task_id, num_envs=2, **options) as pair:
        pair.run(to_object, 3, steps)
        expected = np.stack(pair.theirs.render())
        for _ in range(2):  # drawing changes nothing here
            np.testing.assert_array_equal(np.stack(pair.ours.render()), expected)
        assert expected.std() > 1.0, "nothing is to be seen"


@pytest.mark.usefixtures("egl")
@pytest.mark.parametrize(
    "task_id", ["FetchPush-v4", "HandManipulateBlock_ContinuousTouchSensors-v1"]
)
def test_pictures_change_no_step(task_id: str) -> None:
    results = []
    for draws in (False, True):
        with envpool_py.make(task_id, num_envs=2, render_mode="rgb_array") as pool:
            pool.reset(seed=2)
            rng = np.random.default_rng(0)
            for _ in range(5):
                if draws:
                    pool.render()
                actions = rng.uniform(-1, 1, pool.action_space.shape).astype(np.float32)
                observations, *_ = pool.step(actions)
            results.append(observations["observation"].tobytes())
    assert results[0] == results[1]


GOALS: list[tuple[str, dict[str, Any]]] = [
    ("PointMaze_UMaze-v3", {}),
    ("PointMaze_UMazeDense-v3", {}),
    ("PointMaze_UMaze-v3", {"continuing_task": False, "reward_type": "dense"}),
    ("AntMaze_UMaze-v3", {"continuing_task": False}),
    ("AntMaze_UMaze-v5", {}),
    ("FetchReach-v4", {}),
    ("FetchPushDense-v4", {}),
]


@pytest.mark.parametrize(("task_id", "options"), GOALS)
def test_methods_of_goals(task_id: str, options: dict[str, Any]) -> None:
    """Of single goals and of batches, on a pool, on its attributes and on one environment."""
    theirs: Any = gymnasium.make(task_id, **options).unwrapped
    theirs.reset(seed=0)
    size = theirs.observation_space["desired_goal"].shape[0]
    rng = np.random.default_rng(0)
    achieved = rng.normal(0.0, 0.3, (2000, size))
    desired = rng.normal(0.0, 0.3, (2000, size))
    infos = np.array([{}] * len(achieved))
    single: Any = gymnasium.make(f"EnvPool/{task_id}", **options).unwrapped
    with envpool_py.make(task_id, num_envs=3, **options) as pool:
        for name in ("compute_reward", "compute_terminated", "compute_truncated"):
            method = getattr(theirs, name)
            each = [method(a, d, {}) for a, d in zip(achieved, desired, strict=True)]
            batch, *others = pool.call(name, achieved, desired, infos)
            assert len(others) == 2
            assert all(other is batch for other in others)
            assert batch.tolist() == each
            if name == "compute_reward":
                expected = method(achieved, desired, infos)
                assert batch.dtype == expected.dtype
                assert batch.tobytes() == expected.tobytes()  # with the signs of zeros
            one = method(achieved[0], desired[0], {})
            for call in (pool.get_attr(name)[1], getattr(single, name)):
                got = call(achieved[0], desired[0], {})
                assert type(got) is type(one)
                assert got == one
                np.testing.assert_array_equal(call(achieved, desired, infos), batch)
    single.close()
    theirs.close()


def test_methods_of_goals_follow_attributes() -> None:
    goals = np.zeros(2), np.ones(2)
    with envpool_py.make("PointMaze_UMaze-v3", num_envs=2) as pool:
        assert pool.call("compute_reward", *goals, {}) == (0.0, 0.0)
        pool.set_attr("reward_type", ["sparse", "dense"])
        assert pool.call("compute_reward", *goals, {}) == (0.0, np.exp(-np.sqrt(2.0)))
