"""Compares the speed of our console and ale-py's, with the same games, actions and resets.

`measure_game` plays one game on both in turn. Each turn starts a new console with the same seed. At
its end the states are compared. If they differ, the two have not done the same work, and the game
counts as not measured.
"""

from __future__ import annotations

import dataclasses
import gc
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import ale_py
import numpy as np
from ale_py import ALEInterface

from envpool_py import _atari, _atari_debug
from envpool_py.tasks.families.atari import roms

ALE_VERSION: str = ale_py.__version__

ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
OURS, ALE, OURS_IN_ONE_CALL = "ours", "ale-py", "ours, in one call"

TURNS = (OURS, ALE, OURS_IN_ONE_CALL)
"""Who takes a turn in each round, in order."""

Position = tuple[bytes, bytes, int, bool]
"""Where a game stands: memory, picture, frame number, and whether it is over."""

Act = Callable[[int], int]


@dataclasses.dataclass
class GameSpeed:
    """The measurements of one game.

    Attributes:
        game: name of the game.
        frames: number of frames in a turn.
        episodes: number of episodes in a turn.
        frame_us: microseconds per frame, one number per round, for each of `TURNS`.
        snapshot_us: microseconds to take and restore a snapshot, one number per round, for `OURS`
            and `ALE`.
        problem: the reason why the game counts as not measured, or None.
    """

    game: str
    frames: int
    episodes: int
    frame_us: dict[str, list[float]]
    snapshot_us: dict[str, list[float]]
    problem: str | None = None

    def us(self, name: str) -> float:
        """The median over the rounds, microseconds per frame."""
        return statistics.median(self.frame_us[name])

    @property
    def ratio(self) -> float:
        """Ratio of ale-py's time per frame to ours."""
        return self.us(ALE) / self.us(OURS)

    def to_json(self) -> dict[str, Any]:
        """The figures as a JSON object, every sample included."""
        return {
            **dataclasses.asdict(self),
            "ours_us": self.us(OURS),
            "ale_us": self.us(ALE),
            "ours_in_one_call_us": self.us(OURS_IN_ONE_CALL),
            "ratio": self.ratio,
        }


def measure_game(
    game: str,
    frames: int,
    rounds: int,
    snapshots: int,
    seed: int,
    start: Callable[[int, str], None] = lambda turn, name: None,
    end: Callable[[int, str], None] = lambda turn, name: None,
) -> GameSpeed:
    """Measures one game, in rounds of `TURNS`.

    Args:
        game: name of the game.
        frames: frames in a turn, without those of resets.
        rounds: number of rounds, each with one turn of all `TURNS`.
        snapshots: number of snapshots to take and restore after each turn.
        seed: seed of the actions and of both consoles.
        start: called with round and name before a turn.
        end: called with round and name after it.
    """
    rom = _atari_debug.Rom(game, roms.rom_bytes(game))
    episodes, expected = plan(rom, frames, seed)
    result = GameSpeed(
        game, frames, len(episodes), {name: [] for name in TURNS}, {OURS: [], ALE: []}
    )
    for turn in range(rounds):
        for name in TURNS:
            start(turn, name)
            frame_us, snapshot_us, position = _TURN[name](rom, episodes, snapshots, seed)
            result.frame_us[name].append(frame_us)
            if snapshot_us is not None:
                result.snapshot_us[name].append(snapshot_us)
            if position != expected:
                result.problem = f"{name} ends elsewhere: {_difference(position, expected)}"
            end(turn, name)
    return result


def plan(rom: _atari_debug.Rom, frames: int, seed: int) -> tuple[list[list[int]], Position]:
    """Returns `frames` random minimal actions, split into episodes that end with a terminal state.

    Only the last episode may be cut off before its terminal state.
    """
    minimal = _atari.describe_game(rom.game)["minimal_actions"]
    random = np.random.default_rng(seed)
    actions: list[int] = random.choice(minimal, frames).tolist()
    runner = _our_runner(rom, seed)
    episodes: list[list[int]] = [[]]
    for action in actions:
        if runner.terminal:
            runner.reset()
            episodes.append([])
        runner.act(action)
        episodes[-1].append(action)
    return episodes, _our_position(runner)


def _our_runner(rom: _atari_debug.Rom, seed: int) -> _atari_debug.GameRunner:
    return _atari_debug.GameRunner(rom, seed=seed, frame_skip=1, repeat_action_probability=0.0)


def _our_position(runner: _atari_debug.GameRunner) -> Position:
    screen, ram = runner.screen().tobytes(), runner.ram().tobytes()
    return ram, screen, runner.frame_number, runner.terminal


def _difference(found: Position, expected: Position) -> str:
    names = ("memory", "picture", "frame number", "end of the game")
    pairs = zip(names, found, expected, strict=True)
    return ", ".join(name for name, one, other in pairs if one != other)


Turn = tuple[float, float | None, Position]
"""Microseconds a frame; microseconds a snapshot, if measured; where it ended."""


def _our_turn(rom: _atari_debug.Rom, episodes: list[list[int]], snapshots: int, seed: int) -> Turn:
    runner = _our_runner(rom, seed)
    frame_us = _time_acts(runner.act, runner.reset, episodes)
    position = _our_position(runner)
    return frame_us, _time_snapshots(runner.snapshot, runner.restore, snapshots), position


def _ale_turn(rom: _atari_debug.Rom, episodes: list[list[int]], snapshots: int, seed: int) -> Turn:
    ale = ALEInterface()
    ale.setInt("random_seed", seed)
    ale.setInt("frame_skip", 1)
    ale.setFloat("repeat_action_probability", 0.0)
    ale.setBool("sound", False)
    ale.setBool("sound_obs", False)
    ale.setBool("display_screen", False)
    ale.loadROM(roms.rom_path(rom.game))
    frame_us = _time_acts(ale.act, ale.reset_game, episodes)
    position = (
        np.asarray(ale.getRAM()).tobytes(),
        np.asarray(ale.getScreen()).tobytes(),
        int(ale.getFrameNumber()),
        bool(ale.game_over(with_truncation=False)),
    )
    snapshot_us = _time_snapshots(ale.cloneSystemState, ale.restoreSystemState, snapshots)
    return frame_us, snapshot_us, position


def _one_call_turn(
    rom: _atari_debug.Rom, episodes: list[list[int]], snapshots: int, seed: int
) -> Turn:
    runner = _our_runner(rom, seed)
    return _time_runs(runner, episodes), None, _our_position(runner)


_TURN: dict[str, Callable[[_atari_debug.Rom, list[list[int]], int, int], Turn]] = {
    OURS: _our_turn,
    ALE: _ale_turn,
    OURS_IN_ONE_CALL: _one_call_turn,
}


def _time_acts(act: Act, reset: Callable[[], None], episodes: Sequence[Sequence[int]]) -> float:
    """Microseconds per frame, with one call per frame, without resets."""
    spent, frames = 0, 0
    with _NoCollection():
        for number, actions in enumerate(episodes):
            if number:
                reset()
            start = time.perf_counter_ns()
            for action in actions:
                act(action)
            spent += time.perf_counter_ns() - start
            frames += len(actions)
    return spent / frames / 1e3


def _time_runs(runner: _atari_debug.GameRunner, episodes: Sequence[Sequence[int]]) -> float:
    """Microseconds per frame, with one call per episode, without resets.

    run() resets immediately after the frame that ends the game. Therefore act() runs the last frame
    of an episode, which is not counted.
    """
    heads = [actions[:-1] for actions in episodes]
    spent = 0
    with _NoCollection():
        for number, actions in enumerate(episodes):
            if number:
                runner.reset()
            start = time.perf_counter_ns()
            runner.run(heads[number])
            spent += time.perf_counter_ns() - start
            runner.act(actions[-1])
    return spent / max(1, sum(map(len, heads))) / 1e3


def _time_snapshots(
    snapshot: Callable[[], Any], restore: Callable[[Any], None], count: int
) -> float:
    """Microseconds to take and restore a snapshot."""
    with _NoCollection():
        start = time.perf_counter_ns()
        for _ in range(count):
            restore(snapshot())
        return (time.perf_counter_ns() - start) / count / 1e3


class _NoCollection:
    """Disables the garbage collector inside the context."""

    def __enter__(self) -> None:
        self._enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._enabled:
            gc.enable()
