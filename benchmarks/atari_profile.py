"""The time of an Atari step by part, to show how much of it is not emulation.

The parts of an environment are measured in C++ (`engine/atari_step_benchmark.cc`). It plays four
copies of a game side by side, each with one more part of the environment than the previous copy.
The differences of their times are the times of the parts. The cost of a call outside the
environments, in the engine and in Python, is the wall time of a pool with one thread minus the
engine's `step_ns`. Frames that are not observed are not drawn; drawing the observed frames counts
as emulation.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.child import ROOT, run_child
from benchmarks.tables import make_table
from envpool_py.cli.bench.atari import atari_case
from envpool_py.cli.bench.measure import CaseResult, Timing, launch_worker, run_case
from envpool_py.cli.bench.peers import OURS
from envpool_py.tasks.families.atari import roms

PROGRAM = ROOT / "build" / "bench" / "benchmarks" / "engine" / "atari_step_benchmark"
"""Where `make bench-atari` builds the program."""

_NUM_ENVS = 8
_LIMIT_SECONDS = 120.0


class ProfileError(Exception):
    """The profile could not be measured; the message says why."""


@dataclasses.dataclass(frozen=True)
class StepParts:
    """Times of the environment's parts, in microseconds per step.

    Attributes:
        emulation_us: four frames of the game, the last two of them drawn.
        pixels_us: maximum of these two, grey, resize.
        stack_us: the stack of frames, and its copy to the batch.
        rest_us: the rest of the environment: lives, terminal states, infos, the stored state of the
            last frames.
        environment_us: the whole environment, measured separately.
    """

    emulation_us: float
    pixels_us: float
    stack_us: float
    rest_us: float
    environment_us: float


@dataclasses.dataclass(frozen=True)
class Profile:
    """The parts of a step of one task, and the cost of a step outside the environment."""

    task: str
    parts: StepParts
    outside_us: float

    @property
    def beside_emulation_us(self) -> float:
        """Everything except emulation, in microseconds per step."""
        parts = self.parts
        return parts.pixels_us + parts.stack_us + parts.rest_us + self.outside_us

    def to_json(self) -> dict[str, Any]:
        """The figures as a JSON object."""
        return {
            "task": self.task,
            **dataclasses.asdict(self.parts),
            "outside_us": self.outside_us,
            "beside_emulation_us": self.beside_emulation_us,
        }


Runner = Callable[[Sequence[str]], str]
"""Runs a command and returns what it prints; raises ProfileError."""


def run_program(command: Sequence[str]) -> str:
    """Runs a command and returns its output."""
    return run_child(command, _LIMIT_SECONDS, ProfileError)


def measure_parts(task: str, chunks: int, program: Path, runner: Runner = run_program) -> StepParts:
    """Measures the parts of the environment, over `chunks` times 64 steps."""
    if not program.is_file():
        raise ProfileError(f"{program} is not built; `make bench-atari` builds it")
    game = roms.game_of(task)
    printed = runner([str(program), game, str(roms.rom_path(game)), str(chunks)])
    try:
        return StepParts(**json.loads(printed))
    except (ValueError, TypeError) as error:
        raise ProfileError(f"unreadable result of {program.name} ({error})") from error


def measure_outside(task: str, timing: Timing) -> float:
    """Measures a pool of one thread; returns microseconds per step outside the environments."""
    case = atari_case(task, _NUM_ENVS, _NUM_ENVS, 1)
    return outside_of(run_case(case, [OURS], timing, launch_worker))


def outside_of(result: CaseResult) -> float:
    """Microseconds per step that a pool of one thread spends outside its environments."""
    ours = result.find(OURS)
    if ours is None or ours.outside_us is None:
        reason = ours.problem.reason if ours and ours.problem else "no counters"
        raise ProfileError(f"{result.case.title}: {reason}")
    return ours.outside_us / result.case.num_envs


def profile_table(profiles: Sequence[Profile]) -> Any:
    """One row per game: the parts, and the sum of all except emulation."""
    table = make_table(
        f"Microseconds a step on one thread, {_NUM_ENVS} environments; medians: four frames of "
        "emulation; the maximum of the last two, grey, resized; their stack and its copy to the "
        "batch; all else of the environment; engine and Python; all but emulation"
    )
    headings = ("frames", "pixels", "stack", "rest", "engine", "all but")
    for heading in headings:
        table.add_column(heading, justify="right")
    for profile in profiles:
        parts = profile.parts
        times = (
            parts.emulation_us, parts.pixels_us, parts.stack_us, parts.rest_us,
            profile.outside_us, profile.beside_emulation_us,
        )  # fmt: skip
        table.add_row(profile.task, *(f"{time:.1f}" for time in times))
    return table
