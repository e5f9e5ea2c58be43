"""The process that runs checks: `runner` starts it as `python -m envpool_py.authoring.conformance.worker`.

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
from typing import Any

from envpool_py.authoring.conformance.kit import Check, NotApplicableError, checks
from envpool_py.authoring.conformance.runner import RATE
from envpool_py.tasks import discovery

_NUM_ENVS = 256
_SECONDS = 0.3


def answer_of(job: tuple[str, str], known: dict[str, Check]) -> dict[str, Any]:
    """Runs a job; returns its status, text and seconds."""
    task_id, name = job
    start = time.perf_counter()
    status, text = "passed", ""
    try:
        if name == RATE:
            text = str(steps_per_second(task_id))
        else:
            known[name].run(task_id)
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


def steps_per_second(task_id: str) -> float:
    """Measures a pool with the default number of threads for a short time."""
    from envpool_py.cli.bench.drivers import OrderedDriver
    from envpool_py.cli.bench.worker import measure, sample_actions
    from envpool_py.tasks.make import make

    with make(task_id, num_envs=_NUM_ENVS, seed=0) as pool:
        driver = OrderedDriver(pool, _NUM_ENVS, 0)
        actions = sample_actions(driver.action_space(), driver.num_actions, 0)
        return measure(driver, actions, _SECONDS, _SECONDS / 3).steps_per_s


def main() -> int:
    """Runs the jobs of the standard input; returns the exit code."""
    faulthandler.enable()
    spec = json.load(sys.stdin)
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "w", buffering=1) as out:
        os.dup2(2, 1)
        sys.path.append(spec["path"])
        for name in spec["imports"]:
            discovery.import_named(name)
        known = {check.name: check for check in checks()}
        for job in spec["jobs"]:
            print(json.dumps(answer_of(job, known)), file=out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
