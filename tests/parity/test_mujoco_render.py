"""Pictures of the MuJoCo tasks against Gymnasium's: pixel-equal with the same EGL."""

from __future__ import annotations

import concurrent.futures
import threading
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py import errors
from envpool_py.tasks.families.mujoco.tasks import TASKS

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("envpool_py._mujoco")
pytestmark = pytest.mark.usefixtures("mujoco_log_elsewhere")

NUM_ENVS = 2
# All models are drawn by MuJoCo, so three are enough for every run.
SHORT = ("HalfCheetah-v5", "InvertedPendulum-v5", "Humanoid-v5")
SHORT_AND_LONG = [
    pytest.param(task_id, marks=[] if task_id in SHORT else [pytest.mark.long])
    for task_id in sorted(TASKS)
]
FLAGS = int(mujoco.mjtVisFlag.mjNVISFLAG)  # 31; before MuJoCo 3.3.5, 32
SMALL = {"width": 64, "height": 64}


def compare(
    task_id: str, pictures: int = 2, steps: int = 6, num_envs: int = NUM_ENVS, **options: Any
) -> np.ndarray:
    """Renders and compares both after a reset and after some steps; returns our last pictures."""
    theirs = gymnasium.make_vec(
        task_id,
        num_envs=num_envs,
        vectorization_mode="sync",
        render_mode="rgb_array",
        **options,
    )
    ours = envpool_py.make(
        task_id, num_envs=num_envs, num_threads=2, render_mode="rgb_array", **options
    )
    try:
        bare = theirs.envs[0].unwrapped  # type: ignore[attr-defined]
        assert ours.metadata["render_fps"] == bare.metadata["render_fps"]
        high = ours.single_action_space.high  # type: ignore[attr-defined]
        rng = np.random.default_rng(0)
        theirs.reset(seed=3)
        ours.reset(seed=3)
        for number in range(pictures):
            expected = np.stack(theirs.render())  # type: ignore[arg-type]
            drawn = np.stack(ours.render())
            assert drawn.dtype == np.uint8
            np.testing.assert_array_equal(drawn, expected, err_msg=f"picture {number}")
            for _ in range(steps):
                action = rng.uniform(-1, 1, (num_envs, *high.shape)) * high
                theirs.step(action.astype(np.float32))
                ours.step(action.astype(np.float32))
    finally:
        ours.close()
        theirs.close()
    assert drawn.std() > 1.0, "nothing is to be seen"
    return drawn


@pytest.mark.usefixtures("egl")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("task_id", SHORT_AND_LONG)
def test_pictures(task_id: str) -> None:
    assert compare(task_id).shape == (NUM_ENVS, 480, 480, 3)


@pytest.mark.usefixtures("egl")
@pytest.mark.parametrize(
    "options",
    [
        {"width": 64, "height": 48},
        {"width": 801, "height": 603},
        {"camera_name": "track", "width": 96, "height": 96},
        {"camera_id": 0, "width": 96, "height": 96},
        {"max_geom": 5, "width": 96, "height": 96},
        {"camera_id": None, "camera_name": None, "visual_options": None, **SMALL},
        {"camera_id": -1, **SMALL},
        {"default_camera_config": None, **SMALL},
        {"default_camera_config": {}, **SMALL},
        {"default_camera_config": {"distance": 2, "azimuth": 30.0, "elevation": -70.0}, **SMALL},
        {"default_camera_config": {"lookat": np.array([1.0, 0.0, 1.5])}, **SMALL},
        {"default_camera_config": {"orthographic": 1, "trackbodyid": 2}, **SMALL},
        {"default_camera_config": {"type": 2, "fixedcamid": 0}, "camera_name": "track", **SMALL},
        {"visual_options": {mujoco.mjtVisFlag.mjVIS_JOINT: True, 14: True, 0: False}, **SMALL},
    ],
    ids=str,
)
def test_options(options: dict[str, Any]) -> None:
    # One environment, because an OpenGL context takes a quarter of a second.
    shape = (1, options.get("height", 480), options.get("width", 480), 3)
    assert compare("HalfCheetah-v5", pictures=1, num_envs=1, **options).shape == shape


@pytest.mark.usefixtures("egl")
def test_options_of_cameras_and_flags_are_seen() -> None:
    """The options change the picture, so comparing with Gymnasium tests them."""
    plain = compare("HalfCheetah-v5", pictures=1, num_envs=1, **SMALL)
    for options in (
        {"default_camera_config": {"distance": 2.0}},
        {"default_camera_config": {"orthographic": 1}},
        {"visual_options": {mujoco.mjtVisFlag.mjVIS_JOINT: True}},
    ):
        drawn = compare("HalfCheetah-v5", pictures=1, num_envs=1, **options, **SMALL)
        assert (drawn != plain).any(), options


@pytest.mark.usefixtures("egl")
def test_pools_draw_beside_each_other() -> None:
    """Each pool has its own context, and does not change the context of another pool."""
    first = envpool_py.make("Ant-v5", num_envs=3, render_mode="rgb_array", width=64, height=64)
    second = envpool_py.make("Reacher-v5", num_envs=2, render_mode="rgb_array", width=32, height=32)
    first.reset(seed=0)
    second.reset(seed=0)
    ant, reacher = np.stack(first.render()), np.stack(second.render())
    for _ in range(3):
        np.testing.assert_array_equal(np.stack(first.render()), ant)
        np.testing.assert_array_equal(np.stack(second.render()), reacher)
    first.close()
    np.testing.assert_array_equal(np.stack(second.render()), reacher)
    second.close()


def drawn(task_id: str, rounds: int) -> list[bytes]:
    seen = []
    size = {"width": 48, "height": 40}
    with envpool_py.make(
        task_id, num_envs=3, num_threads=2, render_mode="rgb_array", **size
    ) as envs:
        envs.reset(seed=4)
        for _ in range(rounds):
            seen.append(np.stack(envs.render()).tobytes())
            envs.step(np.zeros(envs.action_space.shape, np.float32))
    return seen


@pytest.mark.usefixtures("egl")
def test_pools_draw_at_once() -> None:
    """Pools are opened, render and are closed in parallel threads."""
    tasks = ["Hopper-v5", "Reacher-v5"]
    expected = [drawn(task_id, 2) for task_id in tasks]
    with concurrent.futures.ThreadPoolExecutor(len(tasks)) as threads:
        assert list(threads.map(drawn, tasks, [2, 2])) == expected


@pytest.mark.usefixtures("egl")
def test_closing_while_others_draw() -> None:
    envs = envpool_py.make("Hopper-v5", num_envs=2, render_mode="rgb_array", width=48, height=40)
    envs.reset(seed=0)
    expected = np.stack(envs.render())
    begun = threading.Barrier(3)

    def draw() -> str:
        begun.wait()
        while True:
            try:
                np.testing.assert_array_equal(np.stack(envs.render()), expected)
            except errors.ClosedError:
                return "closed"

    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        ends = [threads.submit(draw) for _ in range(2)]
        begun.wait()
        envs.close()
        assert [end.result() for end in ends] == ["closed", "closed"]


@pytest.mark.usefixtures("egl")
def test_drawing_changes_nothing() -> None:
    def run(draws: bool) -> list[bytes]:
        mode = "rgb_array" if draws else None
        seen = []
        with envpool_py.make("Ant-v5", num_envs=2, render_mode=mode, width=32, height=32) as envs:
            envs.reset(seed=1)
            for _ in range(20):
                if draws:
                    envs.render()
                seen.append(envs.step(np.full((2, 8), 0.3, np.float32))[0].tobytes())
        return seen

    assert run(True) == run(False)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"camera_name": "sky"}, 'camera_name: .* got "sky"'),
        ({"camera_id": 3}, r"camera_id: expected an integer in \[-1, 0\], got 3"),
        ({"camera_id": 0, "camera_name": "track"}, "none together with camera_id"),
        ({"width": 0}, "width"),
        ({"default_camera_config": {"distanc": 1}}, 'no "distanc"; did you mean "distance"'),
        (
            {"default_camera_config": {"distance": [1, 2]}},
            r'expected 1 as "distance", got \[1, 2\]',
        ),
        ({"default_camera_config": {"lookat": 0.0}}, r'expected 3 as "lookat", got \[0\]'),
        ({"default_camera_config": {"distance": float("nan")}}, "default_camera_config.*got nan"),
        (
            {"visual_options": {FLAGS: True}},
            rf"visual_options: expected keys in \[0, {FLAGS - 1}\], got {FLAGS}",
        ),
        ({"visual_options": {-1: True}}, "got -1"),
        ({"visual_options": {"joints": True}}, "got joints"),
        ({"visual_options": {1: [1, 0]}}, r"expected True or False for 1, got \[1, 0\]"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], named: str) -> None:
    with pytest.raises(errors.OptionError, match=named):
        envpool_py.make("HalfCheetah-v5", **options)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"default_camera_config": 3.0}, "expected dict of float or None, got float 3"),
        ({"visual_options": [1]}, "expected dict of float or None, got list of int"),
        ({"visual_options": {1.5: True}}, "expected names or integers as keys, got 1.5"),
        ({"visual_options": {1: ["on"]}}, r"\[1\]: expected a list of numbers, .* 'on'"),
        ({"default_camera_config": {"distance": "far"}}, r"\[distance\]: expected a number or"),
        ({"camera_id": 1.5}, "expected int or None, got float 1.5"),
    ],
)
def test_options_of_another_type(options: dict[str, Any], named: str) -> None:
    with pytest.raises(errors.OptionTypeError, match=named):
        envpool_py.make("HalfCheetah-v5", **options)


def test_the_cameras_of_v4_are_fixed() -> None:
    with pytest.raises(errors.OptionError, match='has no option "default_camera_config"'):
        envpool_py.make("HalfCheetah-v4", default_camera_config={})


@pytest.mark.parametrize(
    ("mode", "hint"),
    [
        ("depth_array", 'did you mean "rgb_array"'),
        ("rgbd_tuple", "expected None or 'rgb_array'"),
        ("human", "HumanRendering"),
    ],
)
def test_modes_that_are_gymnasiums_alone(mode: str, hint: str) -> None:
    with pytest.raises(errors.RenderModeError, match=f"render_mode: .*{hint}"):
        envpool_py.make("Ant-v5", render_mode=mode)


@pytest.mark.usefixtures("egl")
def test_a_device_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUJOCO_EGL_DEVICE_ID", "999")
    with pytest.raises(errors.RenderModeError, match=r"needs EGL .*install.*MUJOCO_EGL_DEVICE_ID"):
        envpool_py.make("Ant-v5", render_mode="rgb_array")
    envpool_py.make("Ant-v5").close()
