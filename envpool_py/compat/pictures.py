"""EnvPool's `render`: returns pictures of given environments in any size, or shows them."""

from __future__ import annotations

import importlib
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.compat.errors import ConfigError, ConfigTypeError, PictureError
from envpool_py.errors import InputError
from envpool_py.pool.base import PoolBase
from envpool_py.tasks.spec import TaskSpec

if TYPE_CHECKING:
    from envpool_py.compat.spec import EnvSpec

__all__ = ["PictureSettings", "Pictures", "engine_arguments", "picture_settings"]

_MODES = (None, "rgb_array", "human")


@dataclass(frozen=True)
class PictureSettings:
    """The arguments of `make` that configure `render`.

    Attributes:
        mode: "rgb_array", "human", or None.
        env_id: the environment that `render()` draws.
        width, height: in pixels; 0: the task's own size.
        camera_id: the camera of a MuJoCo task; -1: the task's own.
    """

    mode: str | None = None
    env_id: int = 0
    width: int = 0
    height: int = 0
    camera_id: int = -1


def picture_settings(given: dict[str, Any]) -> PictureSettings:
    """Removes the settings of `render` from the arguments of `make` and returns them.

    Raises:
        ConfigError, ConfigTypeError: one of them is invalid.
    """
    mode = given.pop("render_mode", None)
    if mode not in _MODES:
        raise ConfigError(f"render_mode: expected None, 'rgb_array' or 'human', got {mode!r}")
    numbers = {}
    for name, low in (("env_id", 0), ("width", 0), ("height", 0), ("camera_id", -1)):
        value = given.pop(f"render_{name}", None)
        if value is None:
            continue
        try:
            numbers[name] = operator.index(value)
        except TypeError:
            raise ConfigTypeError(
                f"render_{name}: expected an integer, got {type(value).__name__} {value!r}"
            ) from None
        if numbers[name] < low:
            raise ConfigError(f"render_{name}: expected {low} or more, got {numbers[name]}")
    return PictureSettings(mode, **numbers)


def engine_arguments(settings: PictureSettings, ours: TaskSpec) -> dict[str, Any]:
    """Returns the arguments of our pools for these settings; none if the task does not render."""
    if settings.mode is None or ours.render is None:
        return {}
    arguments: dict[str, Any] = {"render_mode": "rgb_array"}
    if "camera_id" in ours.options:  # MuJoCo draws in any size
        wanted = {"width": settings.width, "height": settings.height}
        arguments.update({name: pixels for name, pixels in wanted.items() if pixels})
        if settings.camera_id >= 0:
            arguments["camera_id"] = settings.camera_id
    return arguments


class Pictures:
    """Draws the environments of a pool."""

    def __init__(self, pool: PoolBase, spec: EnvSpec) -> None:
        self._pool = pool
        self._task_name = spec.task.name
        self._settings = spec.pictures
        self._has_cameras = "camera_id" in spec.ours.options
        self._window = ""

    def render(
        self, ids: NDArray[np.int32] | None, camera_id: int | None, name: str
    ) -> NDArray[np.uint8] | None:
        """Draws environments; see `EnvPool.render`."""
        settings = self._settings
        if settings.mode is None:
            raise PictureError(
                "render: the pool was made without render_mode; make it with 'rgb_array' or 'human'"
            )
        if self._pool.render_mode is None:
            raise PictureError(f"render: {self._task_name} does not render")
        if self._has_cameras and camera_id not in (None, -1, settings.camera_id):
            raise PictureError(
                f"camera_id: expected that of the pool ({settings.camera_id}), got {camera_id}; "
                "give render_camera_id when the pool is made"
            )
        if ids is None:
            ids = np.array([settings.env_id], np.int32)
        if settings.mode == "human" and len(ids) != 1:
            raise InputError(
                f"env_ids: expected one environment with render_mode 'human', got {len(ids)}"
            )
        once, places = np.unique(ids, return_inverse=True)
        drawn = np.stack(self._pool.render(once))[places]
        pictures = _sized(drawn, settings.height, settings.width)
        if settings.mode == "rgb_array":
            return pictures
        self._show(pictures[0], name)
        return None

    def _show(self, picture: NDArray[np.uint8], name: str) -> None:
        try:
            cv2 = importlib.import_module("cv2")
        except ImportError:
            raise PictureError(
                "render_mode: 'human' needs OpenCV with windows (pip install opencv-python)"
            ) from None
        window = f"{name}-render"
        try:
            cv2.imshow(window, np.ascontiguousarray(picture[:, :, ::-1]))
        except cv2.error as error:
            raise PictureError(
                "render_mode: 'human' needs OpenCV with windows, and this one has none (pip "
                "install opencv-python)"
            ) from error
        self._window = window
        cv2.waitKey(1)

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self._window:
            importlib.import_module("cv2").destroyWindow(self._window)
            self._window = ""


def _sized(pictures: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """Scales the pictures by nearest neighbour; 0 keeps that dimension."""
    rows, columns = pictures.shape[1:3]
    height, width = height or rows, width or columns
    if (height, width) == (rows, columns):
        return pictures
    row = ((np.arange(height) + 0.5) * rows / height).astype(np.intp)
    column = ((np.arange(width) + 0.5) * columns / width).astype(np.intp)
    return np.ascontiguousarray(pictures[:, row][:, :, column])
