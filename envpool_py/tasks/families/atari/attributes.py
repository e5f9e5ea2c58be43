"""Attributes of ale-py's environments that wrappers read: see `Family.attributes`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import NoAttributeError
from envpool_py.tasks.manifest import Latest

__all__ = ["Ale", "frame_skip"]


class Ale:
    """The methods of ale-py's `ALEInterface` that only read what the latest call has returned."""

    def __init__(self, task_id: str, config: Mapping[str, Any], latest: Latest) -> None:
        self._task_id = task_id
        self._config = config
        self._latest = latest

    def __getattr__(self, name: str) -> Any:
        raise NoAttributeError(
            f"ale.{name}: the emulator is in the engine; `ale` has lives(), getFrameNumber(), "
            "getEpisodeFrameNumber(), getScreenRGB() and getScreenGrayscale()"
        )

    def lives(self) -> int:
        """Returns the remaining lives."""
        return int(self._latest()[1]["lives"])

    def getFrameNumber(self) -> int:  # noqa: N802  # ale-py's name
        """Returns the number of frames since the environment was made."""
        return int(self._latest()[1]["frame_number"])

    def getEpisodeFrameNumber(self) -> int:  # noqa: N802
        """Returns the number of frames since the latest reset."""
        return int(self._latest()[1]["episode_frame_number"])

    def getScreenRGB(self, out: Any = None) -> NDArray[np.uint8]:  # noqa: N802
        """Returns the screen, uint8 (height, width, 3), or writes it to `out`."""
        return _written(self._screen("rgb"), out)

    def getScreenGrayscale(self, out: Any = None) -> NDArray[np.uint8]:  # noqa: N802
        """Returns the screen in grey, uint8 (height, width), or writes it to `out`."""
        if self._config.get("obs_type") == "rgb" and not self._task_id.startswith("ALE/AirRaid-"):
            red, green, blue = np.moveaxis(self._screen("rgb"), -1, 0)
            luma = red * 0.2989 + green * 0.5870 + blue * 0.1140  # as in pixels/palette.cc
            return _written((luma + 0.5).astype(np.uint8), out)
        # Air Raid has colours that ale-py shows in a grey that does not follow from their RGB.
        return _written(self._screen("grayscale"), out)

    def _screen(self, kind: str) -> NDArray[np.uint8]:
        if self._config.get("obs_type") != kind:
            game = self._task_id.removeprefix("ALE/")
            raise NoAttributeError(
                f"ale: the screen is an observation of gymnasium.make('EnvPool/ALE.{game}', "
                f"obs_type='{kind}', frameskip=1), and not of {self._task_id} with these options"
            )
        screen: NDArray[np.uint8] = self._latest()[0]
        return screen


def frame_skip(task_id: str, config: Mapping[str, Any], latest: Latest) -> Any:
    """Returns the number of frames of a step, or their range, as ale-py's `_frameskip`."""
    del task_id, latest
    frames = config["frame_skip"] if "frame_skip" in config else config["frameskip"]
    if isinstance(frames, (list, tuple)):
        return frames[0] if len(frames) == 1 else tuple(frames)
    return frames


def _written(screen: NDArray[np.uint8], out: Any) -> NDArray[np.uint8]:
    if out is None:
        return np.array(screen)
    out[...] = screen
    written: NDArray[np.uint8] = out
    return written
