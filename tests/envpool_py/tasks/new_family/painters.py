"""Draws a column for each stone; the frog's column is green."""

from __future__ import annotations

import numpy as np

from envpool_py.tasks.scenes import Painter, Picture, Scene


class PondPainter(Painter):
    @property
    def size(self) -> tuple[int, int]:
        return 1, self._options["stones"]

    @property
    def fps(self) -> int:
        return 5

    def prepare(self) -> None:
        pass

    def paint(self, scene: Scene) -> Picture:
        picture = np.zeros((*self.size, 3), np.uint8)
        picture[0, int(scene[0]), 1] = 255
        return picture
