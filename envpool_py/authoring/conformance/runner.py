"""Runs checks in a separate process, because a task may crash or hang.

The process (`worker`) runs the checks in order. If it ends or takes too long, the check that it was
running has failed, and a new process runs the remaining checks.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from envpool_py.authoring.paths import package_root
from envpool_py.tasks import discovery

__all__ = ["Job", "Outcome", "run"]

_LAST_LINES = 6


@dataclass(frozen=True)
class Job:
    """A check by name, or another job of the process, for one task."""

    task_id: str
    check: str


@dataclass(frozen=True)
class Outcome:
    """The outcome of a job.

    Attributes:
        job: the job.
        status: "passed", "failed" or "skipped".
        text: why it failed or was skipped; of another job, its result.
        seconds: elapsed time.
    """

    job: Job
    status: str
    text: str = ""
    seconds: float = 0.0


def run(
    jobs: Sequence[Job],
    timeout: float,
    on_outcome: Callable[[Outcome], None] = lambda outcome: None,
    command: Sequence[str] = (sys.executable, "-m", "envpool_py.authoring.conformance.worker"),
    imports: Sequence[str] | None = None,
) -> list[Outcome]:
    """Runs all jobs and returns their outcomes, in the same order.

    Args:
        jobs: what to run.
        timeout: seconds after which a job counts as hanging.
        on_outcome: called with each outcome as soon as it is known.
        command: the command that starts the worker.
        imports: plug-ins that the worker imports, as names for `discovery.import_named`. None: the
            plug-ins that this process has imported.
    """
    modules = discovery.imported() if imports is None else imports
    outcomes: list[Outcome] = []
    while len(outcomes) < len(jobs):
        for outcome in _run_until_it_ends(jobs[len(outcomes) :], timeout, command, modules):
            outcomes.append(outcome)
            on_outcome(outcome)
    return outcomes


def _run_until_it_ends(
    jobs: Sequence[Job], timeout: float, command: Sequence[str], imports: Sequence[str]
) -> Iterator[Outcome]:
    """Runs jobs in one process; yields at least one outcome."""
    spec = {
        "path": os.getcwd(),  # noqa: PTH109
        "imports": [*imports],
        "jobs": [(job.task_id, job.check) for job in jobs],
    }
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            # `python -m` searches the working directory first. This one has the running package.
            cwd=package_root(),
            start_new_session=True,  # so that the worker's child processes are killed too
        )
        assert process.stdin is not None
        assert process.stdout is not None
        done = 0
        try:
            with process.stdin as pipe:
                pipe.write(json.dumps(spec).encode())
            for line in _lines(process.stdout, timeout):
                if line is None:
                    yield Outcome(jobs[done], "failed", f"hangs: no result after {timeout:g} s")
                    return
                yield _outcome(jobs[done], json.loads(line))
                done += 1
            if done < len(jobs):
                yield Outcome(jobs[done], "failed", _ending(process.wait(), errors))
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()


def _lines(stream: Any, timeout: float) -> Iterator[bytes | None]:
    """Yields lines until the stream ends; yields None if no line comes within `timeout` seconds."""
    pending = b""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while True:
            while b"\n" in pending:
                line, _, pending = pending.partition(b"\n")
                yield line
            if not selector.select(timeout):
                yield None
                return
            received = os.read(stream.fileno(), 1 << 16)
            if not received:
                return
            pending += received


def _outcome(job: Job, answer: dict[str, Any]) -> Outcome:
    return Outcome(job, answer["status"], answer["text"], answer["seconds"])


def _ending(code: int, errors: Any) -> str:
    ended = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    errors.seek(0)
    lines = [line.rstrip() for line in errors if line.strip()][-_LAST_LINES:]
    return "\n".join([f"ended the process: {ended}", *lines])
