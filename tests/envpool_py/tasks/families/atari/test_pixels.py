"""Preprocessed frames equal those from ale-py's pictures, NumPy and OpenCV, bit for bit."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import ale_py
import cv2
import numpy as np
import numpy.typing as npt
import pytest
from ale_py.vector_env import AtariVectorEnv

from envpool_py import _atari_debug
from envpool_py.errors import InputError, OptionError
from envpool_py.tasks.families.atari import roms

Bytes = npt.NDArray[np.uint8]

UNITS = ["portable", "vectors"]
INTERPOLATIONS = {"area": cv2.INTER_AREA, "linear": cv2.INTER_LINEAR}
LINES = {"NTSC": 259, "PAL": 309}


def program(lines: int) -> bytes:
    """Returns a cartridge that shows every color, one per line, in frames of `lines` lines.

    X is the color. Y counts at most 256 lines, so a frame has two loops over lines.
    """
    code = bytearray([0x78, 0xD8, 0xA2, 0xFF, 0x9A])  # SEI, CLD, LDX #$FF, TXS
    start = 0xF000 + len(code)
    code += bytes([0xA9, 0x02, 0x85, 0x00, *([0x85, 0x02] * 3)])  # VSYNC on for three WSYNCs
    code += bytes([0xA9, 0x00, 0x85, 0x00, 0x85, 0x01, 0xA2, 0x00])  # VSYNC and VBLANK off
    for run in (lines // 2, lines - lines // 2):
        code += bytes([0xA0, run])  # LDY #run
        code += bytes([0x85, 0x02, 0x86, 0x09, 0xE8, 0xE8, 0x88])  # WSYNC, STX COLUBK, X += 2, DEY
        code += bytes([0xD0, 0xF7])  # BNE to that WSYNC
    code += bytes([0x4C, start & 0xFF, start >> 8])  # JMP start
    return bytes(code.ljust(0xFFC, b"\0")) + bytes([0x00, 0xF0, 0x00, 0xF0])


@pytest.fixture(autouse=True)
def quiet() -> None:
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)


def reference(rom: Path) -> ale_py.ALEInterface:
    ale = ale_py.ALEInterface()
    ale.setInt("random_seed", 1)
    ale.setFloat("repeat_action_probability", 0.0)
    ale.loadROM(rom)
    return ale


def assert_looks_the_same(ale: ale_py.ALEInterface, television: str) -> None:
    screen = np.asarray(ale.getScreen())
    np.testing.assert_array_equal(_atari_debug.to_rgb(screen, television), ale.getScreenRGB())
    np.testing.assert_array_equal(
        _atari_debug.to_grey(screen, television), ale.getScreenGrayscale()
    )


@pytest.mark.parametrize("television", ["NTSC", "PAL"])
def test_every_color_looks_as_in_ale_py(television: str, tmp_path: Path) -> None:
    # ale-py selects the game's rules by the file's name; Seaquest's rules do not change the
    # picture.
    rom = tmp_path / "seaquest.bin"
    rom.write_bytes(program(LINES[television]))
    ale = reference(rom)
    ale.act(0)
    assert set(np.asarray(ale.getScreen()).ravel()) == set(range(0, 256, 2))
    assert_looks_the_same(ale, television)
    # Each row has one color, so a frame of the same size shows whether colors are confused.
    screen = np.asarray(ale.getScreen())
    path = _atari_debug.PixelPath(
        lines=len(screen), television=television, height=len(screen), width=160
    )
    np.testing.assert_array_equal(path.run(screen), ale.getScreenGrayscale())


def test_colors_that_are_lost_look_as_in_ale_py(tmp_path: Path) -> None:
    rom = tmp_path / "seaquest.bin"
    rom.write_bytes(program(LINES["PAL"] + 1))
    ale = reference(rom)
    for _ in range(3):  # colors are lost depending on the previous frame's lines
        ale.act(0)
    screen = np.asarray(ale.getScreen())
    assert set(screen.ravel()) >= set(range(1, 256, 2))
    assert_looks_the_same(ale, "PAL")
    for vectors in UNITS:
        size = {"lines": len(screen), "height": len(screen), "width": 160}
        path = _atari_debug.PixelPath(**size, television="PAL", vectors=vectors)
        np.testing.assert_array_equal(path.run(screen), ale.getScreenGrayscale())
        path = _atari_debug.PixelPath(**size, television="PAL", vectors=vectors, grey=False)
        np.testing.assert_array_equal(path.run(screen), ale.getScreenRGB())


@pytest.mark.parametrize(
    ("game", "television"), [("ms_pacman", "NTSC"), ("seaquest", "NTSC"), ("adventure", "PAL")]
)
def test_a_game_looks_as_in_ale_py(game: str, television: str) -> None:
    assert _atari_debug.Rom(game, roms.rom_bytes(game)).format == television
    ale = reference(roms.rom_path(game))
    for step in range(60):
        ale.act(step // 10 % 6)
        assert_looks_the_same(ale, television)


def random_picture(rng: np.random.Generator, lines: int) -> Bytes:
    """Returns noise, blocks, a checkerboard, or mostly equal values; many of them cause ties.

    In some pictures colors are lost, that is, odd: everywhere, in some rows or at some pixels.
    """
    noise = rng.integers(0, 128, (lines, 160), dtype=np.uint8) * 2
    match rng.integers(16):
        case 0:
            noise |= 1
        case 1:
            noise |= rng.random((lines, 1)) < 0.1
        case 2:
            noise |= rng.random((lines, 160)) < 0.01
    match rng.integers(5):
        case 0:
            return noise
        case 1:
            blocks = np.repeat(np.repeat(noise[: lines // 7 + 1, :32], 7, axis=0), 5, axis=1)
            return np.ascontiguousarray(blocks[:lines])
        case 2:
            even = np.indices((lines, 160)).sum(0) % 2 == 0
            return np.where(even, noise[0, 0], noise[0, 1])
        case 3:
            return np.where(rng.random((lines, 160)) < 0.01, noise, noise[0, 0])
        case _:
            return np.where(rng.random((lines, 1)) < 0.3, noise, noise[0])


def check_frame(rng: np.random.Generator, height: int, width: int, **options: Any) -> None:
    """Compares a frame with the result of ale-py, NumPy and OpenCV for the same pictures."""
    options = {
        "lines": int(rng.choice([210, 210, 214, 220, 230, 250])),
        "television": str(rng.choice(["NTSC", "PAL"])),
        "grey": bool(rng.integers(2)),
        "interpolation": str(rng.choice(list(INTERPOLATIONS))),
        "order": str(rng.choice(["interleaved", "planar"])),
        "vectors": str(rng.choice(UNITS)),
    } | options
    newest = random_picture(rng, options["lines"])
    match rng.integers(4):
        case 0:
            before = None
        case 1:
            before = newest.copy()
        case 2:
            before = np.where(rng.random(newest.shape) < 0.001, np.uint8(14), newest)
        case _:
            before = random_picture(rng, options["lines"])

    show = _atari_debug.to_grey if options["grey"] else _atari_debug.to_rgb
    expected = show(newest, options["television"])
    if before is not None:
        expected = np.maximum(expected, show(before, options["television"]))
    interpolation = INTERPOLATIONS[options["interpolation"]]
    expected = np.asarray(cv2.resize(expected, (width, height), interpolation=interpolation))

    frame = _atari_debug.PixelPath(height=height, width=width, **options).run(newest, before)
    if not options["grey"] and options["order"] == "planar":
        frame = frame.transpose(1, 2, 0)
    assert frame.shape == expected.shape
    different = np.argwhere(frame != expected)
    if len(different):
        at = tuple(different[0])
        pytest.fail(
            f"{height} x {width}, {options}: {len(different)} values differ, first at {at}: "
            f"{frame[at]}, OpenCV's {expected[at]}",
            pytrace=False,
        )


USUAL = [(84, 84), (64, 64), (96, 96), (42, 42), (80, 80), (128, 128), (210, 160), (105, 80)]


@pytest.mark.parametrize("vectors", UNITS)
@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
@pytest.mark.parametrize("size", USUAL, ids=lambda size: f"{size[0]}x{size[1]}")
def test_usual_sizes(size: tuple[int, int], interpolation: str, vectors: str) -> None:
    rng = np.random.default_rng(size)
    for grey in (True, False):
        for order in ("interleaved", "planar"):
            for _ in range(4):
                check_frame(
                    rng,
                    *size,
                    interpolation=interpolation,
                    vectors=vectors,
                    grey=grey,
                    order=order,
                )


@pytest.mark.parametrize("seed", range(10))
def test_any_size(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(60):
        check_frame(rng, *map(int, rng.integers(1, 257, 2)))


@pytest.mark.parametrize("seed", range(3))
def test_one_side_far_from_the_picture(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(20):
        check_frame(rng, int(rng.integers(1, 8)), int(rng.integers(1, 1025)))
        check_frame(rng, int(rng.integers(1, 1025)), int(rng.integers(1, 8)))


@pytest.mark.parametrize("vectors", UNITS)
def test_whole_numbers_of_pixels_become_one(vectors: str) -> None:
    rng = np.random.default_rng(0)
    columns = [width for width in range(1, 161) if 160 % width == 0]
    for lines in (210, 250):
        for height in (height for height in range(1, lines + 1) if lines % height == 0):
            check_frame(rng, height, int(rng.choice(columns)), lines=lines, vectors=vectors)
    for width in columns:
        check_frame(rng, 105, width, lines=210, vectors=vectors)
        check_frame(rng, 84, width, vectors=vectors)
        check_frame(rng, 210, width, lines=210, vectors=vectors)


@pytest.mark.parametrize("size", [(1, 1), (1, 1024), (1024, 1), (1024, 1024), (300, 160)])
def test_the_bounds(size: tuple[int, int]) -> None:
    rng = np.random.default_rng(size)
    for vectors in UNITS:
        for interpolation in INTERPOLATIONS:
            for lines in (1, 300):
                options = {"vectors": vectors, "interpolation": interpolation, "lines": lines}
                check_frame(rng, *size, **options)


@pytest.mark.long
@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
@pytest.mark.parametrize("vectors", UNITS)
def test_every_height_and_every_width(vectors: str, interpolation: str) -> None:
    rng = np.random.default_rng(0)
    options: dict[str, Any] = {"vectors": vectors, "interpolation": interpolation}
    for side in range(1, 513):
        for other in (84, *map(int, rng.integers(1, 513, 3))):
            check_frame(rng, side, other, **options)
            check_frame(rng, other, side, **options)


@pytest.mark.foreign_threads  # AtariVectorEnv starts threads
@pytest.mark.parametrize("size", [(84, 84), (105, 80), (42, 42), (100, 170), (7, 300), (210, 160)])
@pytest.mark.parametrize("grey", [True, False])
def test_frames_of_ale_pys_own_vector_environment(size: tuple[int, int], grey: bool) -> None:
    # AtariVectorEnv contains its own OpenCV.
    height, width = size
    environment = AtariVectorEnv(
        "ms_pacman",
        num_envs=1,
        frameskip=1,
        stack_num=1,
        maxpool=False,
        noop_max=0,
        use_fire_reset=False,
        img_height=height,
        img_width=width,
        grayscale=grey,
        num_threads=1,
    )
    observation = environment.reset(seed=1)[0]
    ale = reference(roms.rom_path("ms_pacman"))
    actions = ale.getMinimalActionSet()
    path = _atari_debug.PixelPath(grey=grey, height=height, width=width)
    for step in range(30):
        frame = path.run(np.asarray(ale.getScreen()))
        np.testing.assert_array_equal(frame, np.asarray(observation)[0, 0])
        action = step // 8 % len(actions)
        observation = environment.step(np.array([action]))[0]
        ale.act(int(actions[action].value))
    environment.close()


def test_pictures_need_not_be_contiguous() -> None:
    rng = np.random.default_rng(0)
    wide = rng.integers(0, 128, (420, 321), dtype=np.uint8) * 2
    picture, before = wide[::2, 1:161], wide[1::2, 160:0:-1]
    path = _atari_debug.PixelPath()
    expected = path.run(np.ascontiguousarray(picture), np.ascontiguousarray(before))
    np.testing.assert_array_equal(path.run(picture, before), expected)
    for show in (_atari_debug.to_grey, _atari_debug.to_rgb):
        np.testing.assert_array_equal(show(picture), show(np.ascontiguousarray(picture)))


PICTURE = np.zeros((210, 160), np.uint8)


@pytest.mark.parametrize(
    ("pictures", "message"),
    [
        ((PICTURE[:209],), "newest: expected uint8 of shape (210, 160), got uint8 of shape (209"),
        ((PICTURE[:, :159],), "newest: expected uint8 of shape (210, 160), got uint8 of shape (2"),
        ((PICTURE[0],), "newest: expected uint8 of shape (210, 160), got uint8 of shape (160,)"),
        ((PICTURE.astype(np.int32),), "newest: expected uint8 of shape (210, 160), got int32 of"),
        ((PICTURE, PICTURE[:1]), "before: expected uint8 of shape (210, 160), got uint8 of shape"),
    ],
)
def test_a_picture_of_another_kind(pictures: tuple[Bytes, ...], message: str) -> None:
    path = _atari_debug.PixelPath()
    with pytest.raises(InputError, match=re.escape(message)):
        path.run(*pictures)
    path.run(PICTURE, PICTURE)


@pytest.mark.parametrize("show", [_atari_debug.to_grey, _atari_debug.to_rgb])
def test_a_screen_of_another_kind(show: Any) -> None:
    with pytest.raises(InputError, match=r"screen: expected uint8 of shape \(rows, 160\), got "):
        show(PICTURE[:, :1])
    with pytest.raises(InputError, match="television: expected 'NTSC' or 'PAL', got 'SECAM'"):
        show(PICTURE, "SECAM")
    with pytest.raises(TypeError):
        show(None)
    assert show(PICTURE[:0]).shape[:2] == (0, 160)


@pytest.mark.parametrize(("name", "most"), [("lines", 300), ("height", 1024), ("width", 1024)])
def test_a_size_out_of_range(name: str, most: int) -> None:
    for value in (0, -1, most + 1, 2**31 - 1):
        expected = re.escape(f"{name}: expected an integer in [1, {most}], got {value}")
        with pytest.raises(OptionError, match=expected):
            _atari_debug.PixelPath(**{name: value})


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("television", "'NTSC' or 'PAL'"),
        ("interpolation", "'area' or 'linear'"),
        ("order", "'interleaved' or 'planar'"),
        ("vectors", "'portable' or 'vectors'"),
    ],
)
def test_a_name_that_is_not_known(name: str, known: str) -> None:
    with pytest.raises(InputError, match=f"{name}: expected {known}, got 'other'"):
        _atari_debug.PixelPath(**{name: "other"})
