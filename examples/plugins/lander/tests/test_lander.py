"""The checks of envpool_py, and the dynamics compared with an implementation in Python."""

import numpy as np
import pytest

import envpool_py
from envpool_py.authoring.conformance.plugin import conformance_tests
from envpool_py.errors import OptionError

TASK = "lander:Lander-v0"

test_conformance = conformance_tests(TASK)


def test_the_dynamics_are_those_of_the_reference() -> None:
    """Compares one environment, whose generator draws the same numbers as NumPy's."""
    with envpool_py.make(TASK, seed=5, check_outputs=True) as envs:
        state = envs.reset()[0][0]
        rng = np.random.default_rng(5)
        x, vx, vy = rng.uniform(-3, 3), rng.uniform(-1, 1), rng.uniform(-1, 0)
        angle, turn, y = rng.uniform(-0.2, 0.2), 0.0, 10.0
        assert state.tolist() == [x, y, vx, vy, angle, turn]
        for step in range(30):
            main, torque = np.cos(step) / 2 + 0.5, np.sin(step)
            state, rewards, *_ = envs.step(np.array([[main, torque]]))
            vx += 0.05 * (6 * main * np.sin(angle) + 0.2 * rng.normal())
            vy += 0.05 * (6 * main * np.cos(angle) - 1.6)
            turn += 0.05 * 2 * torque
            x, y, angle = x + 0.05 * vx, y + 0.05 * vy, angle + 0.05 * turn
            np.testing.assert_allclose(state[0], [x, y, vx, vy, angle, turn], rtol=1e-12)
            assert np.isfinite(rewards).all()


def test_a_reset_begins_at_the_height_that_is_asked_for() -> None:
    with envpool_py.make(TASK, num_envs=3) as envs:
        assert (envs.reset(options={"height": 3.5})[0][:, 1] == 3.5).all()
        with pytest.raises(OptionError, match="height"):
            envs.reset(options={"height": 1000.0})


def test_without_engines_it_crashes() -> None:
    with envpool_py.make(TASK, num_envs=4, seed=0, autoreset_mode="Disabled") as envs:
        envs.reset()
        for _ in range(400):
            _, rewards, terminated, _, _ = envs.step(np.full((4, 2), -1.0) * [1, 0])
            if terminated.any():
                assert (rewards[terminated] < -5).all()
                return
    raise AssertionError("nothing has landed")
