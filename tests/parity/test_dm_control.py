"""The DeepMind Control Suite against dm_control: with equal seeds and actions, results are
bit-equal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py import errors
from envpool_py.tasks import registry
from envpool_py.tasks.families.dm_control import models
from envpool_py.tasks.families.dm_control.tasks import TASKS

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("dm_control")
pytest.importorskip("envpool_py._mujoco")

from .suite_pair import NAMES, Pair, assert_bits, reference, suite  # noqa: E402

TASK_IDS = sorted(TASKS)
SEEDS = (0, 2**32 - 1)
LIMIT = 9  # steps per episode in the short comparison


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes the suite's rendering contexts: it uploads terrains to them, but may lack them."""
    from dm_control.mujoco import engine

    monkeypatch.setattr(engine.Physics, "contexts", property(lambda self: None))


def test_ids_are_those_of_the_suite() -> None:
    assert set(NAMES) == set(TASK_IDS)
    assert set(TASK_IDS) <= set(envpool_py.list_all_envs())


def test_ids_of_shimmy() -> None:
    for task_id, (domain, task) in NAMES.items():
        assert registry.canonical_id(f"dm_control/{domain}-{task}-v0") == task_id
    with envpool_py.make("dm_control/pendulum-swingup-v0", seed=3) as pool:
        assert pool.spec.id == "EnvPool/PendulumSwingup-v1"
        first = reference("PendulumSwingup-v1", 3).reset()
        assert_bits(pool.reset()[0]["velocity"][0], first.observation["velocity"], "velocity")


def saved(model: Any) -> bytes:
    buffer = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, buffer)
    return buffer.tobytes()


def compiled(key: str) -> Any:
    """Compiles our text of a model; a dog's meshes have the suite's own paths."""
    text, assets = models.text_of(key), {}
    if key.startswith("dog"):
        from dm_control.suite import dog

        text = text.replace(f"{models.suite_directory()}/", "")
        assets = dog.get_model_and_assets()[1]
    return mujoco.MjModel.from_xml_string(text, assets)


def key_of(task_id: str) -> str:
    """Returns the key of a task's model."""
    domain, task = NAMES[task_id]
    counts = {"two_poles": 2, "three_poles": 3, "swimmer6": 6, "swimmer15": 15, "stack_2": 2,
              "stack_4": 4}  # fmt: skip
    if domain in ("cartpole", "swimmer", "stacker"):
        return f"{domain} {counts.get(task, 1)}"
    return f"{domain} {task}" if domain in ("dog", "manipulator", "quadruped") else domain


@pytest.mark.parametrize("task_id", TASK_IDS)
def test_models_and_specs(task_id: str) -> None:
    env = reference(task_id)
    if not task_id.startswith("Lqr"):  # the suite draws this model at random; trajectories cover it
        assert saved(compiled(key_of(task_id))) == saved(env.physics.model.ptr)
    spec = envpool_py.make_spec(task_id)
    observation = env.observation_spec()
    ours = spec.observation_spec()
    assert list(ours) == list(observation)
    for name, theirs in observation.items():
        assert (ours[name].shape, ours[name].dtype) == (theirs.shape, theirs.dtype), name
        assert (type(ours[name]), ours[name].name) == (type(theirs), theirs.name)
    action = env.action_spec()
    for bound in ("minimum", "maximum"):
        assert_bits(getattr(spec.action_spec(), bound), getattr(action, bound), bound)
    assert spec.frame_skip == env._n_sub_steps
    endless = env._step_limit == float("inf")
    assert spec.max_episode_steps == (None if endless else env._step_limit)


@pytest.mark.parametrize("task_id", TASK_IDS)
def test_trajectories(task_id: str) -> None:
    """Compares three episodes; the generators continue from one to the next."""
    seeds = SEEDS[:1] if task_id.startswith("Dog") else SEEDS  # their models take long to compile
    with Pair(task_id, seeds, limit=LIMIT) as pair:
        pair.run(2 * (LIMIT + 1) + 4)
    assert pair.ends >= 2 * len(seeds)


@pytest.mark.long
@pytest.mark.parametrize("task_id", TASK_IDS)
def test_trajectories_long(task_id: str) -> None:
    """Compares three complete episodes for each of eight seeds."""
    limit = 1000 if task_id.startswith("Lqr") else None
    with Pair(task_id, (0, 1, 2, 3, 1000, 2**31 - 1, 2**31, 2**32 - 1), limit=limit) as pair:
        pair.run(3 * 1001 + 5)
    assert pair.ends >= 3 * 8


@pytest.mark.parametrize(
    ("task_id", "environment_kwargs", "options"),
    [
        ("CheetahRun-v1", {"flat_observation": True}, {"flat_observation": True}),
        ("WalkerWalk-v1", {"flat_observation": True}, {"flat_observation": True}),
        ("HopperHop-v1", {"legacy_step": False}, {"legacy_step": False}),
        ("CheetahRun-v1", {"legacy_step": False}, {"legacy_step": False}),
        ("CartpoleSwingup-v1", {"legacy_step": False}, {"legacy_step": False}),
        ("CartpoleSwingup-v1", {"n_sub_steps": 3}, {"frame_skip": 3}),
        ("PendulumSwingup-v1", {"control_timestep": 0.1}, {"frame_skip": 5}),
    ],
)
def test_environment_options(
    task_id: str, environment_kwargs: dict[str, Any], options: dict[str, Any]
) -> None:
    with Pair(
        task_id, SEEDS, limit=LIMIT, environment_kwargs=environment_kwargs, **options
    ) as pair:
        pair.run(LIMIT + 8)


@pytest.mark.parametrize(
    ("task_id", "task_kwargs"),
    [
        ("CartpoleThreePoles-v1", {"num_poles": 5, "sparse": True}),
        ("CartpoleThreePoles-v1", {"num_poles": 9}),
        ("CartpoleThreePoles-v1", {"num_poles": 1}),
        ("ManipulatorBringPeg-v1", {"fully_observable": False}),
        ("StackerStack2-v1", {"fully_observable": False}),
    ],
)
def test_task_options(task_id: str, task_kwargs: dict[str, Any]) -> None:
    with Pair(task_id, SEEDS, limit=LIMIT, task_kwargs=task_kwargs, **task_kwargs) as pair:
        pair.run(LIMIT + 8)


@pytest.mark.parametrize("task_id", ["DogStand-v1", "DogRun-v1", "DogFetch-v1"])
def test_reward_factors(task_id: str) -> None:
    with Pair(task_id, (3,), limit=LIMIT, observe_reward_factors=True) as pair:
        pair.theirs[0].task._observe_reward_factors = True
        pair.run(LIMIT + 3)


def test_time_limit() -> None:
    """The time limit applies as in the suite, in addition to the limit of steps."""
    with Pair("CheetahRun-v1", SEEDS, task_kwargs={"time_limit": 0.07}, time_limit=0.07) as pair:
        pair.run(20)
    assert pair.ends == 2 * len(SEEDS)


def test_lqr_terminates_at_rest() -> None:
    """A control that brakes the first mass brings all masses to rest."""
    with Pair("LqrLqr21-v1", (1, 2)) as pair:
        pair.reset()
        pair.step(np.zeros((2, 1)))
        for _ in range(5000):
            pair.step(-5.0 * pair.observations["velocity"][:, :1])
            if pair.ends >= 2:
                break
        assert pair.ends >= 2
        assert pair.steps > 100
        pair.step(np.zeros((2, 1)))  # begins an episode with the same masses


@pytest.mark.parametrize("task_id", ["CheetahRun-v1", "LqrLqr62-v1", "PointMassHard-v1"])
def test_reseeding_is_a_new_environment(task_id: str) -> None:
    with Pair(task_id, (4, 5), limit=LIMIT) as pair:
        pair.run(5)
        pair.ours.reset(seed=[6, 7])
        fresh = [reference(task_id, seed) for seed in (6, 7)]
        observations, _ = pair.ours.reset(seed=[6, 7])
        for row, env in enumerate(fresh):
            for key, value in env.reset().observation.items():
                assert_bits(observations[key][row], value, f"{task_id}, {key}")


def test_seeds_that_the_suite_refuses() -> None:
    limit = 2**32 - 1
    with pytest.raises(ValueError, match="between 0 and"):
        suite.load("cheetah", "run", task_kwargs={"random": limit + 1})
    message = rf"^seed: expected seed \+ num_envs - 1 <= {limit} for this task, got seed {limit}"
    with pytest.raises(errors.InputError, match=message):
        envpool_py.make("CheetahRun-v1", num_envs=2, seed=limit)
    with envpool_py.make("CheetahRun-v1", num_envs=2, seed=limit - 1) as pool:
        first, _ = pool.reset()
        with pytest.raises(errors.InputError, match=r"^seed\[1\]: expected an integer in \[0, "):
            pool.reset(seed=[1, limit + 1])
        with pytest.raises(errors.InputError, match=r"^seed: "):
            pool.async_reset(seed=limit)
        again, _ = pool.reset(seed=limit - 1)
        assert_bits(again["position"], first["position"], "after refused calls")
        pool.reset()  # the generators continue
    with envpool_py.make("CheetahRun-v1", num_envs=2) as pool:  # random seeds are larger
        observations, _ = pool.reset()
        assert (observations["position"][0] != observations["position"][1]).any()


def test_a_diverging_simulation_fails_alone() -> None:
    from dm_control.rl import control

    task_id = "LqrLqr21-v1"
    wild, calm = np.full(1, 1e11), np.zeros(1)  # MuJoCo accepts values up to 1e10
    env = reference(task_id, 1)
    env.reset()
    with pytest.raises(control.PhysicsError, match="mjWARN_BADCTRL"):
        env.step(wild)
    with envpool_py.make(task_id, num_envs=3, seed=0) as pool:
        pool.reset()
        with pytest.raises(errors.EnvironmentFailedError, match="mjWARN_BADCTRL") as caught:
            pool.step(np.stack([calm, wild, calm]))
        assert list(caught.value.env_ids) == [1]
        twins = [reference(task_id, seed) for seed in (0, 2)]
        for twin in twins:
            twin.reset()
            twin.step(calm)
        observations, *_ = pool.step(np.zeros((2, 1)), [0, 2])
        for row, twin in enumerate(twins):
            step = twin.step(calm)
            for key, value in step.observation.items():
                assert_bits(observations[key][row], value, f"row {row}, {key}")
        pool.reset([1])
        pool.step(np.zeros((3, 1)))


@pytest.mark.parametrize("task_id", ["ReacherHard-v1", "HopperHop-v1"])
def test_threads_and_first_ready_batches_change_nothing(task_id: str) -> None:
    steps, count = 12, 8
    size = envpool_py.make_spec(task_id).action_space.shape[0]
    actions = np.random.default_rng(0).uniform(-1, 1, (steps, count, size))
    expected: dict[int, list[bytes]] = {env: [] for env in range(count)}
    with envpool_py.make(task_id, num_envs=count, num_threads=1) as pool:
        pool.reset(seed=9)
        for action in actions:
            observations, rewards, *_ = pool.step(action)
            for env in range(count):
                expected[env].append(row_bytes(observations, env) + rewards[env].tobytes())
    got: dict[int, list[bytes]] = {env: [] for env in range(count)}
    with envpool_py.make(task_id, num_envs=count, batch_size=3, num_threads=3) as pool:
        pool.async_reset(seed=9)
        taken = np.zeros(count, int)
        while min(len(rows) for rows in got.values()) < steps:
            observations, rewards, *_, infos = pool.recv()
            for row, env in enumerate(infos["env_id"].tolist()):
                if 0 < taken[env] <= steps:
                    got[env].append(row_bytes(observations, row) + rewards[row].tobytes())
            ids = infos["env_id"]
            pool.send(np.array([actions[taken[env] % steps][env] for env in ids]), ids)
            taken[ids] += 1
        pool.drain()
    assert got == expected


def row_bytes(observations: dict[str, np.ndarray], row: int) -> bytes:
    return b"".join(observations[key][row].tobytes() for key in sorted(observations))


def test_frames_of_states() -> None:
    options = {"num_envs": 2, "seed": 3, "max_episode_steps": 4}
    with (
        envpool_py.make("WalkerWalk-v1", **options) as pool,
        envpool_py.make("WalkerWalk-v1", frame_stack=3, **options) as stacked,
    ):
        assert stacked.single_observation_space["height"].shape == (3,)
        assert stacked.single_observation_space["velocity"].shape == (3, 9)
        one, many = pool.reset()[0], stacked.reset()[0]
        frames = [[one] * 3 for _ in range(2)]
        rng = np.random.default_rng(0)
        for _ in range(12):
            for env in range(2):
                for key in one:
                    stack = np.stack([frame[key][env] for frame in frames[env]])
                    assert_bits(many[key][env], stack, key)
            actions = rng.uniform(-1, 1, (2, 6))
            one = pool.step(actions)[0]
            many, _, _, _, infos = stacked.step(actions)
            for env in range(2):
                started = infos["elapsed_step"][env] == 0
                frames[env] = [one] * 3 if started else [*frames[env][1:], one]
