"""`envpool-py play`: sends key events to a fake window and compares its pictures."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py import cli
from envpool_py.cli import play_command
from envpool_py.cli.window import Event, Window, WindowError

pygame = pytest.importorskip("pygame")

DOWN, UP = "down", "up"


@pytest.fixture(autouse=True)
def _window_that_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    pygame.display.quit()


class Script:
    """A clock that posts key events: the keys listed for a tick are posted during that tick.

    After the last tick it closes the window. It never sleeps.

    Attributes:
        frames: for each tick, the window's picture and title.
    """

    def __init__(self, *ticks: Callable[[], Any] | str | list[str]) -> None:
        self._ticks = iter(ticks)
        self.frames: list[tuple[np.ndarray, str]] = []
        self.rates: list[float] = []

    def tick(self, framerate: float, /) -> None:
        self.rates.append(framerate)
        screen = pygame.display.get_surface()
        picture = pygame.surfarray.array3d(screen).swapaxes(0, 1)
        self.frames.append((picture, pygame.display.get_caption()[0]))
        try:
            keys = next(self._ticks)
        except StopIteration:
            pygame.event.post(pygame.event.Event(pygame.QUIT))
            return
        for key in [keys] if isinstance(keys, str) else keys:
            # "left" is pressed and released, "+left" pressed and held, "-left" released.
            code = pygame.key.key_code(key.strip("+-"))
            if not key.startswith("-"):
                pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=code))
            if not key.startswith("+"):
                pygame.event.post(pygame.event.Event(pygame.KEYUP, key=code))


def play(script: Script, *arguments: str) -> int:
    parsed = cli.build_parser().parse_args(["play", *arguments])
    return play_command.run(parsed, clock=script)


def followed(task_id: str, actions: list[Any], seed: int = 0, **options: Any) -> list[np.ndarray]:
    """Returns the pictures after the reset and after each action; None stands for a reset."""
    with envpool_py.make(
        task_id, seed=seed, autoreset_mode="Disabled", render_mode="rgb_array", **options
    ) as envs:
        envs.reset()
        pictures = [envs.render()[0]]
        for action in actions:
            if action is None:
                envs.reset()
            else:
                envs.step(np.asarray([action], envs.single_action_space.dtype))
            pictures.append(envs.render()[0])
    return pictures


def assert_shows(
    frames: list[tuple[np.ndarray, str]], pictures: list[np.ndarray], scale: int
) -> None:
    assert len(frames) == len(pictures)
    for number, ((shown, _), picture) in enumerate(zip(frames, pictures, strict=True)):
        large = picture.repeat(scale, axis=0).repeat(scale, axis=1)
        np.testing.assert_array_equal(shown, large, err_msg=f"frame {number}")


def test_turns_are_taken_when_a_key_is_pressed() -> None:
    script = Script([], "right", [], "left", ["down", "x"])
    assert play(script, "CliffWalking-v1", "--scale", "1") == 0
    # Off the cliff and back to the start; into the wall; down, which does not move.
    expected = followed("CliffWalking-v1", [1, 3, 2])
    shown = [expected[i] for i in (0, 0, 1, 1, 2, 3)]
    assert_shows(script.frames, shown, 1)
    titles = [title for _, title in script.frames]
    assert titles[0] == "CliffWalking-v1: return 0 (reward 0), step 0"
    assert titles[2] == "CliffWalking-v1: return -100 (reward -100), step 1"
    assert titles[-1] == "CliffWalking-v1: return -102 (reward -1), step 3"


def test_time_goes_on_without_a_key() -> None:
    script = Script([], "+right", [], "-right", "left")
    assert play(script, "MountainCar-v0", "--seed", "4", "--scale", "2") == 0
    # A key pressed and released within a frame counts for one step.
    assert_shows(script.frames, followed("MountainCar-v0", [1, 1, 2, 2, 1, 0], seed=4)[1:], 2)
    assert script.rates == [30.0] * 6


def test_continuous_actions() -> None:
    script = Script([], ["+left"], ["-left", "+right"], ["+left"])
    assert play(script, "Pendulum-v1", "--option", "g=5", "--scale", "1", "--fps", "7") == 0
    actions = [[0.0], [0.0], [-2.0], [2.0], [0.0]]
    assert_shows(script.frames, followed("Pendulum-v1", actions, g=5.0)[1:], 1)
    assert script.rates == [7.0] * 5


def test_an_episode_ends_and_another_begins(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")  # the output must still be on one line
    # Six frozen tiles, then the goal; steps after the end have no effect.
    walk = ["right"] * 8
    script = Script(*walk, "r", "right", "r", "down")
    arguments = ["--option", "desc=SFFFFFG", "--option", "is_slippery=false", "--scale", "1"]
    assert play(script, "FrozenLake-v1", *arguments) == 0
    actions = [2, 2, 2, 2, 2, 2, None, 2, None, 1]
    expected = followed("FrozenLake-v1", actions, desc=["SFFFFFG"], is_slippery=False)
    ended = expected[6]
    assert_shows(script.frames, [*expected[:7], ended, ended, *expected[7:]], 1)
    titles = [title for _, title in script.frames]
    over = "FrozenLake-v1: return 1 (reward 1), step 6 - terminated, r for a new episode"
    assert titles[6:9] == [over] * 3
    assert titles[9] == "FrozenLake-v1: return 0 (reward 0), step 0"
    out, err = capsys.readouterr()
    assert err == ""
    first, second = out.splitlines()
    assert first == (
        "FrozenLake-v1: left: left, down: down, right: right, up: up; r: reset, escape: quit"
    )
    assert second == "episode 1: return 1, 6 steps, terminated"


def test_time_limits_end_episodes_too(capsys: pytest.CaptureFixture[str]) -> None:
    script = Script(*[[]] * 210)
    assert play(script, "MountainCar-v0", "--scale", "1") == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "episode 1: return -200, 200 steps, truncated"
    ]
    assert script.frames[-1][1].endswith("step 200 - truncated, r for a new episode")


def test_escape_quits() -> None:
    script = Script("right", "escape", "right", "right")
    assert play(script, "CliffWalking-v1") == 0
    assert len(script.frames) == 2
    assert not pygame.display.get_init()


def test_atari() -> None:
    pytest.importorskip("ale_py")
    script = Script("space", "+right", ["space"], "-right")
    assert play(script, "Breakout-v5", "--seed", "3") == 0
    known = {"noop": 0, "fire": 1, "right": 2, "left": 3}
    names = ["noop", "fire", "right", "right", "noop"]
    expected = followed("Breakout-v5", [known[name] for name in names], seed=3)[1:]
    assert_shows(script.frames, expected, 3)
    assert script.frames[0][0].shape == (630, 480, 3)


def fail(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 2) -> str:
    assert cli.main(["play", *arguments]) == code
    (line,) = capsys.readouterr().err.splitlines()
    return line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["CartPol-v1"], 'unknown task_id "CartPol-v1"; did you mean "CartPole-v1"'),
        (["NChain-v1", "--option", "n=5000"], "NChain-v1 does not render"),
        (["CartPole-v1", "--scale", "65"], "--scale: expected at most 64, got 65"),
        (["CartPole-v1", "--scale", "0"], "--scale: expected a whole number of at least 1"),
        (["CartPole-v1", "--fps", "x"], "--fps: expected a whole number of at least 1"),
        (["CartPole-v1", "--seed", "-1"], "--seed: expected a whole number from 0"),
        (["CartPole-v1", "--option", "x=1"], "the environment has no option 'x'"),
        (["Pendulum-v1", "--option", "g=far"], "--option: g: expected float, got 'far'"),
    ],
)
def test_bad_arguments(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = fail(capsys, *arguments)
    assert line.startswith("envpool-py: error: ")
    assert message in line


def test_without_pygame(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    for task_id in ("Catch-v0", "CartPole-v1"):
        assert "pip install 'gymnasium[classic-control,toy-text]'" in fail(capsys, task_id)


def test_without_a_display(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "there is no such driver")
    line = fail(capsys, "CartPole-v1")
    assert line.startswith("envpool-py: error: there is no display to open a window on: ")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    assert fail(capsys, "CartPole-v1") == (
        "envpool-py: error: there is no display to open a window on: none of DISPLAY, "
        "WAYLAND_DISPLAY, SDL_VIDEODRIVER is set"
    )


@pytest.mark.parametrize("driver", ["dummy", "offscreen"])
def test_a_driver_that_shows_nothing_is_no_display_unless_asked_for(
    driver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Window(4, 4, 1).__exit__(None, None, None)
    monkeypatch.delenv("SDL_VIDEODRIVER")
    monkeypatch.setenv("DISPLAY", ":there-is-none")
    monkeypatch.setattr(pygame.display, "init", lambda: None)
    monkeypatch.setattr(pygame.display, "get_driver", lambda: driver)
    with pytest.raises(WindowError, match="there is no display to open a window on"):
        Window(4, 4, 1)


@pytest.mark.usefixtures("testing")
def test_an_environment_that_fails_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    parsed = cli.build_parser().parse_args(["play", "Testing/Picture-v0"])
    assert play_command.run(parsed, clock=Script([], "2", [])) == 1  # action 2 throws
    assert "environment 0 failed: told to fail" in capsys.readouterr().err
    assert not pygame.display.get_init()


def test_keys_that_are_named() -> None:
    with Window(2, 2, 1) as window:
        for kind, key in ((pygame.KEYDOWN, pygame.K_LEFT), (pygame.KEYUP, pygame.K_SPACE)):
            pygame.event.post(pygame.event.Event(kind, key=key))
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        events = list(window.events())
    assert events == [Event("press", "left"), Event("release", "space"), Event("quit")]
