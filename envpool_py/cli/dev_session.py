"""One version of a plug-in in a process of its own: checks it and plays it.

    python -m envpool_py.cli.dev_session MODULE [--task ID] [--play window|terminal|none]

`envpool-py dev` starts it after each build and ends it when a source changes. Each version runs in
a new process for two reasons: its tasks can have the same ids as in the previous version, and a
crash of the plug-in does not end `envpool-py dev`.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys
from collections.abc import Sequence

from envpool_py.authoring.conformance.kit import NotApplicableError, checks
from envpool_py.authoring.conformance.worker import failure_of
from envpool_py.cli import play_command
from envpool_py.cli.check_worker import steps_per_second
from envpool_py.cli.output import UsageError, make_console
from envpool_py.tasks import discovery
from envpool_py.tasks.spec import make_spec

__all__ = ["FAILED", "PASSED", "main"]

# Checks that take moments and find the most common mistakes of an edit.
_QUICK = ("rows.", "results.a_few_steps", "seeds.same_seed_same_future")
# The exit codes besides 0 (checked, and played until the user quit).
FAILED = 1
PASSED = 3  # checked, and not played


def check(task_id: str) -> bool:
    """Runs the quick checks of a task and prints what fails, or its steps per second."""
    failures = []
    for each in checks():
        if not each.name.startswith(_QUICK):
            continue
        try:
            each.run(task_id)
        except NotApplicableError:
            continue
        except Exception as error:  # any exception of the task is a failed check
            failures.append(f"{task_id}: {each.name}: {failure_of(error)}")
    console = make_console()
    for line in failures:
        console.print(line, soft_wrap=True)
    if not failures:
        console.print(f"{task_id}: {steps_per_second(task_id):,.0f} steps/s", soft_wrap=True)
    sys.stdout.flush()
    return not failures


def play(task_id: str, terminal: bool) -> int:
    """Plays a task until the user quits."""
    arguments = argparse.Namespace(
        task=task_id, seed=0, fps=None, scale=None, options=[], terminal=terminal
    )
    return play_command.run(arguments)


def main(argv: Sequence[str] | None = None) -> int:
    """Checks all tasks of the module and plays one; returns the exit code."""
    faulthandler.enable()
    parser = argparse.ArgumentParser(prog="python -m envpool_py.cli.dev_session")
    parser.add_argument("module")
    parser.add_argument("--task")
    parser.add_argument("--play", choices=["window", "terminal", "none"], default="none")
    arguments = parser.parse_args(argv)
    try:
        ids = discovery.tasks_of(arguments.module)
        if not ids or arguments.task not in {None, *ids}:
            wanted = "" if arguments.task is None else f" {arguments.task}"
            raise UsageError(f"the module has no task{wanted} (it has {', '.join(ids) or 'none'})")
        passed = [check(task_id) for task_id in ids]
        if not all(passed):
            return FAILED
        task_id = arguments.task or ids[0]
        spec = make_spec(task_id)
        if arguments.play == "none" or spec.render is None or spec.players is not None:
            return PASSED
        return play(task_id, arguments.play == "terminal")
    except (UsageError, ImportError) as error:
        print(f"envpool-py: {error}", file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main())
