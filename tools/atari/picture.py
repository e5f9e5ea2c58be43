"""Two screens and their difference side by side, as a PNG file."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

__all__ = ["color_table", "difference_picture", "write_png"]

_GAP = 4  # pixels between the pictures
_GREY = 64
_MARK = (255, 0, 0)

Colors = npt.NDArray[np.uint8]


def color_table(screen: npt.NDArray[np.uint8], rgb: Colors) -> Colors:
    """Returns a palette, (256, 3), derived from a screen whose colors are known.

    Color numbers that do not occur on the screen get approximate NTSC colors of the TIA.
    """
    table = _rough_ntsc()
    table[screen.reshape(-1)] = rgb.reshape(-1, 3)
    return table


def _rough_ntsc() -> Colors:
    """Returns a palette computed from the NTSC signal: a phase per hue, and eight luminances."""
    number = np.arange(256)
    hue, luminance = number >> 4, (number >> 1 & 7) / 7.0
    luma = 0.1 + 0.9 * luminance
    luma[(hue == 0) & (luminance == 0.0)] = 0.0
    saturation = np.where(hue == 0, 0.0, 0.25)
    phase = np.deg2rad(180.0 - (hue - 1) * 25.7)
    in_phase, quadrature = saturation * np.cos(phase), saturation * np.sin(phase)
    red = luma + 1.14 * quadrature
    green = luma - 0.394 * in_phase - 0.581 * quadrature
    blue = luma + 2.03 * in_phase
    rgb = np.stack([red, green, blue], axis=1)
    return np.clip(rgb * 255.0, 0.0, 255.0).astype(np.uint8)


def difference_picture(
    ours: npt.NDArray[np.uint8],
    theirs: npt.NDArray[np.uint8],
    palette: Colors,
    scale: int = 2,
) -> Colors:
    """Returns `ours`, `theirs`, and `theirs` in dim grey with differences in red, side by side.

    The result is (height, width, 3). Pixels are twice as wide as high, as on a television. If the
    screens differ in height, rows that only one of them has count as different.
    """
    rows = max(len(ours), len(theirs))
    differs = np.ones((rows, ours.shape[1]), bool)
    common = min(len(ours), len(theirs))
    differs[:common] = ours[:common] != theirs[:common]
    pictures = [_padded(palette[screen], rows) for screen in (ours, theirs)]
    grey = (pictures[1].mean(axis=2, keepdims=True) / 3).astype(np.uint8).repeat(3, axis=2)
    grey[differs] = _MARK
    pictures.append(grey)
    gap = np.full((rows * scale, _GAP, 3), _GREY, np.uint8)
    wide = [each.repeat(scale, axis=0).repeat(2 * scale, axis=1) for each in pictures]
    return np.concatenate([wide[0], gap, wide[1], gap, wide[2]], axis=1)


def _padded(picture: Colors, rows: int) -> Colors:
    return np.pad(picture, ((0, rows - len(picture)), (0, 0), (0, 0)))


def write_png(path: Path, picture: Colors) -> None:
    """Writes (height, width, 3) bytes of red, green and blue as a PNG file."""
    height, width, _ = picture.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    # Every row begins with the number of its filter; 0 means no filter.
    rows = np.pad(picture.reshape(height, -1), ((0, 0), (1, 0)))
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows.tobytes()))
        + chunk(b"IEND", b"")
    )
