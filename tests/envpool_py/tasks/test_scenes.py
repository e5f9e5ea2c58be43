"""Scenes that Python paints: which painter is used, failures, missing packages.

The tests use a test environment's scenes and a painter defined here. tests/parity compares the
pictures of Gymnasium's tasks with Gymnasium's own.
"""

from __future__ import annotations

import sys
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers.vector import HumanRendering, RecordVideo

import envpool_py
from envpool_py import _core, errors
from envpool_py.errors import (
    EnvironmentFailedError,
    InputTypeError,
    MissingPackageError,
    RenderModeError,
)
from envpool_py.tasks import catalog, registry, scenes
from envpool_py.tasks.manifest import Family, Limits, base_name

Make = Callable[..., Any]

TASK = "Testing/Scene-v0"
PAINTER = "plain_painter:PlainPainter"
FINE, THROWS = range(2)


class PlainPainter(scenes.Painter):
    """Paints the scene (number, steps, -1) as a square in the colour (number, steps, 7)."""

    prepared = 0

    @property
    def size(self) -> tuple[int, int]:
        return self._options["side"], self._options["side"] + 1

    @property
    def fps(self) -> int:
        return 9

    def prepare(self) -> None:
        PlainPainter.prepared += 1

    def paint(self, scene: scenes.Scene) -> scenes.Picture:
        assert scene.dtype == np.float64
        assert scene[2] == -1.0
        colour = np.array([scene[0], scene[1], 7], np.uint8)
        return np.tile(colour, (*self.size, 1))


@pytest.fixture
def painted(make: Make, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes rendering pools of the test environment with PlainPainter."""
    module = types.ModuleType("plain_painter")
    module.PlainPainter = PlainPainter  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "plain_painter", module)
    family = Family("Painted", {TASK: Limits()}, painters={"Testing/Scene": PAINTER})
    monkeypatch.setattr(registry, "_family_of", {**registry._family_of, TASK: family})

    def make_pool(**arguments: Any) -> Any:
        return make("Scene", **{"render_mode": "rgb_array", "seed": 5, **arguments})

    return make_pool


def assert_paints(pictures: Any, observations: Any, side: int = 2) -> None:
    assert isinstance(pictures, tuple)
    for picture, (number, steps) in zip(pictures, observations, strict=True):
        assert picture.dtype == np.uint8
        assert picture.shape == (side, side + 1, 3)
        assert (picture == [number, steps, 7]).all()


def test_each_environment_is_painted(painted: Make) -> None:
    pool = painted(num_envs=5, num_threads=2)
    observations, _ = pool.reset()
    assert_paints(pool.render(), observations)
    observations, *_ = pool.step(np.zeros(5, np.int64))
    assert_paints(pool.render(), observations)
    assert_paints(pool.render([4, 0, 2]), observations[[4, 0, 2]])


def test_the_painter_gets_the_options(painted: Make) -> None:
    assert envpool_py.make_spec(TASK).render == envpool_py.RenderSpec(2, 3, 9)
    assert envpool_py.make_spec(TASK, side=6).render == envpool_py.RenderSpec(6, 7, 9)
    pool = painted(num_envs=2, side=6)
    assert pool.metadata["render_fps"] == 9
    assert pool.metadata["render_modes"] == ["rgb_array"]
    observations, _ = pool.reset()
    assert_paints(pool.render(), observations, side=6)


def test_the_dm_api_is_painted_too(painted: Make) -> None:
    pool = painted(num_envs=3, env_type="dm")
    step = pool.reset()
    assert_paints(pool.render(), step.observation.obs)


@pytest.mark.parametrize("ids", [None, [3, 1, 2], (1,)])
def test_one_that_has_no_scene_is_black(painted: Make, ids: Any) -> None:
    pool = painted(num_envs=4)
    pool.reset()
    observations, *_ = pool.step([FINE, THROWS, FINE, FINE])
    with pytest.raises(EnvironmentFailedError, match="environment 1 failed: no scene") as caught:
        pool.render(ids)
    assert caught.value.env_ids == [1]
    asked = list(range(4)) if ids is None else list(ids)
    assert len(caught.value.batch) == len(asked)
    for env, picture in zip(asked, caught.value.batch, strict=True):
        if env == 1:
            assert picture.shape == (2, 3, 3)
            assert not picture.any()
        else:
            assert_paints((picture,), observations[[env]])
    assert_paints(pool.render([0, 2]), observations[[0, 2]])
    with pytest.raises(errors.ResetNeededError, match="environment 1 failed"):
        pool.render()


def test_in_flight_and_closed(painted: Make) -> None:
    pool = painted(num_envs=4, batch_size=2, num_threads=1)
    pool.reset()
    pool.send([FINE, FINE], [0, 3])
    with pytest.raises(errors.EnvIdError, match="env_id: environments 0, 3 are in flight"):
        pool.render()
    assert len(pool.render([2, 1])) == 2
    pool.recv()
    pool.close()
    with pytest.raises(errors.ClosedError):
        pool.render()


def test_a_painter_is_prepared_for_the_first_picture_of_a_pool(painted: Make) -> None:
    before = PlainPainter.prepared
    pool = painted(num_envs=2, render_mode=None)
    pool.reset()
    assert PlainPainter.prepared == before
    with pytest.raises(RenderModeError, match='made with render_mode="rgb_array"'):
        pool.render()
    pool = painted(num_envs=2)
    pool.reset()
    assert PlainPainter.prepared == before
    for _ in range(2):
        pool.render()
        assert PlainPainter.prepared == before + 1
    painted(num_envs=2, render_mode="rgb_array_list")
    assert PlainPainter.prepared == before + 2


def test_scenes_without_a_painter(make: Make) -> None:
    assert envpool_py.make_spec(TASK).render is None
    with pytest.raises(RenderModeError, match=rf"None \({TASK} does not render\)"):
        make("Scene", render_mode="rgb_array")
    assert make("Scene").metadata["render_modes"] == []


# The package's painters


def painted_tasks() -> list[str]:
    return [task_id for task_id in catalog.task_ids() if registry.painter_of(task_id) is not None]


def test_every_task_that_has_scenes_has_a_painter() -> None:
    with_scenes = set()
    for family in registry.all_families().values():
        family.load()
        of_family = {
            task_id
            for task_id in family.tasks
            if _core.describe_task(task_id, {})["scene_size"] > 0
        }
        assert {base_name(task_id) for task_id in of_family} == set(family.painters), family.name
        with_scenes |= of_family
    assert with_scenes == set(painted_tasks())
    assert len(with_scenes) >= 14
    for task_id in with_scenes:
        described = envpool_py.make_spec(task_id).render
        assert described is not None
        assert min(described.height, described.width, described.fps) >= 1


@pytest.mark.parametrize("task_id", ["CartPole-v1", "FrozenLake-v1"])
def test_pygame_is_missing(task_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    missing = pytest.raises(
        MissingPackageError, match=r"pip install 'gymnasium\[classic-control,toy-text\]'"
    )
    # Training libraries make environments with a `render_mode`, and most of them draw nothing.
    with envpool_py.make(task_id, render_mode="rgb_array") as envs:
        envs.reset()
        envs.step([0])
        with missing:
            envs.render()
        envs.step([0])
    env = gymnasium.make(f"EnvPool/{task_id}", render_mode="rgb_array")
    env.reset()
    with missing:
        env.render()
    # This mode draws in `reset` and `step`.
    with missing:
        envpool_py.make(task_id, render_mode="rgb_array_list")
    assert envpool_py.make_spec(task_id).render is not None


def test_no_display_is_opened(run_script: Callable[..., str]) -> None:
    pytest.importorskip("pygame")
    source = f"""
        import os
        import sys
        import envpool_py

        os.environ["SDL_VIDEODRIVER"] = "there is no such driver"
        for task_id in {painted_tasks()!r}:
            with envpool_py.make(task_id, num_envs=1, render_mode="rgb_array") as envs:
                envs.reset(seed=1)
                assert envs.render()[0].std() > 5, task_id
        import pygame
        print(pygame.display.get_init())
    """
    assert run_script(source) == "False\n"


def test_warnings_may_be_errors(run_script: Callable[..., str]) -> None:
    """Importing Box2D causes warnings, and Box2D crashes where they are errors."""
    pytest.importorskip("Box2D")
    source = """
        import warnings
        import envpool_py

        warnings.simplefilter("error")
        with envpool_py.make("LunarLander-v3", num_envs=1, render_mode="rgb_array") as envs:
            envs.reset(seed=1)
            print(envs.render()[0].shape)
    """
    assert run_script(source) == "(400, 600, 3)\n"


def test_windows_of_others_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()
    try:
        window = pygame.display.set_mode((8, 8))
        pygame.display.set_caption("mine")
        window.fill((1, 2, 3))
        for task_id in painted_tasks():
            with envpool_py.make(task_id, num_envs=1, render_mode="rgb_array") as envs:
                envs.reset()
                envs.render()
        assert pygame.display.get_surface() is window
        assert pygame.display.get_caption()[0] == "mine"
        assert window.get_at((7, 7))[:3] == (1, 2, 3)
    finally:
        pygame.display.quit()


def test_gymnasium_shows_and_closes_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    pytest.importorskip("cv2")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with envpool_py.make("Taxi-v4", num_envs=1, seed=1, render_mode="rgb_array") as other:
        other.reset()
        before = other.render()[0]
        pool = envpool_py.make("CartPole-v1", num_envs=1, seed=1, render_mode="rgb_array")
        envs = HumanRendering(pool, screen_size=(600, 400))
        envs.reset()
        for _ in range(40):  # beyond the end of an episode
            shown = pygame.surfarray.array3d(envs.window).swapaxes(0, 1)
            np.testing.assert_array_equal(shown, pool.render()[0])
            envs.step(np.ones(1, np.int64))
        # The wrapper's `close` shuts down pygame as a whole.
        envs.close()
        assert not pygame.get_init()
        np.testing.assert_array_equal(other.render()[0], before)


@pytest.mark.parametrize("mode", ["NextStep", "Disabled"])
def test_gymnasium_films_an_episode(mode: str, tmp_path: Path) -> None:
    pytest.importorskip("pygame")
    pytest.importorskip("moviepy")
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    pool = envpool_py.make(
        "CartPole-v1", num_envs=2, seed=1, render_mode="rgb_array", autoreset_mode=mode
    )
    folder = tmp_path / "videos"
    envs = RecordVideo(pool, str(folder), episode_trigger=lambda number: number == 0)
    envs.reset()
    frames = 1
    while True:
        _, _, terminated, *_ = envs.step(np.ones(2, np.int64))
        frames += 1
        if terminated[0]:
            break
    envs.close()
    (video,) = folder.iterdir()
    count, seconds = imageio_ffmpeg.count_frames_and_secs(str(video))
    assert count == frames
    assert abs(seconds - frames / 50) < 0.02


def test_pools_are_painted_at_once() -> None:
    pytest.importorskip("pygame")
    tasks = ["CartPole-v1", "Taxi-v4", "FrozenLake-v1"]

    def pictures(task_id: str) -> list[bytes]:
        drawn = []
        with envpool_py.make(task_id, num_envs=2, seed=3, render_mode="rgb_array") as envs:
            envs.reset()
            for _ in range(15):
                drawn += [picture.tobytes() for picture in envs.render()]
                envs.step(np.ones(2, np.int64))
        return drawn

    expected = [pictures(task_id) for task_id in tasks]
    begun = threading.Barrier(len(tasks))
    drawn: dict[str, list[bytes]] = {}

    def draw(task_id: str) -> None:
        begun.wait()
        drawn[task_id] = pictures(task_id)

    threads = [threading.Thread(target=draw, args=(task_id,)) for task_id in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [drawn[task_id] for task_id in tasks] == expected


def test_one_pool_is_painted_by_many_threads() -> None:
    pytest.importorskip("pygame")
    with envpool_py.make("Pendulum-v1", num_envs=4, seed=3, render_mode="rgb_array") as envs:
        envs.reset()
        expected = [picture.tobytes() for picture in envs.render()]
        assert len(set(expected)) == 4
        begun = threading.Barrier(4)
        wrong: list[int] = []

        def draw(env: int) -> None:
            begun.wait()
            for _ in range(10):
                if envs.render([env])[0].tobytes() != expected[env]:
                    wrong.append(env)

        threads = [threading.Thread(target=draw, args=(env,)) for env in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


# Catch and NChain have no reference: their pictures are compared with values computed here


def test_catch_shows_its_observation() -> None:
    with envpool_py.make("Catch-v0", num_envs=3, seed=2, render_mode="rgb_array") as envs:
        assert envs.metadata["render_fps"] == 4
        observations, _ = envs.reset()
        rng = np.random.default_rng(0)
        for _ in range(25):
            for picture, board in zip(envs.render(), observations, strict=True):
                assert picture.shape == (320, 160, 3)
                tiles = picture.reshape(10, 32, 5, 32, 3).swapaxes(1, 2)
                # A tile has a line above and to the left, and a piece may lie in its middle.
                assert (tiles[:, :, 0] == 200).all()
                assert (tiles[:, :, :, 0] == 200).all()
                corners, middles = tiles[:, :, 1, 1], tiles[:, :, 16, 16]
                ball = (middles == [220, 110, 30]).all(axis=2)
                paddle = (corners == [60, 90, 160]).all(axis=2)
                assert ball.sum() == paddle.sum() == paddle[-1].sum() == 1
                np.testing.assert_array_equal(ball | paddle, board.astype(bool))
            observations, *_ = envs.step(rng.integers(3, size=3))


@pytest.mark.parametrize(("n", "side"), [(5, 32), (40, 16), (4096, 4)])
def test_nchain_shows_its_state(n: int, side: int) -> None:
    shape = (-(-n // 32) * side, min(n, 32) * side, 3)
    with envpool_py.make("NChain-v1", num_envs=2, n=n, seed=2, render_mode="rgb_array") as envs:
        observations, _ = envs.reset()
        for _ in range(60):
            for picture, state in zip(envs.render(), observations, strict=True):
                assert picture.shape == shape
                agent = np.argwhere((picture == [60, 90, 160]).all(axis=2)) // side
                assert set(map(tuple, agent)) == {divmod(int(state), 32)}
            observations, *_ = envs.step(np.zeros(2, np.int64))


def test_a_chain_that_is_too_long_to_be_drawn() -> None:
    assert envpool_py.make_spec("NChain-v1", n=4097).render is None
    with pytest.raises(RenderModeError, match="does not render"):
        envpool_py.make("NChain-v1", n=4097, render_mode="rgb_array")
    with envpool_py.make("NChain-v1", n=2**31 - 1) as envs:
        envs.reset()


class Dots(scenes.Painter):
    """Paints all pixels in the brightness given by the scene's number."""

    size = (4, 6)  # type: ignore[assignment]
    fps = 7  # type: ignore[assignment]

    def prepare(self) -> None:
        pass

    def paint(self, scene: Any) -> Any:
        return np.full((*self.size, 3), abs(int(scene[0])) % 256, np.uint8)


def test_a_painter_of_a_plug_in(testing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    del testing
    monkeypatch.setattr(scenes, "_registered", {})
    assert envpool_py.make_spec("Testing/Scene-v0").render is None
    scenes.register_painter("Testing/Scene-v0", Dots)
    render = envpool_py.make_spec("Testing/Scene-v0").render
    assert render is not None
    assert (render.height, render.width, render.fps) == (4, 6, 7)
    with envpool_py.make("Testing/Scene-v0", num_envs=2, render_mode="rgb_array") as pool:
        pool.reset()
        assert [picture.shape for picture in pool.render()] == [(4, 6, 3)] * 2
    with pytest.raises(InputTypeError, match="painter: expected a class derived from Painter"):
        scenes.register_painter("Testing/Scene-v0", print)  # type: ignore[arg-type]
