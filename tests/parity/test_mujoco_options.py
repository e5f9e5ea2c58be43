"""The options of the MuJoCo tasks against Gymnasium's, each with a value other than the default."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py import errors
from envpool_py.tasks.families.mujoco.tasks import TASKS

pytest.importorskip("mujoco")
pytest.importorskip("envpool_py._mujoco")
pytestmark = [pytest.mark.numbers, pytest.mark.usefixtures("mujoco_log_elsewhere")]

INF = float("inf")

# Cases for each task; together they give every option a value other than the default.
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "Ant-v4": [
        {"xml_file": "ant.xml", "use_contact_forces": True, "contact_force_range": (-2.0, 0.0)},
        {"use_contact_forces": True, "contact_cost_weight": 0.01, "healthy_z_range": (0.3, 0.9)},
        {"terminate_when_unhealthy": False, "healthy_reward": 0.4, "ctrl_cost_weight": 0.3},
        {"reset_noise_scale": 0.02, "exclude_current_positions_from_observation": False},
    ],
    "Ant-v5": [
        {"main_body": "front_left_leg", "contact_force_range": (-0.5, 0.3)},
        {"main_body": 5, "include_cfrc_ext_in_observation": False, "frame_skip": 3},
        {"contact_cost_weight": 0.01, "healthy_z_range": (0.3, 0.9), "forward_reward_weight": 0.7},
        {"terminate_when_unhealthy": False, "healthy_reward": 0.4, "ctrl_cost_weight": 0.3},
        {"reset_noise_scale": 0.02, "exclude_current_positions_from_observation": False},
        {"healthy_z_range": (-INF, INF)},
    ],
    "HalfCheetah-v4": [
        {"forward_reward_weight": 0.3, "ctrl_cost_weight": 0.77, "reset_noise_scale": 0.0},
        {"exclude_current_positions_from_observation": False},
    ],
    "HalfCheetah-v5": [
        {"frame_skip": 2, "forward_reward_weight": 0.3, "ctrl_cost_weight": 0.77},
        {"reset_noise_scale": 0.03, "exclude_current_positions_from_observation": False},
    ],
    "Hopper-v4": [
        {"terminate_when_unhealthy": False, "healthy_state_range": (-3.0, 3.0)},
        {"healthy_z_range": (0.5, 1.3), "healthy_angle_range": (-0.1, 0.4), "healthy_reward": 2.5},
        {"forward_reward_weight": 0.3, "ctrl_cost_weight": 0.77, "reset_noise_scale": 0.03},
        {"exclude_current_positions_from_observation": False},
    ],
    "Hopper-v5": [
        {"terminate_when_unhealthy": False, "healthy_state_range": (-3.0, 3.0), "frame_skip": 2},
        {"healthy_z_range": (0.5, 1.3), "healthy_angle_range": (-0.1, 0.4), "healthy_reward": 2.5},
        {"forward_reward_weight": 0.3, "ctrl_cost_weight": 0.77, "reset_noise_scale": 0.03},
        {"exclude_current_positions_from_observation": False},
    ],
    "Humanoid-v4": [
        {"forward_reward_weight": 0.2, "ctrl_cost_weight": 0.77, "healthy_reward": 1.5},
        {"terminate_when_unhealthy": False, "healthy_z_range": (1.1, 1.4)},
        {"reset_noise_scale": 0.1, "exclude_current_positions_from_observation": False},
    ],
    "Humanoid-v5": [
        {"contact_cost_weight": 1e-3, "contact_cost_range": (0.01, 0.5), "frame_skip": 2},
        {"forward_reward_weight": 0.2, "ctrl_cost_weight": 0.77, "healthy_reward": 1.5},
        {"terminate_when_unhealthy": False, "healthy_z_range": (1.1, 1.4)},
        {"reset_noise_scale": 0.1, "exclude_current_positions_from_observation": False},
        {"include_cinert_in_observation": False, "include_qfrc_actuator_in_observation": False},
        {"include_cvel_in_observation": False, "include_cfrc_ext_in_observation": False},
        {"xml_file": "humanoidstandup.xml", "healthy_z_range": (0.0, 1.0)},
    ],
    "HumanoidStandup-v5": [
        {"uph_cost_weight": 3.0, "ctrl_cost_weight": 0.3, "frame_skip": 2},
        {"impact_cost_weight": 1e-4, "impact_cost_range": (0.1, 5.0)},
        {"reset_noise_scale": 0.1, "exclude_current_positions_from_observation": False},
        {"include_cinert_in_observation": False, "include_qfrc_actuator_in_observation": False},
        {"include_cvel_in_observation": False, "include_cfrc_ext_in_observation": False},
        {"xml_file": "humanoid.xml"},
    ],
    "InvertedDoublePendulum-v5": [
        {"reset_noise_scale": 0.3, "healthy_reward": 3.3, "frame_skip": 2},
    ],
    "InvertedPendulum-v5": [{"reset_noise_scale": 0.15, "frame_skip": 5}],
    "Pusher-v5": [
        {"reward_near_weight": 0.3, "reward_dist_weight": 0.7},
        {"reward_control_weight": 0.77, "frame_skip": 3},
    ],
    "Reacher-v5": [
        {"reward_dist_weight": 0.3, "reward_control_weight": 0.77, "frame_skip": 1},
    ],
    "Swimmer-v4": [
        {"forward_reward_weight": 2.2, "ctrl_cost_weight": 0.1, "reset_noise_scale": 0.03},
        {"exclude_current_positions_from_observation": False},
    ],
    "Swimmer-v5": [
        {"forward_reward_weight": 2.2, "ctrl_cost_weight": 0.1, "frame_skip": 7},
        {"reset_noise_scale": 0.03, "exclude_current_positions_from_observation": False},
    ],
    "Walker2d-v4": [
        {"terminate_when_unhealthy": False, "healthy_reward": 2.5, "ctrl_cost_weight": 0.3},
        {"healthy_z_range": (1.0, 1.5), "healthy_angle_range": (-0.1, 0.4)},
        {"forward_reward_weight": 0.3, "reset_noise_scale": 0.03},
        {"exclude_current_positions_from_observation": False},
    ],
    "Walker2d-v5": [
        {"xml_file": "walker2d.xml", "healthy_reward": -1.5, "terminate_when_unhealthy": False},
        {"healthy_z_range": (0.9, INF), "healthy_angle_range": (-0.1, 0.4), "frame_skip": 3},
        {"forward_reward_weight": 0.3, "ctrl_cost_weight": 0.3, "reset_noise_scale": 0.03},
        {"exclude_current_positions_from_observation": False},
    ],
}
# Other tests cover users' models and cameras.
OWN_TEST = {"xml_file", "default_camera_config"}
# Options that Gymnasium's constructors do not have; test_mujoco_envpool_options.py compares them.
BEYOND: dict[str, set[str]] = {
    "Ant-v4": {"frame_skip", "forward_reward_weight"},
    "HalfCheetah-v4": {"xml_file", "frame_skip"},
    "Hopper-v4": {"xml_file", "frame_skip", "velocity_range"},
    "Hopper-v5": {"velocity_range"},
    "Humanoid-v4": {
        "xml_file", "frame_skip", "contact_cost_weight", "contact_cost_range", "use_contact_forces",
    },
    "HumanoidStandup-v4": {
        "xml_file", "frame_skip", "uph_cost_weight", "forward_reward_weight", "healthy_reward",
        "ctrl_cost_weight", "impact_cost_weight", "impact_cost_range", "reset_noise_scale",
        "exclude_current_positions_from_observation",
    },
    "HumanoidStandup-v5": {"forward_reward_weight", "healthy_reward"},
    "InvertedDoublePendulum-v4": {
        "xml_file", "frame_skip", "healthy_reward", "reset_noise_scale", "healthy_z_range",
        "observation_range",
    },
    "InvertedDoublePendulum-v5": {"healthy_z_range", "observation_range"},
    "InvertedPendulum-v4": {"xml_file", "frame_skip", "reset_noise_scale", "healthy_angle_range"},
    "InvertedPendulum-v5": {"healthy_angle_range"},
    "Pusher-v5": {"reset_qvel_scale", "cylinder_x_range", "cylinder_y_range", "cylinder_dist_min"},
    "Reacher-v4": {
        "xml_file", "frame_skip", "reward_dist_weight", "reward_control_weight",
        "reset_qpos_scale", "reset_qvel_scale", "reset_goal_scale",
    },
    "Reacher-v5": {"reset_qpos_scale", "reset_qvel_scale", "reset_goal_scale"},
    "Swimmer-v4": {"xml_file", "frame_skip"},
    "Walker2d-v4": {"xml_file", "frame_skip", "velocity_range"},
    "Walker2d-v5": {"velocity_range"},
}  # fmt: skip
# Options that make observations of frames; test_mujoco_frames.py compares them.
FRAMES = {"from_pixels", "frame_stack", "channels_first"}


def combined(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Merges cases into few sets of options: each into the first set without its options."""
    sets: list[dict[str, Any]] = []
    for case in cases:
        for options in sets:
            if not options.keys() & case.keys():
                options.update(case)
                break
        else:
            sets.append(dict(case))
    return sets


def parameters(options: dict[str, list[dict[str, Any]]]) -> list[Any]:
    return [
        pytest.param(task_id, case, id=f"{task_id}-{number}")
        for task_id, cases in options.items()
        for number, case in enumerate(cases)
    ]


OPTION_CASES = parameters(OPTIONS)
# All options of a task at once, so that their interactions are compared too.
LONG_CASES = parameters({task_id: combined(cases) for task_id, cases in OPTIONS.items()})


# Options that Gymnasium's constructors pass to MujocoEnv, tested with the pictures.
BASE = {"width", "height", "camera_id", "camera_name", "max_geom", "visual_options"}
# Tested in test_mujoco_model_changes.py.
MODEL = {"model", "model_constants"}


def as_ours(default: Any) -> Any:
    """Converts a default of Gymnasium's: tuples and arrays to lists, None to {}."""
    if isinstance(default, dict):
        return {key: as_ours(value) for key, value in default.items()}
    if default is None:
        return {}
    return list(default) if isinstance(default, (tuple, np.ndarray)) else default


@pytest.mark.parametrize("task_id", sorted(TASKS))
def test_options_and_their_defaults(task_id: str) -> None:
    module, _, name = str(gymnasium.spec(task_id).entry_point).partition(":")
    constructor = getattr(importlib.import_module(module), name).__init__
    theirs = {
        option: parameter.default
        for option, parameter in inspect.signature(constructor).parameters.items()
        if option not in ("self", "kwargs")
    }
    options = envpool_py.make_spec(task_id).options
    more = BASE | MODEL | FRAMES | BEYOND.get(task_id, set())
    ours = {name: options[name].default for name in options if name not in more}
    assert ours.keys() == theirs.keys()
    assert options.keys() - ours.keys() == more
    for option, default in theirs.items():
        assert ours[option] == as_ours(default), option
    tested = {option for case in OPTIONS.get(task_id, []) for option in case}
    assert tested | OWN_TEST >= ours.keys(), "an option that no test gives another value"


@pytest.mark.parametrize(("task_id", "options"), OPTION_CASES)
def test_options(task_id: str, options: dict[str, Any], parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id, **options) as pair:
        pair.run(parity.box_policy(task_id), 5, 25)


@pytest.mark.long
@pytest.mark.parametrize(("task_id", "options"), LONG_CASES)
def test_options_long(task_id: str, options: dict[str, Any], parity: SimpleNamespace) -> None:
    limit = {"num_envs": 8, "max_episode_steps": 300}
    with parity.Lockstep(task_id, **limit, **options) as pair:
        for seed in range(5):
            counts = pair.run(parity.box_policy(task_id), 1000 * seed, 1000)
    assert counts["truncated"] + counts["terminated"] >= 5 * 8 * 3


@pytest.mark.parametrize(
    ("task_id", "options", "named"),
    [
        ("Ant-v5", {"xml_file": "aunt.xml"}, r'xml_file: .* got "aunt.xml": there is no file /'),
        ("Ant-v5", {"xml_file": "./broken.xml"}, "XML Error|XML parse error"),
        ("Ant-v5", {"xml_file": "inverted_pendulum.xml"}, r"has 2 positions .* needs 3"),
        ("Ant-v5", {"main_body": 14}, r"main_body: .* in \[0, 13\], got 14"),
        ("Ant-v5", {"main_body": "head"}, 'no body "head"'),
        ("Ant-v5", {"main_body": -1}, "main_body"),
        ("Ant-v4", {"main_body": 3}, "main_body"),
        ("Reacher-v4", {"reset_goal_scale": 0.0}, "reset_goal_scale"),
        ("Pusher-v5", {"cylinder_dist_min": 0.5}, "cylinder_dist_min: .* none beyond 0.5"),
        ("Pusher-v5", {"cylinder_x_range": (-INF, 0.0)}, "cylinder_x_range: .*finite"),
        ("Ant-v5", {"frame_stack": 0}, "frame_stack"),
        ("Ant-v5", {"channels_first": True}, "channels_first: expected False without from_pixels"),
        (
            "Ant-v5",
            {"from_pixels": True, "width": 8192, "height": 8192, "frame_stack": 100},
            "frame_stack: expected observations of at most",
        ),
        ("Reacher-v5", {"xml_file": "ant.xml"}, 'no body "fingertip"'),
        ("InvertedDoublePendulum-v5", {"xml_file": "hopper.xml"}, "0 sites"),
        ("Humanoid-v5", {"xml_file": "reacher.xml"}, r"4 positions \(nq\), the task needs 7"),
        ("Hopper-v5", {"healthy_z_range": (1.0,)}, "healthy_z_range: expected two numbers"),
        ("Hopper-v5", {"healthy_z_range": (2.0, 1.0)}, "second one not below the first"),
        ("Hopper-v5", {"healthy_z_range": (float("nan"), 1.0)}, "healthy_z_range"),
        ("Hopper-v5", {"reset_noise_scale": -0.1}, "reset_noise_scale"),
        ("Hopper-v5", {"frame_skip": 0}, "frame_skip"),
        ("Hopper-v5", {"forward_reward_wieght": 1.0}, 'did you mean "forward_reward_weight"'),
    ],
)
def test_options_that_are_refused(
    task_id: str, options: dict[str, Any], named: str, tmp_path: Path
) -> None:
    (tmp_path / "broken.xml").write_text("<mujoco><worldbody>")
    for make in (envpool_py.make, envpool_py.make_spec):
        with pytest.raises(errors.OptionError, match=named):
            make(task_id, **options)


@pytest.mark.parametrize(
    ("task_id", "options", "expected"),
    [
        ("Ant-v5", {"main_body": 1.5}, "int or str"),
        ("Ant-v5", {"xml_file": 3}, "str"),
        ("Ant-v5", {"frame_skip": 2.0}, "int"),
        ("Ant-v5", {"terminate_when_unhealthy": 1}, "bool"),
        ("Ant-v5", {"healthy_z_range": 1.0}, "list of float"),
    ],
)
def test_options_of_another_type(task_id: str, options: dict[str, Any], expected: str) -> None:
    with pytest.raises(errors.OptionTypeError, match=f"{next(iter(options))}.*expected {expected}"):
        envpool_py.make(task_id, **options)
