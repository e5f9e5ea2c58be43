"""AdroitHand: states that do not fit, and what the reference has and these environments lack."""

from __future__ import annotations

import importlib.util
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    EnvironmentFailedError,
    NoAttributeError,
    OptionError,
    OptionTypeError,
    UnknownOptionError,
)

pytest.importorskip("mujoco")
# Not imported: that would change Gymnasium's registry, which parity/robotics_pair.py restores.
if importlib.util.find_spec("gymnasium_robotics") is None:
    pytest.skip("gymnasium_robotics is not installed", allow_module_level=True)
pytest.importorskip("envpool_py._mujoco")
pytestmark = pytest.mark.usefixtures("mujoco_log_elsewhere")

DOOR = "AdroitHandDoor-v1"
STATE: dict[str, Any] = {"qpos": [0.0] * 30, "qvel": [0.0] * 30, "door_body_pos": [0.0, 0.3, 0.3]}


@pytest.mark.parametrize(
    ("state", "got"),
    [
        ({}, ""),
        ({**STATE, "qpos": [0.0] * 29}, r"door_body_pos \(3\), qpos \(29\), qvel \(30\)"),
        ({**STATE, "palm_pos": [0.0] * 3}, r".*palm_pos \(3\)"),
        ({**STATE, "qvel": np.zeros((5, 6))}, r".*qvel\(5, 6\) \(30\)"),
        ({"qpos": [0.0] * 30, "qvel": [0.0] * 30, "obj_pos": [0.0] * 3}, r"obj_pos \(3\), .*"),
    ],
)
def test_states_that_do_not_fit(state: dict[str, Any], got: str) -> None:
    expected = (
        r"initial_state_dict: expected arrays of these sizes: door_body_pos \(3\), qpos \(30\), "
        rf"qvel \(30\); got {got}"
    )
    with envpool_py.make(DOOR, num_envs=2) as pool:
        with pytest.raises(EnvironmentFailedError, match=expected):
            pool.reset(seed=0, options={"initial_state_dict": state})
        first, _ = pool.reset(seed=0, options={"initial_state_dict": STATE})
        again, _ = pool.reset(seed=1, options={"initial_state_dict": STATE})
        assert first.tobytes() == again.tobytes()
        drawn, _ = pool.reset(seed=0, options={"initial_state_dict": None})
        assert drawn.tobytes() == pool.reset(seed=0)[0].tobytes()


@pytest.mark.parametrize(
    ("state", "error"),
    [([0.0], OptionTypeError), ({"qpos": "zero"}, OptionTypeError), ({"qpos": [1e999]}, None)],
)
def test_states_of_other_types(state: Any, error: type[Exception] | None) -> None:
    with (
        envpool_py.make(DOOR, num_envs=1) as pool,
        pytest.raises(error or EnvironmentFailedError, match="initial_state_dict"),
    ):
        pool.reset(options={"initial_state_dict": state})


def test_options_that_the_reference_refuses() -> None:
    for name, value in (("default_camera_config", {"distance": 2.0}), ("frame_skip", 4)):
        with pytest.raises(UnknownOptionError, match=name):
            envpool_py.make(DOOR, **{name: value})
    with pytest.raises(OptionError, match=r'"reward_type": expected one of "dense", "sparse"'):
        envpool_py.make(DOOR, reward_type="none")


def test_methods_and_states_of_the_reference() -> None:
    """These tasks have no goals, so they lack the methods of those that do."""
    single: Any = gymnasium.make(f"EnvPool/{DOOR}").unwrapped
    assert not hasattr(single, "compute_reward")
    single.close()
    with envpool_py.make(DOOR, num_envs=1) as pool:
        with pytest.raises(NoAttributeError, match="compute_reward"):
            pool.get_attr("compute_reward")
        with pytest.raises(NoAttributeError, match="load_states"):
            pool.call("get_env_state")
        with pytest.raises(NoAttributeError, match="initial_state_dict"):
            pool.get_attr("set_env_state")


def test_environments_that_differ() -> None:
    actions = np.full((2, 28), 0.5, np.float32)
    with envpool_py.make(
        DOOR, num_envs=2, env_options=[{"reward_type": "sparse"}, {"reward_type": "dense"}]
    ) as pool:
        assert pool.get_attr("sparse_reward") == (True, False)
        pool.reset(seed=[3, 3])
        observations, rewards, *_ = pool.step(actions)
    assert observations[0].tobytes() == observations[1].tobytes()
    assert rewards[0] == -0.1
    assert rewards[1] != -0.1
