"""Writes the digits with which CarRacing shows its score, as pygame draws them.

    python -m tools.score_font > engine/envs/box2d/score_font.cc

The digits are those of pygame's default font, FreeSans Bold, at 42 pixels. FreeType renders a digit
to the same picture at every place of a text. Needs pygame and fontTools.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

CHARACTERS = "-0123456789"
PIXELS = 42

HEAD = """\
// Written by tools/score_font.py: digits of FreeSans Bold at 42 pixels, as pygame draws them.
#include "engine/envs/box2d/score_font.h"

namespace engine::box2d {

// clang-format off
const std::array<ScoreGlyph, kScoreGlyphs> kScoreFont{{
"""


def glyph(character: str) -> npt.NDArray[np.uint8]:
    """Returns the coverage of each pixel by the character, 0 to 255: (height, width)."""
    import pygame

    pygame.font.init()
    font = pygame.font.Font(pygame.font.get_default_font(), PIXELS)
    surface = font.render(character, True, (255, 255, 255), (0, 0, 0))
    pixels: npt.NDArray[np.uint8] = pygame.surfarray.array3d(surface).transpose(1, 0, 2)[:, :, 0]
    return pixels


def kerning() -> npt.NDArray[np.int64]:
    """Returns the kerning of each pair (first, second), in 1/64 pixels: (11, 11)."""
    import pygame
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

    font = TTFont(Path(pygame.__file__).parent / pygame.font.get_default_font())
    names = [font.getBestCmap()[ord(character)] for character in CHARACTERS]
    pairs: dict[tuple[str, str], int] = {}
    for table in font["kern"].kernTables:
        pairs.update(table.kernTable)
    units = np.array([[pairs.get((a, b), 0) for b in names] for a in names])
    scaled: npt.NDArray[np.int64] = np.rint(units * (PIXELS * 64 / font["head"].unitsPerEm)).astype(
        np.int64
    )
    return scaled


def main() -> None:
    """Prints the file."""
    glyphs = [glyph(character) for character in CHARACTERS]
    rows = np.nonzero(np.any([pixels.any(axis=1) for pixels in glyphs], axis=0))[0]
    first, last = int(rows[0]), int(rows[-1])
    print(HEAD, end="")
    for character, pixels, kerns in zip(CHARACTERS, glyphs, kerning(), strict=True):
        numbers = ", ".join(map(str, kerns))
        print(f"    // {character}")
        print(f"    {{{pixels.shape[1]}, {{{numbers}}},")
        lines = [row.tobytes().hex() for row in pixels[first : last + 1]]
        print("\n".join(f'     "{line}"' for line in lines) + "},")
    print("}};\n// clang-format on\n\n}  // namespace engine::box2d")


if __name__ == "__main__":
    main()
