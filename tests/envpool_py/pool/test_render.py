"""Pictures of a test environment, compared with values computed in Python; rendering threads."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded, UnsupportedMode
from gymnasium.wrappers.vector import HumanRendering, RecordVideo

import envpool_py
from envpool_py.errors import (
    ClosedError,
    EnvIdError,
    EnvironmentFailedError,
    InputError,
    InputTypeError,
    OptionError,
    RenderModeError,
    ResetNeededError,
)

Make = Callable[..., Any]

MASK64 = 2**64 - 1
FINE, THROW_IN_RENDER, THROW_IN_STEP, GATE_IN_RENDER = range(4)
HEIGHT, WIDTH = 3, 5


def picture_of(observation: Any, height: int = HEIGHT, width: int = WIDTH) -> np.ndarray:
    """Returns Picture-v0's picture; observations are (number drawn at the reset, steps since)."""
    number, step = map(int, observation)
    pixels = []
    for element in range(height * width * 3):
        bits = (number + step * 0x9E3779B97F4A7C15 + element * 0x165667B19E3779F9) & MASK64
        bits ^= bits >> 33
        bits = (bits * 0xFF51AFD7ED558CCD) & MASK64
        bits ^= bits >> 29
        pixels.append(bits & 0xFF)
    return np.array(pixels, np.uint8).reshape(height, width, 3)


def assert_shows(pictures: Any, observations: Any) -> None:
    assert isinstance(pictures, tuple)
    assert len(pictures) == len(observations)
    for picture, observation in zip(pictures, observations, strict=True):
        assert picture.dtype == np.uint8
        np.testing.assert_array_equal(picture, picture_of(observation))


@pytest.fixture
def rendering(make: Make) -> Make:
    def make_pool(**arguments: Any) -> Any:
        return make("Picture", **{"render_mode": "rgb_array", "seed": 3, **arguments})

    return make_pool


# Contents of pictures


@pytest.mark.parametrize("work", [0, 100_000], ids=["light", "heavy"])
@pytest.mark.parametrize("num_threads", [1, 3])
def test_one_picture_per_environment(rendering: Make, num_threads: int, work: int) -> None:
    pool = rendering(num_envs=9, num_threads=num_threads, work=work)
    observations, _ = pool.reset()
    assert_shows(pool.render(), observations)
    for _ in range(5):
        observations, *_ = pool.step(np.zeros(9, np.int64))
        for _ in range(2):  # rendering changes nothing
            assert_shows(pool.render(), observations)
    # Rendering causes no steps and no resets.
    stats = pool.stats()
    assert (stats["steps"], stats["resets"], stats["failures"]) == (45, 9, 0)


def test_pictures_belong_to_the_caller(rendering: Make) -> None:
    pool = rendering(num_envs=2)
    observations, _ = pool.reset()
    first = pool.render()
    for picture in first:
        assert picture.shape == (HEIGHT, WIDTH, 3)
        assert picture.flags.writeable
        assert picture.flags.c_contiguous
    first[0][...] = 0
    assert_shows(pool.render(), observations)
    assert_shows(first[1:], observations[1:])
    pool.close()
    assert_shows(first[1:], observations[1:])


@pytest.mark.parametrize(("height", "width"), [(1, 1), (7, 2), (1, 300)])
def test_size_of_the_picture(rendering: Make, height: int, width: int) -> None:
    pool = rendering(num_envs=2, height=height, width=width)
    observations, _ = pool.reset()
    for picture, observation in zip(pool.render(), observations, strict=True):
        np.testing.assert_array_equal(picture, picture_of(observation, height, width))


@pytest.mark.parametrize("ids", [[2], [5, 0, 3], np.array([1, 4], np.uint8), (3, 2, 1, 0, 4, 5)])
def test_only_those_asked_for_are_drawn(rendering: Make, testing: Any, ids: Any) -> None:
    pool = rendering(num_envs=6, num_threads=2)
    observations, _ = pool.reset()
    renders, _ = testing.picture_calls()
    assert_shows(pool.render(ids), observations[np.asarray(ids)])
    assert_shows(pool.render(env_id=ids), observations[np.asarray(ids)])
    assert testing.picture_calls()[0] == renders + 2 * len(ids)


def test_only_requested_environments_are_drawn(make: Make, testing: Any) -> None:
    before = testing.picture_calls()
    for render_mode, enables in ((None, 0), ("rgb_array", 4)):
        pool = make("Picture", num_envs=4, episode_length=3, render_mode=render_mode)
        pool.reset()
        for _ in range(10):
            pool.step(np.zeros(4, np.int64))
        before = (before[0], before[1] + enables)
        assert testing.picture_calls() == before


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_autoreset_modes_show_the_latest_observation(rendering: Make, mode: str) -> None:
    pool = rendering(num_envs=3, episode_length=3, autoreset_mode=mode)
    observations, _ = pool.reset()
    ends = 0
    for _ in range(11):
        observations, _, terminated, _, infos = pool.step(np.zeros(3, np.int64))
        assert_shows(pool.render(), observations)
        if terminated.any():
            ends += 1
            # The episode's last picture; in SameStep mode, the first picture of the next episode.
            assert observations[0, 1] == (0 if mode == "SameStep" else 3)
            if mode == "SameStep":
                assert infos["final_obs"][0, 1] == 3
            if mode == "Disabled":
                observations, _ = pool.reset()
                assert_shows(pool.render(), observations)
    assert ends >= 2


def test_the_dm_api_renders_too(rendering: Make) -> None:
    pool = rendering(num_envs=3, env_type="dm")
    step = pool.reset()
    assert_shows(pool.render(), step.observation.obs)
    step = pool.step(np.zeros(3, np.int64))
    assert_shows(pool.render([2, 0]), step.observation.obs[[2, 0]])


# With send and recv


def test_idle_environments_of_a_pool_in_flight(rendering: Make) -> None:
    pool = rendering(num_envs=6, batch_size=2, num_threads=2)
    observations, _ = pool.reset()
    pool.send(np.zeros(4, np.int64), [1, 2, 4, 5])
    assert_shows(pool.render([3, 0]), observations[[3, 0]])
    for call, named in (
        (lambda: pool.render(), "environments 1, 2, 4, 5 are in flight"),
        (lambda: pool.render([0, 5, 3, 1]), "environments 5, 1 are in flight"),
        (lambda: pool.render([4]), "environment 4 is in flight"),
    ):
        with pytest.raises(EnvIdError, match=f"env_id: {named}") as caught:
            call()
        assert "recv()" in str(caught.value)
    for left in (2, 0):
        observations, *_, infos = pool.recv()
        assert_shows(pool.render(infos["env_id"]), observations)
        assert pool.stats()["steps"] >= 4 - left
    assert len(pool.render()) == 6


def test_of_many_in_flight_ten_are_named(rendering: Make) -> None:
    pool = rendering(num_envs=40)
    pool.reset()
    pool.send(np.zeros(40, np.int64))
    with pytest.raises(EnvIdError, match=r"environments 0, 1, .*, 9 and 30 more are in flight"):
        pool.render()
    pool.recv()


def test_an_environment_that_is_being_drawn_is_in_flight(rendering: Make, testing: Any) -> None:
    pool = rendering(num_envs=4, batch_size=1, num_threads=2)
    pool.reset()
    for env, action in enumerate([GATE_IN_RENDER, FINE, FINE, FINE]):
        pool.step([action], [env])
    drawn: list[Any] = []
    drawing = threading.Thread(target=lambda: drawn.append(pool.render([0])))
    drawing.start()
    # While a picture is rendered, Python and the other environments run.
    assert testing.await_gate_waiting(1)
    with pytest.raises(EnvIdError, match="environment 0 is in flight"):
        pool.send([0], [0])
    pool.send([0], [2])
    observations, *_, infos = pool.recv()
    assert infos["env_id"] == [2]
    assert observations[0, 1] == 2
    testing.open_gate()
    drawing.join()
    observations, *_ = pool.step([FINE], [0])
    assert_shows(drawn[0], [[observations[0, 0], 1]])


def test_closing_while_pictures_are_drawn(rendering: Make, testing: Any) -> None:
    pool = rendering(num_envs=8, num_threads=4, height=200, width=200)
    pool.reset()
    pool.step(np.full(8, GATE_IN_RENDER))
    outcomes: list[Any] = []

    def draw() -> None:
        try:
            outcomes.append(pool.render())
        except ClosedError as error:
            outcomes.append(error)

    drawing = threading.Thread(target=draw)
    drawing.start()
    assert testing.await_gate_waiting(1)
    closing = threading.Thread(target=pool.close)
    closing.start()
    while not pool._core.closed:
        pass
    testing.open_gate()
    closing.join()
    drawing.join()
    (outcome,) = outcomes
    assert isinstance(outcome, ClosedError) or len(outcome) == 8
    with pytest.raises(ClosedError):
        pool.render()


# Failures


def test_one_that_cannot_be_drawn_leaves_the_others_alone(rendering: Make, testing: Any) -> None:
    pool = rendering(num_envs=4, num_threads=2)
    pool.reset()
    observations, *_ = pool.step([FINE, THROW_IN_RENDER, FINE, THROW_IN_RENDER])
    with pytest.raises(EnvironmentFailedError, match="environment 1 failed: no paint") as caught:
        pool.render([2, 1, 0, 3])
    assert caught.value.env_ids == [1, 3]
    assert caught.value.causes == ["no paint", "no paint"]
    batch = caught.value.batch
    assert_shows((batch[0], batch[2]), observations[[2, 0]])
    assert not batch[1].any()
    assert not batch[3].any()
    assert pool.stats()["failures"] == 2
    assert_shows(pool.render([0, 2]), observations[[0, 2]])
    with pytest.raises(ResetNeededError, match=r"environment 1 failed .*no paint"):
        pool.render()
    _, enables = testing.picture_calls()
    observations, _ = pool.reset([1, 3])
    # A reset re-creates the failed environments and enables their rendering again.
    assert testing.picture_calls()[1] == enables + 2
    assert_shows(pool.render([1, 3]), observations)


def test_a_failed_environment_has_no_picture(rendering: Make) -> None:
    pool = rendering(num_envs=2)
    pool.reset()
    with pytest.raises(EnvironmentFailedError):
        pool.step([FINE, THROW_IN_STEP])
    with pytest.raises(ResetNeededError, match="environment 1 failed and must be reset first"):
        pool.render()
    assert len(pool.render([0])) == 1


@pytest.mark.parametrize("extra_infos", [True, False])
def test_failures_while_pictures_are_collected(rendering: Make, extra_infos: bool) -> None:
    """The others' pictures are kept, and `batch` is what the call would have returned."""
    pool = rendering(num_envs=3, render_mode="rgb_array_list", extra_infos=extra_infos)
    pool.reset()
    with pytest.raises(EnvironmentFailedError) as caught:
        pool.step([FINE, THROW_IN_STEP, FINE])
    assert len(caught.value.batch) == 5
    assert ("env_id" in caught.value.batch[4]) == extra_infos
    assert [len(pictures) for pictures in pool.render()] == [2, 1, 2]
    pool.reset([1])
    with pytest.raises(EnvironmentFailedError, match="no paint") as caught:
        pool.step([FINE, FINE, THROW_IN_RENDER])
    assert caught.value.env_ids == [2]
    observations = caught.value.batch[0]
    assert ("env_id" in caught.value.batch[4]) == extra_infos
    pictures = pool.render()
    assert [len(each) for each in pictures] == [1, 2, 0]
    assert_shows((pictures[0][-1], pictures[1][-1]), observations[:2])


# Bad input


def test_before_the_first_reset(rendering: Make) -> None:
    pool = rendering(num_envs=3)
    with pytest.raises(ResetNeeded, match="environment 0 has not been reset yet: call reset"):
        pool.render()
    observations, _ = pool.reset([1])
    assert_shows(pool.render([1]), observations)
    with pytest.raises(ResetNeededError, match="environment 2 has not been reset"):
        pool.render([1, 2])


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([3], EnvIdError, r"env_id\[0\]: expected a value in \[0, 2\], got 3"),
        ([0, -1], EnvIdError, r"env_id\[1\]: .* got -1"),
        ([1, 1], EnvIdError, r"env_id\[1\]: environment 1 is named more than once"),
        ([0] * 100_000, EnvIdError, "more than once"),
        ([], InputError, r"env_id: expected shape \(n,\) with n >= 1, got \(0,\)"),
        (1, InputError, r"env_id: expected shape"),
        ([[0]], InputError, r"env_id: expected shape"),
        ([0.0], InputTypeError, "env_id: expected an integer dtype, got float64"),
        ([True], InputTypeError, "env_id: expected an integer dtype, got bool"),
        ("all", InputTypeError, "env_id: expected an array"),
    ],
    ids=str,
)  # fmt: skip
def test_bad_ids(rendering: Make, ids: Any, error: type[Exception], message: str) -> None:
    pool = rendering(num_envs=3)
    observations, _ = pool.reset()
    with pytest.raises(error, match=message):
        pool.render(ids)
    assert_shows(pool.render(), observations)


def test_a_pool_made_without_render_mode(make: Make) -> None:
    for name in ("Picture", "Counter"):
        pool = make(name, num_envs=2)
        pool.reset()
        assert pool.render_mode is None
        with pytest.raises(RenderModeError, match='made with render_mode="rgb_array"') as caught:
            pool.render()
        assert isinstance(caught.value, UnsupportedMode)


@pytest.mark.parametrize(
    ("name", "render_mode", "error", "message"),
    [
        ("Picture", "human", RenderModeError, "'rgb_array_list', got 'human' .*HumanRendering"),
        ("Picture", "rgb_aray", RenderModeError, "got 'rgb_aray'; did you mean \"rgb_array\""),
        ("Picture", "ansi", RenderModeError, "'rgb_array' or 'rgb_array_list', got 'ansi'$"),
        ("Picture", 1, InputTypeError, "None or 'rgb_array' or 'rgb_array_list', got int 1"),
        ("Counter", "rgb_array", RenderModeError, r"None \(Testing/Counter-v0 does not render\)"),
        ("Counter", True, InputTypeError, "expected None, got bool True"),
    ],
)  # fmt: skip
def test_bad_render_mode(
    make: Make, name: str, render_mode: Any, error: type[Exception], message: str
) -> None:
    for env_type in ("gymnasium", "dm"):
        with pytest.raises(error, match=f"render_mode: .*{message}"):
            make(name, env_type=env_type, render_mode=render_mode)


def test_the_engine_itself_refuses(testing: Any) -> None:
    arguments = {
        "num_envs": 1, "batch_size": 1, "num_threads": 1, "seed": None, "max_episode_steps": 0,
        "autoreset_mode": "NextStep", "env_type": "gymnasium",
    }  # fmt: skip
    with pytest.raises(RenderModeError, match="does not render"):
        envpool_py._core.Pool("Testing/Counter-v0", {}, **arguments, render_mode="rgb_array")
    with pytest.raises(OptionError):
        envpool_py._core.Pool(
            "Testing/Picture-v0", {"height": 0}, **arguments, render_mode="rgb_array"
        )


# Use by other libraries


def test_metadata_and_spec(rendering: Make, make: Make) -> None:
    pool = rendering(num_envs=2)
    assert pool.render_mode == "rgb_array"
    assert pool.metadata["render_modes"] == ["rgb_array"]
    assert pool.metadata["render_fps"] == 12
    spec = envpool_py.make_spec("Testing/Picture-v0", width=8)
    assert spec.render == envpool_py.RenderSpec(height=HEIGHT, width=8, fps=12)
    blind = make("Counter")
    assert blind.metadata["render_modes"] == []
    assert "render_fps" not in blind.metadata
    assert envpool_py.make_spec("Testing/Counter-v0").render is None


def test_through_gymnasium(rendering: Make) -> None:
    envpool_py.register_tasks()
    arguments = {"num_envs": 3, "seed": 3, "render_mode": "rgb_array", "width": WIDTH}
    with gymnasium.make_vec("EnvPool/Testing.Picture-v0", **arguments) as pool:
        observations, _ = pool.reset()
        assert_shows(pool.render(), observations)
        with gymnasium.make_vec(pool.spec) as again:
            assert again.render_mode == "rgb_array"
            observations, _ = again.reset()
            assert_shows(again.render(), observations)


def test_what_human_rendering_asks_for(rendering: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gymnasium's wrapper uses our pictures; its window is not opened here."""
    envs = HumanRendering(rendering(num_envs=3))
    shown: list[Any] = []
    monkeypatch.setattr(envs, "_render_frame", lambda: shown.append(envs.env.render()))
    assert envs.metadata["render_modes"] == ["rgb_array", "human"]
    observations, _ = envs.reset()
    assert_shows(shown.pop(), observations)
    observations, *_ = envs.step(np.zeros(3, np.int64))
    assert_shows(shown.pop(), observations)
    assert envs.env.metadata["render_modes"] == ["rgb_array"]
    envs.close()


def test_human_rendering_in_a_window(rendering: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # a window without a screen
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    pygame = pytest.importorskip("pygame")
    pytest.importorskip("cv2")
    # A window of (width, height) for two rows of two pictures, none of them resized.
    envs = HumanRendering(rendering(num_envs=4), screen_size=(2 * WIDTH, 2 * HEIGHT))
    observations, _ = envs.reset()
    for _ in range(2):
        pictures = [picture_of(observation) for observation in observations]
        rows = [np.concatenate(pictures[i : i + 2], axis=1) for i in (0, 2)]
        shown = pygame.surfarray.array3d(envs.window).swapaxes(0, 1)
        np.testing.assert_array_equal(shown, np.concatenate(rows))
        observations, *_ = envs.step(np.zeros(4, np.int64))
    envs.close()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.filterwarnings("ignore:.*autoreset mode is same-step")  # the wrapper warns
def test_record_video_films_all_environments(rendering: Make, mode: str, tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    pool = rendering(num_envs=4, height=32, width=48, episode_length=10, autoreset_mode=mode)
    envs = RecordVideo(pool, str(tmp_path / "videos"), episode_trigger=lambda number: number == 1)
    envs.reset()
    for _ in range(30):
        _, _, terminated, *_ = envs.step(np.zeros(4, np.int64))
        if mode == "Disabled" and terminated.any():
            envs.reset(options={"reset_mask": terminated})
    envs.close()
    (video,) = (tmp_path / "videos").iterdir()
    assert video.name == "rl-video-episode-1.mp4"
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(video), "-f", "rawvideo", "-"]
    read = subprocess.run(command, capture_output=True, check=True)
    assert re.search(rb"Video: h264.* 96x64.* 12 fps", read.stderr)
    # Frames from the reset to the end; SameStep has the next reset's frame in place of the last.
    assert len(read.stdout) == (10 if mode == "SameStep" else 11) * 96 * 64 * 3 // 2
