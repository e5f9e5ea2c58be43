"""Draws docs/minigrid.png: levels of several MiniGrid and BabyAI tasks, side by side.

    python -m tools.guide.minigrid

Needs the extra `video`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

import envpool_py

TASKS = (
    "MiniGrid-Empty-8x8-v0", "MiniGrid-DoorKey-8x8-v0", "MiniGrid-FourRooms-v0",
    "MiniGrid-LavaCrossingS9N2-v0", "MiniGrid-SimpleCrossingS9N3-v0", "MiniGrid-DistShift1-v0",
    "MiniGrid-Dynamic-Obstacles-8x8-v0", "MiniGrid-MultiRoom-N6-v0", "MiniGrid-LockedRoom-v0",
    "MiniGrid-KeyCorridorS3R3-v0", "MiniGrid-ObstructedMaze-Full-v1", "MiniGrid-MemoryS13-v0",
    "MiniGrid-Fetch-8x8-N3-v0", "MiniGrid-PutNear-8x8-N3-v0", "MiniGrid-GoToDoor-8x8-v0",
    "MiniGrid-RedBlueDoors-8x8-v0", "MiniGrid-Playground-v0", "MiniGrid-BlockedUnlockPickup-v0",
    "BabyAI-GoToRedBall-v0", "BabyAI-GoToLocal-v0", "BabyAI-PutNextS7N4-v0",
    "BabyAI-UnlockToUnlock-v0", "BabyAI-Synth-v0", "BabyAI-BossLevel-v0",
)  # fmt: skip
COLUMNS = 6
SIDE = 132  # side of the square for each picture, pixels
GAP = 6
SEED = 3
OUT = Path(__file__).resolve().parents[2] / "docs" / "minigrid.png"


def picture_of(task_id: str) -> Image.Image:
    """Returns the first picture of the task, with the largest tiles that fit."""
    spec = envpool_py.make_spec(task_id, tile_size=1)
    assert spec.render is not None
    tile_size = SIDE // max(spec.render.height, spec.render.width)
    with envpool_py.make(task_id, seed=SEED, render_mode="rgb_array", tile_size=tile_size) as envs:
        envs.reset()
        return Image.fromarray(np.asarray(envs.render()[0]))


def main() -> None:
    """Draws the picture."""
    rows = -(-len(TASKS) // COLUMNS)
    sheet = Image.new(
        "RGB", (COLUMNS * (SIDE + GAP) + GAP, rows * (SIDE + GAP) + GAP), (235, 237, 240)
    )
    for place, task_id in enumerate(TASKS):
        row, column = divmod(place, COLUMNS)
        picture = picture_of(task_id)
        left = GAP + column * (SIDE + GAP) + (SIDE - picture.width) // 2
        top = GAP + row * (SIDE + GAP) + (SIDE - picture.height) // 2
        sheet.paste(picture, (left, top))
    sheet.quantize(128).save(OUT, optimize=True)
    print(f"{OUT.name}: {sheet.width} x {sheet.height} pixels, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
