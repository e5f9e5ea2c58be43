"""MetaWorld: with equal seeds and actions, results are bit-equal to the reference's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.pool import env_attributes
from envpool_py.tasks.families.metaworld.tasks import TASKS

from .metaworld_pair import (
    NAMES,
    Pair,
    Policy,
    assert_bits,
    metaworld,
    reference,
    shim,
)

pytest.importorskip("envpool_py._mujoco")
pytestmark = pytest.mark.usefixtures("shimmed")

# Tasks that the short tests run: one of each kind of reward, and of each trap of the reference.
STAND_INS = [
    "MetaWorld/Reach-v3",
    "MetaWorld/PickPlace-v3",
    "MetaWorld/DoorOpen-v3",
    "MetaWorld/Basketball-v3",  # the target moves with the simulation
    "MetaWorld/BinPicking-v3",  # the first step of an episode is remembered
    "MetaWorld/DoorUnlock-v3",  # the start of the object moves with the simulation
    "MetaWorld/DrawerClose-v3",  # rewards are float32
    "MetaWorld/PegInsertSide-v3",
    "MetaWorld/StickPull-v3",
    "MetaWorld/SweepInto-v3",
]
SHORT = [pytest.param(task, marks=[] if task in STAND_INS else pytest.mark.long) for task in TASKS]
VERSIONS = ["v2", "v1"]
# Tasks whose success does not depend on what happens, and is none, in version 1.
WITHOUT_SUCCESS = {("MetaWorld/HandInsert-v3", "v1"), ("MetaWorld/StickPush-v3", "v1")}


@pytest.fixture
def shimmed(monkeypatch: pytest.MonkeyPatch, mujoco_log_elsewhere: None) -> None:
    shim(monkeypatch)


def test_tasks_are_those_of_the_reference() -> None:
    assert set(NAMES) == set(TASKS)
    assert set(NAMES.values()) == set(metaworld.env_dict.ALL_V3_ENVIRONMENTS)
    assert len(TASKS) == 50
    for task_id, name in NAMES.items():
        assert envpool_py.make_spec(name).id == task_id


@pytest.mark.parametrize("task_id", SHORT)
def test_goals(task_id: str) -> None:
    """The goal vectors of a seed, seen as the first observations of as many episodes."""
    with Pair(task_id, [4], num_goals=7) as pair:
        seen = set()
        for _ in range(12):
            pair.reset()
            seen.add(pair.observations.tobytes())
    assert 3 < len(seen) <= 7


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("task_id", SHORT)
def test_trajectories(task_id: str, version: str) -> None:
    with Pair(task_id, [3, 2**32 - 1], num_goals=1, reward_function_version=version) as pair:
        pair.run(110)


@pytest.mark.long
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("task_id", TASKS)
def test_long_trajectories(task_id: str, version: str) -> None:
    """Until the scripted policy succeeds, and to the limit of steps of an episode."""
    with Pair(task_id, [0, 17, 4711], num_goals=2, reward_function_version=version) as pair:
        pair.run(520)
    assert pair.ends == 3
    assert (pair.successes == 0) == ((task_id, version) in WITHOUT_SUCCESS)


NORMALIZED = ["MetaWorld/PickPlace-v3", "MetaWorld/DrawerClose-v3"]  # float32 later, and at first


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "task_id",
    [pytest.param(task, marks=[] if task in NORMALIZED else pytest.mark.long) for task in TASKS],
)
def test_exponential_normalization(task_id: str, version: str) -> None:
    """Its numbers depend on the types of the reference's rewards, which change in an episode."""
    options: dict[str, Any] = {"num_goals": 2, "reward_function_version": version}
    exponential = {"reward_normalization_method": "exponential", "reward_alpha": 0.05}
    with Pair(task_id, [3, 4], theirs={**options, **exponential}, **options, reward_alpha=0.05) as (
        pair
    ):
        pair.run(100)
        pair.reset()
        pair.step(np.zeros((2, 4), dtype=np.float32))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("task_id", ["MetaWorld/PickPlace-v3", "MetaWorld/DialTurn-v3"])
def test_float64_actions(task_id: str, version: str) -> None:
    with Pair(task_id, [5], num_goals=1, reward_function_version=version) as pair:
        pair.run(90, Policy(task_id, dtype=np.float64))


def test_the_limit_of_an_episode_and_success_as_its_end() -> None:
    task_id = "MetaWorld/Reach-v3"
    with Pair(task_id, [1, 2], max_episode_steps=9) as pair:
        pair.run(20)
        assert pair.ends == 4
    with Pair(task_id, [1, 2], max_episode_steps=600, theirs={"num_goals": 3}) as pair:
        pair.run(502)
        assert pair.ends == 2  # the environment itself ends at 500 steps
    with Pair(task_id, [1, 2], terminate_on_success=True) as pair:
        pair.run(120)
        assert pair.ends >= 2


@pytest.mark.parametrize("task_id", ["MetaWorld/Reach-v3", "MetaWorld/Basketball-v3"])
def test_hidden_goals(task_id: str) -> None:
    name = NAMES[task_id]
    theirs = metaworld.env_dict.ALL_V3_ENVIRONMENTS_GOAL_HIDDEN[f"{name}-goal-hidden"](seed=8)
    with envpool_py.make(task_id, num_envs=1, seed=8, num_goals=1, goal_observable=False) as ours:
        observations, _ = ours.reset()
        expected, _ = theirs.reset()
        policy = Policy(task_id)
        for _ in range(30):
            assert_bits(observations[0], expected, name)
            assert (expected[-3:] == 0.0).all()
            actions = policy(observations)
            observations, rewards, *_ = ours.step(actions)
            expected, reward, *_ = theirs.step(actions[0])
            assert_bits(rewards[0], reward, name)
        space: Any = ours.single_observation_space
        assert_bits(space.low, theirs.sawyer_observation_space.low, name)
        assert_bits(space.high, theirs.sawyer_observation_space.high, name)


@pytest.mark.parametrize("task_id", SHORT)
def test_spaces(task_id: str) -> None:
    """The reference's own spaces, in which its wrappers' spaces of visible goals are wrong."""
    name = NAMES[task_id]
    theirs: Any = metaworld.env_dict.ALL_V3_ENVIRONMENTS[name]()
    theirs._partially_observable = False
    del theirs.sawyer_observation_space
    spec = envpool_py.make_spec(task_id)
    space: Any = spec.observation_space
    assert_bits(space.low, theirs.sawyer_observation_space.low, name)
    assert_bits(space.high, theirs.sawyer_observation_space.high, name)
    assert spec.action_space == theirs.action_space
    with envpool_py.make(task_id, num_envs=1) as ours:
        assert ours.metadata["render_fps"] == theirs.metadata["render_fps"]
    theirs.close()


def test_pseudorandom_goals() -> None:
    task_id = "MetaWorld/Push-v3"
    options: dict[str, Any] = {"num_goals": 4, "task_select": "pseudorandom"}
    with Pair(task_id, [2, 9], **options) as pair:
        for _ in range(6):
            pair.reset(sample_tasks=True)
            pair.step(np.zeros((2, 4), dtype=np.float32))
        for env in pair.theirs:
            env.reset()  # the goal stays
        first = pair.observations[:, 36:].copy()
        pair.reset()
        assert (pair.observations[:, 36:] == first).all()
        pair.ours.set_attr("sample_tasks_on_reset", True)
        for env in pair.theirs:
            env.env.toggle_sample_tasks_on_reset(True)
        for _ in range(6):
            pair.reset()


def test_reseeding_is_another_construction() -> None:
    task_id = "MetaWorld/PickPlace-v3"
    with Pair(task_id, [6], num_goals=3) as pair:
        pair.run(5)
        pair.theirs[0].close()
        pair.theirs = [reference(task_id, 31, num_goals=3)]
        pair.ours.reset(seed=31)
        pair.theirs[0].reset()
        for _ in range(4):
            pair.reset()
            pair.step(Policy(task_id)(pair.observations))


def test_attributes() -> None:
    task_id = "MetaWorld/DrawerOpen-v3"
    with Pair(task_id, [1, 2], num_goals=1) as pair:
        assert set(env_attributes.names(pair.ours)) == {
            "reward_function_version",
            "sample_tasks_on_reset",
            "terminate_on_success",
        }
        pair.run(3)
        for versions in (["v1", "v2"], ["v2", "v1"]):
            pair.ours.set_attr("reward_function_version", versions)
            for env, version in zip(pair.theirs, versions, strict=True):
                env.unwrapped.reward_function_version = version
            policy = Policy(task_id)
            for _ in range(4):
                pair.step(policy(pair.observations))


@pytest.mark.parametrize("steps", [0, 40])
@pytest.mark.parametrize("task_id", ["MetaWorld/PickPlace-v3", "MetaWorld/BinPicking-v3"])
def test_saved_states(task_id: str, steps: int) -> None:
    """States are set in another pool, which then continues alike."""
    theirs = {"num_goals": 2, "reward_normalization_method": "exponential"}
    options: dict[str, Any] = {"num_goals": 2, "reward_alpha": 0.001}
    with Pair(task_id, [1, 5], theirs=theirs, **options) as pair:
        pair.run(steps)
        with envpool_py.make(
            task_id, num_envs=2, seed=0, autoreset_mode="Disabled", **options
        ) as other:
            other.load_states(pair.ours.save_states())
            pair.ours.close()
            pair.ours = other
            policy = Policy(task_id)
            for _ in range(40):
                pair.step(policy(pair.observations))
            pair.reset()
            pair.step(policy(pair.observations))


def test_model_changes() -> None:
    """Each environment has a model of its own; the starts of its episodes are its own, too."""
    task_id = "MetaWorld/Push-v3"
    gravities = [[0.0, 0.0, -9.81], [0.0, 0.0, -3.0]]
    changes = [{"model": {"opt.gravity": each}} for each in gravities]
    with Pair(task_id, [1, 1], num_goals=1) as pair:
        for env, gravity in zip(pair.theirs, gravities, strict=True):
            env.unwrapped.model.opt.gravity[:] = gravity
        pair.ours.set_env_options(changes)
        pair.run(40)


@pytest.mark.usefixtures("egl")
@pytest.mark.parametrize(
    ("task_id", "camera"),
    [("MetaWorld/ShelfPlace-v3", "corner2"), ("MetaWorld/WindowOpen-v3", None)],
)
def test_pictures(task_id: str, camera: str | None) -> None:
    options: dict[str, Any] = {
        "render_mode": "rgb_array",
        "width": 120,
        "height": 90,
        "camera_name": camera,
    }
    with Pair(task_id, [4, 6], num_goals=1, **options) as pair:
        pair.reset()
        policy = Policy(task_id)
        for _ in range(2):
            pictures = pair.ours.render()
            for ours, env in zip(pictures, pair.theirs, strict=True):
                expected = env.render()
                np.testing.assert_array_equal(ours, expected)
                assert expected.std() > 1.0, "nothing is to be seen"
            for _ in range(12):
                pair.step(policy(pair.observations))
