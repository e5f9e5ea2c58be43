"""The window of `envpool-py play`: shows pictures and reports keys. Uses pygame.

pygame is optional and imported here only. Not thread-safe.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from envpool_py.cli.output import make_console
from envpool_py.errors import install_command

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["Clock", "Event", "Window", "WindowError", "displays"]

# If none of these variables is set, SDL finds no display and prints its attempts.
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
# SDL's drivers without a display; used only if the user selects one.
_BLIND_DRIVERS = {"dummy", "offscreen"}
_NO_DISPLAY = "there is no display to open a window on"


def displays() -> list[str]:
    """Returns the variables that name a display to open a window on."""
    return [name for name in _DISPLAYS if os.environ.get(name)]


class WindowError(Exception):
    """No window can be opened; the message is one line and says why."""


class Event(NamedTuple):
    """A key that was pressed or released, with its name, or a request to close the window."""

    kind: Literal["press", "release", "quit"]
    key: str = ""


class Clock(Protocol):
    """Waits so that calls of `tick` come `framerate` times a second (pygame.time.Clock)."""

    def tick(self, framerate: float, /) -> Any:
        """Waits."""


class Window:
    """A window for pictures of one size. A context manager: leaving it closes the window.

    Args:
        width, height: size of the pictures, pixels.
        scale: factor by which the pictures are enlarged.
        clock: paces the frames; None: the system's clock.

    Raises:
        WindowError: pygame is not installed, or there is no display.
    """

    def __init__(self, width: int, height: int, scale: int, clock: Clock | None = None) -> None:
        try:
            self._pygame: Any = importlib.import_module("pygame")
        except ImportError as error:
            raise WindowError(
                f"pygame is not installed; to add it: {install_command('pictures')}"
            ) from error
        if not displays():
            raise WindowError(f"{_NO_DISPLAY}: none of {', '.join(_DISPLAYS)} is set")
        self._size = (width * scale, height * scale)
        try:
            self._pygame.display.init()
            driver = self._pygame.display.get_driver()
            if driver in _BLIND_DRIVERS and os.environ.get("SDL_VIDEODRIVER") != driver:
                self._pygame.display.quit()
                raise WindowError(_NO_DISPLAY)
            self._screen = self._pygame.display.set_mode(self._size)
        except self._pygame.error as error:
            self._pygame.display.quit()
            raise WindowError(f"{_NO_DISPLAY}: {error}") from error
        self._clock: Clock = self._pygame.time.Clock() if clock is None else clock

    def show(self, picture: NDArray[np.uint8], caption: str) -> None:
        """Shows a picture, uint8 (height, width, 3), and the window's title."""
        surface = self._pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        self._screen.blit(self._pygame.transform.scale(surface, self._size), (0, 0))
        self._pygame.display.set_caption(caption)
        self._pygame.display.flip()

    def events(self) -> Iterator[Event]:
        """Yields the events since the last call."""
        pygame = self._pygame
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                yield Event("quit")
            elif event.type == pygame.KEYDOWN:
                yield Event("press", pygame.key.name(event.key))
            elif event.type == pygame.KEYUP:
                yield Event("release", pygame.key.name(event.key))

    def print(self, text: str) -> None:
        """Prints a line on the standard output."""
        make_console().print(text, soft_wrap=True)

    def wait(self, fps: float) -> None:
        """Waits for the next frame, at `fps` frames a second."""
        self._clock.tick(fps)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pygame.display.quit()
