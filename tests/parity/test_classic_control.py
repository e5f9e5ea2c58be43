"""Classic control against Gymnasium: with equal seeds and actions, results are bit-equal."""

from __future__ import annotations

import collections
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py import errors
from envpool_py.tasks.families.classic_control.manifest import FAMILY

TASK_IDS = sorted(FAMILY.tasks)
# One id for each set of dynamics; CartPole-v0 shares those of CartPole-v1.
DYNAMICS = [task_id for task_id in TASK_IDS if task_id != "CartPole-v0"]
BOXES = [
    task_id
    for task_id in DYNAMICS
    if isinstance(envpool_py.make_spec(task_id).action_space, gymnasium.spaces.Box)
]
MODES = ["NextStep", "SameStep", "Disabled"]
# Tasks whose episodes end only at the limit.
ENDLESS = {"Pendulum-v0", "Pendulum-v1"}


def goal_actions(task_id: str, observations: np.ndarray) -> np.ndarray:
    """Returns actions that bring the episode to its natural end, or make it long (CartPole)."""
    if task_id.startswith("CartPole"):
        return (observations[:, 2] + observations[:, 3] > 0).astype(np.int64)
    if task_id.startswith("Acrobot"):
        return np.where(observations[:, 5] > 0, 2, 0)
    speed = observations[:, -1]
    if task_id == "MountainCar-v0":
        return np.where(speed > 0, 2, 0)
    return np.sign(speed, dtype=np.float32)[:, None]


def policy_of(task_id: str) -> Any:
    """Returns a policy: random in even environments, heading for the goal in odd ones.

    Box actions have a range 1.5 times the space's, so a third are out of range. A few are zero or
    exactly at a bound.
    """
    space = envpool_py.make_spec(task_id).action_space

    def policy(observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        count = len(observations)
        actions = goal_actions(task_id, observations)
        if isinstance(space, gymnasium.spaces.Discrete):
            actions[::2] = rng.integers(space.n, size=count)[::2]
            return actions
        assert isinstance(space, gymnasium.spaces.Box)
        high = space.high[0]
        scale = rng.uniform(0.5, 1.5, (count, 1))
        drawn = (rng.uniform(-1.5, 1.5, (count, 1)) * high).astype(np.float32)
        actions = (actions * scale * high).astype(np.float32)
        actions[::2] = drawn[::2]
        special = rng.random(count) < 0.05
        actions[special] = rng.choice(np.array([0.0, -0.0, -high, high], np.float32))
        return actions

    return policy


def test_specs(parity: SimpleNamespace) -> None:
    for task_id in TASK_IDS:
        parity.assert_same_limits(task_id)


@pytest.mark.parametrize("task_id", TASK_IDS)
def test_spaces(task_id: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id) as pair:
        pair.check_spaces()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", TASK_IDS)
def test_trajectories(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id, autoreset_mode=mode) as pair:
        for seed in (0, 1, 2**63):
            counts = pair.run(policy_of(task_id), seed, 300)
    # Episodes have ended, so ends were compared.
    assert counts["truncated" if task_id in ENDLESS else "terminated"] > 0


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", TASK_IDS)
def test_trajectories_long(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id, autoreset_mode=mode) as pair:
        for seed in range(20):
            counts = pair.run(policy_of(task_id), 1000 * seed, 1000)
    if not task_id.startswith("CartPole"):
        assert counts["truncated"] > 0
    if task_id not in ENDLESS:
        assert counts["terminated"] > 0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("CartPole-v1", {"sutton_barto_reward": True}),
        ("MountainCar-v0", {"goal_velocity": 0.02}),
        ("MountainCar-v0", {"goal_velocity": 0.07}),
        ("MountainCarContinuous-v0", {"goal_velocity": 0.02}),
        # The limited speed reaches the first of these goals in float32, but not both in float64.
        ("MountainCarContinuous-v0", {"goal_velocity": 0.07}),
        ("MountainCarContinuous-v0", {"goal_velocity": 0.0700000001}),
        ("MountainCarContinuous-v0", {"goal_velocity": 1e300}),
        ("Pendulum-v1", {"g": 9.81}),
        ("Pendulum-v1", {"g": 0}),
        ("Pendulum-v1", {"g": -3.7}),
        ("Pendulum-v0", {"g": 12.0}),
    ],
)
def test_options(task_id: str, options: dict[str, Any], mode: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id, autoreset_mode=mode, **options) as pair:
        counts = pair.run(policy_of(task_id), 5, 250)
    assert task_id != "CartPole-v1" or counts["terminated"] > 0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "attributes",
    [
        {"book_or_nips": "nips"},
        {"torque_noise_max": 0.5},
        {"dt": 0.05},
        {"dt": 0.0},
        {"book_or_nips": "nips", "torque_noise_max": 3.0, "dt": 0.35},
    ],
)
def test_acrobot_attributes(attributes: dict[str, Any], mode: str, parity: SimpleNamespace) -> None:
    """Gymnasium's attributes are options here."""
    with parity.Lockstep("Acrobot-v1", autoreset_mode=mode, attributes=attributes) as pair:
        pair.run(policy_of("Acrobot-v1"), 3, 150)


def reset_options() -> list[Any]:
    bounds = [
        {"low": -0.9},
        {"high": 0},
        {"low": -0.55, "high": -0.55},
        {"low": -1.2, "high": -1.19},  # MountainCar: at the left wall
        {"low": 0.42, "high": 0.6},  # MountainCar: around the goal
        {"low": -4, "high": 4},
        {"low": -40.0, "high": 40.0},
    ]
    cases = [(task_id, case) for task_id in DYNAMICS if task_id not in ENDLESS for case in bounds]
    for case in (
        {"x_init": 0.1},
        {"y_init": 20},
        {"x_init": 0.0, "y_init": 0.0},
        {"x_init": 1e6, "y_init": 3.5},
        {"x_init": 1e300},
    ):
        cases.append(("Pendulum-v1", case))
    return [pytest.param(*case, id=f"{case[0]}-{case[1]}") for case in cases]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("task_id", "options"), reset_options())
def test_reset_options(
    task_id: str, options: dict[str, Any], mode: str, parity: SimpleNamespace
) -> None:
    """Automatic resets use the default options again; masked resets use the given ones."""
    with parity.Lockstep(task_id, autoreset_mode=mode, max_episode_steps=20) as pair:
        pair.run(policy_of(task_id), 11, 45, options)


@pytest.mark.parametrize("bounds", [{"low": 7e4, "high": 1.2e5}, {"low": -1.2e5, "high": -7e4}])
def test_acrobot_reset_observation_of_large_angles(
    bounds: dict[str, float], parity: SimpleNamespace
) -> None:
    """Covers magnitudes at which NumPy's float32 sine and cosine switch algorithms."""
    with parity.Lockstep("Acrobot-v1") as pair:
        for seed in range(20):
            pair.reset(seed, bounds)


def test_acrobot_reset_observation_between_quadrants(parity: SimpleNamespace) -> None:
    """At odd multiples of pi/4, the quadrant decides the last bit of a float32 sine."""
    turns = np.concatenate([np.arange(1, 40, 2), np.arange(501, 541, 2)])
    middle = (turns * np.pi / 4).astype(np.float32)
    with parity.Lockstep("Acrobot-v1") as pair:
        for angle in (middle, np.nextafter(middle, np.float32(0)), -middle):
            for value in angle.tolist():
                pair.reset(0, {"low": value, "high": value})


@pytest.mark.parametrize("task_id", DYNAMICS)
def test_unequal_seeds_and_reseeding(task_id: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id) as pair:
        pair.run_reseeded(policy_of(task_id), 15)


@pytest.mark.parametrize("task_id", BOXES)
@pytest.mark.parametrize("scale", [1e-40, 1e-20, 1e4, 1e30, np.inf])
def test_extreme_box_actions(task_id: str, scale: float, parity: SimpleNamespace) -> None:
    def policy(observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        sign = rng.choice([-1.0, 1.0], (len(observations), 1))
        return (sign * np.float64(scale)).astype(np.float32)

    with parity.Lockstep(task_id) as pair:
        pair.run(policy, 2, 250)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", DYNAMICS)
def test_episode_limits(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    for limit in (1, 7):
        with parity.Lockstep(task_id, autoreset_mode=mode, max_episode_steps=limit) as pair:
            counts = pair.run(policy_of(task_id), 1, 25)
        assert counts["truncated"] >= parity.NUM_ENVS


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", [name for name in DYNAMICS if name not in ENDLESS])
def test_both_flags(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    """An episode that ends naturally on its last allowed step has both flags."""
    policy, seed = policy_of(task_id), 4
    with parity.Lockstep(task_id, autoreset_mode="Disabled", max_episode_steps=100_000) as pair:
        rng = np.random.default_rng([seed, 7])
        pair.reset(seed)
        limit = 1
        while not pair.step(policy(pair.observations, rng)).any():
            limit += 1
    # `limit` is the step of the first natural end in any environment.
    with parity.Lockstep(task_id, autoreset_mode=mode, max_episode_steps=limit) as pair:
        counts = pair.run(policy, seed, limit + 5)
    assert counts["both"] > 0
    assert counts["truncated"] > counts["both"]


def action_table(task_id: str, steps: int, num_envs: int) -> np.ndarray:
    """Returns actions of shape (steps, num_envs, ...) that do not depend on observations."""
    rng = np.random.default_rng(3)
    space = envpool_py.make_spec(task_id).action_space
    if isinstance(space, gymnasium.spaces.Discrete):
        return rng.integers(space.n, size=(steps, num_envs))
    assert isinstance(space, gymnasium.spaces.Box)
    return (rng.uniform(-1.5, 1.5, (steps, num_envs, 1)) * space.high).astype(np.float32)


def row_bytes(result: Any, row: int) -> tuple[bytes, ...]:
    """Returns all results of one row, as bytes."""
    observations, rewards, terminated, truncated, infos = result
    parts = [observations, rewards, terminated, truncated, infos["elapsed_step"]]
    if "final_obs" in infos and infos["_final_obs"][row]:
        parts += [infos["final_obs"], infos["final_info"]["elapsed_step"]]
    return tuple(part[row].tobytes() for part in parts)


Traces = dict[int, list[tuple[bytes, ...]]]


def ordered_traces(
    task_id: str, actions: np.ndarray, num_threads: int, mode: str, limit: int
) -> Traces:
    num_envs = actions.shape[1]
    traces: Traces = collections.defaultdict(list)
    with envpool_py.make(
        task_id,
        num_envs=num_envs,
        num_threads=num_threads,
        autoreset_mode=mode,
        max_episode_steps=limit,
    ) as pool:
        pool.reset(seed=21)
        for action in actions:
            result = pool.step(action)
            for env in range(num_envs):
                traces[env].append(row_bytes(result, env))
    return traces


def first_ready_traces(
    task_id: str, actions: np.ndarray, num_threads: int, mode: str, limit: int, batch_size: int
) -> Traces:
    steps, num_envs = actions.shape[:2]
    traces: Traces = collections.defaultdict(list)
    taken = np.zeros(num_envs, int)  # number of actions sent to each environment
    with envpool_py.make(
        task_id,
        num_envs=num_envs,
        batch_size=batch_size,
        num_threads=num_threads,
        autoreset_mode=mode,
        max_episode_steps=limit,
    ) as pool:
        pool.async_reset(seed=21)
        # All environments continue until the slowest has made its steps, because a batch needs
        # `batch_size` environments in flight. Results beyond `steps` are dropped.
        while min(len(traces[env]) for env in range(num_envs)) < steps:
            result = pool.recv()
            ids = result[4]["env_id"]
            for row, env in enumerate(ids.tolist()):
                if 0 < taken[env] <= steps:
                    traces[env].append(row_bytes(result, row))
            pool.send(actions[taken[ids] % steps, ids], ids)
            taken[ids] += 1
        pool.drain()
    return traces


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("task_id", DYNAMICS)
def test_threads_and_order_do_not_matter(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    actions = action_table(task_id, 120, parity.NUM_ENVS)
    limit = 40
    expected = ordered_traces(task_id, actions, 1, mode, limit)
    for num_threads in (2, 7):
        assert ordered_traces(task_id, actions, num_threads, mode, limit) == expected
    for num_threads in (1, 2, 7):
        for batch_size in (1, 5):
            got = first_ready_traces(task_id, actions, num_threads, mode, limit, batch_size)
            assert got == expected, (num_threads, batch_size)


@pytest.mark.parametrize("task_id", DYNAMICS)
def test_inline_and_threaded_batches_agree(task_id: str) -> None:
    """The pool wakes threads for 1,500 environments, but not for 10."""
    actions = action_table(task_id, 60, 1500)
    expected = ordered_traces(task_id, actions, 1, "NextStep", 25)
    assert ordered_traces(task_id, actions, 2, "NextStep", 25) == expected
    few = ordered_traces(task_id, np.ascontiguousarray(actions[:, :10]), 2, "NextStep", 25)
    assert few == {env: expected[env] for env in range(10)}


@pytest.mark.parametrize(
    ("task_id", "options", "named"),
    [
        ("CartPole-v1", {"low": 0.1, "high": 0.0}, "'low'"),
        ("MountainCar-v0", {"low": 0.5}, "'low'"),
        ("MountainCarContinuous-v0", {"high": -0.9}, "'high'"),
        ("CartPole-v1", {"low": -1e308, "high": 1e308}, "'high' - 'low'"),
        ("Pendulum-v1", {"x_init": -0.5}, "x_init"),
        ("Pendulum-v1", {"y_init": -1e-9}, "y_init"),
        ("Pendulum-v1", {"y_init": 1e308}, "y_init"),
    ],
)
def test_reset_options_that_both_refuse(
    task_id: str, options: dict[str, Any], named: str, parity: SimpleNamespace
) -> None:
    with parity.Lockstep(task_id) as pair:
        pair.reset(1)
        with pytest.raises((ValueError, OverflowError)), np.errstate(all="ignore"):
            pair.theirs.reset(seed=2, options=options)
        with pytest.raises(errors.OptionError, match=named):
            pair.ours.reset(seed=2, options=options)
        # The refused call reset nothing.
        _, infos = pair.ours.reset(options={"reset_mask": np.arange(parity.NUM_ENVS) == 0})
        np.testing.assert_array_equal(infos["elapsed_step"], 0)
        pair.reset(3)
        pair.step(np.zeros(pair.theirs.action_space.shape, pair.theirs.action_space.dtype))


@pytest.mark.parametrize(
    ("task_id", "options", "error"),
    [
        ("CartPole-v1", {"sutton_barto_reward": 1}, errors.OptionTypeError),
        ("CartPole-v1", {"sutton_barto": True}, errors.OptionError),
        ("MountainCar-v0", {"goal_velocity": float("nan")}, errors.OptionError),
        ("Pendulum-v1", {"g": "earth"}, errors.OptionTypeError),
        ("Acrobot-v1", {"book_or_nips": "Book"}, errors.OptionError),
        ("Acrobot-v1", {"torque_noise_max": -0.1}, errors.OptionError),
        ("Acrobot-v1", {"dt": float("inf")}, errors.OptionError),
    ],
)
def test_options_that_are_refused(
    task_id: str, options: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error, match=next(iter(options))):
        envpool_py.make(task_id, **options)


def test_acrobot_refuses_angles_that_gymnasium_would_wrap_for_ever() -> None:
    with envpool_py.make("Acrobot-v1", num_envs=3, num_threads=1) as pool:
        pool.reset(seed=0)
        mask = np.array([False, True, False])
        pool.reset(options={"low": 1e20, "high": 1e20, "reset_mask": mask})
        with pytest.raises(errors.EnvironmentFailedError, match="too large") as caught:
            pool.step(np.array([0, 1, 2]))
        assert caught.value.env_ids == [1]
        pool.reset(options={"reset_mask": mask})
        assert (pool.step(np.array([0, 1, 2]))[1] == -1.0).all()
