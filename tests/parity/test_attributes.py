"""Attributes that are set in the middle of an episode, on our pools and on Gymnasium's.

The attributes are the engine's own list, so one without values here fails.
"""

from __future__ import annotations

import contextlib
import copy
import io
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import MissingPackageError, NoAttributeError
from envpool_py.pool.core import engine_core_of
from envpool_py.tasks import registry

from .conftest import assert_same
from .references import reference_id

with contextlib.suppress(ImportError), warnings.catch_warnings():
    warnings.simplefilter("ignore")  # from SWIG, which wraps the reference's engine
    import Box2D  # noqa: F401
pytestmark = [
    pytest.mark.numbers,
    # Gymnasium's registration of later versions of a task.
    pytest.mark.filterwarnings("ignore:.*is out of date:DeprecationWarning"),
]

INF = float("inf")
N = 3
LIMIT = 10  # steps of an episode, so that values stay through resets

# Three values of each attribute, for the tasks of one class.
_PENDULUM = {
    "max_speed": [1.0, 3.0, 0.25],
    "max_torque": [0.5, 1.7, 0.0],
    "dt": [0.01, 0.1, -0.05],
    "g": [1.62, 25.0, -9.81],
    "m": [0.3, 2.7, 0.7],
    "l": [0.3, 2.7, 0.7],
}
_CAR = {
    "min_position": [-0.55, -0.6, -0.9],
    "max_position": [-0.45, -0.5, 0.1],
    "max_speed": [0.001, 0.0005, 0.0],
    "goal_position": [-0.5, -0.45, -0.51],
    "goal_velocity": [0.0005, -1.0, 0.003],
}
_WEIGHTS = [0.37, 2.3, -0.7]
_LOCOMOTION = {
    "_forward_reward_weight": _WEIGHTS,
    "_ctrl_cost_weight": _WEIGHTS,
    "_reset_noise_scale": [0.0, 0.03, 0.3],
    "frame_skip": [1, 3, 7],
}
_WALKER = {
    **_LOCOMOTION,
    "_healthy_reward": _WEIGHTS,
    "_terminate_when_unhealthy": [False, True, False],
    "_healthy_z_range": [(1.22, 1.24), (-INF, INF), (10.0, 11.0)],
    "_healthy_angle_range": [(-0.001, 0.001), (-0.01, 0.02), (1.0, 2.0)],
}
_ANT = {
    **_LOCOMOTION,
    "_healthy_reward": _WEIGHTS,
    "_terminate_when_unhealthy": [False, True, False],
    "_healthy_z_range": [(0.7, 0.74), (-INF, INF), (10.0, 11.0)],
    "_contact_cost_weight": [0.37, 2.3, -0.7],
    "_contact_force_range": [(-0.1, 0.2), (-10.0, 10.0), (0.5, 1.0)],
}
_HUMANOID = {
    **_LOCOMOTION,
    "_healthy_reward": _WEIGHTS,
    "_terminate_when_unhealthy": [False, True, False],
    "_healthy_z_range": [(1.39, 1.4), (-INF, INF), (10.0, 11.0)],
    "_contact_cost_weight": [0.37, 2.3, -0.7],
    "_contact_cost_range": [(0.25, 1.0), (-INF, 1e-9), (0.5, 0.75)],
}
_REACHER = {
    "_reward_dist_weight": _WEIGHTS,
    "_reward_control_weight": _WEIGHTS,
    "_reward_near_weight": _WEIGHTS,
    "frame_skip": [1, 3, 7],
}
VALUES: dict[str, dict[str, list[Any]]] = {
    "CartPole-v1": {
        "gravity": [1.62, 25.0, -9.81],
        "masscart": [0.3, 2.7, 0.7],
        "masspole": [0.03, 0.7, 3.0],
        "total_mass": [0.3, 2.7, 0.7],
        "length": [0.11, 0.83, 2.3],
        "polemass_length": [0.01, 0.3, 0.9],
        "force_mag": [3.3, 30.0, -10.0],
        "tau": [0.01, 0.05, 0.031],
        "theta_threshold_radians": [0.02, 0.01, INF],
        "x_threshold": [0.02, 0.01, 0.03],
        "_sutton_barto_reward": [True, False, True],
        "kinematics_integrator": ["semi-implicit euler", "euler", "semi-implicit euler"],
    },
    "Pendulum-v1": _PENDULUM,
    "Acrobot-v1": {
        "dt": [0.05, 0.1, 0.31],
        "LINK_LENGTH_1": [0.37, 1.9, 0.83],
        "LINK_LENGTH_2": [0.37, 1.9, 0.83],
        "LINK_MASS_1": [0.37, 1.9, 0.83],
        "LINK_MASS_2": [0.37, 1.9, 0.83],
        "LINK_COM_POS_1": [0.37, 0.9, 0.21],
        "LINK_COM_POS_2": [0.37, 0.9, 0.21],
        "LINK_MOI": [0.37, 1.9, 0.83],
        "MAX_VEL_1": [0.01, 0.1, 0.0],
        "MAX_VEL_2": [0.01, 0.1, 0.0],
        "AVAIL_TORQUE": [(0.3, -0.2, 1.7), (-2.0, 0.0, 2.0), (0.0, 0.0, 0.0)],
        "torque_noise_max": [0.1, 1.3, -1.0],
        "book_or_nips": ["nips", "book", "nips"],
    },
    "MountainCar-v0": {
        **_CAR,
        "force": [0.003, 0.0, -0.001],
        "gravity": [0.001, 0.0125, -0.0025],
    },
    "MountainCarContinuous-v0": {
        **_CAR,
        "min_action": [-0.3, 0.2, 0.4],
        "max_action": [0.3, -0.2, 0.1],
        "power": [0.0007, 0.0123, -0.0015],
    },
    "LunarLander-v3": {
        "gravity": [-1.62, -25.0, 3.7],
        "enable_wind": [False, True, False],
        "wind_power": [3.3, 30.0, 0.0],
        "turbulence_power": [0.3, 3.0, 0.0],
    },
    "BipedalWalker-v3": {"hardcore": [True, False, True]},
    "CarRacing-v3": {
        # At a negative one the first tile ends the episode.
        "lap_complete_percent": [-1.0, 0.5, -1.0],
        "domain_randomize": [True, False, True],
    },
    "Blackjack-v1": {"natural": [True, False, True], "sab": [True, False, True]},
    "Taxi-v3": {
        "fickle_passenger": [False, True, False],
        "fickle_probability": [1.0, 0.0, 0.7],
    },
    "Ant-v4": _ANT,
    "Ant-v5": _ANT,
    "HalfCheetah-v4": _LOCOMOTION,
    "HalfCheetah-v5": _LOCOMOTION,
    "Hopper-v4": {**_WALKER, "_healthy_state_range": [(-0.1, 0.1), (-INF, INF), (5.0, 6.0)]},
    "Hopper-v5": {**_WALKER, "_healthy_state_range": [(-0.1, 0.1), (-INF, INF), (5.0, 6.0)]},
    "Walker2d-v4": _WALKER,
    "Walker2d-v5": _WALKER,
    "Swimmer-v4": _LOCOMOTION,
    "Swimmer-v5": _LOCOMOTION,
    "Humanoid-v4": _HUMANOID,
    "Humanoid-v5": _HUMANOID,
    "HumanoidStandup-v4": _LOCOMOTION,
    "HumanoidStandup-v5": {
        **_LOCOMOTION,
        "_uph_cost_weight": _WEIGHTS,
        "_impact_cost_weight": [0.37, 2.3, -0.7],
        "_impact_cost_range": [(0.25, 1.0), (-INF, 1e-9), (0.5, 0.75)],
    },
    "Reacher-v4": _REACHER,
    "Reacher-v5": _REACHER,
    "Pusher-v5": _REACHER,
    "InvertedPendulum-v4": {"frame_skip": [1, 3, 7]},
    "InvertedPendulum-v5": {"frame_skip": [1, 3, 7], "_reset_noise_scale": [0.0, 0.03, 0.1]},
    "InvertedDoublePendulum-v4": {"frame_skip": [1, 3, 7]},
    "InvertedDoublePendulum-v5": {
        "frame_skip": [1, 3, 7],
        "_healthy_reward": _WEIGHTS,
        "_reset_noise_scale": [0.0, 0.03, 0.2],
    },
}

# Options with which the attributes of a task have an effect.
OPTIONS: dict[str, dict[str, Any]] = {
    "LunarLander-v3": {"enable_wind": True},
    "Blackjack-v1": {"sab": False},
    "Taxi-v3": {"fickle_passenger": True},
    "Ant-v4": {"use_contact_forces": True},
}
# Other attributes with which an attribute has an effect; these have the same value everywhere.
WITH: dict[str, dict[str, dict[str, Any]]] = {
    "MountainCar-v0": {"goal_velocity": {"goal_position": -0.5}},
    "MountainCarContinuous-v0": {"goal_velocity": {"goal_position": -0.5}},
    **{
        task: {"_terminate_when_unhealthy": {"_healthy_z_range": (10.0, 11.0)}}
        for task in VALUES
        if task.startswith(("Ant", "Hopper", "Walker2d", "Humanoid-"))
    },
}
# Attributes that have no effect, in Gymnasium either, except in pictures.
NO_EFFECT = {
    ("CartPole-v1", "masscart"),
    ("Acrobot-v1", "LINK_LENGTH_2"),
    ("HumanoidStandup-v5", "_uph_cost_weight"),
}
# Steps of an episode and of a run, where LIMIT and three times as many are not right.
LIMITS = {
    "Blackjack-v1": 2,
    "Taxi-v3": 150,
    "CarRacing-v3": 2,
    "BipedalWalker-v3": 2,
    **{task: 5 for task in VALUES if task.startswith("HumanoidStandup")},
}
STEPS = {"Blackjack-v1": 600, "Taxi-v3": 500, "CarRacing-v3": 3, "BipedalWalker-v3": 4}

CHEAP = [
    "CartPole-v1", "Pendulum-v1", "Acrobot-v1", "MountainCar-v0", "MountainCarContinuous-v0",
    "LunarLander-v3", "BipedalWalker-v3", "Blackjack-v1", "Taxi-v3",
]  # fmt: skip
# Those that together have each attribute of the MuJoCo tasks.
MUJOCO = ["Ant-v5", "Hopper-v5", "Humanoid-v5", "HumanoidStandup-v5", "Pusher-v5"]
MUJOCO_TASKS = [task for task in VALUES if task not in (*CHEAP, "CarRacing-v3")]
TASKS = [
    *CHEAP,
    "CarRacing-v3",
    *(
        pytest.param(task, marks=[] if task in MUJOCO else pytest.mark.long)
        for task in MUJOCO_TASKS
    ),
]


def attributes_of(pool: Any) -> dict[str, Any]:
    """Returns the engine's attributes with their first values."""
    return {each["name"]: each["value"] for each in engine_core_of(pool).attributes}


class Pair:
    """A pool and Gymnasium's environments, which are stepped with the same actions."""

    def __init__(self, task: str, dtype: Any = None, **arguments: Any) -> None:
        self.task = task
        self.dtype = dtype
        limit = LIMITS.get(task, LIMIT)
        arguments = {"max_episode_steps": limit, **OPTIONS.get(task, {}), **arguments}
        self.ours = envpool_py.make(task, num_envs=N, num_threads=1, **arguments)
        self.theirs = gymnasium.make_vec(
            reference_id(task), N, vectorization_mode="sync", **arguments
        )
        self.steps = STEPS.get(task, 3 * limit)

    def __enter__(self) -> Pair:
        return self

    def __exit__(self, *_: object) -> None:
        self.ours.close()
        self.theirs.close()

    def set(self, name: str, values: list[Any]) -> None:
        for envs in (self.ours, self.theirs):
            envs.set_attr(name, values)
            assert envs.get_attr(name) == tuple(values)

    def run(self, seed: int, name: str | None = None, values: list[Any] | None = None) -> list[Any]:
        """Sets an attribute in the middle of an episode; returns the results as bytes."""
        results = []
        space = copy.deepcopy(self.ours.action_space)
        space.seed(seed)
        assert_same(self.ours.reset(seed=seed)[0], self.theirs.reset(seed=seed)[0], "reset", "obs")
        for step in range(self.steps):
            if step == min(4, self.steps // 2) and name is not None and values is not None:
                self.set(name, values)
            action = space.sample()
            if self.task == "Blackjack-v1":
                action[:] = 0  # stick, so that naturals count
            if self.dtype is not None:
                action = action.astype(self.dtype) * 1.25
            ours = self.ours.step(action)
            theirs = self.theirs.step(action)
            where = f"{self.task}: {name} at step {step}"
            for ours_of, theirs_of, field in zip(
                ours[:4], theirs[:4], ("obs", "reward", "terminated", "truncated"), strict=True
            ):
                assert_same(ours_of, theirs_of, where, field)
            results.append([np.asarray(leaf).tobytes() for leaf in ours[:3]])
        return results


@pytest.mark.usefixtures("mujoco_log_elsewhere")
@pytest.mark.parametrize("task", TASKS)
def test_set_attr_has_the_effect_that_it_has_in_gymnasium(task: str) -> None:
    if task in MUJOCO_TASKS:
        pytest.importorskip("mujoco")
        pytest.importorskip("envpool_py._mujoco")
    if task.startswith(("Lunar", "Bipedal", "CarRacing")) and "Box2D" not in globals():
        pytest.skip("needs Box2D")
    with Pair(task) as pair:
        first = attributes_of(pair.ours)
        assert first, f"{task} has no attributes"
        assert not first.keys() - VALUES[task].keys(), "an attribute has no values in this test"
        for seed, (name, value) in enumerate(first.items()):
            of_gymnasium = pair.theirs.get_attr(name)
            if isinstance(of_gymnasium[0], list):  # AVAIL_TORQUE of Acrobot
                of_gymnasium = tuple(map(tuple, of_gymnasium))
            assert pair.ours.get_attr(name) == of_gymnasium
            common = WITH.get(task, {}).get(name, {})
            for other, its_value in common.items():
                pair.set(other, [its_value] * N)
            changed = pair.run(seed, name, VALUES[task][name])
            pair.set(name, [value] * N)
            if task not in ("BipedalWalker-v3", "CarRacing-v3"):  # episodes leave traces in a world
                plain = pair.run(seed)
                assert (changed == plain) == ((task, name) in NO_EFFECT), name
            for other in common:
                pair.set(other, [first[other]] * N)


@pytest.mark.parametrize("task", ["Pendulum-v1", "MountainCarContinuous-v0"])
def test_with_float64_actions(task: str) -> None:
    with Pair(task, np.float64) as pair:
        for seed, (name, value) in enumerate(attributes_of(pair.ours).items()):
            pair.run(seed, name, VALUES[task][name])
            pair.set(name, [value] * N)


def test_all_attributes_of_a_task_at_once() -> None:
    for task in ("CartPole-v1", "Acrobot-v1", "Pendulum-v1"):
        with Pair(task) as pair:
            for name in attributes_of(pair.ours):
                pair.set(name, VALUES[task][name])
            pair.run(3)


# Families whose attributes are compared in files of their own.
ELSEWHERE = (
    "MiniGrid",
    "DeepMind Control Suite",
    "Atari",
    "Gymnasium-Robotics",
    "MaMuJoCo",
    "MetaWorld",
)


@pytest.mark.usefixtures("mujoco_log_elsewhere")
def test_no_task_has_other_attributes() -> None:
    alike = {
        "CartPole-v0": "CartPole-v1",
        "Pendulum-v0": "Pendulum-v1",
        "LunarLander-v2": "LunarLander-v3",
        "LunarLanderContinuous-v2": "LunarLander-v3",
        "LunarLanderContinuous-v3": "LunarLander-v3",
        "BipedalWalkerHardcore-v3": "BipedalWalker-v3",
        "CarRacing-v2": "CarRacing-v3",
        "Taxi-v4": "Taxi-v3",
    }
    seen = 0
    for family in registry.all_families().values():
        if family.name in ELSEWHERE:
            continue
        for task in family.tasks:
            try:
                pool = envpool_py.make(task, num_threads=1)
            except MissingPackageError:
                continue
            with pool:
                known = VALUES.get(alike.get(task, task), {})
                assert not attributes_of(pool).keys() - known.keys(), task
                seen += 1
    assert seen > 15


def test_a_lander_without_wind_gets_it_at_the_next_reset() -> None:
    """Where Gymnasium's step raises an AttributeError."""
    with envpool_py.make("LunarLander-v3", num_threads=1) as pool:
        pool.reset(seed=1)
        pool.set_attr("enable_wind", True)
        pool.step(np.zeros(1, np.int64))
        observation, _ = pool.reset(seed=1)
    with envpool_py.make("LunarLander-v3", num_threads=1, enable_wind=True) as windy:
        assert_same(observation, windy.reset(seed=1)[0], "reset", "obs")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("model", "xml_file"),
        ("data", "observations and infos"),
        ("dt", "frame_skip"),
        ("healthy_reward", "Gymnasium's name of the attribute is _healthy_reward"),
        ("_main_body", "set_env_options changes the option main_body"),
        ("_exclude_current_positions_from_observation", "set_env_options changes the option"),
        ("_forward_reward_wait", 'did you mean "_forward_reward_weight"'),
    ],
)
@pytest.mark.usefixtures("mujoco_log_elsewhere")
def test_names_of_mujoco_tasks(name: str, message: str) -> None:
    pytest.importorskip("mujoco")
    pytest.importorskip("envpool_py._mujoco")
    with envpool_py.make("Ant-v5") as pool, pytest.raises(NoAttributeError, match=message):
        pool.set_attr(name, 1)


@pytest.mark.parametrize(
    "task",
    [
        "MiniGrid-DoorKey-5x5-v0",
        pytest.param("MiniGrid-Empty-5x5-v0", marks=pytest.mark.long),
        pytest.param("MiniGrid-MultiRoom-N2-S4-v0", marks=pytest.mark.long),
        "BabyAI-GoToLocal-v0",
    ],
)
def test_minigrid(task: str) -> None:
    pytest.importorskip("minigrid")
    babyai = task.startswith("BabyAI")
    values = {"see_through_walls": [True, False, True], "max_steps": [9, 30, 14]}
    ours = envpool_py.make(task, num_envs=N, num_threads=1)
    with contextlib.redirect_stdout(io.StringIO()):
        theirs = gymnasium.make_vec(task, N, vectorization_mode="sync")
    with ours:
        first = attributes_of(ours)
        assert sorted(first) == ["see_through_walls"] if babyai else sorted(values)
        space = copy.deepcopy(ours.action_space)
        for seed, name in enumerate(first):
            space.seed(seed)
            expected, _ = theirs.reset(seed=seed)
            observed, _ = ours.reset(seed=seed)
            for step in range(25):
                if step == 6:
                    assert ours.get_attr(name) == theirs.get_attr(name)
                    for envs in (ours, theirs):
                        envs.set_attr(name, values[name])
                        assert envs.get_attr(name) == tuple(values[name])
                for key in ("image", "direction"):
                    np.testing.assert_array_equal(observed[key], expected[key], f"{name}, {step}")
                action = space.sample()
                expected, *of_theirs, _ = theirs.step(action)
                observed, *of_ours, _ = ours.step(action)
                for mine, reference in zip(of_ours, of_theirs, strict=True):
                    np.testing.assert_array_equal(mine, reference)
            for envs in (ours, theirs):
                envs.set_attr(name, [first[name]] * N)
    theirs.close()


@pytest.mark.parametrize(
    ("task", "name", "values"),
    [
        ("CartPole-v1", "length", [0.2, 1.0]),
        ("CartPole-v1", "x_threshold", [1.0, 4.8]),
        ("MountainCar-v0", "goal_position", [0.1, 0.4]),
        ("MountainCarContinuous-v0", "max_position", [0.5, 0.9]),
        ("Acrobot-v1", "LINK_LENGTH_1", [0.5, 1.5]),
        ("Acrobot-v1", "LINK_LENGTH_2", [0.5, 1.5]),
    ],
)
def test_pictures_show_it(task: str, name: str, values: list[float]) -> None:
    pytest.importorskip("pygame")
    theirs = gymnasium.make_vec(task, 2, vectorization_mode="sync", render_mode="rgb_array")
    with envpool_py.make(task, num_envs=2, num_threads=1, render_mode="rgb_array") as ours:
        ours.reset(seed=4)
        theirs.reset(seed=4)
        before = ours.render()
        ours.set_attr(name, values)
        theirs.set_attr(name, values)
        after = ours.render()
        np.testing.assert_array_equal(after, theirs.render())
        assert any((left != right).any() for left, right in zip(before, after, strict=True))
    theirs.close()
