"""Draws docs/minigrid-strips.png and docs/babyai-strips.png: a film strip of each task.

    python -m tools.guide.minigrid_strips

Needs the extras `test` and `video`. A strip has pictures of one episode at equal distances: the
reference's bot carries out the missions of BabyAI; the other tasks get random actions.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import minigrid  # noqa: F401  # registers the reference's ids
import numpy as np
from minigrid.utils import baby_ai_bot
from PIL import Image, ImageDraw
from rich.progress import track

import envpool_py
from envpool_py.tasks.families.minigrid.manifest import FAMILY

SIDE = 72  # side of the square for each picture, pixels
FRAMES = 6
COLUMNS = 2
GAP = 4
LABEL = 13
SEED = 3
RANDOM_STEPS = 30
MOST_STEPS = 150
BACKGROUND = (235, 237, 240)
DOCS = Path(__file__).resolve().parents[2] / "docs"


def random_actions(num_actions: int) -> Iterator[int]:
    """Returns random actions, most of which go forward."""
    rng = np.random.default_rng(SEED)
    weights = np.array([2, 2, 8, 2, 0, 2, 0])[:num_actions]
    return iter(rng.choice(num_actions, RANDOM_STEPS, p=weights / weights.sum()).tolist())


def bot_actions(task_id: str) -> Iterator[int]:
    """Yields the actions of the reference's bot until it finishes or gives up."""
    with contextlib.redirect_stdout(io.StringIO()):
        env = gymnasium.make(task_id, disable_env_checker=True).unwrapped
        env.reset(seed=SEED)
        make_bot: Any = baby_ai_bot.BabyAIBot  # the class has no annotations
        bot = make_bot(env)
        last = None
        for _ in range(MOST_STEPS):
            try:
                last = int(bot.replan(last))
            except Exception:  # the bot gives up some missions, with various exceptions
                return
            yield last
            if any(env.step(last)[2:4]):
                return


def actions_of(task_id: str) -> Iterator[int]:
    """Returns the actions of the episode in the strip."""
    if task_id.startswith("BabyAI"):
        return bot_actions(task_id)
    space = envpool_py.make_spec(task_id).action_space
    assert isinstance(space, gymnasium.spaces.Discrete)
    return random_actions(int(space.n))


def film(task_id: str) -> list[Image.Image]:
    """Returns pictures of an episode, including the first and the last one."""
    spec = envpool_py.make_spec(task_id, tile_size=1)
    assert spec.render is not None
    tile_size = max(SIDE // max(spec.render.height, spec.render.width), 1)
    pictures = []
    with envpool_py.make(
        task_id, autoreset_mode="Disabled", render_mode="rgb_array", tile_size=tile_size
    ) as envs:
        envs.reset(seed=SEED)
        pictures.append(envs.render()[0])
        for action in actions_of(task_id):
            _, _, terminated, truncated, _ = envs.step(np.array([action]))
            pictures.append(envs.render()[0])
            if terminated[0] or truncated[0]:
                break
    chosen = np.linspace(0, len(pictures) - 1, FRAMES).round().astype(int)
    return [Image.fromarray(np.asarray(pictures[i])) for i in chosen]


def draw(task_ids: list[str], out: Path) -> None:
    """Draws the strips of tasks, with their ids."""
    width, height = FRAMES * (SIDE + 2) + 3 * GAP, SIDE + LABEL + 2 * GAP
    rows = -(-len(task_ids) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * width, rows * height), BACKGROUND)
    pen = ImageDraw.Draw(sheet)
    for place, task_id in enumerate(track(task_ids, out.name)):
        column, row = divmod(place, rows)
        left, top = column * width + GAP, row * height + GAP
        pen.text((left, top), task_id, fill=(30, 33, 40))
        for frame, picture in enumerate(film(task_id)):
            sheet.paste(
                picture,
                (
                    left + frame * (SIDE + 2) + (SIDE - picture.width) // 2,
                    top + LABEL + (SIDE - picture.height) // 2,
                ),
            )
    sheet.quantize(64).save(out, optimize=True)
    print(f"{out.name}: {sheet.width} x {sheet.height} pixels, {out.stat().st_size} bytes")


def main() -> None:
    """Draws both pictures."""
    warnings.filterwarnings("ignore", ".*is out of date", DeprecationWarning)
    ids = sorted(FAMILY.tasks)
    draw([i for i in ids if i.startswith("MiniGrid-")], DOCS / "minigrid-strips.png")
    draw([i for i in ids if i.startswith("BabyAI-")], DOCS / "babyai-strips.png")


if __name__ == "__main__":
    main()
