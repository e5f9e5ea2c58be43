"""The interfaces to the suite's tasks: dm_env's time steps and specs, Shimmy's infos."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool_py

pytest.importorskip("mujoco")
pytest.importorskip("dm_control")
pytest.importorskip("envpool_py._mujoco")

from .suite_pair import actions_of, assert_bits, reference


def assert_same_step(ours: Any, theirs: Any, row: int, where: str) -> None:
    assert list(ours.observation.obs) == list(theirs.observation), where
    for name, value in theirs.observation.items():
        assert_bits(ours.observation.obs[name][row], value, f"{where}, {name}")
    assert ours.step_type[row] == theirs.step_type, where
    # In a first step the suite's reward and discount are None.
    assert ours.reward[row] == (theirs.reward or 0.0), where
    assert ours.discount[row] == (1.0 if theirs.discount is None else theirs.discount), where


@pytest.mark.parametrize("task_id", ["WalkerWalk-v1", "FingerTurnEasy-v1", "PendulumSwingup-v1"])
def test_time_steps(task_id: str) -> None:
    env = reference(task_id, 3)
    env._step_limit = 6
    rng = np.random.default_rng(0)
    with envpool_py.make_dm(task_id, num_envs=2, seed=3, max_episode_steps=6) as pool:
        assert pool.observation_spec()._fields == ("obs", "env_id", "elapsed_step")
        assert_same_step(pool.reset(), env.reset(), 0, task_id)
        for step in range(16):
            actions = actions_of(task_id, rng, 2)
            where = f"{task_id}, step {step}"
            assert_same_step(pool.step(actions), env.step(actions[0]), 0, where)


@pytest.mark.parametrize("options", [{}, {"flat_observation": True}])
def test_specs_of_a_pool(options: dict[str, Any]) -> None:
    theirs = reference("QuadrupedWalk-v1", 0, options).observation_spec()
    with envpool_py.make_dm("QuadrupedWalk-v1", num_envs=3, **options) as pool:
        ours = pool.observation_spec().obs
        assert list(ours) == list(theirs)
        for name, spec in theirs.items():
            assert (type(ours[name]), ours[name].name) == (type(spec), spec.name)
            assert (ours[name].shape, ours[name].dtype) == ((3, *spec.shape), spec.dtype)


def test_termination_has_discount_0() -> None:
    """Uses LQR, which terminates when a control that brakes the mass brings it to rest."""
    task_id = "LqrLqr21-v1"
    env = reference(task_id, 1)
    theirs = env.reset()
    with envpool_py.make_dm(task_id, num_envs=1, seed=1) as pool:
        ours = pool.reset()
        for step in range(5000):
            action = -5.0 * ours.observation.obs["velocity"][:, :1]
            ours, theirs = pool.step(action), env.step(action[0])
            assert_same_step(ours, theirs, 0, f"step {step}")
            if theirs.last():
                break
        assert theirs.last()
        assert theirs.discount == 0.0
        assert_same_step(pool.step(action), env.step(action[0]), 0, "the next episode")


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("options", [{}, {"frame_stack": 2}])
def test_infos_of_shimmy(mode: str, options: dict[str, Any]) -> None:
    compatibility = pytest.importorskip("shimmy.dm_control_compatibility")
    inner = reference("WalkerWalk-v1", 5)
    inner._step_limit = 4
    env = compatibility.DmControlCompatibilityV0(inner)
    _, infos = env.reset()
    with envpool_py.make(
        "dm_control/walker-walk-v0", seed=5, max_episode_steps=4, autoreset_mode=mode, **options
    ) as pool:
        assert_infos(pool.reset()[1], infos)
        ended = False
        for action in np.random.default_rng(0).uniform(-1, 1, (11, 1, 6)):
            *_, flags, ours = pool.step(action)
            if ended and mode == "NextStep":
                _, infos = env.reset()
                ended = False
            else:
                *_, ended, infos = env.step(action[0])
                if ended and mode == "SameStep":
                    assert flags[0]
                    assert_infos(ours["final_info"], infos)
                    _, infos = env.reset()
                    ended = False
            assert_infos(ours, infos)


def assert_infos(ours: Any, theirs: Any) -> None:
    discount = theirs["timestep.discount"]
    assert_bits(ours["timestep.discount"], np.array([1.0 if discount is None else discount]), "")
    assert_bits(
        ours["timestep.step_type"], np.array([int(theirs["timestep.step_type"])], np.int32), ""
    )
    assert set(theirs) <= set(ours)
