"""`envpool-py render`: compares written files with `render()`; one-line errors."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from PIL import Image

import envpool_py
from envpool_py import cli
from envpool_py.cli import render_command, video
from envpool_py.cli.output import UsageError
from envpool_py.errors import install_command
from envpool_py.tasks.spec import make_spec

TASK = "Testing/Picture-v0"

pytestmark = pytest.mark.usefixtures("testing")


def tiles(pictures: tuple[Any, ...], rows: int, columns: int, scale: int) -> np.ndarray:
    """Returns a frame of the video, computed pixel by pixel."""
    height, width, _ = pictures[0].shape
    frame = np.zeros((rows * height * scale, columns * width * scale, 3), np.uint8)
    for y in range(frame.shape[0]):
        for x in range(frame.shape[1]):
            row, column = y // scale // height, x // scale // width
            if row * columns + column < len(pictures):
                picture = pictures[row * columns + column]
                frame[y, x] = picture[y // scale % height, x // scale % width]
    return frame


def played(
    steps: int, envs: int, seed: int, noop: bool = False, **options: Any
) -> list[tuple[Any, ...]]:
    """Returns the pictures after the reset and after every step."""
    with envpool_py.make(
        TASK, num_envs=envs, seed=seed, render_mode="rgb_array", **options
    ) as pool:
        pool.action_space.seed(seed)
        pool.reset()
        pictures = [pool.render()]
        for _ in range(steps):
            pool.step(np.zeros(envs, np.int64) if noop else pool.action_space.sample())
            pictures.append(pool.render())
    return pictures


def read_gif(path: Path) -> list[tuple[np.ndarray, int]]:
    """Returns the frames and their durations in ms."""
    with Image.open(path) as image:
        assert image.info["loop"] == 0
        frames = []
        for index in range(image.n_frames):
            image.seek(index)
            frames.append((np.array(image.convert("RGB")), image.info["duration"]))
    return frames


def fail(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 2) -> str:
    assert cli.main(["render", *arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    return line


@pytest.mark.parametrize(
    ("envs", "rows", "columns"), [(1, 1, 1), (2, 1, 2), (3, 2, 2), (5, 2, 3), (7, 3, 3)]
)
def test_a_gif_shows_what_render_gives(
    envs: int, rows: int, columns: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "picture.gif"
    arguments = ["--noop", "--steps", "6", "--envs", str(envs), "--seed", "5", "--scale", "2"]
    assert cli.main(["render", TASK, "--out", str(path), *arguments]) == 0
    frames = read_gif(path)
    expected = played(6, envs, seed=5, noop=True)
    assert len(frames) == 7
    for (frame, _), pictures in zip(frames, expected, strict=True):
        np.testing.assert_array_equal(frame, tiles(pictures, rows, columns, 2))
    out, err = capsys.readouterr()
    assert err == ""
    height, width, _ = frames[0][0].shape
    assert out == f"wrote {path}: 7 frames of {width} x {height} pixels, 12 a second (0.6 s)\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["picture.gif"]


def test_random_actions_come_from_the_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[np.ndarray] = []
    step = envpool_py.GymnasiumPool.step

    def spy(self: Any, actions: Any, env_id: Any = None) -> Any:
        taken.append(actions)
        return step(self, np.zeros_like(actions), env_id)

    monkeypatch.setattr(envpool_py.GymnasiumPool, "step", spy)
    for seed in ("1", "1", "2"):
        path = str(tmp_path / "picture.gif")
        arguments = ["--steps", "20", "--envs", "3", "--seed", seed]
        assert cli.main(["render", TASK, "--out", path, *arguments]) == 0
    first, again, other = (np.stack(taken[i : i + 20]) for i in (0, 20, 40))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    assert set(first.ravel()) == {0, 1, 2, 3}
    assert (first[:, 0] != first[:, 1]).any()


@pytest.mark.parametrize("fps", [50, 30, 12, 7, 1])
def test_the_frames_of_a_gif_last_as_long_as_they_should(fps: int, tmp_path: Path) -> None:
    path = tmp_path / "picture.GIF"
    arguments = ["--noop", "--steps", "59", "--fps", str(fps)]
    assert cli.main(["render", TASK, "--out", str(path), *arguments]) == 0
    durations = [duration for _, duration in read_gif(path)]
    assert len(durations) == 60
    assert abs(sum(durations) - 60_000 / fps) <= 5
    assert max(abs(duration - 1000 / fps) for duration in durations) <= 10


def test_a_frame_of_many_colours_is_near(tmp_path: Path) -> None:
    path = tmp_path / "picture.gif"
    options = ["--option", "height=40", "--option", "width=40"]  # 1,600 pixels, all different
    assert cli.main(["render", TASK, "--out", str(path), "--noop", "--steps", "1", *options]) == 0
    expected = played(1, 1, seed=0, noop=True, height=40, width=40)
    for (frame, _), (picture,) in zip(read_gif(path), expected, strict=True):
        assert np.abs(frame.astype(int) - picture).mean() < 20


def test_an_mp4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = tmp_path / "picture.mp4"
    arguments = ["--noop", "--steps", "29", "--envs", "2", "--scale", "17", "--fps", "20"]
    assert cli.main(["render", TASK, "--out", str(path), *arguments]) == 0
    # 51 = 3 x 17 is odd; the encoder needs even sizes, so that 52 rows are written.
    assert "30 frames of 170 x 51 pixels, 20 a second (1.5 s)" in capsys.readouterr().out
    read = subprocess.run(
        [
            imageio_ffmpeg.get_ffmpeg_exe(),
            "-i",
            str(path),
            "-f",
            "rawvideo",
            "-pix_fmt",
            "rgb24",
            "-",
        ],
        capture_output=True,
        check=True,
    )
    assert re.search(rb"Video: h264.* yuv420p.*, 170x52.* 20 fps", read.stderr)
    frames = np.frombuffer(read.stdout, np.uint8).reshape(-1, 52, 170, 3)
    expected = played(29, 2, seed=0, noop=True)
    assert len(frames) == 30
    for frame, pictures in zip(frames, expected, strict=True):
        # MP4 is lossy, colour more than brightness: compare the brightness at each pixel's centre.
        shown = frame[8:51:17, 8:170:17].mean(axis=2)
        truth = np.concatenate(pictures, axis=1).mean(axis=2)
        assert np.abs(shown - truth).mean() < 25
        assert np.corrcoef(shown.ravel(), truth.ravel())[0, 1] > 0.8


def test_options_reach_the_environment(tmp_path: Path) -> None:
    path = tmp_path / "picture.gif"
    options = ["--option", "height=2", "--option", "width=9", "--option", "episode_length=2"]
    assert cli.main(["render", TASK, "--out", str(path), "--noop", "--steps", "5", *options]) == 0
    expected = played(5, 1, seed=0, noop=True, height=2, width=9, episode_length=2)
    frames = read_gif(path)
    assert len(frames) == 6
    for (frame, _), (picture,) in zip(frames, expected, strict=True):
        np.testing.assert_array_equal(frame, picture)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("draws=false", "draws", False),
        ("draws=True", "draws", True),
        ("episode_length=12", "episode_length", 12),
        ("scale=-1.5", "scale", -1.5),
        ("label=a=b", "label", "a=b"),
        ("label=", "label", ""),
        ("increments=1,2", "increments", [1, 2]),
        ("weights=0.5", "weights", [0.5]),
        ("weights=", "weights", []),
    ],
)
def test_options_of_every_type(text: str, name: str, value: Any) -> None:
    options = make_spec("Testing/Counter-v0").options
    parsed = render_command.parse_options([text], options)
    assert parsed == {name: value}
    assert type(parsed[name]) is type(value)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["draws=maybe"], "--option: draws: expected true or false, got 'maybe'"),
        (["episode_length=1.5"], "--option: episode_length: expected int, got '1.5'"),
        (["scale=much"], "--option: scale: expected float, got 'much'"),
        (["increments=1,x"], "--option: increments: expected list of int, got '1,x'"),
        (["draws"], "--option: expected NAME=VALUE, got 'draws'"),
        (["=1"], "--option: expected NAME=VALUE, got '=1'"),
        (["draw=1"], "the environment has no option 'draw'; did you mean \"draws\"?"),
        (["qqq=1"], "no option 'qqq' (known: episode_length, "),
        (["draws=1", "draws=1"], "'draws' is given twice"),
    ],
)
def test_bad_options(texts: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        render_command.parse_options(texts, make_spec("Testing/Counter-v0").options)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Testing/Pictur-v0"], "unknown task_id \"Testing/Pictur-v0\"; did you mean"),
        (["Testing/Counter-v0"], "Testing/Counter-v0 does not render"),
        ([TASK, "--out", "picture.webm"], "--out: expected a name that ends in .gif or .mp4"),
        ([TASK, "--out", "picture"], "--out: expected a name that ends in .gif or .mp4"),
        ([TASK, "--out", "no/such/directory/x.gif"], "--out: expected a file in an existing"),
        ([TASK, "--steps", "0"], "--steps: expected a whole number of at least 1"),
        ([TASK, "--envs", "two"], "--envs: expected a whole number of at least 1, got 'two'"),
        ([TASK, "--envs", "1025"], "--envs: expected at most 1024, got 1025"),
        ([TASK, "--scale", "65"], "--scale: expected at most 64, got 65"),
        ([TASK, "--seed", "-1"], "--seed: expected a whole number from 0 to 2**64 - 1024"),
        ([TASK, "--seed", str(2**64)], "--seed: expected a whole number"),
        ([TASK, "--fps", "51"], "51 frames a second are too many for GIF: at most 50"),
        ([TASK, "--option", "height=0"], 'option "height"'),
        (
            [TASK, "--option", "width=9000", "--scale", "8"],
            "a frame of 72000 x 24 pixels is too large for GIF: at most 65535 each way",
        ),
    ],
    ids=str,
)  # fmt: skip
def test_bad_arguments_are_one_line_and_exit_code_2(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    if "--out" not in arguments:
        arguments = [*arguments, "--out", "picture.gif"]
    line = fail(capsys, *arguments)
    assert line.startswith("envpool-py: error: ")
    assert message in line
    assert not list(tmp_path.iterdir())


def test_a_file_to_write_is_required(capsys: pytest.CaptureFixture[str]) -> None:
    assert "required: --out" in fail(capsys, TASK)


@pytest.mark.parametrize(
    ("suffix", "module", "package"),
    [("gif", "PIL.Image", "Pillow"), ("mp4", "imageio_ffmpeg", "imageio-ffmpeg")],
)
def test_a_missing_package_is_named_before_anything_is_stepped(
    suffix: str, module: str, package: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(render_command, "make_gymnasium", lambda *a, **k: pytest.fail("made"))
    line = fail(capsys, TASK, "--out", str(tmp_path / f"picture.{suffix}"))
    assert line == (
        f"envpool-py: error: {package} is not installed; to add it: {install_command('video')}"
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", ["gif", "mp4"])
def test_a_run_that_fails_leaves_the_old_file(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"picture.{suffix}"
    path.write_text("the old one")
    # One of the random actions soon makes the environment fail.
    line = fail(capsys, TASK, "--out", str(path), code=1)
    assert re.match(r"envpool-py: environment 0 failed: (no paint|told to fail)", line)
    assert path.read_text() == "the old one"
    assert list(tmp_path.iterdir()) == [path]


def test_interruption_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(self: Any, *arguments: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(envpool_py.GymnasiumPool, "step", interrupt)
    line = fail(capsys, TASK, "--out", str(tmp_path / "picture.gif"), code=130)
    assert line == "envpool-py: interrupted"
    assert not list(tmp_path.iterdir())


def test_a_directory_that_goes_away_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "videos"
    directory.mkdir()
    path = directory / "picture.gif"
    find = video.grid_shape

    def remove(count: int) -> tuple[int, int]:
        directory.rmdir()
        return find(count)

    monkeypatch.setattr(video, "grid_shape", remove)
    line = fail(capsys, TASK, "--out", str(path))
    assert line == f"envpool-py: error: cannot write {path}: No such file or directory"


def test_ffmpeg_that_dies_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("imageio_ffmpeg")
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\necho 'no disk today' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(program))
    path = tmp_path / "picture.mp4"
    options = ["--option", "height=500", "--option", "width=500"]  # larger than a pipe's buffer
    for arguments in (options, []):
        line = fail(capsys, TASK, "--out", str(path), "--noop", "--steps", "3", *arguments)
        assert line == "envpool-py: error: ffmpeg: no disk today"
        assert list(tmp_path.iterdir()) == [program]


@pytest.mark.parametrize(
    ("space", "action"),
    [
        (spaces.Discrete(4), 0),
        (spaces.Discrete(4, start=-5), -2),
        (spaces.Discrete(4, start=2), 2),
        (spaces.MultiDiscrete([3, 2]), [0, 0]),
        (spaces.MultiBinary(2), [0, 0]),
        (spaces.Box(np.float32([-1.0, 0.5]), np.float32([1.0, 2.0])), [0.0, 0.5]),
    ],
    ids=str,
)
def test_no_action(space: Any, action: Any) -> None:
    chosen = render_command.no_action(space)
    assert chosen.tolist() == action
    assert chosen.dtype == space.dtype
    assert space.contains(chosen) or isinstance(space, spaces.Discrete)


def test_no_action_of_nested_spaces() -> None:
    space = spaces.Dict({"a": spaces.Discrete(2, start=3), "b": spaces.Tuple([spaces.Box(1, 2)])})
    chosen = render_command.no_action(space)
    assert (chosen["a"], chosen["b"][0].tolist()) == (3, [1.0])
    arguments = argparse.Namespace(noop=True, envs=2, steps=1, seed=0)
    (batch,) = render_command._actions(space, arguments)
    assert batch["a"].tolist() == [3, 3]
    assert batch["b"][0].tolist() == [[1.0], [1.0]]


@pytest.mark.parametrize(
    ("count", "shape"),
    [(1, (1, 1)), (2, (1, 2)), (4, (2, 2)), (6, (2, 3)), (9, (3, 3)), (10, (3, 4)), (16, (4, 4))],
)
def test_grid_shape(count: int, shape: tuple[int, int]) -> None:
    assert video.grid_shape(count) == shape


def test_the_command_imports_no_optional_package() -> None:
    source = (
        "import sys, envpool_py.cli\n"
        "print(sorted({'PIL', 'imageio_ffmpeg', 'matplotlib'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
