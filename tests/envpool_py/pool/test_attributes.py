"""get_attr, set_attr and call for attributes of environments in the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    ClosedError,
    EnvIdError,
    EnvironmentFailedError,
    EnvPoolError,
    InputError,
    InputTypeError,
    NoAttributeError,
    StateError,
)
from envpool_py.pool.core import engine_core_of

Make = Callable[..., Any]

SPEED, LIVES, COLOR = 2, 3, 4  # columns of the observation of Testing/Attributed-v0
STAYS = np.zeros(3, np.int64)


def test_each_type(make: Make) -> None:
    pool = make("Attributed", num_envs=3)
    first = {each["name"]: each for each in engine_core_of(pool).attributes}
    assert list(first) == ["speed", "lives", "breaks", "color", "range", "refused"]
    assert [each["type"] for each in first.values()][:5] == ["float", "int", "bool", "str", "float"]
    assert first["range"]["elements"] == 2
    assert (first["lives"]["low"], first["lives"]["high"]) == (0.0, 9.0)
    assert first["color"]["choices"] == ["red", "blue"]
    expected: dict[str, tuple[Any, list[tuple[Any, Any]]]] = {
        "speed": (
            1.5,
            [(2, 2.0), (np.float32(0.5), 0.5), (np.array(2.5), 2.5), (-np.inf, -np.inf)],
        ),
        "lives": (3, [(np.int8(4), 4), (9, 9), (np.array(0), 0)]),
        "breaks": (False, [(True, True), (np.True_, True), (np.bool_(False), False)]),
        "color": ("red", [("blue", "blue"), (np.str_("red"), "red")]),
        "range": ((-1.0, 1.0), [(np.array([0, 3]), (0.0, 3.0)), (np.ones(2, "f4"), (1.0, 1.0))]),
    }
    for name, (value, given) in expected.items():
        assert pool.get_attr(name) == (value,) * 3
        assert {type(each) for each in pool.get_attr(name)} == {type(value)}
        for one, got in given:
            pool.set_attr(name, one)
            assert pool.get_attr(name) == (got,) * 3
            assert pool.call(name) == (got,) * 3
            assert {type(each) for each in pool.get_attr(name)} == {type(value)}
    # Like SyncVectorEnv, takes a list or a tuple as a value for each environment.
    pool.set_attr("range", [(0, 1), [2, 3], np.array([4.0, 5.0])])
    assert pool.get_attr("range") == ((0.0, 1.0), (2.0, 3.0), (4.0, 5.0))
    pool.set_attr("speed", (1, 2, 3))
    assert pool.get_attr("speed") == (1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    ("name", "values", "error", "message"),
    [
        ("speed", [1.0, 2.0], InputError, r"set_attr: speed: expected a list or tuple of 3 .* 2"),
        ("speed", [1.0] * 4, InputError, "got 4 values"),
        ("speed", (), InputError, "got 0 values"),
        ("speed", float("nan"), InputError, "speed, value 0: expected a number other than NaN"),
        ("speed", [1.0, 2.0, np.nan], InputError, "speed, value 2: .* got float nan"),
        ("speed", 10**400, InputError, "speed, value 0: expected a number"),
        ("speed", "fast", InputTypeError, "got str 'fast'"),
        ("speed", None, InputTypeError, "got NoneType None"),
        ("speed", True, InputTypeError, "got bool True"),
        ("speed", 1j, InputTypeError, "got complex 1j"),
        ("speed", np.ones(3), InputTypeError, "other than NaN, got numpy.ndarray"),
        ("lives", 10, InputError, r"expected an integer in \[0, 9\], got int 10"),
        ("lives", -1, InputError, r"expected an integer in \[0, 9\], got int -1"),
        ("lives", 3.0, InputTypeError, r"expected an integer in \[0, 9\], got float 3.0"),
        ("lives", [1, 2, True], InputTypeError, "lives, value 2: .* got bool True"),
        ("breaks", 1, InputTypeError, "breaks, value 0: expected a bool, got int 1"),
        ("color", "green", InputError, "expected one of 'red', 'blue', got str 'green'"),
        ("color", 3, InputTypeError, "expected one of 'red', 'blue', got int 3"),
        ("range", [(0, 1), (0, 1), (0,)], InputError, "range, value 2: expected 2 numbers"),
        ("range", [(0, 1), (0, 1), 1.0], InputTypeError, "range, value 2: expected 2 numbers"),
        ("range", [(0, 1), (0, 1), (-11, 0)], InputError, "of at least -10.0"),
        ("range", [(0, 1), (0, 1), (0, np.nan)], InputError, "range, value 2"),
        ("sped", 1.0, NoAttributeError, 'attributes that can be set: .*; did you mean "speed"'),
        ("np_random", 1, NoAttributeError, r"reset\(seed=...\) seeds"),
        ("np_random_seed", 1, NoAttributeError, r"reset\(seed=...\) sets"),
        ("render_mode", "rgb_array", NoAttributeError, "an argument of make"),
        ("observation_space", None, NoAttributeError, "an argument of make|belongs to the pool"),
        ("_max_episode_steps", 3, NoAttributeError, "an argument of make"),
    ],
)  # fmt: skip
def test_a_refused_call_changes_nothing(
    make: Make, name: str, values: Any, error: type[Exception], message: str
) -> None:
    pool = make("Attributed", num_envs=3)
    before = {each["name"]: each["value"] for each in engine_core_of(pool).attributes}
    with pytest.raises(error, match=message):
        pool.set_attr(name, values)
    for each, value in before.items():
        assert pool.get_attr(each) == (value,) * 3


def test_a_value_that_the_class_refuses(make: Make) -> None:
    pool = make("Attributed", num_envs=3)
    pool.set_attr("refused", [1.0, 2.0, 3.0])
    with pytest.raises(EnvPoolError, match="set_attr: environment 2: not 13"):
        pool.set_attr("refused", [4.0, 5.0, 13.0])
    assert pool.get_attr("refused") == (1.0, 2.0, 3.0)


def test_a_change_acts_in_the_next_step_and_stays(make: Make) -> None:
    pool = make("Attributed", num_envs=3, num_threads=2, max_episode_steps=4)
    pool.set_attr("speed", [1.0, 2.0, 3.0])  # before the first reset
    observations, _ = pool.reset()
    assert observations[:, 1].tolist() == [1.0, 2.0, 3.0]
    pool.set_attr("speed", 5.0)
    pool.set_attr("lives", [7, 8, 9])
    observations, rewards, *_ = pool.step(STAYS)
    assert rewards.tolist() == [5.0] * 3
    assert observations[:, 1].tolist() == [1.0, 2.0, 3.0]
    for _ in range(4):
        observations, *_ = pool.step(STAYS)
    assert observations[:, 0].tolist() == [0.0] * 3  # the next episode
    assert observations[:, 1].tolist() == [5.0] * 3
    assert observations[:, LIVES].tolist() == [7.0, 8.0, 9.0]


@pytest.mark.parametrize("check", [False, True])
def test_attributes_stay_when_an_environment_fails(make: Make, check: bool) -> None:
    pool = make("Attributed", num_envs=3, check_outputs=check)
    pool.reset()
    pool.set_attr("speed", [1.0, 2.0, 3.0])
    pool.set_attr("breaks", [False, True, False])
    with pytest.raises(EnvironmentFailedError, match="environment 1 failed: breaks is set"):
        pool.step(STAYS)
    assert pool.get_attr("speed") == (1.0, 2.0, 3.0)
    pool.set_attr("breaks", False)
    pool.set_attr("color", "blue")
    observations, _ = pool.reset([1])
    assert observations[0, 1:5].tolist() == [2.0, 2.0, 3.0, 1.0]
    _, rewards, *_ = pool.step(STAYS)
    assert rewards.tolist() == [1.0, 2.0, 3.0]


def test_in_flight(make: Make) -> None:
    pool = make("Attributed", num_envs=3, batch_size=2, num_threads=1)
    pool.async_reset()
    calls: list[Callable[[], Any]] = [
        lambda: pool.set_attr("speed", 4.0),
        lambda: pool.get_attr("speed"),
    ]
    for call in calls:
        with pytest.raises(EnvIdError, match="in flight"):
            call()
    pool.recv()
    with pytest.raises(EnvIdError, match="in flight"):
        pool.set_attr("speed", 4.0)
    pool.drain()
    assert pool.get_attr("speed") == (1.5,) * 3
    pool.set_attr("speed", 4.0)
    pool.send(STAYS)
    assert pool.recv()[1].tolist() == [4.0, 4.0]


def test_after_close(make: Make) -> None:
    pool = make("Attributed", num_envs=3)
    pool.close()
    calls: list[Callable[[], Any]] = [
        lambda: pool.set_attr("speed", 4.0),
        lambda: pool.get_attr("speed"),
    ]
    for call in calls:
        with pytest.raises(ClosedError):
            call()


def test_states_have_attributes(make: Make) -> None:
    pool = make("Attributed", num_envs=3)
    pool.reset()
    pool.set_attr("speed", [1.0, 2.0, 3.0])
    pool.step(STAYS)
    states = pool.save_states()
    pool.set_attr("speed", 7.0)
    pool.set_attr("lives", 1)
    pool.load_states([states[2], states[0], states[1]])
    assert pool.get_attr("speed") == (3.0, 1.0, 2.0)
    assert pool.get_attr("lives") == (3, 3, 3)
    assert pool.step(STAYS)[1].tolist() == [3.0, 1.0, 2.0]

    other = make("Attributed", num_envs=1)
    observations, *_ = other.load_states([states[1]])
    assert observations[0, SPEED] == 2.0
    assert other.get_attr("speed") == (2.0,)
    with pytest.raises(StateError, match="option"):
        make("Attributed", speed=3.0).load_states([states[1]])


def test_new_options_end_attributes(make: Make) -> None:
    pool = make("Attributed", num_envs=3, autoreset_mode="Disabled")
    pool.reset()
    pool.set_attr("speed", 7.0)
    pool.set_attr("lives", 1)
    pool.set_env_options([{"speed": 2.0}], env_id=[1])
    assert pool.step(STAYS)[1].tolist() == [7.0] * 3
    assert pool.get_attr("speed") == (7.0,) * 3
    observations, _ = pool.reset()
    assert observations[:, SPEED].tolist() == [7.0, 2.0, 7.0]
    assert pool.get_attr("speed") == (7.0, 2.0, 7.0)
    assert pool.get_attr("lives") == (1, 3, 1)
    pool.set_attr("speed", [1.0, 9.0, 1.0])
    assert pool.get_attr("speed") == (1.0, 9.0, 1.0)
    pool.reset(options={"env_options": {"speed": [4.0, 5.0, 1.5]}})
    # Environment 2 had these options already.
    assert pool.get_attr("speed") == (4.0, 5.0, 1.5)
    assert pool.get_attr("lives") == (3, 3, 3)


def test_from_the_beginning_with_options_of_each(make: Make) -> None:
    pool = make("Attributed", num_envs=3, env_options={"speed": [1.0, 2.0, 3.0]})
    assert pool.get_attr("speed") == (1.0, 2.0, 3.0)
    pool.set_attr("lives", 5)
    assert pool.get_attr("speed") == (1.0, 2.0, 3.0)
    assert pool.reset()[0][:, SPEED].tolist() == [1.0, 2.0, 3.0]


def test_a_copy_of_a_pool_is_as_from_make(make: Make) -> None:
    import copy

    pool = make("Attributed", num_envs=3)
    pool.set_attr("speed", 7.0)
    with copy.copy(pool) as other:
        assert other.get_attr("speed") == (1.5,) * 3


def test_an_attribute_precedes_the_option_of_its_name() -> None:
    with envpool_py.make("Pendulum-v1", num_envs=2, g=9.5) as pool:
        assert pool.get_attr("g") == (9.5, 9.5)
        pool.set_attr("g", [3.0, 4.0])
        assert pool.get_attr("g") == (3.0, 4.0)
        assert pool.config["g"] == 9.5
        assert pool.get_env_options() == [{"g": 9.5, "version": 1}] * 2


@pytest.mark.parametrize(
    ("task", "name", "message"),
    [
        ("CartPole-v1", "state", "save_states"),
        ("CartPole-v1", "grvity", 'did you mean "gravity"'),
        ("FrozenLake-v1", "P", "the rules are in the engine"),
        ("FrozenLake-v1", "s", "the observation is the state"),
        ("FrozenLake-v1", "nrow", "desc is the map"),
        ("FrozenLake-v1", "desc", "set_env_options changes the option desc"),
        ("Taxi-v3", "rainy_probability", "set_env_options changes the option rainy_probability"),
        ("Blackjack-v1", "player", "save_states"),
        ("LunarLander-v3", "world", "save_states"),
        ("LunarLander-v3", "lander", "save_states"),
        ("LunarLander-v3", "continuous", "set_env_options changes the option continuous"),
        ("MiniGrid-Empty-5x5-v0", "grid", "observation="),
        ("MiniGrid-Empty-5x5-v0", "agent_view_size", "option agent_view_size"),
    ],
)
def test_names_that_cannot_be_honoured(task: str, name: str, message: str) -> None:
    with envpool_py.make(task, num_envs=2) as pool, pytest.raises(NoAttributeError, match=message):
        pool.set_attr(name, 1)


def test_a_wrapped_pool() -> None:
    with envpool_py.make("CartPole-v1", num_envs=2, autoreset_mode="SameStep") as pool:
        wrapped = envpool_py.FinalObsPerEnv(pool)
        wrapped.set_attr("length", [0.3, 0.4])
        assert wrapped.get_attr("length") == (0.3, 0.4)
        assert wrapped.call("length") == (0.3, 0.4)


def test_one_environment_as_gymnasium_makes_it() -> None:
    ours = gymnasium.make("EnvPool/CartPole-v1")
    theirs = gymnasium.make("CartPole-v1")
    for env in (ours, theirs):
        env.reset(seed=3)
        assert env.unwrapped.gravity == 9.8  # type: ignore[attr-defined]
        env.unwrapped.gravity = 3.0  # type: ignore[attr-defined]
        assert env.get_wrapper_attr("gravity") == 3.0
        env.set_wrapper_attr("length", 0.8)
    for _ in range(3):
        np.testing.assert_array_equal(ours.step(1)[0], theirs.step(1)[0])
    with pytest.raises(NoAttributeError, match="save_states"):
        ours.unwrapped.state = 1  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="NaN"):
        ours.unwrapped.tau = float("nan")  # type: ignore[attr-defined]
    assert ours.unwrapped.tau == 0.02  # type: ignore[attr-defined]
    ours.close()
    theirs.close()


def test_environments_of_one_pool_do_not_touch_each_other() -> None:
    """With many environments, many threads and values of their own."""
    count, steps = 64, 30
    lengths = np.linspace(0.1, 2.0, count).tolist()
    actions = np.random.default_rng(3).integers(2, size=(steps, count))
    with envpool_py.make("CartPole-v1", num_envs=count, num_threads=4) as pool:
        pool.reset(seed=0)
        pool.set_attr("length", lengths)
        seen = np.stack([pool.step(row)[0] for row in actions])
    for env in (0, 17, 63):
        with envpool_py.make("CartPole-v1", num_threads=1) as alone:
            alone.reset(seed=env)
            alone.set_attr("length", lengths[env])
            own = np.stack([alone.step(row[[env]])[0][0] for row in actions])
        np.testing.assert_array_equal(seen[:, env], own)
