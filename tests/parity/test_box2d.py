"""Box2D tasks against Gymnasium: with equal seeds and actions, results are bit-equal."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import OptionError
from envpool_py.tasks.families.box2d.manifest import FAMILY

pytestmark = pytest.mark.numbers

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # from SWIG, which wraps the reference's engine
    pytest.importorskip("Box2D")

# Ids that Gymnasium has; the others are EnvPool's names for the same tasks. test_car_racing.py
# compares CarRacing.
TASKS = {task_id for task_id in FAMILY.tasks if not task_id.startswith("CarRacing")}
IDS = sorted(task_id for task_id in TASKS if task_id in gymnasium.registry)
ALIASES = sorted(TASKS - set(IDS))
LANDERS = ["LunarLander-v3", "LunarLanderContinuous-v3"]
WALKERS = ["BipedalWalker-v3", "BipedalWalkerHardcore-v3"]
MODES = ["NextStep", "SameStep", "Disabled"]


def land(observations: np.ndarray, continuous: bool) -> np.ndarray:
    """Returns actions for a soft landing, as in Gymnasium's heuristic."""
    x, y, vx, vy, angle, spin, left, right = observations.T.astype(np.float64)
    target = np.clip(0.5 * x + vx, -0.4, 0.4)
    on_ground = (left + right) > 0
    turn = np.where(on_ground, 0.0, (target - angle) * 0.5 - spin)
    hover = np.where(on_ground, -vy * 0.5, (0.55 * np.abs(x) - y) * 0.5 - vy * 0.5)
    if continuous:
        return np.clip(np.stack([hover * 20 - 1, -turn * 20], 1), -1, 1).astype(np.float32)
    up = (hover > np.abs(turn)) & (hover > 0.05)
    return np.where(up, 2, np.where(turn < -0.05, 3, np.where(turn > 0.05, 1, 0)))


def policy_of(task_id: str) -> Any:
    """Returns a policy: random in even environments, skilful or lazy in odd ones."""
    space = envpool_py.make_spec(task_id).action_space

    def policy(observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        count = len(observations)
        if isinstance(space, gymnasium.spaces.Discrete):
            actions = land(observations, continuous=False)
            actions[::2] = rng.integers(space.n, size=count)[::2]
            return actions
        assert space.shape is not None
        drawn = rng.uniform(-1.4, 1.4, (count, *space.shape)).astype(np.float32)
        if task_id.startswith("Lunar"):
            actions = land(observations, continuous=True)
        else:
            # Move the legs forwards and back in turn, so that some episodes last.
            phase = np.sin(observations[:, :1] * 3.0 + np.arange(4) * 1.6)
            actions = (0.6 * phase).astype(np.float32)
            actions[rng.random(count) < 0.2] = 0.0
        actions[::2] = drawn[::2]
        return actions

    return policy


def test_specs(parity: SimpleNamespace) -> None:
    for task_id in IDS:
        parity.assert_same_limits(task_id)


@pytest.mark.parametrize("task_id", IDS)
def test_spaces(task_id: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id) as pair:
        pair.check_spaces()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", IDS)
def test_trajectories(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id, autoreset_mode=mode, num_envs=4) as pair:
        counts = pair.run(policy_of(task_id), 3, 260)
    assert counts["terminated"] > 0


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", IDS)
def test_trajectories_long(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    """Runs at least 100,000 steps of each task, with many episodes per environment."""
    with parity.Lockstep(task_id, autoreset_mode=mode, num_envs=16) as pair:
        for seed in (0, 1, 2**63):
            counts = pair.run(policy_of(task_id), seed, 2200)
    assert counts["terminated"] > 100


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("LunarLander-v3", {"gravity": -3.5}),
        ("LunarLander-v3", {"enable_wind": True}),
        ("LunarLander-v3", {"continuous": True, "enable_wind": True, "wind_power": 3}),
        ("LunarLanderContinuous-v3", {"continuous": False, "gravity": -11.99}),
        ("LunarLander-v3", {"enable_wind": True, "wind_power": 20.0, "turbulence_power": 2.0}),
        ("BipedalWalker-v3", {"hardcore": True}),
    ],
)
def test_options(task_id: str, options: dict[str, Any], parity: SimpleNamespace) -> None:
    continuous = options.get("continuous", task_id.startswith("LunarLanderC"))
    kind = "LunarLanderContinuous-v3" if continuous else task_id
    if options.get("continuous") is False:
        kind = "LunarLander-v3"
    with parity.Lockstep(task_id, num_envs=4, **options) as pair:
        pair.run(policy_of(kind), 5, 160)
        pair.run(policy_of(kind), 6, 60)


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", LANDERS)
def test_wind_long(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    """Runs 100,000 steps of each lander in wind, with many episodes per environment."""
    options = {"enable_wind": True, "wind_power": 18.0, "turbulence_power": 1.9}
    with parity.Lockstep(task_id, autoreset_mode=mode, num_envs=16, **options) as pair:
        for seed in (4, 5, 2**62):
            counts = pair.run(policy_of(task_id), seed, 2200)
    assert counts["terminated"] > 100


@pytest.mark.parametrize("task_id", ["LunarLanderContinuous-v3", "BipedalWalker-v3"])
@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_actions_of_other_types(task_id: str, dtype: Any, parity: SimpleNamespace) -> None:
    """The walker's reward has the dtype of the action."""

    def policy(observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        size = 4 if task_id.startswith("Bipedal") else 2
        return rng.uniform(-2.0, 2.0, (len(observations), size)).astype(dtype)

    with parity.Lockstep(task_id, num_envs=3) as pair:
        pair.run(policy, 2, 60)


@pytest.mark.parametrize("task_id", ["LunarLanderContinuous-v3", "BipedalWalker-v3"])
def test_extreme_actions(task_id: str, parity: SimpleNamespace) -> None:
    values = np.array([0.0, -0.0, 1e-40, -1e-20, 0.5, -0.5, 1.0, -1.0, 1e30, -np.inf, np.inf])

    def policy(observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        size = 4 if task_id.startswith("Bipedal") else 2
        return rng.choice(values, (len(observations), size)).astype(np.float32)

    with parity.Lockstep(task_id, num_envs=3) as pair:
        pair.run(policy, 2, 60)


@pytest.mark.parametrize("task_id", IDS)
def test_unequal_seeds_and_reseeding(task_id: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id, num_envs=4) as pair:
        pair.run_reseeded(policy_of(task_id), 12)


@pytest.mark.parametrize("task_id", ALIASES)
def test_aliases(task_id: str, parity: SimpleNamespace) -> None:
    """EnvPool's ids are equivalent to those of the current version."""
    newest = task_id.replace("-v2", "-v3")
    with parity.Lockstep(task_id, num_envs=2, reference_id=newest) as pair:
        pair.run(policy_of(task_id), 0, 30)
    assert envpool_py.make_spec(task_id).options == envpool_py.make_spec(newest).options


@pytest.mark.parametrize("task_id", WALKERS)
def test_a_fresh_world_is_that_of_a_new_environment(task_id: str, parity: SimpleNamespace) -> None:
    """Each episode equals the first episode of a new environment of Gymnasium."""
    rng = np.random.default_rng(5)
    actions = rng.uniform(-1.0, 1.0, (60, 1, 4)).astype(np.float32)
    with envpool_py.make(task_id, fresh_world=True) as ours:
        for seed in (4, 7, 4):
            theirs = parity.make_reference(task_id, num_envs=1)
            results = [(pool.reset(seed=seed)[0], pool) for pool in (ours, theirs)]
            parity.assert_same(results[0][0], results[1][0], f"seed {seed}", "reset")
            for step, action in enumerate(actions):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    mine, other = ours.step(action), theirs.step(action)
                for field in range(4):
                    where = f"{task_id}, seed {seed}, step {step}"
                    parity.assert_same(mine[field], other[field], where, str(field))
                if other[2].any():
                    break
            theirs.close()


@pytest.mark.parametrize("gravity", [-12.0, 0.0, 3.0, -12.5, -np.inf])
def test_gravity_has_open_bounds(gravity: float) -> None:
    with pytest.raises(AssertionError, match="must be between -12 and 0"):
        gymnasium.make("LunarLander-v3", gravity=gravity)
    with pytest.raises(
        OptionError, match="gravity: expected a number greater than -12 and less than 0"
    ):
        envpool_py.make("LunarLander-v3", gravity=gravity)


@pytest.mark.parametrize("option", ["wind_power", "turbulence_power"])
def test_values_out_of_the_recommended_range_give_a_warning(option: str) -> None:
    for value in (-0.5, 20.5):
        with pytest.warns(UserWarning, match=rf"{option}.* is recommended"):
            gymnasium.make("LunarLander-v3", **{option: value})
        with pytest.warns(UserWarning, match=rf"option {option}: recommended"):
            envpool_py.make("LunarLander-v3", **{option: value}).close()
    envpool_py.make("LunarLander-v3", **{option: 1.0}).close()
