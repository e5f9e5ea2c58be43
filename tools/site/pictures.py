"""Draws the moving pictures of the site: each environment with random actions, as WebP.

    python -m tools.site.pictures [NAME ...]

Writes build/site/extra/environments/<family>/<environment>.webp, and a first frame beside it for
readers who have asked for no motion. Pictures that exist are kept; NAME draws these environments
anew. An environment that cannot be drawn here, as MuJoCo's without OpenGL, is named and left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import envpool_py
from envpool_py.errors import EnvPoolError
from envpool_py.tasks import registry
from tools.site.environments import PICTURES, environments_of, picture_name

FRAMES = 40
FPS = 12
"""Frames of a picture, and frames a second. A faster environment takes several steps a frame."""
SIDE = 200
"""Longest side of a picture, pixels."""
SEED = 7
QUALITY = 60
"""Of WebP's lossy compression, 0 to 100."""


def frames_of(task_id: str) -> list[Image.Image]:
    """Returns the frames of an environment whose actions are random.

    Args:
        task_id: its id; any version.

    Raises:
        EnvPoolError: it cannot be drawn here.
    """
    frames = []
    with envpool_py.make(task_id, seed=SEED, render_mode="rgb_array") as envs:
        steps = max(1, round(envs.metadata["render_fps"] / FPS))
        envs.action_space.seed(SEED)
        envs.reset()
        for _ in range(FRAMES):
            for _ in range(steps):
                envs.step(envs.action_space.sample())
            frames.append(_small(np.asarray(envs.render()[0])))
    return frames


def _small(frame: NDArray[np.uint8]) -> Image.Image:
    image = Image.fromarray(frame)
    scale = min(1.0, SIDE / max(image.size))
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    return image.resize(size, Image.Resampling.LANCZOS)


def draw(task_id: str, path: Path) -> None:
    """Writes the moving picture of an environment, and its first frame.

    Args:
        task_id: the environment.
        path: the moving picture; the still one has "-still" in its name.

    Raises:
        EnvPoolError: it cannot be drawn here.
    """
    frames = frames_of(task_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    frames[0].save(path.with_name(f"{path.stem}-still.webp"), quality=QUALITY)
    part = path.with_suffix(".part")
    frames[0].save(
        part,
        format="WEBP",
        save_all=True,
        append_images=frames[1:],
        duration=round(1000 / FPS),
        loop=0,
        quality=QUALITY,
    )
    part.replace(path)


def main(argv: Sequence[str] | None = None) -> None:
    """Draws what is missing, and what the arguments name."""
    parser = argparse.ArgumentParser(prog="python -m tools.site.pictures", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="environments to draw anew")
    names = parser.parse_args(argv).names
    for key, family in registry.all_families().items():
        drawn, missing = 0, []
        for name, ids in environments_of(family).items():
            path = PICTURES / key / f"{picture_name(name)}.webp"
            if path.is_file() and name not in names:
                continue
            try:
                draw(ids[0], path)
                drawn += 1
            except EnvPoolError as error:
                missing.append(f"{name}: {error}")
        print(f"{family.name}: {drawn} drawn, {len(missing)} cannot be drawn here", flush=True)
        if missing:
            print(f"  {missing[0]}")


if __name__ == "__main__":
    main()
