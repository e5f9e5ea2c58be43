"""FrankaKitchen: wrong options, infos, saved states."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import NoAttributeError, OptionError

pytest.importorskip("mujoco")
# Not imported: that would change Gymnasium's registry, which parity/robotics_pair.py restores.
if importlib.util.find_spec("gymnasium_robotics") is None:
    pytest.skip("gymnasium_robotics is not installed", allow_module_level=True)
pytest.importorskip("envpool_py._mujoco")
pytestmark = pytest.mark.usefixtures("mujoco_log_elsewhere")

KITCHEN = "FrankaKitchen-v1"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"tasks_to_complete": ["kettle", "sink"]},
            r"tasks_to_complete: expected one or more of .*kettle.*, got sink",
        ),
        ({"tasks_to_complete": []}, "tasks_to_complete: expected one or more of .*, got none"),
        ({"frame_skip": 39}, "frame_skip"),
        ({"frame_skip": 44}, "frame_skip"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        envpool_py.make(KITCHEN, num_envs=1, **options)


def test_infos_are_those_of_the_goals() -> None:
    names = ["slide cabinet", "bottom burner", "kettle"]
    with envpool_py.make(KITCHEN, num_envs=2, tasks_to_complete=names) as pool:
        observations, infos = pool.reset(seed=0)
        assert list(observations["desired_goal"]) == sorted(names)
        assert infos["tasks_to_complete"].dtype == bool
        assert infos["tasks_to_complete"].tolist() == [[True] * 3] * 2
        for name in ("step_task_completions", "episode_task_completions"):
            assert infos[name].tolist() == [[False] * 3] * 2
        with pytest.raises(NoAttributeError, match="compute_reward"):
            pool.get_attr("compute_reward")


def test_saved_states_have_the_noise() -> None:
    """The next control depends on the noise of the latest observation."""
    actions = np.full((2, 9), 0.3)
    results = []
    with envpool_py.make(KITCHEN, num_envs=2) as first, envpool_py.make(KITCHEN, num_envs=2) as two:
        first.reset(seed=1)
        first.step(actions)
        two.reset(seed=9)
        two.load_states(first.save_states())
        for pool in (first, two):
            steps = [pool.step(actions)[0]["observation"] for _ in range(2)]
            results.append(np.stack(steps).tobytes())
    assert results[0] == results[1]
