"""Gymnasium's wrappers that show or record vector environments, compared with `SyncVectorEnv`."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector

import envpool_py

STEPS = 25
OPTIONS = {"max_episode_steps": 9, "render_mode": "rgb_array"}
TASKS = [
    task_id
    for task_id in ("ALE/Breakout-v5", "CartPole-v1", "FrozenLake-v1")
    if envpool_py.make_spec(task_id).render is not None
]


@pytest.mark.skipif(not hasattr(vector, "HumanRendering"), reason="this Gymnasium has none")
@pytest.mark.parametrize("task_id", TASKS)
def test_human_rendering(
    task_id: str, both: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # a window without a screen
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    pygame = pytest.importorskip("pygame")
    pytest.importorskip("cv2")
    mode = AutoresetMode.NEXT_STEP

    def windows(envs: Any) -> list[np.ndarray]:
        human = vector.HumanRendering(envs, screen_size=(320, 240))
        assert human.render_mode == "human"
        human.clock = SimpleNamespace(tick=lambda fps: None)  # do not wait between frames
        human.action_space.seed(5)
        actions = [human.action_space.sample() for _ in range(STEPS)]
        shown = [
            pygame.surfarray.array3d(human.window)
            for _ in both.play(human, actions.__getitem__, STEPS, mode)
        ]
        human.close()
        return shown

    theirs = windows(both.reference(task_id, mode, **OPTIONS))
    mine = windows(both.pool(task_id, mode, **OPTIONS))
    for step, (left, right) in enumerate(zip(theirs, mine, strict=True)):
        np.testing.assert_array_equal(right, left, err_msg=f"window after step {step}")
    assert any((left != theirs[0]).any() for left in theirs)


@pytest.mark.skipif(not hasattr(vector, "RecordVideo"), reason="this Gymnasium has none")
@pytest.mark.filterwarnings("ignore:.*autoreset mode is same-step")  # the wrapper warns
@pytest.mark.sampled("mode")
@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("task_id", TASKS)
def test_record_video(
    task_id: str, mode: AutoresetMode, both: SimpleNamespace, tmp_path: Path
) -> None:
    pytest.importorskip("moviepy")
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")

    def films(envs: Any, folder: Path) -> dict[str, bytes]:
        recorder = vector.RecordVideo(envs, str(folder), episode_trigger=lambda number: number < 2)
        recorder.action_space.seed(5)
        actions = [recorder.action_space.sample() for _ in range(STEPS)]
        for _ in both.play(recorder, actions.__getitem__, STEPS, mode):
            pass
        recorder.close()
        read = {}
        for film in sorted(folder.iterdir()):
            command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", film, "-f", "rawvideo", "-"]
            read[film.name] = subprocess.run(command, capture_output=True, check=True).stdout
        return read

    theirs = films(both.reference(task_id, mode, **OPTIONS), tmp_path / "theirs")
    mine = films(both.pool(task_id, mode, **OPTIONS), tmp_path / "mine")
    assert list(mine) == list(theirs)
    assert len(mine) == 2
    for name, film in theirs.items():
        assert film, name
        assert mine[name] == film, name
