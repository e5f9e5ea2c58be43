"""The progress display during a measurement."""

from __future__ import annotations

import io

from rich.console import Console

from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.bench.progress import TurnProgress
from envpool_py.cli.bench.sample import Outcome

from .results import sample


def test_progress_without_a_terminal_is_one_line_each() -> None:
    out = io.StringIO()
    with TurnProgress(Console(file=out, width=200), turns=2) as progress:
        progress.case("CartPole-v1, 4 envs")
        progress.start(0, OURS)
        progress.end(0, OURS, Outcome("ok", sample(2_690_000.0)))
        progress.end(0, "envpool", Outcome("unavailable", reason="envpool is not installed"))
        progress.end(1, "envpool", None)
    assert out.getvalue().splitlines() == [
        "[1/2] CartPole-v1, 4 envs: envpool_py, round 1: 2.69 M steps/s",
        "[2/2] CartPole-v1, 4 envs: EnvPool, round 1: envpool is not installed",
    ]


def test_progress_on_a_terminal_names_what_runs() -> None:
    out = io.StringIO()
    console = Console(file=out, width=100, force_terminal=True, color_system=None)
    with TurnProgress(console, turns=1) as progress:
        progress.case("CartPole-v1, 4 envs")
        progress.start(0, "envpool")
        progress.end(0, "envpool", Outcome("ok", sample(1.0)))
    assert "CartPole-v1, 4 envs: EnvPool, round 1" in out.getvalue()
    assert "1/1" in out.getvalue()
