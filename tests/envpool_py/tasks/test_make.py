"""envpool_py.make and related functions: results and errors."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import Any

import dm_env
import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import envpool_py
from envpool_py.errors import (
    InputError,
    InputTypeError,
    OptionError,
    OptionTypeError,
    RenderModeError,
    UnknownOptionError,
    UnknownTaskError,
)
from envpool_py.pool.arguments import ARGUMENT_NAMES, PoolArguments
from envpool_py.pool.dm_pool import DmPool

CLASSIC_CONTROL = [
    "Acrobot-v1",
    "CartPole-v0",
    "CartPole-v1",
    "MountainCar-v0",
    "MountainCarContinuous-v0",
    "Pendulum-v1",
]


def make(task_id: Any = "CartPole-v1", *args: Any, **kwargs: Any) -> Any:
    return envpool_py.make(task_id, *args, **kwargs)


def test_the_signature_the_docstring_and_the_guide_have_every_argument() -> None:
    """Those of `make` are written out; everything else comes from `PoolArguments`."""
    tree = ast.parse(Path(inspect.getfile(envpool_py.make)).read_text())
    overloads = [each for each in tree.body if getattr(each, "name", "") == "make"]
    arguments = max(
        (each.args for each in overloads if isinstance(each, ast.FunctionDef)),
        key=lambda each: len(each.kwonlyargs),
    )
    names = [each.arg for each in arguments.kwonlyargs]
    defaults = [ast.literal_eval(each) for each in arguments.kw_defaults if each is not None]
    fields = PoolArguments.__dataclass_fields__
    assert ["num_envs", *names] == list(ARGUMENT_NAMES)
    assert defaults == [fields[name].default for name in names]
    documented = re.findall(r"^    (\w+): ", inspect.getdoc(envpool_py.make) or "", re.MULTILINE)
    assert [name for name in documented if name in fields] == list(ARGUMENT_NAMES)
    guide = (Path(__file__).parents[3] / "docs" / "first-steps.md").read_text()
    arguments_of_make = guide.partition("## A loop")[2]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", arguments_of_make, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"\w+", row)} == {
        "env_type",
        *ARGUMENT_NAMES,
    }


def test_list_all_envs_is_sorted_and_holds_classic_control() -> None:
    ids = envpool_py.list_all_envs()
    assert ids == sorted(ids)
    assert set(CLASSIC_CONTROL) <= set(ids)


def test_defaults() -> None:
    with envpool_py.make("CartPole-v1") as envs:
        assert isinstance(envs, envpool_py.GymnasiumPool)
        assert envs.num_envs == envs.batch_size == len(envs) == 1
        assert envs.num_threads >= 1
        assert envs.autoreset_mode is AutoresetMode.NEXT_STEP
        assert not envs.is_async
        assert envs.render_mode is None


def test_env_type_chooses_the_api() -> None:
    with make("CartPole-v1", "gymnasium") as envs:
        assert isinstance(envs, gymnasium.vector.VectorEnv)
    with make("CartPole-v1", "dm", 3) as envs:
        assert isinstance(envs, DmPool)
        assert isinstance(envs, dm_env.Environment)
        assert envs.num_envs == 3
    with envpool_py.make_gymnasium("CartPole-v1", num_envs=2) as gym_envs:
        assert isinstance(gym_envs, envpool_py.GymnasiumPool)
    with envpool_py.make_dm("CartPole-v1", num_envs=2) as dm_envs:
        assert isinstance(dm_envs, DmPool)


def test_arguments_reach_the_pool() -> None:
    with make(num_envs=np.int64(8), batch_size=np.int32(4), num_threads=np.uint8(2)) as envs:
        assert (envs.num_envs, envs.batch_size, envs.num_threads) == (8, 4, 2)
        assert envs.is_async
        assert len(envs) == 8


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_autoreset_mode_by_name_or_member(mode: AutoresetMode) -> None:
    for given in (mode, mode.value):
        with make(autoreset_mode=given) as envs:
            assert envs.autoreset_mode is mode
            assert envs.metadata["autoreset_mode"] is mode


def _first_truncation(envs: Any, limit: int) -> int | None:
    """Returns the number of steps until Pendulum, which never terminates, is truncated."""
    envs.reset(seed=0)
    for step in range(1, limit + 1):
        _, _, terminated, truncated, infos = envs.step(np.zeros((1, 1), np.float32))
        assert not terminated[0]
        assert infos["elapsed_step"][0] == step
        if truncated[0]:
            return step
    return None


@pytest.mark.parametrize(
    ("limit", "expected"), [(None, 200), (7, 7), (np.int16(3), 3), (1, 1), (-1, None)]
)
def test_max_episode_steps(limit: Any, expected: int | None) -> None:
    with make("Pendulum-v1", max_episode_steps=limit) as envs:
        assert _first_truncation(envs, 450) == expected


def test_options_reach_the_environment() -> None:
    with make(sutton_barto_reward=True) as envs:
        envs.reset(seed=0)
        assert envs.step(np.zeros(1, np.int64))[1][0] == 0.0
    with make() as envs:
        envs.reset(seed=0)
        assert envs.step(np.zeros(1, np.int64))[1][0] == 1.0


def test_seed_at_construction_equals_seed_at_reset() -> None:
    for seed in (5, np.int64(5), [5, 6, 7]):
        with make(num_envs=3, seed=seed) as envs, make(num_envs=3) as reseeded:
            np.testing.assert_array_equal(envs.reset()[0], reseeded.reset(seed=5)[0])


def test_seed_at_construction_serves_the_first_reset_only() -> None:
    with make(num_envs=3, seed=5) as envs:
        first = envs.reset()[0]
        assert not np.array_equal(first, envs.reset()[0])
        np.testing.assert_array_equal(first, envs.reset(seed=5)[0])


def test_without_a_seed_pools_differ() -> None:
    with make(num_envs=3) as envs, make(num_envs=3) as others:
        observations = envs.reset()[0]
        assert not np.array_equal(observations, others.reset()[0])
        assert len(np.unique(observations, axis=0)) == 3


@pytest.mark.parametrize(
    ("arguments", "error", "parts"),
    [
        ({"num_envs": 0}, InputError, ["num_envs", "[1, 2147483647]", "0"]),
        ({"num_envs": -3}, InputError, ["num_envs", "[1, 2147483647]", "-3"]),
        ({"num_envs": 2**31}, InputError, ["num_envs", "[1, 2147483647]", "2147483648"]),
        ({"num_envs": 2**70}, InputError, ["num_envs", "[1, 2147483647]", str(2**70)]),
        ({"num_envs": 2.0}, InputTypeError, ["num_envs", "integer", "float 2.0"]),
        ({"num_envs": True}, InputTypeError, ["num_envs", "integer", "bool True"]),
        ({"num_envs": np.True_}, InputTypeError, ["num_envs", "integer", "bool True"]),
        ({"num_envs": "8"}, InputTypeError, ["num_envs", "integer", "str '8'"]),
        ({"num_envs": None}, InputTypeError, ["num_envs", "integer", "None"]),
        ({"num_envs": 4, "batch_size": 5}, InputError, ["batch_size", "num_envs = 4", "5"]),
        ({"num_envs": 4, "batch_size": 0}, InputError, ["batch_size", "num_envs = 4", "0"]),
        ({"batch_size": 1.5}, InputTypeError, ["batch_size", "integer", "float 1.5"]),
        ({"batch_size": False}, InputTypeError, ["batch_size", "None", "bool False"]),
        ({"num_threads": 0}, InputError, ["num_threads", "None", "got 0"]),
        ({"num_threads": -1}, InputError, ["num_threads", "[1, ", "-1"]),
        ({"num_threads": 4097}, InputError, ["num_threads", "[1, 4096]", "4097"]),
        ({"num_threads": 2**40}, InputError, ["num_threads", "[1, 4096]", str(2**40)]),
        ({"num_threads": "auto"}, InputTypeError, ["num_threads", "integer", "str 'auto'"]),
        ({"seed": -1}, InputError, ["seed", "-1"]),
        ({"seed": 2**64}, InputError, ["seed", str(2**64)]),
        ({"seed": True}, InputTypeError, ["seed", "bool"]),
        ({"seed": 1.0}, InputTypeError, ["seed", "float"]),
        ({"seed": "7"}, InputTypeError, ["seed", "str"]),
        ({"seed": [1, 2]}, InputError, ["seed", "1", "2"]),
        ({"seed": [-1]}, InputError, ["seed", "-1"]),
        ({"seed": [True]}, InputTypeError, ["seed", "bool"]),
        ({"seed": [0.5]}, InputTypeError, ["seed", "float"]),
        ({"autoreset_mode": "samestep"}, InputError, ["autoreset_mode", "'SameStep'", "samestep"]),
        ({"autoreset_mode": "x"}, InputError, ["autoreset_mode", "'NextStep'", "'x'"]),
        ({"autoreset_mode": 1}, InputTypeError, ["autoreset_mode", "'Disabled'", "int 1"]),
        ({"autoreset_mode": None}, InputTypeError, ["autoreset_mode", "'Disabled'", "None"]),
        ({"max_episode_steps": 0}, InputError, ["max_episode_steps", "-1 (no limit)", "got 0"]),
        ({"max_episode_steps": -2}, InputError, ["max_episode_steps", "-1 (no limit)", "-2"]),
        ({"max_episode_steps": 2**31}, InputError, ["max_episode_steps", str(2**31)]),
        ({"max_episode_steps": True}, InputTypeError, ["max_episode_steps", "bool True"]),
        ({"max_episode_steps": 10.0}, InputTypeError, ["max_episode_steps", "float 10.0"]),
        ({"render_mode": "human"}, RenderModeError, ["render_mode", "None", "'human'"]),
        ({"env_type": "gymnasiun"}, InputError, ["env_type", "'dm'", "'gymnasiun'", '"gymnasium"']),
        ({"env_type": None}, InputTypeError, ["env_type", "'dm'", "None"]),
        ({"task_id": "Cartpole-v1"}, UnknownTaskError, ["Cartpole-v1", "CartPole-v1"]),
        ({"task_id": "CartPole"}, UnknownTaskError, ["CartPole"]),
        ({"task_id": b"CartPole-v1"}, InputTypeError, ["task_id", "str", "bytes"]),
        ({"num_env": 8}, UnknownOptionError, ["num_env", "num_envs"]),
        ({"num_thread": 8}, UnknownOptionError, ["num_thread", "num_threads"]),
        ({"autoreset": "SameStep"}, UnknownOptionError, ["autoreset", "autoreset_mode"]),
        ({"sutton_barto": True}, UnknownOptionError, ["sutton_barto", "sutton_barto_reward"]),
        ({"zzz": 1}, UnknownOptionError, ["unexpected keyword argument 'zzz'"]),
        ({"sutton_barto_reward": 1}, OptionTypeError, ["sutton_barto_reward", "bool", "int 1"]),
        ({"sutton_barto_reward": None}, OptionTypeError, ["sutton_barto_reward", "bool", "None"]),
    ],
    ids=str,
)
@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_bad_argument(
    env_type: str, arguments: dict[str, Any], error: type[Exception], parts: list[str]
) -> None:
    with pytest.raises(error) as caught:
        make(**{"task_id": "CartPole-v1", "env_type": env_type, **arguments})
    assert type(caught.value) is error
    for part in parts:
        assert part in str(caught.value)


def test_option_out_of_range() -> None:
    with pytest.raises(OptionError, match=r"Pendulum-v1.*\"g\".*nan"):
        make("Pendulum-v1", g=float("nan"))


def test_int_serves_as_float_option() -> None:
    with make("Pendulum-v1", g=5, seed=0) as envs, make("Pendulum-v1", g=5.0, seed=0) as others:
        envs.reset()
        others.reset()
        action = np.ones((1, 1), np.float32)
        np.testing.assert_array_equal(envs.step(action)[0], others.step(action)[0])


def test_same_step_is_no_dm_mode() -> None:
    for mode in ("SameStep", AutoresetMode.SAME_STEP):
        with pytest.raises(InputError, match=r"autoreset_mode: expected 'NextStep' or 'Disabled'"):
            envpool_py.make_dm("CartPole-v1", autoreset_mode=mode)
