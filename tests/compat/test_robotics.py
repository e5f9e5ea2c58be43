"""EnvPool's tasks of Gymnasium-Robotics and MetaWorld. The numbers were read from EnvPool 1.2.5."""

from __future__ import annotations

import importlib.util
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
import envpool_py.compat.envpool as envpool
from envpool_py.compat.robotics_tables import EARLIER_IDS, KITCHEN_TASKS, ROBOTICS_CLASSES
from envpool_py.tasks.families.metaworld.tasks import TASKS as METAWORLD
from envpool_py.tasks.families.robotics.tasks import TASKS as ROBOTICS

# Not imported: that would change Gymnasium's registry.
PACKAGES = ("mujoco", "gymnasium_robotics", "metaworld")
pytestmark = [
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in PACKAGES),
        reason=f"needs {', '.join(PACKAGES)}",
    ),
    pytest.mark.usefixtures("mujoco_log_elsewhere"),
]

NAMES = {"observation", "achieved_goal", "desired_goal"}


def test_the_ids() -> None:
    there = {task_id for kind in ROBOTICS_CLASSES.values() for task_id in kind.ids}
    mazes = {task_id for task_id in ROBOTICS if task_id.startswith("AntMaze")}  # EnvPool has none
    assert there == {*METAWORLD, *ROBOTICS} - mazes
    assert len(there - METAWORLD.keys()) + len(EARLIER_IDS) == 157
    assert set(envpool.list_all_envs()) >= {*there, *EARLIER_IDS, *mazes}


def test_earlier_ids_are_the_same_tasks() -> None:
    old, new = (
        envpool.make_gymnasium(task_id, num_envs=2, seed=3)
        for task_id in ("FetchReachDense-v1", "FetchReachDense-v4")
    )
    first, second = old.reset()[0], new.reset()[0]
    for name in NAMES:
        np.testing.assert_array_equal(first[name], second[name])
    assert old.spec.config == new.spec.config
    old.close()
    new.close()


@pytest.mark.parametrize(
    ("task_id", "settings"),
    [
        ("FetchSlide-v4", {"max_episode_steps": 50, "obj_range": 0.1, "target_offset_x": 0.4}),
        ("FetchReachDense-v4", {"reward_threshold": 0.0, "reward_type": "dense"}),
        (
            "HandManipulateBlockRotateParallel_BooleanTouchSensors-v1",
            {"obs_dim": 153, "target_rotation": "parallel", "touch_get_obs": "boolean"},
        ),
        ("HandManipulatePenFull-v1", {"distance_threshold": 0.05, "target_position": "random"}),
        ("AdroitHandPenSparse-v1", {"reward_type": "sparse", "reset_dim": 4}),
        ("PointMaze_Medium_Diverse_GRDense-v3", {"maze_map": "MEDIUM_MAZE_DIVERSE_GR"}),
        ("FrankaKitchen-v1", {"tasks_to_complete": list(KITCHEN_TASKS), "frame_skip": 40}),
        ("MetaWorld/PlateSlideBack-v3", {"task_name": "plate-slide-back-v3"}),
    ],
)
def test_settings(task_id: str, settings: dict[str, Any]) -> None:
    config = envpool.make_spec(task_id).config._asdict()
    assert {name: config[name] for name in settings} == settings


def test_observations_are_dicts() -> None:
    pool = envpool.make_gymnasium("FetchPush-v4", num_envs=3, seed=5)
    space: Any = pool.observation_space
    assert list(space.spaces) == ["observation", "achieved_goal", "desired_goal"]
    assert space["observation"] == gymnasium.spaces.Box(-np.inf, np.inf, (25,), np.float64)
    assert "obs:desired_goal" in pool.spec.state_array_spec
    with envpool_py.make("FetchPush-v4", num_envs=3, seed=5, autoreset_mode="NextStep") as own:
        mine, theirs = pool.reset(), own.reset()
        for step in range(4):
            for name in NAMES:
                np.testing.assert_array_equal(mine[0][name], theirs[0][name])
            goals = mine[0]["achieved_goal"] - mine[0]["desired_goal"]
            distance = mine[-1]["distance"]
            np.testing.assert_allclose(distance, np.linalg.norm(goals, axis=1), rtol=1e-12)
            assert (mine[-1]["elapsed_step"] == step).all()
            actions = np.full((3, 4), 0.1 * step, np.float32)
            mine, theirs = pool.step(actions), own.step(actions)
    # Of some environments, in another order.
    observations, infos = pool.reset(np.array([2, 0]))
    assert observations["observation"].shape == (2, 25)
    assert infos["env_id"].tolist() == [2, 0]
    pool.close()


def test_time_steps() -> None:
    pool = envpool.make_dm("PointMaze_UMaze-v3", num_envs=2, seed=5)
    first = pool.reset().observation
    assert first._fields == (
        "env_id", "players", "observation", "achieved_goal", "desired_goal", "success", "distance",
    )  # fmt: skip
    assert pool.observation_spec().achieved_goal.name == "achieved_goal"
    observation = pool.step(np.zeros((2, 2), np.float32)).observation
    assert observation.observation.shape == (2, 4)
    assert observation.distance.dtype == np.float64
    pool.close()


def test_kitchen() -> None:
    """Infos of tasks are in EnvPool's order, which is not that of our names."""
    options: dict[str, Any] = {"num_envs": 1, "seed": 1}
    pool = envpool.make_gymnasium("FrankaKitchen-v1", **options)
    observations, infos = pool.reset()
    assert list(observations["desired_goal"]) == list(KITCHEN_TASKS)
    assert pool.spec.observation_spec().desired_goal_light_switch.name == "light switch"
    assert infos["tasks_to_complete"].tolist() == [[1] * 7]
    with envpool_py.make("FrankaKitchen-v1", **options) as own:
        names = list(own.reset()[0]["desired_goal"])
        rng = np.random.default_rng(0)
        for _ in range(3):
            actions = rng.uniform(-1, 1, (1, 9))
            mine, theirs = pool.step(actions)[4], own.step(actions)[4]
            for name in ("tasks_to_complete", "episode_task_completions"):
                expected = [int(theirs[name][0][names.index(task)]) for task in KITCHEN_TASKS]
                assert mine[name].dtype == np.int32
                assert mine[name][0].tolist() == expected
    pool.close()


def test_the_order_of_the_kitchens_infos() -> None:
    rules = {rule.name: rule for rule in envpool.make_spec("FrankaKitchen-v1").infos}
    own = list(envpool_py.make_spec("FrankaKitchen-v1").observation_space["desired_goal"].spaces)  # type: ignore[index]
    done = np.array([[task == "light switch" for task in own]])
    value = rules["step_task_completions"].value({"step_task_completions": done}, {}, 1)
    assert value.tolist() == [[int(task == "light switch") for task in KITCHEN_TASKS]]


def test_mazes_by_name() -> None:
    pool = envpool.make_gymnasium("PointMaze_UMaze-v3", maze_map="LARGE_MAZE", seed=2)
    with envpool_py.make("PointMaze_Large-v3", num_envs=1, seed=2) as own:
        theirs = own.reset()[0]
    np.testing.assert_array_equal(pool.reset()[0]["desired_goal"], theirs["desired_goal"])
    pool.close()


def test_metaworld_hides_the_goal_by_default() -> None:
    for hidden in (None, True, False):
        settings = {} if hidden is None else {"partially_observable": hidden}
        pool = envpool.make_gymnasium("MetaWorld/Reach-v3", num_envs=2, seed=4, **settings)
        observations, infos = pool.reset()
        assert (observations[:, 36:] == 0.0).all() == (hidden is not False)
        assert infos["task_id"].tolist() == [43, 43]
        infos = pool.step(np.zeros((2, 4), np.float32))[4]
        assert (infos["unscaled_reward"] > 0).all()
        pool.close()
    assert envpool.make_spec("MetaWorld/Reach-v3").config.reward_threshold == 10.0


def test_distances_of_poses() -> None:
    """Each pose counts by itself, also in a batch of pens; see `pose_errors`."""
    (rule,) = (r for r in envpool.make_spec("HandManipulatePen-v1").infos if r.name == "distance")
    rng = np.random.default_rng(0)
    goals = {name: rng.normal(size=(4, 7)) for name in ("achieved_goal", "desired_goal")}
    for goal in goals.values():
        goal[:, 3:] /= np.linalg.norm(goal[:, 3:], axis=1, keepdims=True)
    together = rule.value({}, goals, 4)
    alone = [rule.value({}, {n: g[i : i + 1] for n, g in goals.items()}, 1)[0] for i in range(4)]
    np.testing.assert_array_equal(together, alone)


def test_distances_of_adroit_begin_at_zero() -> None:
    for task_id in ("AdroitHandHammer-v1", "AdroitHandRelocate-v1"):
        pool = envpool.make_gymnasium(task_id, num_envs=2)
        assert pool.reset()[1]["distance"].tolist() == [0.0, 0.0]
        actions = np.zeros((2, *pool.action_space.shape), np.float32)
        distances = pool.step(actions)[4]["distance"]
        assert (distances > 0.05).all()
        pool.close()


@pytest.mark.parametrize("task_id", ["FetchReach-v4", "HandManipulatePen-v1"])
def test_compiled_programs(task_id: str) -> None:
    jax = pytest.importorskip("jax")
    pool, same = (envpool.make_gymnasium(task_id, num_envs=2, seed=1) for _ in range(2))
    pool.reset()
    same.reset()
    handle, _, _, step = pool.xla()
    actions = np.full((2, *pool.action_space.shape), 0.5, np.float32)
    _, (observations, *_, infos) = jax.jit(step)(handle, actions)
    expected, *_, their_infos = same.step(actions)
    for name in NAMES:
        np.testing.assert_allclose(observations[name], expected[name], rtol=1e-6)
    np.testing.assert_allclose(infos["distance"], their_infos["distance"], rtol=1e-4)
    pool.close()
    same.close()


@pytest.mark.parametrize(
    ("module", "name"),
    [("robotics", "GymnasiumRoboticsHand"), ("metaworld", "MetaWorld")],
)
def test_classes_by_name(module: str, name: str) -> None:
    classes = importlib.import_module(f"envpool_py.compat.envpool.mujoco.{module}")
    ends = ("GymnasiumEnvPool", "DMEnvPool", "EnvSpec")
    assert {f"{name}{end}" for end in ends} <= set(classes.__all__)
    spec_class = getattr(classes, f"{name}EnvSpec")
    spec = spec_class(spec_class.gen_config(num_envs=2, seed=3))
    pool = getattr(classes, f"{name}GymnasiumEnvPool")(spec)
    assert len(pool.reset()[1]["env_id"]) == 2
    pool.close()


def test_pixels_are_refused() -> None:
    for task_id in ("FetchReach-v4", "MetaWorld/Reach-v3"):
        with pytest.raises(ValueError, match="from_pixels is for Gymnasium's MuJoCo tasks only"):
            envpool.make_spec(task_id, from_pixels=True)
