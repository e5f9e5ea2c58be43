"""Pictures of the compat module: arrays, windows, sizes."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import envpool_py
import envpool_py.compat.envpool as envpool
from envpool_py.errors import (
    EnvIdError,
)


def test_pictures_are_those_of_the_main_api() -> None:
    compat = envpool.make_gymnasium("Pong-v5", num_envs=3, seed=0, render_mode="rgb_array")
    main = envpool_py.make("Pong-v5", num_envs=3, seed=0, render_mode="rgb_array")
    compat.reset()
    main.reset()
    expected = np.stack(main.render())
    np.testing.assert_array_equal(compat.render(), expected[:1])
    np.testing.assert_array_equal(compat.render([2, 0, 2]), expected[[2, 0, 2]])
    half = envpool.make_gymnasium(
        "Pong-v5", num_envs=3, seed=0, render_mode="rgb_array", render_width=80, render_height=105
    )
    half.reset()
    np.testing.assert_array_equal(half.render(1), expected[1:2, 1::2, 1::2])
    with pytest.raises(EnvIdError):
        compat.render(3)


class _Windows:
    """Stands in for OpenCV and records the pictures shown and the windows closed."""

    def __init__(self) -> None:
        self.shown: list[Any] = []
        self.destroyed: list[str] = []

    def imshow(self, name: str, picture: Any) -> None:
        self.shown.append((name, picture))

    def waitKey(self, _: int) -> None:  # noqa: N802  # OpenCV's name
        pass

    def destroyWindow(self, name: str) -> None:  # noqa: N802  # OpenCV's name
        self.destroyed.append(name)


def test_human_pictures_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    windows = _Windows()
    monkeypatch.setitem(sys.modules, "cv2", windows)
    env = envpool.make_gymnasium("Pong-v5", num_envs=2, render_mode="human", render_env_id=1)
    env.reset()
    assert env.render() is None
    with pytest.raises(ValueError, match="one environment"):
        env.render([0, 1])
    expected = np.stack(env.pool.render(np.array([1])))[0]
    np.testing.assert_array_equal(windows.shown[0][1], expected[:, :, ::-1])
    env.close()
    assert windows.destroyed == [windows.shown[0][0]]


def test_human_pictures_need_opencv_with_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenCV builds without windows have the functions, which raise OpenCV's own exception."""

    class OpenCVError(Exception):
        pass

    def imshow(title: str, picture: np.ndarray) -> None:
        raise OpenCVError("The function is not implemented")

    monkeypatch.setitem(sys.modules, "cv2", SimpleNamespace(imshow=imshow, error=OpenCVError))
    env = envpool.make_gymnasium("Pong-v5", render_mode="human")
    env.reset()
    with pytest.raises(RuntimeError, match="OpenCV with windows"):
        env.render()
    env.close()


def test_human_pictures_need_opencv(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    env = envpool.make_gymnasium("Pong-v5", render_mode="human")
    env.reset()
    with pytest.raises(RuntimeError, match="opencv-python"):
        env.render()
