"""The process that runs checks: `runner` starts it with `python -m`.

It reads a JSON object from its standard input: "path" (a directory to import plug-ins from),
"imports" (plug-ins) and "jobs", pairs of an id and a check's name. It writes a line for each job,
in order. Output of a task goes to standard error.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from envpool_py.authoring.conformance.kit import Check, NotApplicableError, checks
from envpool_py.tasks import discovery

__all__ = ["Run", "failure_of", "main"]

Run = Callable[[str], str]
"""Runs one job for a task and returns its text."""


def answer_of(job: tuple[str, str], known: Mapping[str, Run]) -> dict[str, Any]:
    """Runs a job; returns its status, text and seconds."""
    task_id, name = job
    start = time.perf_counter()
    status, text = "passed", ""
    try:
        text = known[name](task_id)
    except NotApplicableError as reason:
        status, text = "skipped", str(reason)
    except Exception as error:  # any exception of the task is a failed check
        status, text = "failed", failure_of(error)
    return {"status": status, "text": text, "seconds": time.perf_counter() - start}


def failure_of(error: Exception) -> str:
    """Describes a failed check by its message, or by the assertion if it has no message."""
    text = str(error).strip()
    if isinstance(error, AssertionError):
        if text:
            return text
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return f"{frame.line} ({os.path.basename(frame.filename)}:{frame.lineno})"  # noqa: PTH119
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _run_of(check: Check) -> Run:
    def run(task_id: str) -> str:
        check.run(task_id)
        return ""

    return run


def main(more: Mapping[str, Run] = MappingProxyType({})) -> int:
    """Runs the jobs of the standard input; returns the exit code.

    Args:
        more: jobs besides the checks, by name.
    """
    faulthandler.enable()
    spec = json.load(sys.stdin)
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "w", buffering=1) as out:
        os.dup2(2, 1)
        sys.path.append(spec["path"])
        for name in spec["imports"]:
            discovery.import_named(name)
        known = {**{check.name: _run_of(check) for check in checks()}, **more}
        for job in spec["jobs"]:
            print(json.dumps(answer_of(job, known)), file=out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
