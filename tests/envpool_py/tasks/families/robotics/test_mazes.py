"""The mazes of Gymnasium-Robotics: wrong maps and cells, models, environments that differ."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    EnvironmentFailedError,
    InputError,
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

POINT = "PointMaze_UMaze-v3"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "maze_map: expected at least one cell, got none"),
        ([""], "maze_map: expected at least one cell, got none"),
        (["111", "1r"], r"rows of equal length, got 3 cells in row 0 and 2 in row 1"),
        (["111", "1x1"], r'got "1x1" as row 1, with another letter in cell \(1, 1\)'),
        (["111"], r"expected a cell for goals \(g or c, or in most tasks 0\), got none"),
        (["0" * 101] * 100, "at most 10000 cells, got 10100"),
    ],
)
def test_wrong_maps(rows: list[str], message: str) -> None:
    for task_id in (POINT, "AntMaze_UMaze-v5"):
        with pytest.raises(OptionError, match=message):
            envpool_py.make(task_id, num_envs=1, maze_map=rows)


def test_a_map_without_starts_in_the_first_version() -> None:
    rows = ["11111", "1g001", "11111"]
    envpool_py.make("AntMaze_UMaze-v4", num_envs=1, maze_map=rows).close()
    with pytest.raises(OptionError, match=r"expected a cell for the agent .*, got none"):
        envpool_py.make("AntMaze_UMaze-v3", num_envs=1, maze_map=rows)


def test_a_map_of_another_type() -> None:
    with pytest.raises(OptionTypeError, match="maze_map"):
        envpool_py.make(POINT, maze_map=[[1, 1], [1, 0]])


def test_a_map_with_one_cell_for_both() -> None:
    """The reference draws forever, because no start is far enough from the goal."""
    with envpool_py.make(POINT, num_envs=2, maze_map=["111", "1c1", "111"]) as pool:
        with pytest.raises(EnvironmentFailedError, match=r"farther than 0.5\d* m from the goal"):
            pool.reset(seed=0)
        # A named start needs no distance, in the reference either.
        pool.reset(seed=0, options={"reset_cell": [1, 1]})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"goal_cell": [0, 2]},
            r"goal_cell: .* 5 rows and 5 columns, got \(0, 2\), which is a wal",
        ),
        (
            {"reset_cell": [2, 1]},
            r"reset_cell: expected a free cell .*, got \(2, 1\), which is a w",
        ),
        ({"goal_cell": [5, 1]}, r"goal_cell: expected a free cell .*, got \(5, 1\)"),
        ({"reset_cell": [1, -1]}, r"reset_cell: expected a free cell .*, got \(1, -1\)"),
    ],
)
def test_wrong_cells(options: dict[str, Any], message: str) -> None:
    with envpool_py.make(POINT, num_envs=2) as pool:
        pool.reset(seed=0)
        with pytest.raises(EnvironmentFailedError, match=message):
            pool.reset(options=options)
        observations, _ = pool.reset(seed=0)
        assert np.isfinite(observations["desired_goal"]).all()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"goal_cell": [1]}, OptionError, r"goal_cell: expected a row and a column, got \[1\]"),
        ({"goal_cell": "1,1"}, OptionTypeError, "goal_cell"),
        ({"cell": [1, 1]}, OptionError, 'has no reset option "cell"; it takes: goal_cell reset'),
    ],
)
def test_wrong_reset_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with envpool_py.make(POINT, num_envs=2) as pool, pytest.raises(error, match=message):
        pool.reset(options=options)


def test_options_that_the_reference_refuses() -> None:
    with pytest.raises(UnknownOptionError, match="position_noise_range"):
        envpool_py.make(POINT, position_noise_range=0.1)
    with pytest.raises(UnknownOptionError, match="reset_target"):
        envpool_py.make("AntMaze_UMaze-v3", reset_target=True)
    with pytest.raises(OptionError, match=r'"reward_type": expected one of "sparse", "dense"'):
        envpool_py.make(POINT, reward_type="none")


def test_environments_that_differ() -> None:
    maps = [["11111", "1r0g1", "11111"], ["111", "1r1", "101", "1g1", "111"]]
    options = [{"maze_map": rows, "reward_type": "dense"} for rows in maps]
    with envpool_py.make(POINT, num_envs=2, env_options=options) as pool:
        observations, _ = pool.reset(seed=3)
        goals = observations["desired_goal"]
        assert np.abs(goals - [[1.0, 0.0], [0.0, -1.0]]).max() <= 0.25
        for _ in range(60):
            push = np.array([[1, 0], [0, -1]], np.float32)
            observations, rewards, *_ = pool.step(push)
        # The second point is one cell from its lower wall, the first one from its right wall.
        assert observations["achieved_goal"][0, 0] > 1.3
        assert observations["achieved_goal"][1, 1] < -1.3
        assert (rewards > 0).all()
        for env in range(2):
            one = pool.call(
                "compute_reward",
                observations["achieved_goal"][env],
                observations["desired_goal"][env],
                {},
            )
            assert one[env] == rewards[env]


def test_states_with_goals_that_move() -> None:
    with envpool_py.make(
        "PointMaze_Open_Diverse_GR-v3", num_envs=3, reset_target=True, max_episode_steps=200
    ) as pool:
        observations, _ = pool.reset(seed=1)
        goals = set()

        def follow(observations: Any) -> np.ndarray:
            way = observations["desired_goal"] - observations["achieved_goal"]
            return (3 * way - observations["observation"][:, 2:]).astype(np.float32)

        for _ in range(50):
            observations, *_ = pool.step(follow(observations))
        states = pool.save_states()
        runs = []
        for _ in range(2):
            observations, _ = pool.load_states(states)
            run = []
            for _ in range(60):
                observations, rewards, *_ = pool.step(follow(observations))
                goals.add(observations["desired_goal"].tobytes())
                run.append(observations["observation"].tobytes() + rewards.tobytes())
            runs.append(run)
        assert runs[0] == runs[1]
        assert len(goals) > 3


def test_methods_of_goals_need_goals() -> None:
    with envpool_py.make(POINT, num_envs=2) as pool:
        with pytest.raises(InputError, match=r"of one shape \(2,\) or \(..., 2\), got \(3,\)"):
            pool.call("compute_reward", np.zeros(3), np.zeros(3), {})
        with pytest.raises(InputError, match=r"call\('compute_reward'\): missing a required"):
            pool.call("compute_reward", np.zeros(2))
        with pytest.raises(InputError, match=r"call\('compute_truncated'\): got an unexpected"):
            pool.call("compute_truncated", np.zeros(2), np.zeros(2), infos={})
    with envpool_py.make("CartPole-v1") as pool:
        with pytest.raises(NoAttributeError, match=r"^compute_reward: "):
            pool.call("compute_reward", np.zeros(2), np.zeros(2), {})
        with pytest.raises(NoAttributeError, match=r"^compute_reward: "):
            pool.call("compute_reward")
        with pytest.raises(InputError, match="expected no arguments"):
            pool.call("gravity", 1.0)
