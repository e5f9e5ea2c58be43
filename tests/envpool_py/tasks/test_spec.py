"""envpool_py.make_spec: the description of a task without a pool."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, cast

import gymnasium
import numpy as np
import pytest
from dm_env import specs

import envpool_py
from envpool_py.errors import (
    InputTypeError,
    MissingPackageError,
    OptionError,
    OptionTypeError,
    UnknownTaskError,
)


def test_spec_of_cartpole() -> None:
    spec = envpool_py.make_spec("CartPole-v1")
    reference = gymnasium.make("CartPole-v1")
    assert spec.id == "CartPole-v1"
    assert spec.observation_space == reference.observation_space
    assert spec.action_space == reference.action_space
    assert spec.max_episode_steps == 500
    assert spec.reward_threshold == 475.0
    assert spec.frame_skip == 1
    assert spec.num_players == 1
    assert spec.infos == ()
    assert spec.action_out_of_bounds == "reject"
    assert list(spec.options) == ["sutton_barto_reward"]
    option = spec.options["sutton_barto_reward"]
    assert (option.name, option.type, option.default) == ("sutton_barto_reward", "bool", False)
    assert option.doc
    assert option.choices == ()
    assert set(spec.reset_options) == {"low", "high"}
    low = spec.reset_options["low"]
    assert (low.type, low.default) == ("float", -0.05)


@pytest.mark.parametrize("task_id", envpool_py.list_all_envs())
def test_every_spec_is_complete(task_id: str) -> None:
    try:
        spec = envpool_py.make_spec(task_id)
    except MissingPackageError as error:  # MaMuJoCo's need the models
        pytest.skip(str(error))
    assert spec.id == task_id
    assert spec.max_episode_steps is None or spec.max_episode_steps > 0
    assert spec.action_out_of_bounds in ("reject", "clip")
    for option in [*spec.options.values(), *spec.reset_options.values()]:
        assert option.doc, option.name
        kind = {
            "bool": bool,
            "int": int,
            "float": float,
            "str": str,
            "list of int": list,
            "list of float": list,
            "list of str": list,
            "dict of float": dict,
        }[option.type.removesuffix(" or None")]
        if option.type.endswith(" or None") and option.default is None:
            kind = type(None)
        assert type(option.default) is kind, option
        for bound in (option.low, option.high):
            assert bound is None or isinstance(bound, float)
        if option.choices and option.default is not None:
            assert option.default in option.choices
    # Giving every default changes nothing.
    defaults = {name: option.default for name, option in spec.options.items()}
    assert envpool_py.make_spec(task_id, **defaults) == spec


def test_dm_specs_describe_one_environment() -> None:
    spec = envpool_py.make_spec("CartPole-v1")
    observation = spec.observation_spec()
    assert observation.shape == (4,)
    assert observation.dtype == np.float32
    np.testing.assert_array_equal(observation.maximum, spec.observation_space.high)  # type: ignore[attr-defined]
    assert isinstance(spec.action_spec(), specs.DiscreteArray)
    torque = envpool_py.make_spec("Pendulum-v1").action_spec()
    assert torque.shape == (1,)
    np.testing.assert_array_equal(torque.minimum, [-2.0])


def test_spec_is_immutable() -> None:
    spec = envpool_py.make_spec("CartPole-v1")
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec.id = "Other-v0"  # type: ignore[misc]
    with pytest.raises(TypeError):
        cast("dict[str, Any]", spec.options)["g"] = 1
    assert isinstance(spec.options, Mapping)
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec.options["sutton_barto_reward"].default = True  # type: ignore[misc]


def test_specs_do_not_share_the_generators_of_their_spaces() -> None:
    first, second = envpool_py.make_spec("CartPole-v1"), envpool_py.make_spec("CartPole-v1")
    assert first.action_space is not second.action_space


def test_unknown_task_suggests_the_nearest() -> None:
    with pytest.raises(UnknownTaskError, match=r"Cartpole-v1.*CartPole-v1"):
        envpool_py.make_spec("Cartpole-v1")


def test_bad_options_are_named() -> None:
    with pytest.raises(OptionError, match=r"CartPole-v1.*suton_barto_reward.*sutton_barto_reward"):
        envpool_py.make_spec("CartPole-v1", suton_barto_reward=True)
    with pytest.raises(OptionTypeError, match=r"sutton_barto_reward.*expected bool.*got int 1"):
        envpool_py.make_spec("CartPole-v1", sutton_barto_reward=1)
    with pytest.raises(OptionTypeError, match=r"sutton_barto_reward.*bool.*object"):
        envpool_py.make_spec("CartPole-v1", sutton_barto_reward=object())
    with pytest.raises(OptionError, match="num_envs"):
        envpool_py.make_spec("CartPole-v1", num_env=8)


def test_task_id_must_be_a_string() -> None:
    with pytest.raises(InputTypeError, match=r"task_id: expected a str, got int 5"):
        envpool_py.make_spec(cast("str", 5))
