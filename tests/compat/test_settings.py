"""EnvPool's settings reach our options; unsupported ones are refused by name."""

from __future__ import annotations

import importlib.util
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
import envpool_py.compat.envpool as envpool
from envpool_py.compat.decisions import decision
from envpool_py.compat.tables import ENVPOOL_CLASSES
from envpool_py.compat.tasks import task_of
from envpool_py.errors import OptionError
from envpool_py.tasks.families.procgen.manifest import PACKAGE as PROCGEN
from envpool_py.tasks.registry import family_of

MAPPED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("Ant-v5", {"healthy_z_min": 0.3}, {"healthy_z_range": [0.3, 1.0]}),
    (
        "Ant-v4",
        {"healthy_z_min": 0.3, "healthy_z_max": 0.9},
        {"healthy_z_range": [0.3, 0.9]},
    ),
    ("Ant-v5", {"contact_force_max": 2}, {"contact_force_range": [-1.0, 2.0]}),
    ("Ant-v4", {"use_contact_force": True}, {"use_contact_forces": True}),
    ("Ant-v5", {"frame_skip": 3, "xml_file": "ant.xml"}, {"frame_skip": 3}),
    (
        "Ant-v4",
        {"frame_skip": 3, "forward_reward_weight": 0.5},
        {"frame_skip": 3, "forward_reward_weight": 0.5},
    ),
    ("Ant-v5", {"frame_stack": 4}, {"frame_stack": 4}),
    (
        "Ant-v5",
        {"use_contact_force": False, "contact_cost_weight": 0.1},
        {"include_cfrc_ext_in_observation": False, "contact_cost_weight": 0.0},
    ),
    ("Humanoid-v5", {"use_contact_force": 0}, {"contact_cost_weight": 0.0}),
    ("Humanoid-v4", {"use_contact_force": True}, {"use_contact_forces": True}),
    ("Hopper-v4", {"velocity_min": -5.0}, {"velocity_range": [-5.0, 10.0]}),
    ("InvertedPendulum-v4", {"healthy_z_min": -0.1}, {"healthy_angle_range": [-0.1, 0.2]}),
    ("InvertedPendulum-v5", {"healthy_reward": 3.0}, {}),
    (
        "InvertedDoublePendulum-v4",
        {"healthy_z_max": 1.1, "observation_max": 5.0, "healthy_reward": 3.0},
        {
            "healthy_z_range": [1.1, np.inf], "observation_range": [-10.0, 5.0],
            "healthy_reward": 3.0,
        },
    ),
    (
        "Pusher-v5",
        {"cylinder_x_min": -0.2, "cylinder_dist_min": 0.1, "reset_qvel_scale": 0.01},
        {"cylinder_x_range": [-0.2, 0.0], "cylinder_dist_min": 0.1, "reset_qvel_scale": 0.01},
    ),
    (
        "Reacher-v4",
        {"reset_goal_scale": 0.1, "reset_qpos_scale": 0.3, "dist_cost_weight": 2.0},
        {"reset_goal_scale": 0.1, "reset_qpos_scale": 0.3, "reward_dist_weight": 2.0},
    ),
    ("Pendulum-v1", {"version": 0}, {"version": 0}),
    ("Hopper-v4", {"healthy_z_min": 0.5}, {"healthy_z_range": [0.5, np.inf]}),
    ("Hopper-v5", {"healthy_angle_max": 0.4}, {"healthy_angle_range": [-0.2, 0.4]}),
    ("Humanoid-v5", {"contact_cost_max": 5.0}, {"contact_cost_range": [-np.inf, 5.0]}),
    (
        "HumanoidStandup-v5",
        {"contact_cost_max": 5.0, "forward_reward_weight": 2.0, "contact_cost_weight": 1e-6},
        {
            "impact_cost_range": [-np.inf, 5.0], "forward_reward_weight": 2.0,
            "impact_cost_weight": 1e-6,
        },
    ),
    (
        "Reacher-v5",
        {"ctrl_cost_weight": 0.5, "dist_cost_weight": 2.0},
        {"reward_control_weight": 0.5, "reward_dist_weight": 2.0},
    ),
    ("Pusher-v5", {"near_cost_weight": 0.7}, {"reward_near_weight": 0.7}),
    ("FrozenLake-v1", {"size": 8}, {"map_name": "8x8"}),
    ("FrozenLake8x8-v1", {"size": 4}, {"map_name": "4x4"}),
    ("FrozenLake-v1", {"is_slippery": False}, {"is_slippery": False}),
    ("Catch-v0", {"height": 7, "width": 4}, {"height": 7, "width": 4}),
    ("Blackjack-v1", {"natural": 1}, {"natural": True}),
    (
        "Pong-v5",
        {"stack_num": 2, "episodic_life": 1},
        {"stack_num": 2, "episodic_life": True, "pipeline": "envpool"},
    ),
    ("Pong-v5", {"reward_clip": np.bool_(True)}, {"reward_clip": True, "pipeline": "envpool"}),
    ("Pong-v5", {"maxpool": False}, {"maxpool": False, "pipeline": "envpool"}),
    ("CartPole-v1", {"sutton_barto_reward": True}, {"sutton_barto_reward": True}),
    ("CartPole-v1", {"max_episode_steps": 2**31 - 1}, {"max_episode_steps": -1}),
    ("CartPole-v1", {"thread_affinity_offset": 3, "max_num_players": 2, "base_path": "/x"}, {}),
    ("Taxi-v4", {"is_rainy": True}, {"is_rainy": True}),
    ("MetaWorld/Push-v3", {"partially_observable": False}, {"goal_observable": True}),
    ("MetaWorld/Push-v3", {"partially_observable": True}, {"goal_observable": False}),
]  # fmt: skip


@pytest.mark.parametrize(("task_id", "theirs", "ours"), MAPPED)
def test_a_setting_is_our_option(
    task_id: str, theirs: dict[str, Any], ours: dict[str, Any]
) -> None:
    compat = envpool.make_gymnasium(task_id, num_envs=2, seed=3, **theirs)
    main = envpool_py.make(task_id, num_envs=2, seed=3, **ours)
    for name, value in ours.items():
        made = compat.pool.config[name]
        assert made == (None if (name, value) == ("max_episode_steps", -1) else value)
    for name, value in theirs.items():
        assert compat.config[name] == getattr(compat.spec.config, name) == value
    if task_id == "Blackjack-v1":
        return  # the observations have another shape
    np.testing.assert_array_equal(compat.reset()[0], main.reset()[0])
    actions = [main.action_space.sample() for _ in range(5)]
    for action in actions:
        np.testing.assert_array_equal(compat.step(action)[0], main.step(action)[0])
    main.close()
    compat.close()


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    (
        "Ant-v5",
        {"post_constraint": False},
        "post_constraint.*version in the id: False in Ant-v4, True in Ant-v5",
    ),
    ("Pusher-v5", {"weighted_reward_info": False}, "infos are weighted"),
    ("Ant-v5", {"use_contact_force": 2}, "can only be False or True here; got 2"),
    ("FetchPush-v4", {"obj_range": 0.2}, '"obj_range" can only be 0.15 .*follows from the id'),
    ("FetchPush-v4", {"frame_stack": 2}, "frame_stack.*FrameStackObservation"),
    ("HandReach-v3", {"relative_control": True}, "relative_control.*can only be False"),
    ("PointMaze_UMaze-v3", {"maze_map": "OPENS"}, "maze_map.*'U_MAZE'.*got 'OPENS'"),
    ("FrankaKitchen-v1", {"tasks_to_complete": ["kettle"]}, "observes all goals"),
    ("MetaWorld/Push-v3", {"task_name": "reach-v3"}, "task_name.*follows from the id"),
    ("FrozenLake-v1", {"size": 6}, 'size.*4 or 8.*"desc"'),
    ("Pong-v5", {"task": "breakout"}, "the game follows from the id"),
    ("CartPole-v1", {"autoreset_mode": "SameStep"}, "envpool_py.make"),
    ("CartPole-v1", {"record_episode_statistics": True}, "envpool_py.make"),
    ("Pong-v5", {"stack_nun": 4}, 'did you mean "stack_num"'),
    ("Pong-v5", {"num_env": 4}, 'did you mean "num_envs"'),
]  # fmt: skip


@pytest.mark.parametrize(("task_id", "settings", "message"), REFUSED)
def test_what_is_not_there_is_refused_by_name(
    task_id: str, settings: dict[str, Any], message: str
) -> None:
    for make in (envpool.make_gymnasium, envpool.make_dm, envpool.make_spec):
        with pytest.raises(TypeError, match=message):
            make(task_id, **settings)


WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"num_envs": 2.5}, AssertionError, "num_envs: expected an integer"),
    ({"num_threads": -1}, AssertionError, "num_threads: expected an integer from 0"),
    ({"max_episode_steps": 0}, AssertionError, "max_episode_steps"),
    ({"seed": "7"}, AssertionError, "seed: expected an integer"),
    ({"seed": [1], "env_seed": [1]}, AssertionError, "env_seed"),
    ({"render_width": -1}, ValueError, "render_width"),
    ({"render_env_id": "x"}, TypeError, "render_env_id"),
    ({"sutton_barto_reward": "yes"}, TypeError, "sutton_barto_reward"),
]


@pytest.mark.parametrize(("settings", "error", "message"), WRONG)
def test_wrong_settings(settings: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as raised:
        envpool.make_gymnasium("CartPole-v1", **settings)
    assert isinstance(raised.value, envpool_py.EnvPoolError)


@pytest.mark.parametrize(
    ("task_id", "message"),
    [
        ("CartPole-v9", 'did you mean "CartPole-v'),
        ("Ant-v3", "mujoco-py.*take Ant-v4, with use_contact_force=True"),
        ("Reacher-v2", "mujoco-py.*take Reacher-v4"),
        ("Pusher-v4", "does not run on MuJoCo 3.*take Pusher-v5"),
        (7, "expected a str"),
    ],
)
def test_unknown_ids(task_id: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        envpool.make_gymnasium(task_id)


def test_every_default_of_the_table_is_taken() -> None:
    """A task given all of EnvPool's defaults by name is unchanged."""
    for envpool_class in ENVPOOL_CLASSES.values():
        for task_id in envpool_class.ids or ("Pong-v5",):
            plain = envpool.make_spec(task_id)
            given = envpool.make_spec(task_id, **plain.config._asdict())
            assert given.engine_arguments == plain.engine_arguments
            assert given.config == plain.config


# For each model, another one that the same task can run with.
OTHER_MODELS = {
    "humanoid.xml": "humanoidstandup.xml",
    "humanoidstandup.xml": "humanoid.xml",
    "walker2d.xml": "walker2d_v5.xml",
    "walker2d_v5.xml": "walker2d.xml",
}


# Another word for each of some settings of Gymnasium-Robotics.
OTHER_WORDS: dict[str, dict[Any, Any]] = {
    "reward_type": {"sparse": "dense", "dense": "sparse"},
    "target_position": {"random": "ignore", "ignore": "random"},
    "target_rotation": {"xyz": "z", "z": "xyz", "parallel": "xyz", "ignore": "z"},
    "touch_get_obs": {"boolean": "log", "sensordata": "log", "off": "log"},
    "touch_visualisation": {"on_touch": "always", "off": "always"},
}


def other_value(task_id: str, name: str, default: Any) -> Any:
    """Returns a valid value of a setting that is not its default."""
    if name in OTHER_WORDS:
        return OTHER_WORDS[name][default]
    if name == "maze_map":
        return "U_MAZE" if default == "OPEN" else "OPEN"
    if name == "use_contact_force":
        return not default
    if name == "xml_file":
        return OTHER_MODELS[default]
    if name == "size":
        return 12 - default
    if name == "distribution_mode":
        return 1 if default == 0 else 0
    if isinstance(default, bool):
        return not default
    if isinstance(default, int):
        return 1 - default if name == "version" else default + 1
    return default + 0.01 if isinstance(default, float) else f"another {name}"


DECIDED = [
    # All tasks of a class have the same options, so only the first runs in every test run.
    pytest.param(task_id, name, marks=[pytest.mark.long] if number else [])
    for envpool_class in ENVPOOL_CLASSES.values()
    if not envpool_class.pixels
    for number, task_id in enumerate(envpool_class.ids or ("Pong-v5",))
    for name in envpool_class.options
    if name != "xml_file" or envpool_class.options[name] in OTHER_MODELS
]


@pytest.mark.parametrize(("task_id", "name"), DECIDED)
def test_every_setting_is_taken_or_refused_as_it_is_decided(task_id: str, name: str) -> None:
    """Each setting behaves as the table in docs/coming-from-envpool.md states."""
    task = task_of(task_id)
    what = decision(task, name)
    other = other_value(task_id, name, task.settings[name])
    if what.only:
        with pytest.raises(TypeError, match=f'"{name}" can only be'):
            envpool.make_spec(task_id, **{name: other})
        assert what.advice or task.class_name == "Atari"
        return
    if task_id.endswith("Exploration-v0") and name in ("num_levels", "start_level"):
        # Procgen's library has one level of its own there, and does not survive other ones.
        with pytest.raises(OptionError, match="which has one level of its own"):
            envpool.make_spec(task_id, **{name: other})
        return
    given, plain = (
        envpool.make_spec(task_id, **settings).engine_arguments for settings in ({name: other}, {})
    )
    if what.option or what.values:
        assert given != plain
        assert what.option in {*given, ""}
    else:
        assert given == plain
        assert "as in EnvPool" in what.advice
    family = family_of(task_id)
    for needed in (PROCGEN,) if task.class_name == "Procgen" else family.needs if family else ():
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"needs {needed}")
    pool = envpool.make_gymnasium(task_id, num_envs=1, **{name: other})
    pool.reset()
    pool.close()


def test_pixels() -> None:
    pytest.importorskip("mujoco")
    spec = envpool.make_spec("Reacher-v4", from_pixels=True, frame_stack=2, render_height=48)
    assert spec.observation_space == gymnasium.spaces.Box(0, 255, (6, 48, 84), np.uint8)
    assert spec.engine_arguments["from_pixels"]
    assert (spec.ours.options["width"].default, spec.config.render_width) == (480, 84)
    assert list(spec.state_array_spec)[-1] == "obs:pixels"
    assert list(spec.config._asdict())[-3:] == ["render_width", "render_height", "render_camera_id"]
    again = type(spec)(spec.config)
    assert again.engine_arguments == spec.engine_arguments
    assert type(spec).gen_config(num_envs=3).render_width == 84
    with pytest.raises(ValueError, match="Gymnasium's MuJoCo tasks only"):
        envpool.make_gymnasium("CartPole-v1", from_pixels=True)
    for wrong in ({"render_width": 0}, {"render_height": -3}, {"frame_stack": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            envpool.make_gymnasium("Ant-v4", from_pixels=True, **wrong)
    with pytest.raises(TypeError, match='did you mean "frame_stack"'):
        envpool.make_gymnasium("Ant-v4", frame_stock=2)


def test_what_is_given_as_false_is_not_refused() -> None:
    spec = envpool.make_spec("Ant-v5", from_pixels=False)
    assert spec.config == envpool.make_spec("Ant-v5").config


def test_the_size_of_mujoco_pictures_is_drawn() -> None:
    pytest.importorskip("mujoco")
    spec = envpool.make_spec(
        "Ant-v5", render_mode="rgb_array", render_width=64, render_height=48, render_camera_id=0
    )
    from envpool_py.compat.pictures import engine_arguments

    assert engine_arguments(spec.pictures, spec.ours) == {
        "render_mode": "rgb_array",
        "width": 64,
        "height": 48,
        "camera_id": 0,
    }
    no_mode = envpool.make_spec("Ant-v5", render_width=64)
    assert engine_arguments(no_mode.pictures, no_mode.ours) == {}
