"""docs/autoreset.svg: the result of each call of an environment, in each autoreset mode.

The numbers come from a pool when `python -m tools.guide` runs. The file depends only on these
numbers, so a test can compare it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import envpool_py

MODES = ("NextStep", "SameStep", "Disabled")

# On the frozen lake without slipping, this action leads from tile 0 over 4 and 8 into the hole 12.
_DOWN = np.array([1])
_CALLS = 9

# Pixels.
_LEFT, _CELL, _BOX = 96, 84, 64
_TOP, _LANE = 28, 92
_FIRST, _MIDDLE, _LAST = "#d3ecd3", "#ffffff", "#f6cfd0"
_STYLE = "font-family='sans-serif' font-size='12' fill='#222222'"


@dataclass(frozen=True)
class Answer:
    """The result of a call for one environment; `final` is its `final_obs`, or None."""

    call: str
    observation: int
    reward: float | None
    ended: bool
    elapsed: int
    final: int | None = None


def answers(mode: str) -> Iterator[Answer]:
    """Calls a pool of one environment and returns the results."""
    with envpool_py.make(
        "FrozenLake-v1",
        autoreset_mode=mode,
        is_slippery=False,
        reward_schedule=(1.0, -1.0, 0.0),
    ) as envs:
        observations, infos = envs.reset(seed=0)
        yield Answer("reset", int(observations[0]), None, False, int(infos["elapsed_step"][0]))
        ended = False
        for _ in range(_CALLS - 1):
            if ended and mode == "Disabled":
                observations, infos = envs.reset()
                ended = False
                elapsed = int(infos["elapsed_step"][0])
                yield Answer("reset", int(observations[0]), None, False, elapsed)
                continue
            observations, rewards, terminated, _, infos = envs.step(_DOWN)
            ended = bool(terminated[0])
            yield Answer(
                "step",
                int(observations[0]),
                float(rewards[0]),
                ended,
                int(infos["elapsed_step"][0]),
                int(infos["final_obs"][0]) if "final_obs" in infos else None,
            )


def drawing() -> str:
    """Returns the SVG."""
    width = _LEFT + _CALLS * _CELL + 8
    height = _TOP + len(MODES) * _LANE + 34
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}'>",
        f"<rect width='{width}' height='{height}' fill='#ffffff'/>",
        *(part for lane, mode in enumerate(MODES) for part in _lane(mode, _TOP + lane * _LANE)),
        *_legend(height - 24),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _lane(mode: str, top: int) -> Iterator[str]:
    yield _text(8, top + 36, mode, "font-weight='bold'")
    for number, answer in enumerate(answers(mode)):
        left = _LEFT + number * _CELL
        yield _text(left, top, answer.call)
        if answer.final is None:
            yield _box(left, top + 8, _BOX, _color(answer), str(answer.observation))
        else:  # the last observation of an episode, and the first one of the next episode
            half = _BOX // 2
            yield _box(left, top + 8, half, _LAST, str(answer.final))
            yield _box(left + half, top + 8, half, _FIRST, str(answer.observation))
        notes = [] if answer.reward is None else [f"reward {answer.reward:g}"]
        if answer.final is not None:
            notes.append("final_obs | obs")
        elif answer.call == "step" and answer.elapsed == 0:
            notes.append("action ignored")
        for line, note in enumerate(notes):
            yield _text(left, top + 50 + 13 * line, note, "font-size='10'")


def _color(answer: Answer) -> str:
    if answer.ended:
        return _LAST
    return _FIRST if answer.elapsed == 0 else _MIDDLE


def _legend(top: int) -> Iterator[str]:
    left = _LEFT
    for color, meaning in (
        (_FIRST, "first observation of an episode"),
        (_MIDDLE, "in between"),
        (_LAST, "last one: terminated"),
    ):
        yield _box(left, top, 16, color, "")
        yield _text(left + 22, top + 13, meaning)
        left += 50 + 7 * len(meaning)


def _box(left: int, top: int, width: int, color: str, text: str) -> str:
    height = 16 if not text else 28
    rectangle = (
        f"<rect x='{left}' y='{top}' width='{width}' height='{height}' fill='{color}' "
        "stroke='#555555'/>"
    )
    if not text:
        return rectangle
    return rectangle + _text(left + width // 2, top + 19, text, "text-anchor='middle'")


def _text(x: int, y: int, text: str, more: str = "") -> str:
    style = _STYLE
    for attribute in ("font-size", "font-weight"):
        if attribute in more:
            style = " ".join(part for part in style.split() if not part.startswith(attribute))
    return f"<text x='{x}' y='{y}' {style} {more}".rstrip() + f">{text}</text>"
