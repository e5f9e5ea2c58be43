"""`envpool-py play TASK`: an environment in a window, played with the keyboard.

The loop is not that of `gymnasium.utils.play`, which steps a task that takes turns in every frame
while a key is held, loses keys that are released within a frame, has one action per set of keys
that are held (a box of 17 numbers has 3**10 here) and one idle action, begins the next episode at
once, with the seed of the first, and shows no return.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from envpool_py.cli.arguments import (
    LARGEST_SCALE,
    add_fps,
    add_options,
    add_task,
    parse_options,
    positive_int,
    seed,
)
from envpool_py.cli.controls import QUIT, RESET, controls_of
from envpool_py.cli.output import UsageError, make_console
from envpool_py.cli.terminal import TerminalWindow
from envpool_py.cli.window import Clock, Window, WindowError
from envpool_py.errors import EnvironmentFailedError, EnvPoolError
from envpool_py.pool.gymnasium_pool import GymnasiumPool
from envpool_py.pool.spaces import batch_of_one
from envpool_py.tasks.controls import Controls
from envpool_py.tasks.make import make_gymnasium
from envpool_py.tasks.spec import RenderSpec, make_spec

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_parser", "run"]

# The approximate size of the window if the user sets no scale, pixels.
_COMFORTABLE = 640
# How often keys are read in a task that waits for one, times a second.
_TURN_FPS = 30


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser(
        "play",
        help="play an environment with the keyboard",
        description="Opens a window on an environment and steps it with the keys that are held. "
        "It first prints what each key does. R begins a new episode, Escape quits. In the "
        "terminal, a key counts for one step.",
    )
    add_task(parser)
    parser.add_argument(
        "--seed", type=seed, default=0, metavar="S", help="seed of the environment (%(default)s)"
    )
    add_fps(parser)
    parser.add_argument(
        "--scale",
        type=positive_int,
        metavar="K",
        help="factor by which pictures are enlarged (one that fits most screens)",
    )
    parser.add_argument(
        "--terminal", action="store_true", help="draw in the terminal instead of a window"
    )
    add_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, clock: Clock | None = None) -> int:
    """Plays until the user quits; returns 1 if the environment failed.

    `clock` paces the steps; None: the system's clock.
    """
    if (arguments.scale or 1) > LARGEST_SCALE:
        raise UsageError(f"--scale: expected at most {LARGEST_SCALE}, got {arguments.scale}")
    try:
        options = parse_options(arguments.options, make_spec(arguments.task).options)
        spec = make_spec(arguments.task, **options)
        if spec.render is None:
            raise UsageError(f"{spec.id} does not render")
        if spec.players is not None:
            raise UsageError(f"{spec.id} has up to {spec.num_players} players, and play has one")
        controls = controls_of(spec, options)
        scale = arguments.scale or comfortable_scale(spec.render)
        open_window: Callable[[], Window | TerminalWindow] = (
            TerminalWindow
            if arguments.terminal
            else functools.partial(Window, spec.render.width, spec.render.height, scale, clock)
        )
        with (
            make_gymnasium(
                spec.id,
                seed=arguments.seed,
                autoreset_mode="Disabled",
                render_mode="rgb_array",
                **options,
            ) as envs,
            open_window() as window,
        ):
            keys = f"{controls.text}; {RESET}: reset, {QUIT}: quit"
            window.print(f"{spec.id}: {keys}")
            fps = arguments.fps or (_TURN_FPS if controls.takes_turns else spec.render.fps)
            Game(spec.id, envs, controls, window).play(fps)
    except EnvironmentFailedError as error:
        make_console(stderr=True).print(f"envpool-py: {error}", soft_wrap=True)
        return 1
    except (EnvPoolError, WindowError) as error:
        raise UsageError(str(error)) from error
    return 0


def comfortable_scale(picture: RenderSpec) -> int:
    """The scale at which the window fits most screens."""
    return max(1, _COMFORTABLE // max(picture.width, picture.height))


class Game:
    """One environment in a window, played until the user quits."""

    def __init__(
        self,
        name: str,
        envs: GymnasiumPool,
        controls: Controls,
        window: Window | TerminalWindow,
    ) -> None:
        self._name = name
        self._envs = envs
        self._controls = controls
        self._window = window
        self._held: set[str] = set()
        self._episode = 0

    def play(self, fps: float) -> None:
        """Steps `fps` times a second, or at each key press in a task that takes turns."""
        self._begin()
        while True:
            pressed: list[str] = []
            for event in self._window.events():
                if event.kind == "quit" or event == ("press", QUIT):
                    return
                if event == ("press", RESET):
                    self._begin()
                    pressed.clear()
                elif event.kind == "press":
                    self._held.add(event.key)
                    pressed.append(event.key)
                else:
                    self._held.discard(event.key)
            if self._controls.takes_turns:
                for key in pressed:
                    self._step([key])
            else:
                # A key that was pressed and released between two steps counts for the next step
                # only.
                self._step({*self._held, *pressed})
            self._window.wait(fps)

    def _begin(self) -> None:
        self._envs.reset()
        self._episode += 1
        self._return = self._reward = 0.0
        self._length = 0
        self._over = ""
        self._show()

    def _step(self, keys: list[str] | set[str]) -> None:
        action = None if self._over else self._controls.action(keys)
        if action is None:
            return
        _, (reward,), (terminated,), (truncated,), _ = self._envs.step(batch_of_one(action))
        self._reward = float(reward)
        self._return += self._reward
        self._length += 1
        if terminated or truncated:
            self._over = "terminated" if terminated else "truncated"
            self._window.print(
                f"episode {self._episode}: return {self._return:g}, {self._length} steps, "
                f"{self._over}"
            )
        self._show()

    def _show(self) -> None:
        over = f" - {self._over}, {RESET} for a new episode" if self._over else ""
        caption = (
            f"{self._name}: return {self._return:g} (reward {self._reward:g}), "
            f"step {self._length}{over}"
        )
        self._window.show(self._envs.render()[0], caption)
