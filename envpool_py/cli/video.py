"""Writes videos, frame by frame: GIF by Pillow, MP4 by the ffmpeg of imageio-ffmpeg.

Both are optional and imported here only. A video is written to a temporary file, which is renamed
when it is complete. If writing fails, an existing file of the final name is unchanged.
"""

from __future__ import annotations

import contextlib
import importlib
import subprocess
import tempfile
from abc import ABC, abstractmethod
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image
    from typing_extensions import Self

INSTALL = 'pip install "envpool_py[video]"'
"""The command that installs what writing videos needs."""

Frame = NDArray[np.uint8]


class VideoError(Exception):
    """A video cannot be written; the message is one line and says why."""


class Video(ABC):
    """A video that is being written, as a context manager.

    Leaving it without an exception completes the video.

    Args:
        path: where the file will be.
        width, height: size of all frames, pixels.
        fps: frames a second.

    Raises (also when used):
        VideoError: the package that writes it is missing, or cannot write such a video.
        OSError: the file cannot be written.
    """

    max_fps: int
    max_side: int

    def __init__(self, path: Path, width: int, height: int, fps: int) -> None:
        kind = path.suffix[1:].upper()
        if max(width, height) > self.max_side:
            raise VideoError(
                f"a frame of {width} x {height} pixels is too large for {kind}: at most "
                f"{self.max_side} each way (fewer environments, a smaller scale)"
            )
        if fps > self.max_fps:
            raise VideoError(
                f"{fps} frames a second are too many for {kind}: at most {self.max_fps}"
            )
        self._path = path
        self._part = path.with_name(f".{path.stem}.part{path.suffix}")
        self._size = (width, height)
        self._fps = fps

    @abstractmethod
    def add(self, frame: Frame) -> None:
        """Appends a frame: uint8 (height, width, 3), RGB."""

    @abstractmethod
    def _finish(self) -> None:
        """Completes the file at `_part`."""

    @abstractmethod
    def _abandon(self) -> None:
        """Releases the file at `_part`; it is deleted afterwards."""

    def __enter__(self) -> Self:
        try:
            self._part.touch()  # fails now rather than after the last step
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self._finish()
                self._part.replace(self._path)
            else:
                self._abandon()
        finally:
            with contextlib.suppress(OSError):
                self._part.unlink(missing_ok=True)


class GifVideo(Video):
    """A GIF that loops forever. Frames of up to 256 colours are stored exactly."""

    max_fps = 50  # frame times are multiples of 1/100 s; viewers slow down 1/100 s itself
    max_side = 65_535

    def __init__(self, path: Path, width: int, height: int, fps: int) -> None:
        super().__init__(path, width, height, fps)
        self._pillow = _load("PIL.Image", "Pillow")
        self._frames: list[Image] = []

    def add(self, frame: Frame) -> None:
        """Appends a frame: uint8 (height, width, 3), RGB."""
        self._frames.append(self._with_palette(frame))

    def _with_palette(self, frame: Frame) -> Image:
        rgb = frame.astype(np.uint32)
        codes = rgb[..., 0] << 16 | rgb[..., 1] << 8 | rgb[..., 2]
        colours, indices = np.unique(codes, return_inverse=True)
        if len(colours) > 256:
            image: Image = self._pillow.fromarray(frame).quantize(256)
            return image
        image = self._pillow.fromarray(indices.reshape(codes.shape).astype(np.uint8))
        palette = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1)
        image.putpalette(palette.astype(np.uint8).tobytes())
        return image

    def _finish(self) -> None:
        ends = [round((i + 1) * 100 / self._fps) for i in range(len(self._frames))]
        durations = [10 * (end - begin) for begin, end in zip([0, *ends], ends, strict=False)]
        first, *rest = self._frames
        first.save(self._part, "GIF", save_all=True, append_images=rest, duration=durations, loop=0)

    def _abandon(self) -> None:
        self._frames.clear()


class Mp4Video(Video):
    """An MP4 (H.264). Odd sizes get a black row or column, because the format needs even ones."""

    max_fps = 1000
    max_side = 16_384

    def __init__(self, path: Path, width: int, height: int, fps: int) -> None:
        super().__init__(path, width, height, fps)
        imageio_ffmpeg = _load("imageio_ffmpeg", "imageio-ffmpeg")
        try:
            program: str = imageio_ffmpeg.get_ffmpeg_exe()
        except RuntimeError as error:  # imageio-ffmpeg has no binary for this machine
            raise VideoError(f"imageio-ffmpeg has no ffmpeg here: {error}") from error
        self._pad = ((0, height % 2), (0, width % 2), (0, 0))
        size = f"{width + width % 2}x{height + height % 2}"
        source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", str(fps), "-i", "-"]
        # All players support only this pixel format.
        coding = ["-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
        self._command = [program, "-y", "-loglevel", "error", *source, *coding, str(self._part)]
        self._ffmpeg: subprocess.Popen[bytes] | None = None

    def add(self, frame: Frame) -> None:
        """Appends a frame: uint8 (height, width, 3), RGB."""
        if self._ffmpeg is None:
            self._messages = tempfile.TemporaryFile()  # noqa: SIM115 - closed in _wait
            self._ffmpeg = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._messages,
            )
        assert self._ffmpeg.stdin is not None
        try:
            self._ffmpeg.stdin.write(np.pad(frame, self._pad).tobytes())
        except OSError as error:  # the program has ended
            raise VideoError(f"ffmpeg: {self._wait() or error}") from error

    def _wait(self) -> str:
        """Closes the input and waits for the program; returns its error message, or ""."""
        ffmpeg, self._ffmpeg = self._ffmpeg, None
        if ffmpeg is None:
            return ""
        with contextlib.suppress(OSError):
            ffmpeg.communicate()
        ffmpeg.wait()
        with self._messages:
            self._messages.seek(0)
            lines = self._messages.read().decode(errors="replace").split("\n")
        if ffmpeg.returncode == 0:
            return ""
        said = [line.strip() for line in lines if line.strip()]
        return said[-1] if said else f"exit code {ffmpeg.returncode}"

    def _finish(self) -> None:
        problem = self._wait()
        if problem:
            raise VideoError(f"ffmpeg: {problem}")

    def _abandon(self) -> None:
        self._wait()


KINDS: dict[str, type[Video]] = {".gif": GifVideo, ".mp4": Mp4Video}
"""The kinds of video by the suffix of their files."""


def _load(module: str, package: str) -> ModuleType:
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
