"""Shows the running measurement: a bar on a terminal, one line per measurement elsewhere."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from envpool_py.cli.bench.report import format_rate, title_of
from envpool_py.cli.bench.sample import Outcome

__all__ = ["TurnProgress"]


class TurnProgress:
    """Counts measurements until `turns` are done. A context manager.

    Args:
        console: where to show it; usually standard error.
        turns: measurements to come, over all cases.
    """

    def __init__(self, console: Console, turns: int) -> None:
        self._console = console
        self._turns = turns
        self._done = 0
        self._case = ""
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        if console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=24),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
                console=console,
                transient=True,
                refresh_per_second=2,  # drawing takes time from the measurement
            )
            self._task = self._bar.add_task("", total=turns)

    def __enter__(self) -> TurnProgress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def case(self, title: str) -> None:
        """Sets the case of the following turns."""
        self._case = title

    def start(self, turn: int, name: str) -> None:
        """Reports that the measurement of `name` in round `turn` (from 0) begins."""
        if self._bar is not None and self._task is not None:
            text = f"{self._case}: {title_of(name)}, round {turn + 1}"
            self._bar.update(self._task, description=text)

    def end(self, turn: int, name: str, outcome: Outcome | None) -> None:
        """Reports how the measurement ended; None: it was skipped."""
        self._done += 1
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task)
        elif outcome is not None:
            rate = format_rate(outcome.sample.steps_per_s) + " steps/s" if outcome.sample else None
            self._console.print(
                f"[{self._done}/{self._turns}] {self._case}: {title_of(name)}, "
                f"round {turn + 1}: {rate or outcome.reason}",
                soft_wrap=True,
            )
