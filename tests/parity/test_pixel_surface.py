"""The functions that draw CarRacing, compared with pygame: polygons, lines, scaling and digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pygame = pytest.importorskip("pygame")
gfxdraw = pytest.importorskip("pygame.gfxdraw")
_testing = pytest.importorskip("envpool_py._testing")

WIDTH, HEIGHT = 1000, 800
SIZES = [(96, 96), (600, 400)]  # width and height of an observation, and of a rendered picture
Points = list[tuple[float, float]]


class Canvas:
    """Draws on a surface of ours and on one of pygame's."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.colors = [tuple(int(v) for v in rng.integers(0, 256, 3)) for _ in range(8)]
        self.ours = _testing.PixelSurface()
        for number, color in enumerate(self.colors):
            self.ours.set_color(number, *color)
        self.ours.clear(0)
        self.theirs = pygame.Surface((WIDTH, HEIGHT))
        self.theirs.fill(self.colors[0])

    def draw(self, kind: str, points: Points, number: int) -> None:
        corners = [(int(x), int(y)) for x, y in points]
        color = self.colors[number]
        if kind == "outline":
            gfxdraw.aapolygon(self.theirs, points, color)
        elif kind == "fill":
            gfxdraw.filled_polygon(self.theirs, points, color)
        elif kind == "polygon":
            pygame.draw.polygon(self.theirs, color, points)
        else:
            pygame.draw.lines(self.theirs, color, False, points, 2)
        getattr(self.ours, kind)(corners, number)

    def compare(self, where: str) -> None:
        theirs = pygame.surfarray.array3d(self.theirs).transpose(1, 0, 2)
        rows, columns = np.nonzero((self.ours.pixels() != theirs).any(axis=2))
        assert not rows.size, f"{where}: {rows.size} pixels, the first at {columns[0], rows[0]}"
        for size in SIZES:
            scaled = pygame.transform.smoothscale(self.theirs, size)
            pixels = pygame.surfarray.array3d(scaled).transpose(1, 0, 2)
            for wide in (False, True):  # vectors of 32 bytes, where the processor has them
                scaled = self.ours.scale(*size, wide)
                assert np.array_equal(scaled, pixels), f"{where}: scaled to {size}, {wide=}"


def random_points(rng: np.random.Generator) -> Points:
    """Returns a polygon's corners: convex or not, small or large, often outside of the surface."""
    count = int(rng.choice([4, 4, 4, 5, 8]))
    center = rng.uniform([-100, -100], [WIDTH + 100, HEIGHT + 100])
    size = rng.choice([2, 20, 60, 250, 3000, 7000])
    if rng.random() < 0.7:
        angles = np.sort(rng.uniform(0, 2 * np.pi, count))
        points = center + size * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    else:
        points = center + rng.uniform(-size, size, (count, 2))
    if rng.random() < 0.3:  # vertical, horizontal and diagonal edges, and coinciding corners
        points[1, int(rng.integers(2))] = points[0, int(rng.integers(2))]
    return [(float(x), float(y)) for x, y in points]


def draw_scene(seed: int) -> None:
    rng = np.random.default_rng(seed)
    canvas = Canvas(rng)
    for _ in range(14):
        points, number = random_points(rng), int(rng.integers(8))
        kinds = [["outline"], ["outline", "fill"], ["fill"], ["polygon"], ["lines"]]
        for kind in kinds[int(rng.integers(5))]:
            canvas.draw(kind, points, number)
    canvas.compare(f"scene {seed}")


@pytest.mark.parametrize("seed", range(12))
def test_random_scenes(seed: int) -> None:
    draw_scene(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 5000, 500))
def test_random_scenes_long(first: int) -> None:
    for seed in range(first, first + 500):
        draw_scene(seed)


def test_upwards_and_rows() -> None:
    """Drawing with the y axis upwards equals drawing normally and flipping the surface."""
    rng = np.random.default_rng(7)
    canvas = Canvas(rng)
    canvas.ours.set_upwards(True)
    canvas.ours.set_drawn_rows(100, HEIGHT - 1)
    for _ in range(20):
        points, number = random_points(rng), int(rng.integers(8))
        for kind in ("outline", "fill"):
            canvas.draw(kind, points, number)
    theirs = pygame.surfarray.array3d(canvas.theirs).transpose(1, 0, 2)[::-1]
    ours = canvas.ours.pixels()
    assert np.array_equal(ours[: HEIGHT - 100], theirs[: HEIGHT - 100])
    assert (ours[HEIGHT - 100 :] == canvas.colors[0]).all()


def _expected_score(font: Any, score: float) -> np.ndarray:
    surface = pygame.Surface((WIDTH, HEIGHT))
    surface.fill((10, 20, 30))
    text = font.render(f"{score:04.0f}", True, (255, 255, 255), (0, 0, 0))
    where = text.get_rect()
    where.center = (60, HEIGHT - HEIGHT * 2.5 / 40.0)
    surface.blit(text, where)
    pixels: np.ndarray = pygame.surfarray.array3d(surface).transpose(1, 0, 2)[720:780, :300]
    return pixels


def test_scores() -> None:
    pygame.font.init()
    font = pygame.font.Font(pygame.font.get_default_font(), 42)
    surface = _testing.PixelSurface()
    surface.set_color(0, 10, 20, 30)
    surface.set_color(1, 0, 0, 0)
    scores = [*range(-130, 1010, 61), -0.1, -0.5, 0.5, 1.5, 2.5, 999.5, -1234.5, 123456.0, -1e9]
    for score in scores:
        surface.clear(0)
        surface.score(float(score), 60, 750, 1)
        ours = surface.pixels()[720:780, :300]
        assert np.array_equal(ours, _expected_score(font, float(score))), score
