"""Runs the participants of a case in turn, each in a separate process.

Each round measures all participants, so that other load on the machine affects all of them. With
`launch_worker`, each measurement has a process of its own, so that nothing of an earlier one is
present; with `KeptWorkers`, each participant has one, and the others sleep.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import select
import signal
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

from envpool_py.authoring.paths import package_root
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.bench.sample import Outcome, Sample
from envpool_py.cli.programs import command_of
from envpool_py.tasks import discovery

__all__ = [
    "CaseResult",
    "KeptWorkers",
    "Result",
    "Timing",
    "launch_worker",
    "run_case",
    "run_process",
    "schedule",
]

# Covers starting a worker, making thousands of environments and the first reset. Only a library
# that hangs should reach this limit.
_START_SECONDS = 300.0
# Covers closing the environments of a worker.
_END_SECONDS = 10.0


@dataclasses.dataclass(frozen=True)
class Timing:
    """How long and how often to measure: seconds > 0, warmup_seconds >= 0, rounds >= 1."""

    seconds: float
    warmup_seconds: float
    rounds: int


Launch = Callable[[str, Case, Timing], Outcome]
"""Measures one participant, by name, once."""


@dataclasses.dataclass
class Result:
    """All measurements of one participant in one case.

    Attributes:
        name: the participant.
        samples: one per round that succeeded, in order.
        problem: the outcome that ended its participation, or None.
        version: version of its package, if known.
    """

    name: str
    samples: list[Sample] = dataclasses.field(default_factory=list)
    problem: Outcome | None = None
    version: str | None = None

    @property
    def steps_per_s(self) -> float | None:
        """Median step rate; None without a measurement."""
        return self._median([sample.steps_per_s for sample in self.samples])

    @property
    def call_us(self) -> float | None:
        """Median of the mean time of a call, microseconds."""
        return self._median([sample.call_us for sample in self.samples])

    @property
    def outside_us(self) -> float | None:
        """Median of the mean time of a call outside the environments, microseconds."""
        values = [sample.outside_us for sample in self.samples]
        return self._median([value for value in values if value is not None])

    @property
    def spread(self) -> float | None:
        """(fastest - slowest) / median of the step rates."""
        median = self.steps_per_s
        if median is None:
            return None
        rates = [sample.steps_per_s for sample in self.samples]
        return (max(rates) - min(rates)) / median

    @staticmethod
    def _median(values: Sequence[float]) -> float | None:
        return statistics.median(values) if values else None

    def to_json(self) -> dict[str, Any]:
        """The medians and every sample, as a JSON object."""
        return {
            "name": self.name,
            "version": self.version,
            "status": self.problem.status if self.problem else "ok",
            "reason": self.problem.reason if self.problem else None,
            "remedy": self.problem.remedy if self.problem else None,
            "steps_per_s": self.steps_per_s,
            "call_us": self.call_us,
            "outside_us": self.outside_us,
            "spread": self.spread,
            "samples": [
                {**dataclasses.asdict(sample), "steps_per_s": sample.steps_per_s}
                for sample in self.samples
            ],
        }


@dataclasses.dataclass
class CaseResult:
    """All measurements of one case; `results` is in the order of the turns."""

    case: Case
    results: list[Result]

    def find(self, name: str) -> Result | None:
        """The result of participant `name`, or None if it is not one of the participants."""
        return next((result for result in self.results if result.name == name), None)

    def ratio(self, name: str) -> float | None:
        """Our median step rate divided by that of `name`; None unless both were measured."""
        ours, peer = self.find(OURS), self.find(name)
        if ours is None or peer is None:
            return None
        if ours.steps_per_s is None or peer.steps_per_s is None:
            return None
        return ours.steps_per_s / peer.steps_per_s

    def to_json(self) -> dict[str, Any]:
        """The case, its results and our speed-up over each other participant, as a JSON object."""
        return {
            "title": self.case.title,
            "case": self.case.to_json(),
            "results": [result.to_json() for result in self.results],
            "ratios": {
                result.name: self.ratio(result.name)
                for result in self.results
                if result.name != OURS
            },
        }


def schedule(participants: Sequence[str], rounds: int) -> list[tuple[int, str]]:
    """The turns as (round from 0, participant): A B C A B C ..."""
    return [(turn, name) for turn in range(rounds) for name in participants]


def run_case(
    case: Case,
    participants: Sequence[str],
    timing: Timing,
    launch: Launch,
    on_start: Callable[[int, str], None] = lambda turn, name: None,
    on_end: Callable[[int, str, Outcome | None], None] = lambda turn, name, outcome: None,
) -> CaseResult:
    """Measures all participants in turn.

    A participant that is unavailable or fails is skipped in later turns. `on_start` and `on_end`
    get the round (from 0) and the name of each turn; the outcome is None for a skipped turn.
    """
    results = {name: Result(name) for name in participants}
    for turn, name in schedule(participants, timing.rounds):
        result = results[name]
        if result.problem is not None:
            on_end(turn, name, None)
            continue
        on_start(turn, name)
        outcome = launch(name, case, timing)
        result.version = outcome.version or result.version
        if outcome.sample is not None:
            result.samples.append(outcome.sample)
        else:
            result.problem = outcome
        on_end(turn, name, outcome)
    return CaseResult(case, list(results.values()))


def launch_worker(participant: str, case: Case, timing: Timing) -> Outcome:
    """Measures once in a new Python process."""
    process = _Process(_worker(participant), asks=True)
    try:
        return process.measure(timing, _opening(case, timing))
    finally:
        process.end(gently=False)


class KeptWorkers:
    """Measures participants in turn, each in a process that sleeps between its turns.

    Most of the time of short measurements is the start of a process and of a library. All processes
    close their environments when another case begins; one that fails is replaced. A context
    manager.
    """

    def __init__(self) -> None:
        self._case: Case | None = None
        self._processes: dict[str, _Process] = {}
        self._opened: set[str] = set()  # participants whose processes have opened the case

    def __enter__(self) -> KeptWorkers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._processes.values():
            process.end(gently=kind is None)
        self._processes.clear()

    def launch(self, participant: str, case: Case, timing: Timing) -> Outcome:
        """Measures once."""
        if case is not self._case:
            self._close_case()
            self._case = case
        if participant not in self._processes:
            self._processes[participant] = _Process(_worker(participant), asks=True)
        again = participant in self._opened
        self._opened.add(participant)
        process = self._processes[participant]
        outcome = process.measure(timing, {} if again else _opening(case, timing))
        if outcome.sample is None:
            self._end(participant)
        return outcome

    def _close_case(self) -> None:
        for participant in tuple(self._opened):
            if not self._processes[participant].close_case():
                self._end(participant)
        self._opened.clear()

    def _end(self, participant: str) -> None:
        self._processes.pop(participant).end(gently=False)
        self._opened.discard(participant)


def _worker(participant: str) -> tuple[str, ...]:
    return (*command_of("envpool_py.cli.bench.worker"), "--participant", participant)


def _opening(case: Case, timing: Timing) -> dict[str, Any]:
    """What opens a case in a worker and measures it once."""
    return {
        "case": case.to_json(),
        "seconds": timing.seconds,
        "warmup_seconds": timing.warmup_seconds,
        # A plug-in need not be installed: the worker imports the same plug-ins as this process.
        "path": os.getcwd(),  # noqa: PTH109
        "imports": discovery.imported(),
    }


def run_process(command: Sequence[str], timing: Timing) -> Outcome:
    """Runs a process that writes one outcome as JSON, and kills it if it takes far too long."""
    process = _Process(command)
    try:
        return process.measure(timing)
    finally:
        process.end(gently=False)


class _Process:
    """A process that writes a line with an outcome as JSON, with `asks` for each line it reads."""

    def __init__(self, command: Sequence[str], *, asks: bool = False) -> None:
        self._errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 (see end)
        # `python -m` searches the working directory first. That of the user may contain another
        # copy of the package.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE if asks else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=package_root(),
            text=True,
            errors="replace",
            start_new_session=True,  # so that the processes that a library starts are killed too
        )

    def _ask(self, request: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()

    def measure(self, timing: Timing, request: Mapping[str, Any] | None = None) -> Outcome:
        """Waits for an outcome; if the process ends or takes far too long, that is the outcome."""
        process = self._process
        assert process.stdout is not None
        if request is not None:
            self._ask(request)
        limit = _START_SECONDS + 4 * (timing.seconds + timing.warmup_seconds)
        late = Outcome("failed", reason=f"no result after {limit:.0f} s")
        readable, _, _ = select.select([process.stdout], [], [], limit)
        if not readable:
            return late
        line = process.stdout.readline()
        if not line or process.stdin is None:
            try:
                process.wait(limit)
            except subprocess.TimeoutExpired:
                return late
        return _read_outcome(process.poll() or 0, line, self._last_error())

    def close_case(self) -> bool:
        """Has it close its environments; returns whether it has, and is ready for another case."""
        self._ask({"case": None})
        stdout = self._process.stdout
        assert stdout is not None
        readable, _, _ = select.select([stdout], [], [], _END_SECONDS)
        return bool(readable) and bool(stdout.readline())

    def _last_error(self) -> str:
        self._errors.seek(0)
        return self._errors.read()

    def end(self, *, gently: bool) -> None:
        """Ends the process and all that it has started; gently: it may close its environments."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        if gently:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_SECONDS)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()


def _read_outcome(code: int, out: str, err: str) -> Outcome:
    if code != 0:
        lines = err.strip().splitlines()
        ended = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return Outcome("failed", reason=f"{ended}: {lines[-1]}" if lines else ended)
    try:
        return Outcome.from_json(json.loads(out))
    except (ValueError, TypeError) as error:
        return Outcome("failed", reason=f"unreadable result ({error})")
