"""The checks of envpool_py, and the rules of the game."""

import numpy as np

import envpool_py
from envpool_py.authoring.conformance.plugin import conformance_tests

TASK = "snake:Snake-v0"

test_conformance = conformance_tests(TASK)


def test_a_snake_that_turns_in_a_circle_grows_when_it_eats() -> None:
    with envpool_py.make(
        TASK, num_envs=16, seed=0, check_outputs=True, autoreset_mode="Disabled"
    ) as envs:
        boards, infos = envs.reset()
        assert (infos["length"] == 2).all()
        lengths = infos["length"]
        for step in range(60):
            boards, rewards, terminated, _, infos = envs.step(np.full(16, (1, 2, 3, 0)[step % 4]))
            np.testing.assert_array_equal(infos["length"] - lengths, rewards == 1.0)
            np.testing.assert_array_equal((boards > 0).sum((1, 2)), infos["length"] + 1)
            lengths = infos["length"]
            if terminated.any():
                break


def test_walls_end_the_game() -> None:
    with envpool_py.make(TASK, num_envs=2, seed=0, size=3) as envs:
        envs.reset()
        assert not envs.step([0, 1])[2][0]
        assert envs.step([0, 1])[2].all()


def test_states_of_the_library_are_saved() -> None:
    with envpool_py.make(TASK, num_envs=3, seed=4) as envs, envpool_py.make(TASK) as other:
        envs.reset()
        envs.step([0, 1, 2])
        seen, _ = other.load_states(envs.save_states([2]))
        assert (seen[0] == envs.step([1, 1, 1])[0][2]).sum() < 64  # the snake has moved
