"""EnvPool and the compat module agree in types, shapes, dtypes, keys and values.

The tests need EnvPool: `make check-envpool` runs them; `make test` skips them without it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.compat.hints import missing_task
from envpool_py.compat.robotics_tables import METAWORLD_TASKS, ROBOTICS_CLASSES
from envpool_py.compat.tables import ENVPOOL_CLASSES
from envpool_py.compat.tasks import task_of

from .both_libraries import IS_OLD, both, describe, ours, theirs
from .envpool_families import (
    ALL,
    FAMILIES,
    NONE,
    REFUSED,
    REFUSED_BUT_WFC,
    WITHOUT_OLDER,
    Family,
)

# Both libraries warn about seeds, and EnvPool's bounds lose precision.
pytestmark = pytest.mark.filterwarnings("ignore:.*precision lowered by casting")

ATARI = ("Pong-v5", "Breakout-v5", "TicTacToe3d-v5", "MsPacman-v5")
ALIASES = (
    "phys2d/CartPole-v1", "phys2d/Pendulum-v0", "tabular/CliffWalking-v0", "tabular/Blackjack-v0",
    "FetchReachDense-v1", "HandReach-v0", "HandManipulatePenRotate_BooleanTouchSensorsDense-v0",
)  # fmt: skip
MUJOCO = {
    i
    for envpool_class in ENVPOOL_CLASSES.values()
    if envpool_class.pixels
    for i in envpool_class.ids
}
# EnvPool 1.2.5's Procgen needs Qt 5 of the system, which few systems have; 1.2.7 brings its own Qt.
# Taxi has a test of its own with 1.2.5.
NOT_IN_OLD = ("Procgen", "Taxi")
IDS = sorted(
    {
        *(
            task_id
            for class_name, envpool_class in ENVPOOL_CLASSES.items()
            if not IS_OLD or class_name not in NOT_IN_OLD
            for task_id in envpool_class.ids
        ),
        *ATARI,
        *ALIASES,
    }
)
# Gymnasium-Robotics and MetaWorld: those of which pools are made.
ROBOTICS = (
    "AdroitHandDoor-v1", "AdroitHandHammer-v1", "AdroitHandPen-v1", "AdroitHandRelocateSparse-v1",
    "FetchPush-v4", "FetchReach-v4", "FetchReachDense-v1", "FrankaKitchen-v1",
    "HandManipulateBlock-v1", "HandManipulatePen_ContinuousTouchSensors-v1", "HandReach-v0",
    "MetaWorld/DoorOpen-v3", "MetaWorld/Reach-v3", "PointMaze_Large_Diverse_G-v3",
)  # fmt: skip
# Pools of Procgen are not made: two versions of Qt would be in one process.
MADE = [
    task_id
    for task_id in IDS
    if task_id in ROBOTICS or task_of(task_id).class_name not in (*ROBOTICS_CLASSES, "Procgen")
]
# EnvPool's registry states another reward threshold than Gymnasium's for these tasks.
OTHER_THRESHOLDS = {"Hopper-v4", "Hopper-v5"}


def spec_of(spec: Any) -> Any:
    """Return the contents of an array spec as plain data."""
    return (
        type(spec).__name__,
        np.dtype(spec.dtype).name,
        list(spec.shape),
        np.asarray(spec.minimum, np.float64).tolist(),
        np.asarray(spec.maximum, np.float64).tolist(),
    )


def dm_specs(spec: Any) -> Any:
    """Return the contents of dm_env specs, with the names of the fields in order."""
    if hasattr(spec, "_fields"):
        return [(name, dm_specs(getattr(spec, name))) for name in spec._fields]
    return (type(spec).__name__, spec.name, *spec_of(spec)[1:])


def some_actions(space: Any, rows: int) -> Any:
    return np.stack([space.sample() for _ in range(rows)])


@pytest.mark.parametrize("task_id", IDS)
def test_specs_are_equal(task_id: str) -> None:
    mine, other = (lib.make_spec(task_id, num_envs=4, seed=3) for lib in (ours, theirs))
    settings = [spec.config._asdict() for spec in (mine, other)]
    for config in settings:
        assert isinstance(config.pop("base_path"), str)
        if task_id in OTHER_THRESHOLDS:
            assert config.pop("reward_threshold") > 0
    assert settings[0] == settings[1]
    assert list(settings[0]) == list(settings[1])
    assert type(mine).__name__ == type(other).__name__
    for specs in ("state_array_spec", "action_array_spec"):
        both = [getattr(spec, specs) for spec in (mine, other)]
        described = [{name: spec_of(s) for name, s in all_.items()} for all_ in both]
        assert described[0] == described[1]
    for space in ("observation_space", "action_space", "gymnasium_action_space"):
        assert getattr(mine, space) == getattr(other, space)
    assert dm_specs(mine.observation_spec()) == dm_specs(other.observation_spec())
    assert dm_specs(mine.action_spec()) == dm_specs(other.action_spec())
    if task_id not in OTHER_THRESHOLDS:
        assert mine.reward_threshold == other.reward_threshold
    assert mine._config_keys == other._config_keys
    assert mine._state_keys == other._state_keys
    assert mine._action_keys == other._action_keys


@pytest.mark.parametrize("settings", [{}, {"frame_stack": 3, "render_width": 64}], ids=str)
@pytest.mark.parametrize("task_id", sorted(MUJOCO))
def test_specs_of_pixels_are_equal(task_id: str, settings: dict[str, Any]) -> None:
    mine, other = (lib.make_spec(task_id, from_pixels=True, **settings) for lib in (ours, theirs))
    configs = [spec.config._asdict() for spec in (mine, other)]
    for config in configs:
        config.pop("base_path")
        if task_id in OTHER_THRESHOLDS:
            config.pop("reward_threshold")
    assert list(configs[0].items()) == list(configs[1].items())
    assert type(mine).__name__ == type(other).__name__
    described = [
        {name: spec_of(s) for name, s in spec.state_array_spec.items()} for spec in (mine, other)
    ]
    assert list(described[0].items()) == list(described[1].items())
    assert mine.observation_space == other.observation_space
    assert dm_specs(mine.observation_spec()) == dm_specs(other.observation_spec())


# Settings that remove the noise from a reset.
STILL: dict[str, dict[str, Any]] = {
    "GymReacher": {"reset_qpos_scale": 0.0, "reset_qvel_scale": 0.0, "reset_goal_scale": 1e-9},
    "GymPusher": {
        "reset_qvel_scale": 0.0, "cylinder_x_min": -0.25, "cylinder_x_max": -0.25,
        "cylinder_y_min": 0.1, "cylinder_y_max": 0.1,
    },
}  # fmt: skip
NO_FORCES = 376 - 6 * 14  # entries before the contact forces in observations of the older humanoids
NUMBERS: list[tuple[str, dict[str, Any]]] = [
    ("Ant-v4", {"frame_skip": 3, "forward_reward_weight": 0.3, "ctrl_cost_weight": 0.2}),
    ("Ant-v4", {"healthy_z_max": 0.7, "healthy_reward": 2.0}),
    ("Ant-v5", {"contact_cost_weight": 0.1, "contact_force_min": -0.5}),
    ("Ant-v5", {"use_contact_force": False, "frame_skip": 2}),
    ("HalfCheetah-v4", {"frame_skip": 2, "forward_reward_weight": 0.3, "ctrl_cost_weight": 1.0}),
    ("Hopper-v4", {"velocity_min": -0.2, "velocity_max": 0.1, "healthy_z_min": 1.1}),
    ("Hopper-v5", {"healthy_z_min": 1.25, "terminate_when_unhealthy": False}),
    ("Humanoid-v4", {"frame_skip": 3, "forward_reward_weight": 0.3, "healthy_reward": 2.0}),
    ("Humanoid-v5", {"frame_skip": 2, "healthy_z_min": 1.2, "contact_cost_max": 0.1}),
    ("Humanoid-v5", {"use_contact_force": False}),
    (
        "HumanoidStandup-v4",
        {"forward_reward_weight": 2.0, "healthy_reward": 0.5, "contact_cost_weight": 0.0},
    ),
    ("HumanoidStandup-v5", {"contact_cost_weight": 1e-4, "contact_cost_max": 3.0}),
    ("InvertedDoublePendulum-v4", {"healthy_z_max": 1.15, "observation_max": 0.5}),
    ("InvertedDoublePendulum-v5", {"healthy_reward": 3.0, "frame_skip": 2}),
    ("InvertedPendulum-v4", {"healthy_z_min": -0.05, "frame_skip": 1}),
    ("InvertedPendulum-v5", {"healthy_z_max": 0.1, "healthy_reward": 7.0}),
    ("Pusher-v5", {"dist_cost_weight": 0.3, "near_cost_weight": 2.0, "ctrl_cost_weight": 0.7}),
    ("Reacher-v4", {"dist_cost_weight": 0.3, "ctrl_cost_weight": 0.7, "frame_skip": 3}),
    ("Reacher-v5", {"dist_cost_weight": 0.3}),
    ("Swimmer-v4", {"frame_skip": 2, "forward_reward_weight": 0.3}),
    ("Walker2d-v4", {"velocity_max": 0.1, "healthy_angle_min": -0.05}),
    ("Walker2d-v5", {"frame_skip": 2, "healthy_z_max": 1.28, "frame_stack": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("task_id", "settings"), NUMBERS, ids=str)
def test_settings_do_what_they_do_in_envpool(task_id: str, settings: dict[str, Any]) -> None:
    """Compares results from the same state with the same actions.

    The libraries use different versions of MuJoCo, hence the tolerances. The contact forces are not
    compared for the older humanoids: EnvPool returns zeros.
    """
    envpool_class = task_of(task_id).class_name
    still = STILL.get(envpool_class, {"reset_noise_scale": 0.0})

    def program(envpool: Any, **more: Any) -> list[Any]:
        env = envpool.make_gymnasium(task_id, num_envs=1, **still, **more)
        rng = np.random.default_rng(3)
        shape = (1, *env.action_space.shape)
        seen = [(env.reset()[0][0], 0.0, False)]
        for _ in range(12):
            action = rng.uniform(-0.4, 0.4, shape).astype(np.float32).astype(np.float64)
            obs, rew, term, *_ = env.step(action)
            seen.append((obs[0], rew[0], bool(term[0])))
            if term[0]:
                break
        env.close()
        return seen

    mine, other = (program(lib, **settings) for lib in (ours, theirs))
    assert len(mine) == len(other)
    for of_mine, of_other in zip(mine, other, strict=True):
        known = slice(None, NO_FORCES if of_mine[0].shape == (376,) else None)
        np.testing.assert_allclose(of_mine[0][known], of_other[0][known], rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(of_mine[1], of_other[1], rtol=1e-4, atol=1e-5)
        assert of_mine[2] == of_other[2]
    if settings != {"use_contact_force": False} and "contact_cost_max" not in settings:
        usual = program(theirs)
        same = len(usual) == len(other) and all(
            a[0].shape == b[0].shape and np.allclose(a[0], b[0]) and np.isclose(a[1], b[1])
            for a, b in zip(usual, other, strict=True)
        )
        assert not same, "no difference"


def test_both_versions_of_pendulum_move_before_the_limit() -> None:
    """Both of EnvPool's tasks are Gym's version 0, and so is our Pendulum-v0."""

    def program(envpool: Any, task_id: str) -> float:
        env = envpool.make_gymnasium(task_id, num_envs=1, seed=11)
        obs, _ = env.reset()
        worst, fastest = 0.0, 0.0
        for _ in range(150):
            angle, speed = np.arctan2(np.float64(obs[0, 1]), np.float64(obs[0, 0])), obs[0, 2]
            torque = 2.0 if speed >= 0 else -2.0
            free = speed + (15.0 * np.sin(angle) + 3.0 * torque) * 0.05
            obs = env.step(np.full((1, 1), torque, np.float32))[0]
            moved = np.arctan2(np.float64(obs[0, 1]), np.float64(obs[0, 0])) - angle
            apart = (moved - free * 0.05 + np.pi) % (2 * np.pi) - np.pi
            worst, fastest = max(worst, abs(float(apart))), max(fastest, abs(float(free)))
        assert fastest > 8.0  # the limit was reached
        return worst

    for task_id in ("Pendulum-v0", "Pendulum-v1"):
        assert program(theirs, task_id) < 1e-5
    assert program(ours, "Pendulum-v0") < 1e-5
    assert program(ours, "phys2d/Pendulum-v0") < 1e-5
    assert program(ours, "Pendulum-v1") > 1e-2  # Gymnasium's version 1 moves by the limited speed


@pytest.mark.parametrize("task_id", MADE)
def test_results_have_the_same_form(task_id: str) -> None:
    mine, other = (lib.make_gymnasium(task_id, num_envs=3) for lib in (ours, theirs))
    assert type(mine).__name__ == type(other).__name__
    assert describe(mine.reset()) == describe(other.reset())
    for _ in range(3):
        actions = some_actions(mine.action_space, 3)
        results = [env.step(actions) for env in (mine, other)]
        assert describe(results[0]) == describe(results[1])
        assert list(results[0][4]) == list(results[1][4])  # the order of the names
        np.testing.assert_array_equal(results[0][4]["env_id"], results[1][4]["env_id"])
    mine.close()
    other.close()


@pytest.mark.parametrize("task_id", MADE)
def test_time_steps_have_the_same_form(task_id: str) -> None:
    mine, other = (lib.make_dm(task_id, num_envs=3) for lib in (ours, theirs))
    assert type(mine).__name__ == type(other).__name__
    assert describe(mine.reset()) == describe(other.reset())
    actions = np.zeros((3, *mine.action_spec().shape), mine.action_spec().dtype)
    for _ in range(3):
        assert describe(mine.step(actions)) == describe(other.step(actions))
    mine.close()
    other.close()


def test_ends_and_limits() -> None:
    def program(envpool: Any) -> Any:
        env = envpool.make("CartPole-v1", env_type="gym", num_envs=2, max_episode_steps=3)
        env.reset()
        seen = []
        for _ in range(6):
            _, *rest, info = env.step(np.array([0, 1]))
            seen.append([*(x.tolist() for x in rest), info["elapsed_step"].tolist()])
        return seen

    mine, other = both(program)
    assert mine == other
    assert [True, True] in mine[2]  # the truncation was reached


def test_dm_ends_and_limits() -> None:
    def program(envpool: Any) -> Any:
        env = envpool.make_dm("CartPole-v1", num_envs=2, max_episode_steps=3)
        env.reset()
        steps = [env.step(np.array([0, 1])) for _ in range(6)]
        return [(s.step_type.tolist(), s.reward.tolist(), s.discount.tolist()) for s in steps]

    mine, other = both(program)
    assert mine == other


def test_a_natural_end_is_terminated() -> None:
    def program(envpool: Any) -> Any:
        """Walk from the start to the goal of CliffWalking, which has no randomness."""
        env = envpool.make("CliffWalking-v0", env_type="gymnasium", num_envs=2)
        seen = [env.reset()[0].tolist()]
        for action in [0, *[1] * 11, 2, 0, 0]:
            obs, rew, term, trunc, info = env.step(np.full(2, action))
            seen.append(
                (obs.tolist(), rew.tolist(), term.tolist(), trunc.tolist(), info["prob"].tolist())
            )
        return seen

    mine, other = both(program)
    assert mine == other
    assert any(True in step[2] for step in mine[1:])


def test_a_step_before_a_reset_resets() -> None:
    def program(envpool: Any) -> Any:
        env = envpool.make_gymnasium("CartPole-v1", num_envs=4)
        seen = []
        for ids in ([1, 3], [3, 0, 1], [2, 1, 0, 3]):
            _, rew, *_, info = env.step(np.zeros(len(ids), np.int32), np.array(ids))
            seen.append((rew.tolist(), info["env_id"].tolist(), info["elapsed_step"].tolist()))
        return seen

    mine, other = both(program)
    assert mine == other


def test_sends_of_some() -> None:
    def program(envpool: Any) -> Any:
        env = envpool.make_gymnasium("CartPole-v1", num_envs=4)
        env.reset()
        seen = []
        for ids in ([3, 1], [2], [0, 1, 2, 3], [3, 2, 1, 0], [1]):
            env.send(np.zeros(len(ids), np.int32), np.array(ids))
            obs, *_, info = env.recv()
            seen.append((obs.shape, info["env_id"].tolist(), info["elapsed_step"].tolist()))
        return seen

    mine, other = both(program)
    assert mine == other


def test_reset_of_some() -> None:
    def program(envpool: Any) -> Any:
        env = envpool.make_gymnasium("CartPole-v1", num_envs=4)
        env.reset()
        env.step(np.zeros(4))
        seen = []
        mask = np.array([True, False, False, True])
        for call in (
            lambda: env.reset(np.array([2, 0])),
            lambda: env.reset(options={"reset_mask": mask}),
            lambda: env.reset(seed=5),
        ):
            obs, info = call()
            seen.append((obs.shape, info["env_id"].tolist(), info["elapsed_step"].tolist()))
        return seen

    mine, other = both(program)
    assert mine == other


@pytest.mark.parametrize("by", ["reset", "async_reset"])
def test_asynchronous(by: str) -> None:
    def program(envpool: Any) -> Any:
        env = envpool.make("CartPole-v1", "gym", num_envs=6, batch_size=2, num_threads=2)
        assert env.is_async
        assert env.config["batch_size"] == 2
        if by == "reset":
            obs, info = env.reset()
        else:
            env.async_reset()
            obs, info = env.recv(reset=True)
        forms, counts = [describe((obs, info))], np.zeros(6, int)
        for _ in range(60):
            env.send(np.zeros(2, np.int64), info["env_id"])
            result = env.recv()
            info = result[4]
            counts[info["env_id"]] += 1
            forms.append(describe(result))
        return forms, bool((counts > 0).all())

    mine, other = both(program)
    assert mine == other
    assert mine[1]


# Games in which each life is an episode, and games without this setting.
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("Breakout-v5", {}),
    ("Breakout-v5", {"noop_max": 1, "reward_clip": True}),
    ("Breakout-v5", {"use_fire_reset": False, "frame_skip": 3}),
    ("Breakout-v5", {"max_episode_steps": 50}),
    ("Breakout-v5", {"episodic_life": False}),
    ("Seaquest-v5", {"repeat_action_probability": 0.25, "frame_skip": 8}),
    ("Qbert-v5", {"frame_skip": 8, "gray_scale": False, "stack_num": 2}),
    ("Pong-v5", {"frame_skip": 16}),
    ("Kaboom-v5", {"frame_skip": 7}),
    ("MontezumaRevenge-v5", {"frame_skip": 6, "use_inter_area_resize": False}),
    ("SpaceInvaders-v5", {"frame_skip": 10, "mode": 3, "img_height": 64, "img_width": 96}),
]


@pytest.mark.parametrize(("task_id", "settings"), GAMES)
def test_lives_and_games(task_id: str, settings: dict[str, Any]) -> None:
    """Compares all results for equal seeds and actions."""
    settings = {"num_envs": 3, "seed": 5, "episodic_life": True, **settings}
    mine, other = (lib.make_gymnasium(task_id, **settings) for lib in (ours, theirs))
    np.testing.assert_array_equal(mine.reset()[0], other.reset()[0])
    rng = np.random.default_rng(1)
    games = episodes = 0
    for step in range(500):
        actions = rng.integers(mine.action_space.n, size=3).astype(np.int32)
        obs, rew, term, trunc, info = mine.step(actions)
        expected = other.step(actions)
        for name, value, wanted in [
            ("observation", obs, expected[0]),
            ("reward", rew, expected[1]),
            ("terminated", term, expected[2]),
            ("truncated", trunc, expected[3]),
            *((f"infos {name}", info[name], expected[4][name]) for name in LIFE_INFOS),
        ]:
            np.testing.assert_array_equal(value, wanted, err_msg=f"{name} at step {step}")
        games += int(((info["terminated"] != 0) | trunc).sum())
        episodes += int((term | trunc).sum())
        if step % 100 == 60:  # the program's reset begins new games
            mask = {"reset_mask": np.array([True, False, True])}
            both_ = [env.reset(options=mask) for env in (mine, other)]
            np.testing.assert_array_equal(both_[0][0], both_[1][0])
            np.testing.assert_array_equal(both_[0][1]["elapsed_step"], both_[1][1]["elapsed_step"])
    assert games >= 1
    assert episodes > games or not settings["episodic_life"] or task_id in ONE_LIFE
    mine.close()
    other.close()


ONE_LIFE = ("Pong-v5", "Kaboom-v5")
LIFE_INFOS = ("lives", "reward", "terminated", "elapsed_step", "env_id", "ram")


def test_games_of_a_learner_that_logs_them() -> None:
    """Compares the finished games in 1,200 steps of 8 Breakout environments."""

    def program(envpool: Any) -> Any:
        env = envpool.make("Breakout-v5", "gym", num_envs=8, seed=1, episodic_life=True)
        env.reset()
        rng = np.random.default_rng(0)
        total, returns, episodes = np.zeros(8), [], 0
        for _ in range(1_200):
            _, _, term, _, info = env.step(rng.integers(4, size=8).astype(np.int32))
            total += info["reward"]
            over = info["terminated"] != 0
            returns += total[over].tolist()
            total[over] = 0
            episodes += int(term.sum())
        return returns, episodes

    mine, other = both(program)
    assert mine == other
    assert len(mine[0]) > 30
    assert mine[1] > 4 * len(mine[0])


ACTIONS = {
    "int32": np.zeros(4, np.int32),
    "int64": np.zeros(4, np.int64),
    "uint8": np.zeros(4, np.uint8),
    "float64": np.full(4, 1.0),
    "fractions": np.full(4, 0.9),
    "bool": np.ones(4, bool),
    "dict": {"action": np.zeros(4, np.int32)},
    "dict with ids": {
        "action": np.zeros(4, np.int32),
        "env_id": np.arange(4, dtype=np.int32),
        "players.env_id": np.arange(4, dtype=np.int32),
    },
    "nested": {
        "action": np.zeros(2, np.int32),
        "env_id": np.array([3, 0], np.int32),
        "players": {"env_id": np.array([3, 0], np.int32)},
    },
    "dict of int64": {"action": np.zeros(4, np.int64), "env_id": np.arange(4, dtype=np.int32)},
    "ids of int64": {"action": np.zeros(4, np.int32), "env_id": np.arange(4)},
    "a column": np.zeros((4, 1), np.int32),
}


@pytest.mark.parametrize("form", ACTIONS)
def test_forms_of_actions(form: str) -> None:
    def program(envpool: Any) -> Any:
        env = envpool.make_gymnasium("CartPole-v1", num_envs=4)
        env.reset()
        try:
            return describe(env.step(ACTIONS[form]))
        except RuntimeError:
            return RuntimeError

    mine, other = both(program)
    if form == "ids of int64":  # EnvPool refuses them, as its own tests require
        assert mine is RuntimeError
    assert mine == other


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("task_id", ["Pendulum-v1", "Ant-v5"])
def test_dtypes_of_continuous_actions(task_id: str, dtype: str) -> None:
    def program(envpool: Any) -> Any:
        env = envpool.make_gymnasium(task_id, num_envs=2)
        env.reset()
        return describe(env.step(np.ones((2, *env.action_space.shape), dtype)))

    mine, other = both(program)
    assert mine == other


def test_every_shared_id_is_listed() -> None:
    listed = set(ours.list_all_envs())
    assert set(IDS) <= listed
    for task_id in sorted(set(theirs.list_all_envs()) - listed):
        with pytest.raises(AssertionError, match=r"take |not in this package"):
            ours.make_spec(task_id)


def ids_of(family: Family) -> set[str]:
    """Return EnvPool's ids of a family."""
    specs = theirs.registration.registry.specs
    return {name for name, (module, *_) in specs.items() if module == f"envpool.{family.module}"}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_table_of_families(family: Family) -> None:
    there = ids_of(family)
    assert len(there) == family.ids[not IS_OLD]
    missing = there - set(ours.list_all_envs())
    if family.here == ALL:
        assert not missing
    elif family.here == WITHOUT_OLDER:
        old = {name for name in missing if name.endswith(("-v2", "-v3"))}
        assert missing - old == {"Pusher-v4"}
        assert len(old) == 11
        assert not any(name.endswith(("-v2", "-v3")) for name in there - missing)
    else:
        assert missing == there
    main = set(envpool_py.list_all_envs())
    if family.here == REFUSED:
        assert there <= main
    if family.here == REFUSED_BUT_WFC:
        assert {name for name in there - main if "-WFC-" in name} == there - main
        assert len(there - main) == 6
    if family.here == NONE:
        assert not there & main
        message = f"EnvPool's {family.name} tasks are not in this package"
        assert {missing_task(name) for name in there} <= {message}
    else:
        assert {missing_task(name) for name in there} == {""}


def test_every_family_is_in_the_table() -> None:
    assert set().union(*map(ids_of, FAMILIES)) == set(theirs.list_all_envs())


@pytest.mark.skipif(not IS_OLD, reason="EnvPool 1.2.7 has these settings and infos")
def test_what_taxi_lacks_in_envpool_1_2_5() -> None:
    settings = {"is_rainy", "rainy_probability", "fickle_passenger", "fickle_probability"}
    infos = {"prob", "action_mask"}
    assert "Taxi-v4" not in theirs.list_all_envs()

    def program(envpool: Any) -> Any:
        spec = envpool.make_spec("Taxi-v3", num_envs=2)
        config = {**spec.config._asdict(), "base_path": ""}
        arrays = {name: spec_of(each) for name, each in spec.state_array_spec.items()}
        env = envpool.make_gymnasium("Taxi-v3", num_envs=2)
        results = describe(env.reset()), describe(env.step(np.zeros(2, np.int32)))
        return config, arrays, results

    mine, other = both(program)
    assert mine[0].keys() - other[0].keys() == settings
    assert mine[1].keys() - other[1].keys() == {f"info:{name}" for name in infos}
    for name in settings:
        del mine[0][name]
    for name in infos:
        del mine[1][f"info:{name}"], mine[2][0][1][name], mine[2][1][4][name]
    assert mine == other


def test_rules_of_taxi() -> None:
    """Compares what a state and an action lead to, because the starts of episodes differ."""

    def program(envpool: Any) -> dict[tuple[int, int], Any]:
        env = envpool.make_gymnasium("Taxi-v3", num_envs=64, seed=3)
        states, infos = env.reset()
        rng = np.random.default_rng(0)
        seen = {}
        for _ in range(300):
            actions = rng.integers(6, size=64).astype(np.int32)
            masks = infos.get("action_mask")
            after, rewards, ends, _, infos = env.step(actions)
            for row in np.flatnonzero(infos["elapsed_step"]):
                result = [after[row], rewards[row], ends[row]]
                if not IS_OLD:
                    result += [*masks[row], infos["prob"][row]]
                seen[int(states[row]), int(actions[row])] = result
            states = after
        return seen

    mine, other = both(program)
    shared = mine.keys() & other.keys()
    assert len(shared) > 1000
    assert {pair: mine[pair] for pair in shared} == {pair: other[pair] for pair in shared}


def test_episodes_of_acrobot_have_its_angles() -> None:
    def program(envpool: Any) -> Any:
        env = envpool.make_gymnasium("Acrobot-v1", num_envs=3)
        env.reset()
        worst = 0.0
        for step in range(300):
            obs, *_, info = env.step(np.full(3, step % 3))
            angles = np.arctan2(obs[:, 1:4:2], obs[:, 0:3:2])
            apart = np.abs(angles - info["state"])
            worst = max(worst, float(np.minimum(apart, 2 * np.pi - apart).max()))
        return worst < 1e-6

    assert both(program) == [True, True]


def test_standing_up_is_always_rewarded() -> None:
    """The compat module adds one info that our task lacks and that is not zero."""

    def program(envpool: Any) -> Any:
        env = envpool.make_gymnasium("HumanoidStandup-v5", num_envs=2)
        env.reset()
        info = env.step(np.zeros((2, 17)))[4]
        return info["reward_alive"].tolist(), bool((info["reward_linup"] > 1).all())

    mine, other = both(program)
    assert mine == other


def test_a_runner_by_ids() -> None:
    """The loop of rl_games' wrapper: reset, send, recv and resets of ended episodes, all by ids."""

    def program(envpool: Any) -> Any:
        env = envpool.make(
            "Hopper-v4", env_type="gym", num_envs=4, batch_size=4, thread_affinity_offset=0,
            max_num_players=1, gym_reset_return_info=True,
        )  # fmt: skip
        ids = np.arange(4)
        forms, ends = [describe(env.reset(ids))], 0
        for _ in range(60):
            env.send(np.ones((4, *env.action_space.shape)), ids)
            results = env.recv()
            forms.append(describe(results))
            ended = ids[results[2] | results[3]]
            ends += len(ended)
            if len(ended):
                assert env.reset(ended)[1]["env_id"].tolist() == ended.tolist()
        return forms, ends > 0

    mine, other = both(program)
    assert mine == other
    assert mine[1]


def test_a_collector_that_resets_before_it_sends() -> None:
    """The calls of TorchRL's MultiThreadedEnv, in its order."""

    def program(envpool: Any) -> Any:
        env = envpool.make(task_id="CartPole-v1", env_type="gym", num_envs=4, max_num_players=1)
        forms = []
        for reset in ([0, 1, 2, 3], [0, 2]):
            forms.append(describe(env.reset(np.array(reset))))
            env.send(np.zeros(4, np.int64))
            forms.append(describe(env.recv()))
        spec = env.spec
        return forms, spec.config.max_num_players, spec.action_space, spec.observation_space

    mine, other = both(program)
    assert mine == other


def test_numbers_of_metaworlds_tasks() -> None:
    for number in (0, 7, 31, 49):
        task_id = ENVPOOL_CLASSES["MetaWorld"].ids[number]

        def program(envpool: Any, task_id: str = task_id) -> Any:
            env = envpool.make_gymnasium(task_id, num_envs=2)
            infos = env.reset()[1]
            env.close()
            return infos["task_id"].tolist(), env.spec.config.task_name

        mine, other = both(program)
        assert mine == other == ([number] * 2, METAWORLD_TASKS[number])


DISTANCES = {
    "FetchPush-v4": "norm",
    "HandReach-v3": "norm",
    "PointMaze_UMaze-v3": "norm",
    "HandManipulateBlock-v1": "pose",
    "HandManipulateEggRotate-v1": "pose",
    "HandManipulatePen-v1": "pose",
    "AdroitHandDoor-v1": "adroit",
    "AdroitHandHammer-v1": "adroit",
    "AdroitHandPen-v1": "adroit",
    "AdroitHandRelocate-v1": "adroit",
}


@pytest.mark.parametrize("task_id", DISTANCES)
def test_distances_are_those_of_envpool(task_id: str) -> None:
    """What is computed here from EnvPool's observations is EnvPool's info."""
    task = task_of(task_id)
    (rule,) = (rule for rule in ours.make_spec(task_id).infos if rule.name == "distance")
    env = theirs.make_gymnasium(task_id, num_envs=3, seed=2, max_episode_steps=6)
    observations, infos = env.reset()
    rng = np.random.default_rng(0)
    for _ in range(15):
        computed = rule.value(infos, observations, 3)
        np.testing.assert_allclose(computed, infos["distance"], rtol=1e-7, atol=1e-9)
        actions = rng.uniform(-1, 1, (3, *env.action_space.shape)).astype(np.float32)
        observations, *_, infos = env.step(actions)
    assert task.settings["reward_type"] == env.spec.config.reward_type
    env.close()
