"""`envpool-py render TASK --out FILE`: a video of environments with random actions."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from envpool_py.cli import video
from envpool_py.cli.arguments import (
    LARGEST_SCALE,
    MOST_ENVS,
    add_fps,
    add_options,
    add_task,
    no_action,
    parse_options,
    positive_int,
    seed,
    writable_path,
)
from envpool_py.cli.output import UsageError, make_console
from envpool_py.errors import EnvironmentFailedError, EnvPoolError
from envpool_py.players.rows import PlayerRows
from envpool_py.tasks.make import make_gymnasium
from envpool_py.tasks.spec import TaskSpec, make_spec

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_parser", "run"]


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser(
        "render",
        help="write a video of environments",
        description="Steps environments with random actions and writes a video of them, side by "
        "side, with a picture after the reset and after every step.",
    )
    add_task(parser)
    parser.add_argument(
        "--out",
        type=_video_path,
        required=True,
        metavar="FILE",
        help=f"file to write ({' or '.join(video.KINDS)})",
    )
    parser.add_argument(
        "--steps", type=positive_int, default=300, metavar="N", help="number of steps (%(default)s)"
    )
    parser.add_argument(
        "--envs",
        type=positive_int,
        default=1,
        metavar="N",
        help="number of environments (%(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=seed,
        default=0,
        metavar="S",
        help="seed of the environments and the actions (%(default)s)",
    )
    add_fps(parser)
    parser.add_argument(
        "--scale",
        type=positive_int,
        default=1,
        metavar="K",
        help="factor by which pictures are enlarged (%(default)s)",
    )
    parser.add_argument(
        "--noop", action="store_true", help="take action 0 (or zeros) instead of random ones"
    )
    add_options(parser)
    parser.set_defaults(run=run)


def _video_path(text: str) -> Path:
    path = writable_path(text)
    if path.suffix.lower() not in video.KINDS:
        raise argparse.ArgumentTypeError(
            f"expected a name that ends in {' or '.join(video.KINDS)}, got {text!r}"
        )
    return path


def run(arguments: argparse.Namespace) -> int:
    """Records the video and prints what it wrote; returns 1 if an environment failed."""
    if arguments.envs > MOST_ENVS:
        raise UsageError(f"--envs: expected at most {MOST_ENVS}, got {arguments.envs}")
    if arguments.scale > LARGEST_SCALE:
        raise UsageError(f"--scale: expected at most {LARGEST_SCALE}, got {arguments.scale}")
    try:
        known = make_spec(arguments.task).options
        options = parse_options(arguments.options, known)
        return _film(arguments, make_spec(arguments.task, **options), options)
    except EnvironmentFailedError as error:
        make_console(stderr=True).print(f"envpool-py: {error}", soft_wrap=True)
        return 1
    except (EnvPoolError, video.VideoError) as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(f"cannot write {arguments.out}: {error.strerror or error}") from error


def _film(arguments: argparse.Namespace, spec: TaskSpec, options: Mapping[str, Any]) -> int:
    if spec.render is None:
        raise UsageError(f"{spec.id} does not render")
    rows, columns = video.grid_shape(arguments.envs)
    width = columns * spec.render.width * arguments.scale
    height = rows * spec.render.height * arguments.scale
    fps = arguments.fps or spec.render.fps
    path: Path = arguments.out
    steps = arguments.steps
    with (
        _progress() as progress,
        video.new_video(path, width, height, fps) as add,
        make_gymnasium(
            spec.id,
            num_envs=arguments.envs,
            seed=arguments.seed,
            render_mode="rgb_array",
            **options,
        ) as envs,
    ):
        task = progress.add_task(spec.id, total=steps)
        stepped = PlayerRows(envs) if spec.players is not None else envs
        stepped.reset()
        add(video.grid(envs.render(), arguments.scale))
        for actions in _actions(spec.action_space, arguments, spec.num_players):
            stepped.step(actions)
            add(video.grid(envs.render(), arguments.scale))
            progress.advance(task)
        progress.update(task, description=f"writing {path.name}")
    make_console().print(
        f"wrote {path}: {steps + 1} frames of {width} x {height} pixels, {fps} a second "
        f"({(steps + 1) / fps:.1f} s)",
        soft_wrap=True,
    )
    return 0


def _progress() -> Progress:
    """A bar on a terminal; nothing elsewhere."""
    console = make_console(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _actions(
    space: gymnasium.Space[Any], arguments: argparse.Namespace, players: int = 1
) -> Iterator[Any]:
    """The actions of all environments (with all players), one batch per step."""
    rows = arguments.envs * players
    batched = batch_space(space, rows)
    batched.seed(arguments.seed)
    empty: Any = create_empty_array(space, rows)
    idle = concatenate(space, [no_action(space)] * rows, empty)
    for _ in range(arguments.steps):
        yield idle if arguments.noop else batched.sample()
