"""The settings and infos of EnvPool 1.2.7, for the tasks that both libraries have.

EnvPool 1.2.5, the last for Python 3.11, has the same, except for `Taxi-v4` and the settings and
infos of `Taxi-v3`, which it lacks.

The tables contain names in EnvPool's order, and defaults; `tests/compat` compares them with
EnvPool. Those of Gymnasium-Robotics and MetaWorld are in `robotics_tables`. `decisions.py` maps a
setting to an option of our task, so a new option of a family needs no entry here.
"""

from __future__ import annotations

from dataclasses import replace

from envpool_py.compat.envpool_class import EnvPoolClass
from envpool_py.compat.robotics_tables import ROBOTICS_CLASSES

__all__ = ["ENVPOOL_CLASSES"]

# Additional settings of MuJoCo tasks that observe pixels.
_OF_PIXELS = {"render_width": 84, "render_height": 84, "render_camera_id": -1}


_PROCGEN_MODES = {"Easy": 0, "Hard": 1, "Extreme": 2, "Memory": 10, "Exploration": 20}
# The step limit and the modes of each game of Procgen.
_PROCGEN_GAMES: dict[str, tuple[int, str]] = {
    "bigfish": (6000, "Easy Hard"),
    "bossfight": (4000, "Easy Hard"),
    "caveflyer": (1000, "Easy Hard Memory Exploration"),
    "chaser": (1000, "Easy Hard Extreme"),
    "climber": (1000, "Easy Hard Exploration"),
    "coinrun": (1000, "Easy Hard Exploration"),
    "dodgeball": (1000, "Easy Hard Extreme Memory"),
    "fruitbot": (1000, "Easy Hard"),
    "heist": (1000, "Easy Hard Memory Exploration"),
    "jumper": (1000, "Easy Hard Memory Exploration"),
    "leaper": (500, "Easy Hard Extreme Exploration"),
    "maze": (500, "Easy Hard Memory Exploration"),
    "miner": (1000, "Easy Hard Memory"),
    "ninja": (1000, "Easy Hard Exploration"),
    "plunder": (4000, "Easy Hard"),
    "starpilot": (1000, "Easy Hard Extreme"),
}
_PROCGEN_IDS = {
    f"{game.capitalize()}{mode}-v0": (game, mode)
    for game, (_, modes) in _PROCGEN_GAMES.items()
    for mode in modes.split()
}

ENVPOOL_CLASSES: dict[str, EnvPoolClass] = {
    "Atari": EnvPoolClass(
        "atari",
        infos={"lives": "int32", "reward": "float32", "terminated": "int32", "ram": "uint8"},
        options={
            "stack_num": 4,
            "frame_skip": 4,
            "noop_max": 30,
            "zero_discount_on_life_loss": False,
            "episodic_life": False,
            "reward_clip": False,
            "use_fire_reset": True,
            "img_height": 84,
            "img_width": 84,
            "task": "pong",
            "mode": -1,
            "difficulty": -1,
            "full_action_space": False,
            "repeat_action_probability": 0.0,
            "use_inter_area_resize": True,
            "gray_scale": True,
        },
        ours={"pipeline": "envpool"},
    ),
    "CartPole": EnvPoolClass(
        "classic_control",
        ids=(
            "CartPole-v0",
            "CartPole-v1",
        ),
        has_threshold=True,
    ),
    "Pendulum": EnvPoolClass(
        "classic_control",
        ids=(
            "Pendulum-v0",
            "Pendulum-v1",
        ),
        options={"version": 0},
        by_id={"Pendulum-v1": {"version": 1}},
    ),
    "MountainCar": EnvPoolClass(
        "classic_control",
        ids=("MountainCar-v0",),
        has_threshold=True,
    ),
    "MountainCarContinuous": EnvPoolClass(
        "classic_control",
        ids=("MountainCarContinuous-v0",),
        has_threshold=True,
    ),
    "Acrobot": EnvPoolClass(
        "classic_control",
        ids=("Acrobot-v1",),
        has_threshold=True,
        infos={"state": "float32"},
    ),
    "LunarLanderDiscrete": EnvPoolClass(
        "box2d",
        ids=(
            "LunarLander-v2",
            "LunarLander-v3",
        ),
        has_threshold=True,
        bounds="unstated",
    ),
    "LunarLanderContinuous": EnvPoolClass(
        "box2d",
        ids=(
            "LunarLanderContinuous-v2",
            "LunarLanderContinuous-v3",
        ),
        has_threshold=True,
        bounds="unstated",
    ),
    "BipedalWalker": EnvPoolClass(
        "box2d",
        ids=(
            "BipedalWalker-v3",
            "BipedalWalkerHardcore-v3",
        ),
        has_threshold=True,
        options={"hardcore": False},
        by_id={"BipedalWalkerHardcore-v3": {"hardcore": True}},
        bounds="unstated",
    ),
    "CarRacing": EnvPoolClass(
        "box2d",
        ids=(
            "CarRacing-v2",
            "CarRacing-v3",
        ),
        has_threshold=True,
        options={"lap_complete_percent": 0.949999988079071},  # 0.95 in float32
    ),
    "GymAnt": EnvPoolClass(
        "mujoco.gym",
        ids=(
            "Ant-v4",
            "Ant-v5",
        ),
        has_threshold=True,
        infos={
            "reward_forward": "float64",
            "reward_ctrl": "float64",
            "reward_contact": "float64",
            "reward_survive": "float64",
            "x_position": "float64",
            "y_position": "float64",
            "distance_from_origin": "float64",
            "x_velocity": "float64",
            "y_velocity": "float64",
        },
        options={
            "frame_skip": 5,
            "frame_stack": 1,
            "post_constraint": False,
            "use_contact_force": False,
            "legacy_healthy_reward": True,
            "exclude_worldbody_contact_forces": False,
            "terminate_when_unhealthy": True,
            "exclude_current_positions_from_observation": True,
            "xml_file": "ant.xml",
            "gymnasium_v5_render_camera": False,
            "forward_reward_weight": 1.0,
            "ctrl_cost_weight": 0.5,
            "contact_cost_weight": 0.0005,
            "healthy_reward": 1.0,
            "healthy_z_min": 0.2,
            "healthy_z_max": 1.0,
            "contact_force_min": -1.0,
            "contact_force_max": 1.0,
            "reset_noise_scale": 0.1,
        },
        by_id={
            "Ant-v5": {
                "post_constraint": True,
                "use_contact_force": True,
                "legacy_healthy_reward": False,
                "exclude_worldbody_contact_forces": True,
                "gymnasium_v5_render_camera": True,
            }
        },
    ),
    "GymHalfCheetah": EnvPoolClass(
        "mujoco.gym",
        ids=(
            "HalfCheetah-v4",
            "HalfCheetah-v5",
        ),
        has_threshold=True,
        infos={
            "reward_run": "float64",
            "reward_ctrl": "float64",
            "x_position": "float64",
            "x_velocity": "float64",
        },
        options={
            "frame_skip": 5,
            "frame_stack": 1,
            "post_constraint": False,
            "exclude_current_positions_from_observation": True,
            "xml_file": "half_cheetah.xml",
            "gymnasium_v5_render_camera": False,
            "ctrl_cost_weight": 0.1,
            "forward_reward_weight": 1.0,
            "reset_noise_scale": 0.1,
        },
        by_id={"HalfCheetah-v5": {"post_constraint": True, "gymnasium_v5_render_camera": True}},
    ),
    "GymHopper": EnvPoolClass(
        "mujoco.gym",
        ids=(
            "Hopper-v4",
            "Hopper-v5",
        ),
        has_threshold=True,
        infos={"x_position": "float64", "x_velocity": "float64"},
        options={
            "frame_skip": 4,
            "frame_stack": 1,
            "post_constraint": False,
            "terminate_when_unhealthy": True,
            "legacy_healthy_reward": True,
            "exclude_current_positions_from_observation": True,
            "xml_file": "hopper.xml",
            "gymnasium_v5_render_camera": False,
            "ctrl_cost_weight": 0.001,
            "forward_reward_weight": 1.0,
            "healthy_reward": 1.0,
            "velocity_min": -10.0,
            "velocity_max": 10.0,
            "healthy_state_min": -100.0,
            "healthy_state_max": 100.0,
            "healthy_angle_min": -0.2,
            "healthy_angle_max": 0.2,
            "healthy_z_min": 0.7,
            "reset_noise_scale": 0.005,
        },
        by_id={
            "Hopper-v5": {
                "post_constraint": True,
                "legacy_healthy_reward": False,
                "gymnasium_v5_render_camera": True,
            }
        },
    ),
    "GymHumanoid": EnvPoolClass(
        "mujoco.gym",
        ids=(
            "Humanoid-v4",
            "Humanoid-v5",
        ),
        infos={
            "reward_linvel": "float64",
            "reward_quadctrl": "float64",
            "reward_alive": "float64",
            "reward_impact": "float64",
            "x_position": "float64",
            "y_position": "float64",
            "distance_from_origin": "float64",
            "x_velocity": "float64",
            "y_velocity": "float64",
        },
        options={
            "frame_skip": 5,
            "frame_stack": 1,
            "post_constraint": False,
            "legacy_healthy_reward": True,
            "exclude_worldbody_observations": False,
            "exclude_root_actuator_forces": False,
            "use_contact_force": False,
            "forward_reward_weight": 1.25,
            "terminate_when_unhealthy": True,
            "exclude_current_positions_from_observation": True,
            "xml_file": "humanoid.xml",
            "gymnasium_v5_render_camera": False,
            "ctrl_cost_weight": 0.1,
            "healthy_reward": 5.0,
            "healthy_z_min": 1.0,
            "healthy_z_max": 2.0,
            "contact_cost_weight": 5e-07,
            "contact_cost_max": 10.0,
            "reset_noise_scale": 0.01,
        },
        by_id={
            "Humanoid-v5": {
                "post_constraint": True,
                "legacy_healthy_reward": False,
                "exclude_worldbody_observations": True,
                "exclude_root_actuator_forces": True,
                "use_contact_force": True,
                "gymnasium_v5_render_camera": True,
            }
        },
    ),
    "GymHumanoidStandup": EnvPoolClass(
        "mujoco.gym",
        ids=(
            "HumanoidStandup-v4",
            "HumanoidStandup-v5",
        ),
        infos={
            "reward_linup": "float64",
            "reward_quadctrl": "float64",
            "reward_alive": "float64",
            "reward_impact": "float64",
        },
        options={
            "frame_skip": 5,
            "frame_stack": 1,
            "post_constraint": False,
            "forward_reward_weight": 1.0,
            "exclude_current_positions_from_observation": True,
            "exclude_worldbody_observations": False,
            "exclude_root_actuator_forces": False,
            "xml_file": "humanoidstandup.xml",
            "gymnasium_v5_render_camera": False,
            "ctrl_cost_weight": 0.1,
            "contact_cost_weight": 5e-07,
            "contact_cost_max": 10.0,
            "healthy_reward": 1.0,
            "reset_noise_scale": 0.01,
        },
        by_id={
            "HumanoidStandup-v5": {
                "post_constraint": True,
                "exclude_worldbody_observations": True,
                "exclude_root_actuator_forces": True,
                "gymnasium_v5_render_camera": True,
            }
        },
    ),
    "GymInvertedDoublePendulum": EnvPoolClass(
        "mujoco.gym",
        ids=(
            "InvertedDoublePendulum-v4",
            "InvertedDoublePendulum-v5",
        ),
        has_threshold=True,
        options={
            "frame_skip": 5,
            "frame_stack": 1,
            "post_constraint": False,
            "healthy_reward": 10.0,
            "reward_if_not_terminated": False,
            "constraint_obs_dim": 3,
            "xml_file": "inverted_double_pendulum.xml",
            "gymnasium_v5_render_camera": False,
            "healthy_z_max": 1.0,
            "observation_min": -10.0,
            "observation_max": 10.0,
            "reset_noise_scale": 0.1,
        },
        by_id={
            "InvertedDoublePendulum-v5": {
                "post_constraint": True,
                "reward_if_not_terminated": True,
                "constraint_obs_dim": 1,
                "gymnasium_v5_render_camera": True,
            }
        },
    ),
    "GymInvertedPendulum": EnvPoolClass(
        "mujoco.gym",
        ids=(
            "InvertedPendulum-v4",
            "InvertedPendulum-v5",
        ),
        has_threshold=True,
        options={
            "frame_skip": 2,
            "frame_stack": 1,
            "post_constraint": False,
            "healthy_reward": 1.0,
            "reward_if_not_terminated": False,
            "xml_file": "inverted_pendulum.xml",
            "gymnasium_v5_render_camera": False,
            "healthy_z_min": -0.2,
            "healthy_z_max": 0.2,
            "reset_noise_scale": 0.01,
        },
        by_id={
            "InvertedPendulum-v5": {
                "post_constraint": True,
                "reward_if_not_terminated": True,
                "gymnasium_v5_render_camera": True,
            }
        },
    ),
    "GymPusher": EnvPoolClass(
        "mujoco.gym",
        ids=("Pusher-v5",),
        has_threshold=True,
        infos={"reward_dist": "float64", "reward_ctrl": "float64", "reward_near": "float64"},
        options={
            "frame_skip": 5,
            "frame_stack": 1,
            "post_constraint": True,
            "ctrl_cost_weight": 0.1,
            "dist_cost_weight": 1.0,
            "near_cost_weight": 0.5,
            "xml_file": "pusher_v5.xml",
            "gymnasium_v5_render_camera": True,
            "reward_after_step": True,
            "weighted_reward_info": True,
            "reset_qvel_scale": 0.005,
            "cylinder_x_min": -0.3,
            "cylinder_x_max": 0.0,
            "cylinder_y_min": -0.2,
            "cylinder_y_max": 0.2,
            "cylinder_dist_min": 0.17,
        },
    ),
    "GymReacher": EnvPoolClass(
        "mujoco.gym",
        ids=(
            "Reacher-v4",
            "Reacher-v5",
        ),
        has_threshold=True,
        infos={"reward_dist": "float64", "reward_ctrl": "float64"},
        options={
            "frame_skip": 2,
            "frame_stack": 1,
            "post_constraint": False,
            "ctrl_cost_weight": 1.0,
            "reward_after_step": False,
            "obs_include_z_distance": True,
            "dist_cost_weight": 1.0,
            "xml_file": "reacher.xml",
            "gymnasium_v5_render_camera": False,
            "reset_qpos_scale": 0.1,
            "reset_qvel_scale": 0.005,
            "reset_goal_scale": 0.2,
        },
        by_id={
            "Reacher-v5": {
                "post_constraint": True,
                "reward_after_step": True,
                "obs_include_z_distance": False,
                "gymnasium_v5_render_camera": True,
            }
        },
    ),
    "GymSwimmer": EnvPoolClass(
        "mujoco.gym",
        ids=(
            "Swimmer-v4",
            "Swimmer-v5",
        ),
        has_threshold=True,
        infos={
            "reward_fwd": "float64",
            "reward_ctrl": "float64",
            "x_position": "float64",
            "y_position": "float64",
            "distance_from_origin": "float64",
            "x_velocity": "float64",
            "y_velocity": "float64",
        },
        options={
            "frame_skip": 4,
            "frame_stack": 1,
            "post_constraint": False,
            "exclude_current_positions_from_observation": True,
            "xml_file": "swimmer.xml",
            "gymnasium_v5_render_camera": False,
            "forward_reward_weight": 1.0,
            "ctrl_cost_weight": 0.0001,
            "reset_noise_scale": 0.1,
        },
        by_id={"Swimmer-v5": {"post_constraint": True, "gymnasium_v5_render_camera": True}},
    ),
    "GymWalker2d": EnvPoolClass(
        "mujoco.gym",
        ids=(
            "Walker2d-v4",
            "Walker2d-v5",
        ),
        infos={"x_position": "float64", "x_velocity": "float64"},
        options={
            "frame_skip": 4,
            "frame_stack": 1,
            "post_constraint": False,
            "ctrl_cost_weight": 0.001,
            "terminate_when_unhealthy": True,
            "exclude_current_positions_from_observation": True,
            "legacy_healthy_reward": True,
            "xml_file": "walker2d.xml",
            "gymnasium_v5_render_camera": False,
            "forward_reward_weight": 1.0,
            "healthy_reward": 1.0,
            "healthy_z_min": 0.8,
            "healthy_z_max": 2.0,
            "healthy_angle_min": -1.0,
            "healthy_angle_max": 1.0,
            "velocity_min": -10.0,
            "velocity_max": 10.0,
            "reset_noise_scale": 0.005,
        },
        by_id={
            "Walker2d-v5": {
                "post_constraint": True,
                "legacy_healthy_reward": False,
                "xml_file": "walker2d_v5.xml",
                "gymnasium_v5_render_camera": True,
            }
        },
    ),
    "Procgen": EnvPoolClass(
        "procgen",
        ids=tuple(_PROCGEN_IDS),
        infos={"prev_level_seed": "int32", "prev_level_complete": "int32", "level_seed": "int32"},
        options={
            "env_name": "bigfish",
            "channel_first": True,
            "num_levels": 0,
            "start_level": 0,
            "use_sequential_levels": False,
            "center_agent": True,
            "use_backgrounds": True,
            "use_monochrome_assets": False,
            "restrict_themes": False,
            "use_generated_assets": False,
            "paint_vel_info": False,
            "use_easy_jump": False,
            "distribution_mode": 0,
        },
        by_id={
            task_id: {"env_name": game, "distribution_mode": _PROCGEN_MODES[mode]}
            for task_id, (game, mode) in _PROCGEN_IDS.items()
        },
        # EnvPool seeds the levels of environment i like those of game i of Procgen's own pools.
        ours={"channels_first": True, "seeding": "procgen"},
        step_limits={
            task_id: _PROCGEN_GAMES[game][0] for task_id, (game, _) in _PROCGEN_IDS.items()
        },
    ),
    "Catch": EnvPoolClass(
        "toy_text",
        ids=("Catch-v0",),
        options={"height": 10, "width": 5},
    ),
    "FrozenLake": EnvPoolClass(
        "toy_text",
        ids=(
            "FrozenLake-v1",
            "FrozenLake8x8-v1",
        ),
        has_threshold=True,
        options={"size": 4},
        by_id={"FrozenLake8x8-v1": {"size": 8}},
    ),
    "Taxi": EnvPoolClass(
        "toy_text",
        ids=(
            "Taxi-v4",
            "Taxi-v3",
        ),
        has_threshold=True,
        infos={"prob": "float32", "action_mask": "int8"},
        options={
            "is_rainy": False,
            "rainy_probability": 0.8,
            "fickle_passenger": False,
            "fickle_probability": 0.3,
        },
        info_bounds={"action_mask": (0, 1)},
    ),
    "NChain": EnvPoolClass(
        "toy_text",
        ids=("NChain-v0",),
    ),
    "CliffWalking": EnvPoolClass(
        "toy_text",
        ids=(
            "CliffWalking-v1",
            "CliffWalkingSlippery-v1",
            "CliffWalking-v0",
        ),
        infos={"prob": "float32"},
        options={"is_slippery": False},
        by_id={"CliffWalkingSlippery-v1": {"is_slippery": True}},
    ),
    "Blackjack": EnvPoolClass(
        "toy_text",
        ids=("Blackjack-v1",),
        options={"natural": False, "sab": True},
    ),
    **ROBOTICS_CLASSES,
}
ENVPOOL_CLASSES |= {
    f"{name}Pixel": replace(
        envpool_class, options={**envpool_class.options, **_OF_PIXELS}, pixels=True
    )
    for name, envpool_class in ENVPOOL_CLASSES.items()
    if envpool_class.module == "mujoco.gym"
}
