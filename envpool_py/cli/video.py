"""Writes videos, frame by frame: GIF by Pillow, MP4 by the ffmpeg of imageio-ffmpeg.

Both are optional and imported here only. A video is written to a temporary file, which is renamed
when it is complete. If writing fails, an existing file of the final name is unchanged.
"""

from __future__ import annotations

import contextlib
import importlib
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import install_command

__all__ = ["KINDS", "VideoError", "grid", "grid_shape", "new_video"]

INSTALL = install_command("video")
"""The command that installs what writing videos needs."""

Frame = NDArray[np.uint8]
Add = Callable[[Frame], None]
"""Appends a frame: uint8 (height, width, 3), RGB."""


class VideoError(Exception):
    """A video cannot be written; the message is one line and says why."""


@contextlib.contextmanager
def new_video(path: Path, width: int, height: int, fps: int) -> Iterator[Add]:
    """Writes a video: yields what appends a frame, and is complete when left without an exception.

    Args:
        path: where the file will be; its suffix is one of KINDS.
        width: width of all frames, pixels.
        height: height of all frames, pixels.
        fps: frames a second.

    Raises (also when used):
        VideoError: the package that writes it is missing, or cannot write such a video.
        OSError: the file cannot be written.
    """
    kind = KINDS[path.suffix.lower()]
    name = path.suffix[1:].upper()
    if max(width, height) > kind.max_side:
        raise VideoError(
            f"a frame of {width} x {height} pixels is too large for {name}: at most "
            f"{kind.max_side} each way (fewer environments, a smaller scale)"
        )
    if fps > kind.max_fps:
        raise VideoError(f"{fps} frames a second are too many for {name}: at most {kind.max_fps}")
    part = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        part.touch()  # fails now rather than after the last step
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        with kind.write(part, width, height, fps) as add:
            yield add
        part.replace(path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


@contextlib.contextmanager
def _gif(part: Path, width: int, height: int, fps: int) -> Iterator[Add]:
    """A GIF that loops forever. Frames of up to 256 colours are stored exactly."""
    pillow = _load("PIL.Image", "Pillow")
    frames: list[Any] = []
    yield lambda frame: frames.append(pillow.fromarray(frame).quantize())
    ends = [round((i + 1) * 100 / fps) for i in range(len(frames))]
    durations = [10 * (end - begin) for begin, end in zip([0, *ends], ends, strict=False)]
    first, *rest = frames
    first.save(part, "GIF", save_all=True, append_images=rest, duration=durations, loop=0)


@contextlib.contextmanager
def _mp4(part: Path, width: int, height: int, fps: int) -> Iterator[Add]:
    """An MP4 (H.264). Odd sizes get a black row or column, because the format needs even ones."""
    imageio_ffmpeg = _load("imageio_ffmpeg", "imageio-ffmpeg")
    try:
        program: str = imageio_ffmpeg.get_ffmpeg_exe()
    except RuntimeError as error:  # imageio-ffmpeg has no binary for this machine
        raise VideoError(f"imageio-ffmpeg has no ffmpeg here: {error}") from error
    size = f"{width + width % 2}x{height + height % 2}"
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", str(fps), "-i", "-"]
    # All players support only this pixel format.
    coding = ["-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    command = [program, "-y", "-loglevel", "error", *source, *coding, str(part)]
    # Not imageio_ffmpeg.write_frames: it ignores the exit code and leaves the messages to the user.
    with tempfile.TemporaryFile() as messages:
        ffmpeg = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=messages
        )
        assert ffmpeg.stdin is not None
        frames = ffmpeg.stdin

        def add(frame: Frame) -> None:
            try:
                frames.write(np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0))).tobytes())
            except OSError as error:  # ffmpeg has ended
                raise VideoError(f"ffmpeg: {reason() or error}") from error

        def reason() -> str:
            """Waits for ffmpeg; returns its error message, or an empty one."""
            with contextlib.suppress(OSError):
                frames.close()
            if ffmpeg.wait() == 0:
                return ""
            messages.seek(0)
            lines = messages.read().decode(errors="replace").split("\n")
            return next(filter(None, map(str.strip, reversed(lines))), f"exit {ffmpeg.returncode}")

        try:
            yield add
        finally:
            problem = reason()
        if problem:
            raise VideoError(f"ffmpeg: {problem}")


class Kind(NamedTuple):
    """A kind of video: what writes it, the most frames a second, and the most pixels each way."""

    write: Callable[[Path, int, int, int], AbstractContextManager[Add]]
    max_fps: int
    max_side: int


KINDS = {
    ".gif": Kind(_gif, 50, 65_535),  # frame times are in 1/100 s; viewers slow down 1/100 s itself
    ".mp4": Kind(_mp4, 1000, 16_384),
}
"""The kinds of video by the suffix of their files."""


def _load(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise VideoError(f"{package} is not installed; to add it: {INSTALL}") from error


def grid(pictures: tuple[Frame, ...], scale: int) -> Frame:
    """Puts pictures of one size into a grid with about as many rows as columns.

    Args:
        pictures: uint8 (height, width, 3), at least one.
        scale: factor by which each picture is enlarged.
    """
    rows, columns = grid_shape(len(pictures))
    height, width, _ = pictures[0].shape
    frame = np.zeros((rows * height, columns * width, 3), np.uint8)
    for i, picture in enumerate(pictures):
        y, x = i // columns * height, i % columns * width
        frame[y : y + height, x : x + width] = picture
    return frame.repeat(scale, axis=0).repeat(scale, axis=1)


def grid_shape(count: int) -> tuple[int, int]:
    """Rows and columns of a grid of `count` pictures; the last row may not be full."""
    columns = int(np.ceil(np.sqrt(count)))
    return -(-count // columns), columns
