"""Pictures of a difference."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tools.atari.picture import color_table, difference_picture, write_png
from tools.atari.report import save_picture

from .plays import read_png, screen_difference


def test_a_png_file_holds_the_picture(tmp_path: Path) -> None:
    picture = np.random.default_rng(0).integers(256, size=(5, 7, 3), dtype=np.uint8)
    write_png(tmp_path / "a.png", picture)
    assert np.array_equal(read_png(tmp_path / "a.png"), picture)


def test_the_picture_shows_both_screens_and_where_they_differ(tmp_path: Path) -> None:
    difference = screen_difference()
    save_picture(difference, tmp_path / "difference.png")
    picture = read_png(tmp_path / "difference.png")
    height, width = 210, 160
    assert picture.shape == (2 * height, 3 * 4 * width + 8, 3)
    ours, theirs, marks = (picture[::2, start : start + 4 * width : 4] for start in (0, 644, 1288))
    assert np.array_equal(theirs, difference.theirs_rgb)
    differs = difference.ours != difference.theirs
    assert np.array_equal((marks == (255, 0, 0)).all(axis=2), differs)
    assert np.array_equal(ours[~differs], theirs[~differs])


def test_screens_of_different_heights_differ_in_the_rest() -> None:
    palette = color_table(np.zeros((1, 1), np.uint8), np.zeros((1, 1, 3), np.uint8))
    ours, theirs = np.zeros((3, 160), np.uint8), np.zeros((5, 160), np.uint8)
    marks = difference_picture(ours, theirs, palette, scale=1)[:, -320:]
    assert (marks == (255, 0, 0)).all(axis=2).any(axis=1).tolist() == [False] * 3 + [True] * 2


def test_colors_that_no_screen_showed_are_roughly_those_of_ntsc() -> None:
    palette = color_table(np.array([[0x44]], np.uint8), np.array([[[1, 2, 3]]], np.uint8))
    assert palette[0x44].tolist() == [1, 2, 3]
    assert palette[0x00].tolist() == [0, 0, 0]
    assert palette[0x0E].tolist() == [255, 255, 255]
    red, green, blue = (palette[number].astype(int) for number in (0x46, 0xC6, 0x86))
    assert red.argmax() == 0
    assert green.argmax() == 1
    assert blue.argmax() == 2
