"""Options of the MuJoCo tasks that EnvPool has and Gymnasium's constructors lack.

The reference is still Gymnasium's environment: with a changed attribute, model or reset, or its v5
task if that has the option; otherwise the expected results are computed from its state.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py

pytest.importorskip("mujoco")
pytest.importorskip("envpool_py._mujoco")
pytestmark = [
    pytest.mark.numbers,
    pytest.mark.usefixtures("mujoco_log_elsewhere"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

INF = float("inf")
STEPS = 45  # fewer than any task's step limit

Env = Any  # an unwrapped environment of Gymnasium's
# Results of their step: observation, reward, terminated and infos.
Result = tuple[np.ndarray, float, bool, dict[str, Any]]
# Computes our expected observation, reward and terminated from their environment and results.
Expected = Callable[[Env, Result], tuple[np.ndarray, float, bool]]


def theirs_as_it_is(env: Env, result: Result) -> tuple[np.ndarray, float, bool]:
    return result[:3]


def gym_env(task_id: str, **options: Any) -> Env:
    return gymnasium.make(task_id, **options).unwrapped


def compare(
    task_id: str,
    options: dict[str, Any],
    theirs: Env,
    expected: Expected = theirs_as_it_is,
    seeds: int = 3,
    scale: float = 1.0,
) -> int:
    """Steps both with the same seeds and actions and compares; returns how many episodes ended."""
    ours = envpool_py.make(task_id, num_envs=1, autoreset_mode="Disabled", **options)
    high = ours.single_action_space.high  # type: ignore[attr-defined]
    rng = np.random.default_rng(5)
    ends = 0
    for seed in range(seeds):
        start: Result = (theirs.reset(seed=seed)[0], 0.0, False, {})
        np.testing.assert_array_equal(ours.reset(seed=seed)[0][0], expected(theirs, start)[0])
        for _ in range(STEPS):
            action = (rng.uniform(-scale, scale, high.shape) * high).astype(np.float32)
            obs, reward, terminated, _, info = theirs.step(action)
            wanted = expected(theirs, (obs, float(reward), bool(terminated), info))
            observed, rewards, ended, _, _ = ours.step(action[None])
            np.testing.assert_array_equal(observed[0], wanted[0])
            np.testing.assert_allclose(rewards[0], wanted[1], rtol=1e-6, atol=1e-6)
            assert ended[0] == wanted[2]
            if ended[0]:
                ends += 1
                break
    ours.close()
    theirs.close()
    return ends


V4 = [
    "Ant-v4", "HalfCheetah-v4", "Hopper-v4", "Humanoid-v4", "HumanoidStandup-v4",
    "InvertedDoublePendulum-v4", "InvertedPendulum-v4", "Reacher-v4", "Swimmer-v4", "Walker2d-v4",
]  # fmt: skip


@pytest.mark.parametrize("task_id", V4)
def test_frame_skip_of_v4(task_id: str) -> None:
    theirs = gym_env(task_id)
    theirs.frame_skip = 3
    compare(task_id, {"frame_skip": 3}, theirs)


@pytest.mark.parametrize("task_id", V4)
def test_models_of_v4(task_id: str, tmp_path: Path) -> None:
    original = Path(gym_env(task_id).fullpath).read_text()
    path = tmp_path / "model.xml"
    path.write_text(original.replace("<worldbody>", '<option gravity="1 0 -4"/><worldbody>', 1))
    module, _, name = str(gymnasium.spec(task_id).entry_point).partition(":")
    base = getattr(importlib.import_module(module), name)

    class WithModel(base):  # type: ignore[misc, valid-type]
        def _initialize_simulation(self) -> Any:
            self.fullpath = str(path)
            return super()._initialize_simulation()

    theirs = WithModel()
    assert theirs.model.opt.gravity.tolist() == [1, 0, -4]
    compare(task_id, {"xml_file": str(path)}, theirs)


def test_forward_reward_weight_of_ant_v4() -> None:
    def expected(env: Env, result: Result) -> tuple[np.ndarray, float, bool]:
        obs, _, terminated, info = result
        if info:
            forward = 0.4 * info["reward_forward"]
            return obs, forward + info["reward_survive"] + info["reward_ctrl"], terminated
        return obs, 0.0, terminated

    compare("Ant-v4", {"forward_reward_weight": 0.4}, gym_env("Ant-v4"), expected)


@pytest.mark.parametrize("task_id", ["Hopper-v4", "Hopper-v5", "Walker2d-v4", "Walker2d-v5"])
def test_velocity_range(task_id: str) -> None:
    bounds = (-0.5, 0.25)
    clipped = 0

    def expected(env: Env, result: Result) -> tuple[np.ndarray, float, bool]:
        nonlocal clipped
        velocities = env.data.qvel
        clipped += int((np.abs(velocities) > 0.5).sum())
        obs = np.concatenate([env.data.qpos[1:], np.clip(velocities, *bounds)])
        return obs, *result[1:3]

    compare(task_id, {"velocity_range": bounds}, gym_env(task_id), expected)
    assert clipped > 0


def test_contact_forces_of_humanoid_v4() -> None:
    options = {
        "use_contact_forces": True, "contact_cost_weight": 1e-3, "contact_cost_range": (0.01, 2.0),
    }  # fmt: skip
    costs = []

    def expected(env: Env, result: Result) -> tuple[np.ndarray, float, bool]:
        cost = float(np.clip(1e-3 * np.square(env.data.cfrc_ext).sum(), 0.01, 2.0))
        costs.append(cost)
        return result[0], result[1] - cost, result[2]

    assert compare("Humanoid-v4", options, gym_env("Humanoid-v4"), expected) > 0
    assert 0.01 in costs
    assert max(costs) > 0.01, "nothing was touched"
    with envpool_py.make("Humanoid-v4", num_envs=1, **options) as envs:
        envs.reset(seed=0)
        assert envs.step(envs.action_space.sample())[4]["reward_contact"][0] <= -0.01


def observed_of_v4(env: Env) -> np.ndarray:
    """Returns the older version's observation of the newer version's state."""
    data = env.data
    parts = [data.cinert, data.cvel, data.qfrc_actuator, data.cfrc_ext]
    return np.concatenate([data.qpos[2:], data.qvel, *(part.flatten() for part in parts)])


@pytest.mark.parametrize("task_id", ["HumanoidStandup-v4", "HumanoidStandup-v5"])
def test_humanoid_standup(task_id: str) -> None:
    common = {
        "ctrl_cost_weight": 0.3, "impact_cost_weight": 1e-4, "impact_cost_range": (0.1, 5.0),
        "reset_noise_scale": 0.1, "uph_cost_weight": 7.0,
    }  # fmt: skip

    def expected(env: Env, result: Result) -> tuple[np.ndarray, float, bool]:
        obs = observed_of_v4(env) if task_id.endswith("v4") else result[0]
        # Gymnasium's reward contains 1 for each step.
        more = 2.0 * result[3].get("reward_linup", 0.0) + (0.25 - 1.0)
        return obs, result[1] + more, result[2]

    options = {**common, "forward_reward_weight": 3.0, "healthy_reward": 0.25}
    compare(task_id, options, gym_env("HumanoidStandup-v5", **common), expected)


def test_positions_of_humanoid_standup_v4() -> None:
    def expected(env: Env, result: Result) -> tuple[np.ndarray, float, bool]:
        return np.concatenate([env.data.qpos[:2], result[0]]), *result[1:3]

    options = {"exclude_current_positions_from_observation": False}
    compare("HumanoidStandup-v4", options, gym_env("HumanoidStandup-v4"), expected)


@pytest.mark.parametrize("task_id", ["InvertedDoublePendulum-v4", "InvertedDoublePendulum-v5"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"healthy_z_range": (0.6, 1.19)},
        {"healthy_z_range": (1.1, INF), "observation_range": (-0.3, 0.2)},
        {"healthy_reward": 3.0, "reset_noise_scale": 0.02},
    ],
)
def test_inverted_double_pendulum(task_id: str, options: dict[str, Any]) -> None:
    low, high = options.get("healthy_z_range", (1.0, INF))
    bounds = options.get("observation_range", (-10.0, 10.0))
    alive = options.get("healthy_reward", 10.0)
    is_v4 = task_id.endswith("v4")

    def expected(env: Env, result: Result) -> tuple[np.ndarray, float, bool]:
        data = env.data
        forces = data.qfrc_constraint if is_v4 else data.qfrc_constraint[:1]
        angles = data.qpos[1:]
        obs = np.concatenate(
            [data.qpos[:1], np.sin(angles), np.cos(angles), np.clip(data.qvel, *bounds),
             np.clip(forces, *bounds)]
        )  # fmt: skip
        height = data.site_xpos[0][2]
        ended = not low < height < high
        without = result[1] - (0.0 if result[2] else alive)
        return obs, without + (0.0 if ended and not is_v4 else alive), ended

    known = {k: v for k, v in options.items() if k in ("healthy_reward", "reset_noise_scale")}
    theirs = gym_env("InvertedDoublePendulum-v5", **known)
    assert compare(task_id, options, theirs, expected) == 3


@pytest.mark.parametrize("task_id", ["InvertedPendulum-v4", "InvertedPendulum-v5"])
@pytest.mark.parametrize(
    "options",
    [{"reset_noise_scale": 0.1}, {"healthy_angle_range": (-0.05, 0.4), "reset_noise_scale": 0.04}],
)
def test_inverted_pendulum(task_id: str, options: dict[str, Any]) -> None:
    low, high = options.get("healthy_angle_range", (-0.2, 0.2))

    def expected(env: Env, result: Result) -> tuple[np.ndarray, float, bool]:
        ended = not low <= env.data.qpos[1] <= high
        return result[0], 0.0 if ended and task_id.endswith("v5") else 1.0, ended

    theirs = gym_env("InvertedPendulum-v5", reset_noise_scale=options["reset_noise_scale"])
    assert compare(task_id, options, theirs, expected, scale=0.3) == 3


def test_weights_of_reacher_v4() -> None:
    def expected(env: Env, result: Result) -> tuple[np.ndarray, float, bool]:
        obs, _, ended, info = result
        return obs, 0.3 * info.get("reward_dist", 0) + 0.7 * info.get("reward_ctrl", 0), ended

    options = {"reward_dist_weight": 0.3, "reward_control_weight": 0.7}
    compare("Reacher-v4", options, gym_env("Reacher-v4"), expected)


@pytest.mark.parametrize("task_id", ["Reacher-v4", "Reacher-v5"])
def test_resets_of_reacher(task_id: str) -> None:
    def reset_model(env: Env) -> np.ndarray:
        qpos = env.init_qpos + env.np_random.uniform(-0.7, 0.7, env.model.nq)
        while True:
            env.goal = env.np_random.uniform(-0.05, 0.05, 2)
            if np.linalg.norm(env.goal) < 0.05:
                break
        qpos[-2:] = env.goal
        qvel = env.init_qvel + env.np_random.uniform(-0.4, 0.4, env.model.nv)
        qvel[-2:] = 0
        env.set_state(qpos, qvel)
        return env._get_obs()  # type: ignore[no-any-return]

    theirs = gym_env(task_id)
    theirs.reset_model = types.MethodType(reset_model, theirs)
    options = {"reset_qpos_scale": 0.7, "reset_qvel_scale": 0.4, "reset_goal_scale": 0.05}
    compare(task_id, options, theirs, seeds=8)


def test_resets_of_pusher() -> None:
    def reset_model(env: Env) -> np.ndarray:
        qpos = env.init_qpos.copy()
        while True:
            place = [env.np_random.uniform(0.1, 0.4), env.np_random.uniform(-0.5, 0.0)]
            if np.linalg.norm(place) > 0.3:
                break
        qpos[-4:-2] = place
        qpos[-2:] = 0
        qvel = env.init_qvel + env.np_random.uniform(-0.4, 0.4, env.model.nv)
        qvel[-4:] = 0
        env.set_state(qpos, qvel)
        return env._get_obs()  # type: ignore[no-any-return]

    theirs = gym_env("Pusher-v5")
    theirs.reset_model = types.MethodType(reset_model, theirs)
    options = {
        "reset_qvel_scale": 0.4, "cylinder_dist_min": 0.3,
        "cylinder_x_range": (0.1, 0.4), "cylinder_y_range": (-0.5, -0.0),
    }  # fmt: skip
    compare("Pusher-v5", options, theirs, seeds=8)
