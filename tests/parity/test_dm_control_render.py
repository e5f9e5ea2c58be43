"""Pictures of the suite's tasks equal those of dm_control's physics.render, with the same EGL."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from envpool_py.tasks.families.dm_control.tasks import TASKS

pytest.importorskip("dm_control")
pytest.importorskip("envpool_py._mujoco")
pytestmark = [pytest.mark.numbers, pytest.mark.usefixtures("egl")]

ROOT = Path(__file__).resolve().parents[2]
# A light model, one changed at each reset, one with its own terrain; textures, a skin.
SHORT = {"CartpoleSwingup-v1", "SwimmerSwimmer6-v1", "QuadrupedEscape-v1", "FingerSpin-v1"}
CASES = [
    pytest.param(task_id, marks=[] if task_id in SHORT else [pytest.mark.long])
    for task_id in sorted(TASKS)
]

# Runs in a new process, because dm_control chooses its renderer on import.
SCRIPT = """
import sys
import numpy as np
from dm_control.suite.wrappers import pixels
import envpool_py
from tests.parity.suite_pair import actions_of, reference

task_id, options, render = sys.argv[1], eval(sys.argv[2]), eval(sys.argv[3])
theirs = [reference(task_id, seed) for seed in (3, 4)]
theirs = [pixels.Wrapper(env, render_kwargs=render) for env in theirs]
rng = np.random.default_rng(0)
with (
    envpool_py.make(task_id, num_envs=2, seed=3, render_mode="rgb_array", **render) as drawn,
    envpool_py.make(task_id, num_envs=2, seed=3, from_pixels=True, **render, **options) as seen,
):
    channels_first = options.get("channels_first", False)
    observations = seen.reset()[0]
    drawn.reset()
    steps = [env.reset() for env in theirs]
    for number in range(4):
        pictures = drawn.render()
        for row, step in enumerate(steps):
            expected = step.observation["pixels"]
            assert expected.std() > 1.0, "nothing is to be seen"
            np.testing.assert_array_equal(pictures[row], expected)
            if channels_first:
                expected = expected.transpose(2, 0, 1)
            ours = observations["pixels"][row]
            latest = ours if len(ours.shape) == 3 and not options.get("frame_stack") else ours[-1]
            if channels_first and options.get("frame_stack"):
                latest = ours[-3:]
            np.testing.assert_array_equal(latest, expected)
        actions = actions_of(task_id, rng, 2)
        steps = [env.step(action) for env, action in zip(theirs, actions)]
        drawn.step(actions)
        observations = seen.step(actions)[0]
print("equal")
"""


def run(task_id: str, options: dict[str, Any], render: dict[str, Any]) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, task_id, repr(options), repr(render)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.stdout.endswith("equal\n"), done.stderr


@pytest.mark.parametrize("task_id", CASES)
def test_pictures(task_id: str) -> None:
    run(task_id, {}, {"width": 64, "height": 48, "camera_id": 0})


@pytest.mark.parametrize(
    ("options", "render"),
    [
        ({"channels_first": True}, {"width": 84, "height": 84, "camera_id": 0}),
        ({"channels_first": True, "frame_stack": 3}, {"width": 32, "height": 24, "camera_id": 1}),
        ({"frame_stack": 2}, {}),  # the free camera, in the suite's picture size
    ],
)
def test_options(options: dict[str, Any], render: dict[str, Any]) -> None:
    run("CheetahRun-v1", options, render)
