"""Pools whose environments differ in their constructor options."""

from __future__ import annotations

import copy
import json
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv
from numpy.typing import NDArray

import envpool_py
from envpool_py.errors import EnvIdError, OptionError, OptionTypeError, StateError

from ..trajectories import actions_of, trajectory

N = 16

# A task of each family with eight settings.
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "Pendulum-v1": [{"g": 1.5 * k} for k in range(8)],
    "CartPole-v1": [{"sutton_barto_reward": k % 2 == 1} for k in range(8)],
    "FrozenLake-v1": [
        {"desc": lake, "is_slippery": slips}
        for slips in (True, False)
        for lake in (
            ["SFFF", "FHFH", "FFFH", "HFFG"],
            ["SF", "FG"],
            ["SFF", "FFF", "FFG"],
            ["SFFFFG"],
        )
    ],
    "LunarLander-v3": [{"gravity": -10.0 + k, "enable_wind": k > 4} for k in range(8)],
    "HalfCheetah-v5": [{"forward_reward_weight": 1.0 + k} for k in range(8)],
    "Hopper-v5": [{"model": {"body_mass": {"torso": 3.0 + k}}} for k in range(8)],
    "CartpoleSwingup-v1": [{"model": {"body_mass": {"cart": 1.0 + k}}} for k in range(8)],
    "CheetahRun-v1": [{"time_limit": 0.1 + 0.1 * k} for k in range(8)],
    "MiniGrid-Dynamic-Obstacles-8x8-v0": [{"n_obstacles": k} for k in range(1, 9)],
    "Pong-v5": [{"mode": k % 2, "difficulty": k // 2 % 2} for k in range(8)],
}
# Threads and rows of a batch, by autoreset mode. First-ready pools have no mode Disabled.
MODES = {"NextStep": [(1, N), (4, 4)], "SameStep": [(4, N), (4, 4)], "Disabled": [(4, N)]}


def check_against_pools_of_their_own(
    task: str, settings: list[dict[str, Any]], steps: int, max_episode_steps: int | None
) -> None:
    """Compares pools of N environments, one for each mode, with a pool for each of the settings,
    bit for bit.
    """
    limits = {} if max_episode_steps is None else {"max_episode_steps": max_episode_steps}
    each = [settings[env % len(settings)] for env in range(N)]
    for autoreset, kinds in MODES.items():
        common = {"autoreset_mode": autoreset, **limits}
        expected: dict[int, Any] = {}
        for threads, batch in kinds:
            with envpool_py.make(
                task, num_envs=N, batch_size=batch, num_threads=threads, env_options=each, **common
            ) as pool:
                actions = actions_of(pool, steps)
                if task.startswith("Lqr"):  # actions up to 1e10, at which its physics diverges
                    actions = [action / 1e10 for action in actions]
                whole = trajectory(pool, list(range(N)), list(range(N)), actions)
            for first, own in enumerate([] if expected else settings):
                envs = list(range(first, N, len(settings)))
                with envpool_py.make(
                    task, num_envs=len(envs), num_threads=1, **common, **own
                ) as alone:
                    expected |= trajectory(alone, envs, envs, actions)
            for env in range(N):
                assert len(whole[env]) > steps / 2
                wanted = expected[env][: len(whole[env])]
                assert whole[env] == wanted, (autoreset, threads, batch, env, each[env])


@pytest.mark.parametrize("task", SETTINGS)
def test_each_environment_is_as_in_a_pool_of_its_own(task: str) -> None:
    check_against_pools_of_their_own(task, SETTINGS[task], 60, 25)


def other_values(option: Any) -> list[Any]:
    """Returns values for an option of any task, beside its default."""
    kind, default = option.type.removesuffix(" or None"), option.default
    if kind == "bool":
        return [not default]
    if option.choices:
        return [choice for choice in option.choices if choice != default]
    if kind in ("int", "float") and default is not None:
        step = 1 if kind == "int" else 0.125 * (abs(default) or 1.0)
        low = -np.inf if option.low is None else option.low
        high = np.inf if option.high is None else option.high
        return [value for value in (default + step, default - step) if low <= value <= high]
    return []


def settings_of(task: str) -> list[dict[str, Any]]:
    """Returns up to eight settings of a task that can be in one pool, each with some options."""
    settings: list[dict[str, Any]] = [{}]
    for name, option in envpool_py.make_spec(task).options.items():
        for value in other_values(option):
            wanted = {**settings[-1], name: value}
            try:
                with envpool_py.make(task, num_envs=8, env_options=[{}, *[wanted] * 7]) as pool:
                    pool.reset(seed=0)
            except envpool_py.errors.EnvPoolError:
                continue  # another space, or values that do not fit together
            settings.append(wanted)
            break
        if len(settings) == 8:
            break
    return settings


@pytest.mark.long
@pytest.mark.parametrize("task", envpool_py.list_all_envs())
def test_every_task_in_a_pool_of_several_settings(task: str) -> None:
    if envpool_py.make_spec(task).players is not None:
        pytest.skip("the comparison is for environments of one player")
    check_against_pools_of_their_own(task, settings_of(task), 500, None)


OF_GYMNASIUM = ["Pendulum-v1", "CartPole-v1", "FrozenLake-v1", "LunarLander-v3", "HalfCheetah-v5"]


@pytest.mark.numbers
@pytest.mark.filterwarnings("ignore")  # from SWIG, which wraps the Box2D of the reference
@pytest.mark.parametrize("task", OF_GYMNASIUM)
def test_as_environments_of_gymnasium(task: str) -> None:
    settings = SETTINGS[task]
    reference = SyncVectorEnv(
        [lambda own=own: gymnasium.make(task, **own) for own in settings],  # type: ignore[misc]
        observation_mode="different",
    )
    with envpool_py.make(task, num_envs=8, env_options=settings) as pool:
        ours, theirs = pool.reset(seed=3)[0], reference.reset(seed=3)[0]
        np.testing.assert_array_equal(ours, np.stack(theirs))
        for action in actions_of(pool, 250):
            mine, others = pool.step(action), reference.step(action)
            np.testing.assert_array_equal(mine[0], np.stack(others[0]))
            for column in range(1, 4):
                np.testing.assert_array_equal(mine[column], others[column])
        if task == "Pendulum-v1":
            assert pool.get_attr("g") == reference.get_attr("g")


def test_bounds_are_the_widest() -> None:
    lakes = [["SF", "FG"], ["SFF", "FFG"]]
    with envpool_py.make("FrozenLake-v1", num_envs=2, env_options={"desc": lakes}) as pool:
        assert pool.single_observation_space == gymnasium.spaces.Discrete(6)
        assert [options["desc"] for options in pool.get_env_options()] == lakes
        assert pool.spec is not None
        again = gymnasium.make_vec(json.loads(json.dumps(pool.spec.kwargs)) and pool.spec)
        assert again.get_attr("desc") == pool.get_attr("desc")  # type: ignore[attr-defined]
        again.close()
        twin = copy.copy(pool)
        assert twin.get_env_options() == pool.get_env_options()
        twin.close()


# --- New options from the next episode on


def gravities(pool: Any, **arguments: Any) -> list[float]:
    return [options["g"] for options in pool.get_env_options(**arguments)]


def test_new_options_apply_from_the_next_reset_on() -> None:
    actions = np.zeros((3, 1), np.float32)
    with envpool_py.make("Pendulum-v1", num_envs=3, seed=0, g=10.0) as pool:
        first, _ = pool.reset()
        before = pool.step(actions)[0]
        pool.set_env_options({"g": [0.0, 1.0]}, [0, 2])
        assert gravities(pool) == [10.0, 10.0, 10.0]
        assert gravities(pool, after_reset=True) == [0.0, 10.0, 1.0]
        pool.reset(options={"reset_mask": np.array([True, False, False])})
        assert gravities(pool) == [0.0, 10.0, 10.0]
        pool.reset(seed=0)
        assert gravities(pool) == [0.0, 10.0, 1.0]
        after = pool.step(actions)[0]
        np.testing.assert_array_equal(after[1], before[1])
        assert (after[[0, 2]] != before[[0, 2]]).any(axis=1).all()
        # The generators go on: the pool draws what it would have drawn.
        pool.set_env_options({"g": 10.0})
        np.testing.assert_array_equal(pool.reset(seed=0)[0], first)
        np.testing.assert_array_equal(pool.step(actions)[0], before)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_automatic_resets_take_over_new_options(mode: str) -> None:
    with envpool_py.make(
        "Pendulum-v1", num_envs=2, autoreset_mode=mode, max_episode_steps=3
    ) as pool:
        pool.reset(seed=1)
        pool.set_env_options({"g": 2.0})
        actions = np.zeros((2, 1), np.float32)
        seen = []
        for _ in range(4):
            pool.step(actions)
            seen.append(gravities(pool)[0])
        assert seen == ([10.0, 10.0, 10.0, 2.0] if mode == "NextStep" else [10.0, 10.0, 2.0, 2.0])


def test_options_of_environments_in_flight() -> None:
    with envpool_py.make(
        "Pendulum-v1", num_envs=4, batch_size=2, num_threads=2, max_episode_steps=1
    ) as pool:
        pool.reset(seed=0)
        pool.send(np.zeros((4, 1), np.float32))
        pool.set_env_options({"g": np.arange(4.0)})
        assert gravities(pool, after_reset=True) == [0.0, 1.0, 2.0, 3.0]
        with pytest.raises(EnvIdError, match="in flight"):
            pool.get_env_options()
        for _ in range(3):
            for _ in range(2):
                infos = pool.recv()[4]
                pool.send(np.zeros((2, 1), np.float32), infos["env_id"])
        pool.drain()
        assert gravities(pool) == [0.0, 1.0, 2.0, 3.0]


def test_options_with_a_reset() -> None:
    with envpool_py.make("Pendulum-v1", num_envs=3) as pool:
        pool.reset(seed=0, options={"env_options": {"g": [1.0, 2.0, 3.0]}})
        assert gravities(pool) == [1.0, 2.0, 3.0]
        mask = np.array([False, True, False])
        pool.reset(options={"env_options": {"g": [7.0, 8.0, 9.0]}, "reset_mask": mask})
        assert gravities(pool, after_reset=True) == [1.0, 8.0, 3.0]
        pool.reset([2], options={"env_options": [{"g": 4.0}], "x_init": 0.1, "y_init": 0.1})
        assert gravities(pool) == [1.0, 8.0, 4.0]
        with pytest.raises(OptionError):
            pool.reset(options={"env_options": {"g": 0.0}, "x_init": -1.0})
        assert gravities(pool, after_reset=True) == [1.0, 8.0, 4.0]


def test_environments_that_are_stepped_together_keep_their_own_options() -> None:
    gravity = [3.0 + index / 4.0 for index in range(21)]
    actions = np.random.default_rng(1).uniform(-2.0, 2.0, (30, 21, 1)).astype(np.float32)
    with envpool_py.make("Pendulum-v1", num_envs=21, env_options={"g": gravity}) as pool:
        pool.reset(seed=list(range(21)))
        together = [pool.step(each)[:2] for each in actions]
    for index, own in enumerate(gravity):
        with envpool_py.make("Pendulum-v1", num_envs=1, g=own) as pool:
            pool.reset(seed=[index])
            for step, (observation, reward) in enumerate(together):
                alone = pool.step(actions[step, index : index + 1])
                np.testing.assert_array_equal(alone[0][0], observation[index])
                assert alone[1][0] == reward[index]


def test_states_belong_to_their_options() -> None:
    with envpool_py.make("Pendulum-v1", num_envs=2, env_options={"g": [1.0, 2.0]}) as pool:
        pool.reset(seed=0)
        states = pool.save_states()
        expected = pool.step(np.ones((2, 1), np.float32))
        pool.load_states(states)
        again = pool.step(np.ones((2, 1), np.float32))
        np.testing.assert_array_equal(again[0], expected[0])
        with pytest.raises(StateError, match="option g=2"):
            pool.load_states(states[:1], [1])
        pool.set_env_options({"g": 1.0}, [1])
        pool.load_states(states[:1], [1])
        assert gravities(pool) == [1.0, 1.0]


def test_pictures_of_environments_that_differ() -> None:
    pytest.importorskip("pygame")
    lakes = [["SF", "FG"], ["SFFF", "FFFG"]]

    def drawn(**arguments: Any) -> tuple[NDArray[np.uint8], ...]:
        with envpool_py.make("FrozenLake-v1", render_mode="rgb_array", **arguments) as pool:
            pool.reset(seed=0)
            return pool.render()

    both = drawn(num_envs=2, env_options={"desc": lakes})
    for lake, picture in zip(lakes, both, strict=True):
        np.testing.assert_array_equal(picture, drawn(num_envs=1, desc=lake)[0])


# --- Wrong input

WRONG: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("Pendulum-v1", {"env_options": [{}]}, OptionError, "a mapping for each of 2 environments"),
    ("Pendulum-v1", {"env_options": {"g": [1.0]}}, OptionError, r"\['g'\]: expected 2 values"),
    ("Pendulum-v1", {"env_options": {"g": 1.0}}, OptionTypeError, "a sequence of 2 values"),
    ("Pendulum-v1", {"env_options": 3}, OptionTypeError, "expected a sequence of mappings"),
    ("Pendulum-v1", {"env_options": [{}, 1]}, OptionTypeError, r"env_options\[1\]"),
    (
        "Pendulum-v1",
        {"env_options": [{}, {"gravity": 1.0}]},
        OptionError,
        'environment 1: Pendulum-v1 has no option "gravity"',
    ),
    ("Pendulum-v1", {"env_options": [{}, {"g": "x"}]}, OptionTypeError, 'environment 1: .*"g"'),
    (
        "Pendulum-v1",
        {"env_options": [{"num_threads": 1}, {}]},
        OptionError,
        "'num_threads' is an argument of the whole pool",
    ),
    (
        "Pong-v5",
        {"env_options": {"stack_num": [4, 2]}},
        OptionError,
        r"environments 0 and 1 of Pong-v5 .*observation: shape \(4, 84, 84\) and \(2, 84, 84\)",
    ),
    (
        "LunarLander-v3",
        {"env_options": {"continuous": [False, True]}},
        OptionError,
        "environments 0 and 1 .*action: kind discrete and box",
    ),
]


@pytest.mark.parametrize(("task", "arguments", "error", "message"), WRONG)
def test_wrong_options(
    task: str, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        envpool_py.make(task, num_envs=2, **arguments)


def test_refused_options_change_nothing() -> None:
    with envpool_py.make("FrozenLake-v1", num_envs=2) as pool:
        pool.reset(seed=0)
        before = pool.get_env_options(after_reset=True)
        small, large = ["SF", "FG"], ["SFFFFFFFF"] * 8 + ["FFFFFFFFG"]
        with pytest.raises(
            OptionError, match=r"environment 1 would not fit into the pool: .*bounds"
        ):
            pool.set_env_options({"desc": [small, large]})
        with pytest.raises(OptionError, match='environment 0: FrozenLake-v1 has no option "x"'):
            pool.set_env_options({"x": 1})
        with pytest.raises(EnvIdError, match=r"env_id\[1\]"):
            pool.set_env_options([{"desc": small}] * 2, [0, 5])
        assert pool.get_env_options(after_reset=True) == before
        pool.set_env_options({"desc": [small, small]})
        assert pool.reset()[0].tolist() == [0, 0]
        assert [options["desc"] for options in pool.get_env_options()] == [small, small]
