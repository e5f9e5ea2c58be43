"""Plays a game on our emulator and on ale-py in lockstep, and compares both after every event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from envpool_py import _atari, _atari_debug
from envpool_py.tasks.families.atari import roms
from tools.atari.reference import Reference

__all__ = ["Difference", "Lockstep", "Play", "Setup", "random_play"]


@dataclass(frozen=True)
class Setup:
    """The settings of a game. With frame skip, "frame" means all frames of one action."""

    game: str
    seed: int = 0
    frame_skip: int = 1
    repeat_action_probability: float = 0.25
    max_num_frames_per_episode: int = 0
    truncate_on_loss_of_life: bool = False


@dataclass(frozen=True)
class Difference:
    """The first difference between the two, and the events before it.

    Attributes:
        frame: number of frames from the start to the difference, without those of resets.
        event: the latest event, a request to both emulators.
        fields: the differences, one readable text for each kind.
        ours, theirs: pictures of our emulator and of ale-py, color numbers, (rows, 160).
        theirs_rgb: picture of ale-py in colors, (rows, 160, 3).
        row: the first row in which the pictures differ, or None.
        ram: memory of our emulator, (128,).
        before: state of our emulator before the event, if the event was a frame.
    """

    setup: Setup
    mode: int
    difficulty: int
    frame: int
    event: str
    fields: tuple[str, ...]
    ours: npt.NDArray[np.uint8]
    theirs: npt.NDArray[np.uint8]
    theirs_rgb: npt.NDArray[np.uint8]
    row: int | None
    ram: npt.NDArray[np.uint8]
    before: _atari_debug.Snapshot | None

    def __str__(self) -> str:
        return (
            f"{self.setup.game} mode {self.mode} difficulty {self.difficulty} "
            f"seed {self.setup.seed} sticky {self.setup.repeat_action_probability:g} "
            f"frame {self.frame}, after {self.event}: {'; '.join(self.fields)}"
        )


def _equal(ours: npt.NDArray[np.uint8], theirs: npt.NDArray[np.uint8]) -> bool:
    # Several times faster than array_equal, which matters because this runs after every frame.
    return ours.shape == theirs.shape and ours.tobytes() == theirs.tobytes()


def _describe_screens(
    ours: npt.NDArray[np.uint8], theirs: npt.NDArray[np.uint8]
) -> tuple[str, int | None]:
    if ours.shape != theirs.shape:
        return f"screen of shape {ours.shape}, theirs {theirs.shape}", None
    rows, columns = np.nonzero(ours != theirs)
    row, column = int(rows[0]), int(columns[0])
    text = (
        f"screen: {len(rows)} pixels in rows {row} to {rows.max()}, columns {columns.min()} to "
        f"{columns.max()}; the first at row {row} column {column} is "
        f"0x{ours[row, column]:02X}, theirs 0x{theirs[row, column]:02X}"
    )
    return text, row


def _describe_memory(ours: npt.NDArray[np.uint8], theirs: npt.NDArray[np.uint8]) -> str:
    places = np.nonzero(ours != theirs)[0]
    shown = [f"${0x80 + i:02X} is 0x{ours[i]:02X}, theirs 0x{theirs[i]:02X}" for i in places[:8]]
    if len(places) > len(shown):
        shown.append(f"and {len(places) - len(shown)} more")
    return "RAM: " + ", ".join(shown)


class Lockstep:
    """Runs both emulators with the same inputs, and compares all observable state.

    Every method that changes state returns the resulting difference, or None. After a difference,
    do not use the object any more.
    """

    _FIELDS = (
        "terminal",
        "truncated",
        "lives",
        "frame_number",
        "episode_frame_number",
        "mode",
        "difficulty",
    )

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        arguments: dict[str, Any] = {
            "seed": setup.seed,
            "frame_skip": setup.frame_skip,
            "repeat_action_probability": setup.repeat_action_probability,
            "max_num_frames_per_episode": setup.max_num_frames_per_episode,
            "truncate_on_loss_of_life": setup.truncate_on_loss_of_life,
        }
        self.rom = _atari_debug.Rom(setup.game, roms.rom_bytes(setup.game))
        self.ours = _atari_debug.GameRunner(self.rom, **arguments)
        self.theirs = Reference(setup.game, **arguments)
        self.frame = 0
        self.before: _atari_debug.Snapshot | None = None
        self._latest = ("the start", 0)  # the latest event other than act, and its frame

    def compare(self, event: str, extra: Sequence[str] = ()) -> Difference | None:
        """Compares the current states; `event` and `extra` become part of the difference."""
        fields = list(extra)
        row = None
        ours, theirs = self.ours.screen(), self.theirs.screen()
        if not _equal(ours, theirs):
            text, row = _describe_screens(ours, theirs)
            fields.append(text)
        our_ram, their_ram = self.ours.ram(), self.theirs.ram()
        if not _equal(our_ram, their_ram):
            fields.append(_describe_memory(our_ram, their_ram))
        for name in self._FIELDS:
            left, right = getattr(self.ours, name), getattr(self.theirs, name)
            if left != right:
                fields.append(f"{name} {left}, theirs {right}")
        if not fields:
            return None
        return Difference(
            setup=self.setup,
            mode=self.ours.mode,
            difficulty=self.ours.difficulty,
            frame=self.frame,
            event=event,
            fields=tuple(fields),
            ours=ours,
            theirs=theirs.copy(),
            theirs_rgb=self.theirs.screen_rgb(),
            row=row,
            ram=our_ram,
            before=self.before,
        )

    def act(self, action: int, strength: float = 1.0) -> Difference | None:
        """Takes the action for a frame."""
        self.before = self.ours.snapshot()
        our_reward = self.ours.act(action, strength)
        their_reward = self.theirs.act(action, strength)
        extra = []
        if our_reward != their_reward:
            extra.append(f"reward {our_reward}, theirs {their_reward}")
        event, frame = self._latest
        difference = self.compare(
            f"action {action} (frame {self.frame - frame} since {event})", extra
        )
        self.frame += 1
        return difference

    def reset(self) -> Difference | None:
        """Begins an episode."""
        self.before = None
        self.ours.reset()
        self.theirs.reset()
        self._latest = ("a reset", self.frame)
        return self.compare("a reset")

    def set_variant(self, mode: int, difficulty: int) -> Difference | None:
        """Begins an episode of another variant; sets mode and difficulty in ale-py's order."""
        for console in (self.ours, self.theirs):
            console.mode = mode
            console.difficulty = difficulty
        return self.reset()

    def snapshot(self, *, with_random: bool) -> tuple[_atari_debug.Snapshot, Any, bool]:
        """Returns both states, for `restore`."""
        return self.ours.snapshot(), self.theirs.snapshot(with_random=with_random), with_random

    def restore(self, states: tuple[_atari_debug.Snapshot, Any, bool]) -> Difference | None:
        """Restores the parts of a snapshot that ale-py restores."""
        ours, theirs, with_random = states
        self.before = None
        self.ours.restore_like_ale(ours, with_random)
        self.theirs.restore(theirs)
        self._latest = ("a restore", self.frame)
        return self.compare("a restore")

    @property
    def over(self) -> bool:
        """Whether the episode has ended on both emulators."""
        return self.ours.terminal or self.ours.truncated


# Some variants end as soon as they begin. To spend less time on starting them, the next episode
# then begins with this probability in each frame, instead of immediately.
_RESET_AT_ONCE = 0.02


@dataclass(frozen=True)
class Play:
    """The settings of random play; probabilities are per frame.

    Attributes:
        full_actions: whether to use all actions of the game, and not only those with an effect.
        new_action: probability of choosing a new action.
        reset: probability of ending an episode early.
        save, restore: probabilities of saving the state, and of restoring the latest saved state.
        strengths: whether to turn paddles with any strength, and not only with full strength.
    """

    full_actions: bool = False
    new_action: float = 0.3
    reset: float = 0.0
    save: float = 0.0
    restore: float = 0.0
    strengths: bool = False


def random_play(
    pair: Lockstep,
    frames: int,
    rng: np.random.Generator,
    play: Play = Play(),
) -> Difference | None:
    """Plays `frames` frames at random; returns the first difference, or None."""
    about = _atari.describe_game(pair.setup.game)
    actions = about["legal_actions"] if play.full_actions else about["minimal_actions"]
    action, strength = 0, 1.0
    acted = 2  # frames of the episode before it was over
    saved = None
    difference = pair.compare("the start")
    for _ in range(frames):
        if difference is not None:
            return difference
        draw = rng.random(5)
        if draw[0] < play.new_action:
            action = actions[rng.integers(len(actions))]
            if play.strengths:
                strength = float(np.float32(rng.choice([0.0, 1.0, rng.random(), rng.random()])))
        probability = play.reset
        if pair.over:
            probability = 1.0 if acted > 1 else _RESET_AT_ONCE
        if draw[1] < probability:
            acted = 0
            difference = pair.reset()
        if difference is None and draw[2] < play.save:
            saved = pair.snapshot(with_random=bool(draw[4] < 0.5))
        if difference is None and saved is not None and draw[3] < play.restore:
            difference = pair.restore(saved)
        if difference is None:
            acted += not pair.over
            difference = pair.act(action, strength)
    return difference
