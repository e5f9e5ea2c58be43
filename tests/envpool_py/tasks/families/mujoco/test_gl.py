"""Which OpenGL library renders MuJoCo's pictures, and the error if there is none.

The choice holds for the whole process, so each test runs in a new process.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("mujoco")
pytest.importorskip("envpool_py._mujoco")

RunScript = Callable[..., str]


def has(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


needs_egl = pytest.mark.skipif(not has("libEGL.so.1"), reason="no libEGL.so.1")
needs_osmesa = pytest.mark.skipif(not has("libOSMesa.so.8"), reason="no libOSMesa.so.8")

# Prints the error, or returns the picture.
DRAW = """
import os

import numpy as np

import envpool_py


def draw(gl=None):
    if gl is not None:
        os.environ["MUJOCO_GL"] = gl
    size = {"width": 64, "height": 48}
    try:
        with envpool_py.make("HalfCheetah-v5", render_mode="rgb_array", **size) as envs:
            envs.reset(seed=0)
            return np.stack(envs.render())
    except envpool_py.errors.RenderModeError as error:
        print(error)
"""
SEEN = DRAW + "print(draw().std() > 1.0)"


@pytest.fixture(autouse=True)
def _nothing_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.delenv("MUJOCO_EGL_DEVICE_ID", raising=False)


@pytest.fixture
def hide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Hides libraries behind files of the same name that are no libraries."""

    def put(*names: str) -> None:
        for name in names:
            (tmp_path / name).write_text("no library")
        monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path), prepend=":")

    return put


def test_neither_is_there(run_script: RunScript, hide: Callable[..., None]) -> None:
    hide("libEGL.so.1", "libOSMesa.so.8")
    said = run_script(DRAW + "draw()\nenvpool_py.make('Ant-v5').close()")
    assert "needs EGL or OSMesa (on Debian and Ubuntu: `apt install libegl1 " in said
    assert "or `apt install libosmesa6`): EGL: " in said
    assert "libEGL.so.1: " in said
    assert "; OSMesa: " in said
    assert "libOSMesa.so.8: " in said


@pytest.mark.parametrize(("chosen", "other"), [("egl", "OSMesa"), ("osmesa", "EGL")])
def test_the_chosen_one_is_not_there(
    chosen: str, other: str, run_script: RunScript, hide: Callable[..., None]
) -> None:
    hide("libEGL.so.1", "libOSMesa.so.8")
    said = run_script(DRAW + f"draw('{chosen}')")
    assert f"{'EGL' if chosen == 'egl' else 'OSMesa'}: " in said
    assert f"{other}: " not in said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("off", 'MUJOCO_GL: expected "egl", "osmesa" or none to render, got "off"\n'),
        ("vulkan", 'MUJOCO_GL: expected "egl" or "osmesa", got "vulkan"\n'),
    ],
)
def test_settings_that_name_neither(value: str, said: str, run_forked: RunScript) -> None:
    assert run_forked(DRAW + f"draw('{value}')") == said


@needs_egl
@pytest.mark.parametrize("value", [None, "egl", "EGL", "glfw", "1", ""])
def test_egl(value: str | None, run_forked: RunScript) -> None:
    assert run_forked(DRAW + f"print(draw({value!r}).std() > 1.0)") == "True\n"


@needs_osmesa
def test_osmesa_where_there_is_no_egl(run_script: RunScript, hide: Callable[..., None]) -> None:
    hide("libEGL.so.1")
    assert run_script(SEEN) == "True\n"


@needs_osmesa
@needs_egl
def test_osmesa_where_egl_has_no_device(
    run_forked: RunScript, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("__EGL_VENDOR_LIBRARY_DIRS", str(tmp_path))
    assert run_forked(SEEN) == "True\n"
    monkeypatch.setenv("MUJOCO_EGL_DEVICE_ID", "0")  # choosing a device selects EGL
    assert "EGL: MUJOCO_EGL_DEVICE_ID: " in run_forked(DRAW + "draw()")


@needs_osmesa
@needs_egl
def test_one_kind_in_a_process(run_forked: RunScript) -> None:
    said = run_forked(DRAW + "assert draw('osmesa') is not None\ndraw('egl')")
    assert said == ('MUJOCO_GL: expected "osmesa", which the process has begun with, got "egl"\n')


@needs_osmesa
def test_osmesa_draws_what_gymnasium_draws_with_it(
    run_forked: RunScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    said = run_forked(
        DRAW
        + """
import gymnasium

# Both contexts live side by side in one thread, and each is found as it was left.
size = {"width": 64, "height": 48, "render_mode": "rgb_array"}
theirs = gymnasium.make("Hopper-v5", **size)
theirs.reset(seed=0)
before = theirs.render()
with envpool_py.make("Hopper-v5", num_envs=3, num_threads=2, **size) as ours:
    ours.reset(seed=0)
    for _ in range(3):
        assert (ours.render()[0] == theirs.render()).all()
        action = ours.action_space.sample()
        ours.step(action)
        theirs.step(action[0])
assert (theirs.render() != before).any()
print("equal", flush=True)
os._exit(0)  # PyOpenGL's finalizers complain at a regular end
"""
    )
    assert said == "equal\n"
