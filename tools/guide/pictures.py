"""Draws docs/pictures.png: frames of several tasks, side by side.

    python -m tools.guide.pictures

Needs all that draws: the extra `test`, and a library of OpenGL without a screen.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

import envpool_py

TASKS = (
    "CartPole-v1", "Pendulum-v1", "Acrobot-v1", "MountainCar-v0", "Breakout-v5", "Pong-v5",
    "FrozenLake-v1", "Taxi-v4", "Blackjack-v1", "CliffWalking-v1", "Catch-v0", "SpaceInvaders-v5",
    "LunarLander-v3", "BipedalWalker-v3", "CarRacing-v3", "HalfCheetah-v5", "Ant-v5", "Humanoid-v5",
    "CheetahRun-v1", "MiniGrid-DoorKey-8x8-v0", "simple_spread_v3", "CoinrunHard-v0",
    "FetchPickAndPlace-v4", "AntMaze_UMaze-v5",
)  # fmt: skip
COLUMNS = 6
BOX = (168, 140)  # width and height of the space for each frame, pixels
GAP = 8
STEPS = 40
SEED = 5
OUT = Path(__file__).resolve().parents[2] / "docs" / "pictures.png"


def frame_of(task_id: str) -> Image.Image:
    """Returns a frame of the task after some random steps, as large as its box allows."""
    with envpool_py.make(task_id, seed=SEED, render_mode="rgb_array") as envs:
        envs.action_space.seed(SEED)
        envs.reset()
        for _ in range(STEPS):
            envs.step(envs.action_space.sample())
        image = Image.fromarray(np.asarray(envs.render()[0]))
    scale = min(BOX[0] / image.width, BOX[1] / image.height)
    size = (round(image.width * scale), round(image.height * scale))
    return image.resize(size, Image.Resampling.LANCZOS)


def main() -> None:
    """Draws the picture."""
    rows = -(-len(TASKS) // COLUMNS)
    width, height = (BOX[0] + GAP) * COLUMNS + GAP, (BOX[1] + GAP) * rows + GAP
    sheet = Image.new("RGB", (width, height), (235, 237, 240))
    for place, task_id in enumerate(TASKS):
        row, column = divmod(place, COLUMNS)
        frame = frame_of(task_id)
        left = GAP + column * (BOX[0] + GAP) + (BOX[0] - frame.width) // 2
        top = GAP + row * (BOX[1] + GAP) + (BOX[1] - frame.height) // 2
        sheet.paste(frame, (left, top))
    sheet.quantize(256).save(OUT, optimize=True)
    print(f"{OUT.name}: {width} x {height} pixels, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
