"""The participants' turns, and the measuring processes."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from envpool_py.cli.bench import measure, report, worker
from envpool_py.cli.bench.atari import atari_case
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import Timing
from envpool_py.cli.bench.peers import OURS, PARTICIPANTS, PEERS, Participant, default_peers
from envpool_py.cli.bench.sample import Outcome

from .results import CASE, MS, SHORT, sample


def test_participants_take_turns() -> None:
    turns = measure.schedule(["a", "b", "c"], 2)
    assert turns == [(0, "a"), (0, "b"), (0, "c"), (1, "a"), (1, "b"), (1, "c")]


def test_run_case_measures_in_turn_and_keeps_every_sample() -> None:
    rates = {"a": iter([30.0, 10.0, 20.0]), "b": iter([5.0, 5.0, 2.0])}
    launched: list[str] = []
    started: list[tuple[int, str]] = []

    def launch(name: str, case: Case, timing: Timing) -> Outcome:
        launched.append(name)
        assert case is CASE
        return Outcome("ok", sample(next(rates[name])), version="9")

    timing = Timing(1.0, 0.0, rounds=3)
    result = measure.run_case(CASE, ["a", "b"], timing, launch, lambda *turn: started.append(turn))
    assert launched == ["a", "b", "a", "b", "a", "b"]
    assert started == measure.schedule(["a", "b"], 3)
    a, b = result.results
    assert [entry.steps_per_s for entry in a.samples] == [30.0, 10.0, 20.0]
    assert (a.steps_per_s, b.steps_per_s) == (20.0, 5.0)
    assert a.spread == 1.0
    assert a.version == "9"
    assert a.problem is None


def test_one_that_cannot_take_part_is_left_out_and_the_others_go_on() -> None:
    launched: list[str] = []
    ended: list[tuple[int, str, bool]] = []
    missing = Outcome("unavailable", reason="b is not installed", remedy="pip install b")

    def launch(name: str, case: Case, timing: Timing) -> Outcome:
        launched.append(name)
        return missing if name == "b" else Outcome("ok", sample(1.0))

    result = measure.run_case(
        CASE,
        ["a", "b"],
        Timing(1.0, 0.0, rounds=2),
        launch,
        on_end=lambda turn, name, outcome: ended.append((turn, name, outcome is None)),
    )
    assert launched == ["a", "b", "a"]
    assert ended == [(0, "a", False), (0, "b", False), (1, "a", False), (1, "b", True)]
    b = result.results[1]
    assert b.problem is missing
    assert b.steps_per_s is None
    assert report.problems([result]) == [
        "without b: b is not installed; to add it: pip install b",
    ]


def test_a_missing_library_is_named_with_the_command_that_installs_it() -> None:
    participant = Participant(
        "nolib", "NoLib", "no_such_library", "no-such-library", "pip install no-such-library",
        make=lambda case: pytest.fail("made"),
    )  # fmt: skip
    outcome = worker.run(participant, CASE, 0.001, 0.0)
    assert outcome == Outcome(
        "unavailable",
        reason="no_such_library is not installed",
        remedy="pip install no-such-library",
    )


@pytest.mark.parametrize(
    ("name", "task", "reason"),
    [
        ("gymnasium-sync", "NoSuchTask-v0", "gymnasium has no NoSuchTask-v0"),
        ("gymnasium-vectorized", "Pendulum-v1", "gymnasium has no NumPy-vectorised Pendulum-v1"),
    ],
)
def test_a_task_that_a_library_lacks_is_no_failure(name: str, task: str, reason: str) -> None:
    outcome = worker.run(PARTICIPANTS[name], Case(task, 1, 1, 1), 0.001, 0.0)
    assert outcome.status == "unavailable"
    assert outcome.reason is not None
    assert outcome.reason.startswith(reason)
    assert outcome.version == gymnasium.__version__


def test_what_a_library_raises_becomes_one_line() -> None:
    def raise_error(case: Case) -> Any:
        raise RuntimeError("first line\nsecond line")

    participant = Participant("x", "X", "json", "x", "", make=raise_error)
    outcome = worker.run(participant, CASE, 0.001, 0.0)
    assert outcome == Outcome("failed", reason="RuntimeError: first line")


@pytest.mark.parametrize(
    ("name", "batch_size", "rows_per_call"),
    [(OURS, 4, 4), (OURS, 2, 2), ("gymnasium-sync", 4, 4), ("gymnasium-vectorized", 2, 4)],
)
def test_a_worker_process_measures(name: str, batch_size: int, rows_per_call: int) -> None:
    case = Case("CartPole-v1", num_envs=4, batch_size=batch_size, num_threads=2)
    outcome = measure.launch_worker(name, case, SHORT)
    assert outcome.status == "ok", outcome.reason
    measured = outcome.sample
    assert measured is not None
    assert measured.calls >= 1
    assert measured.rows == measured.calls * rows_per_call
    assert measured.wall_ns >= 5 * MS
    assert outcome.version
    if name == OURS:
        assert measured.stats is not None
        assert measured.stats["step_ns"] > 0
        # Each of the two counts may miss the steps that were then in flight.
        counted = measured.stats["steps"] + measured.stats["resets"]
        assert abs(counted - measured.rows) <= 2 * case.num_envs


def test_kept_workers_measure_in_turn_and_are_kept_for_the_next_case() -> None:
    first, second = (Case("CartPole-v1", num_envs=n, batch_size=n, num_threads=1) for n in (2, 3))
    names = (OURS, "gymnasium-sync")
    with measure.KeptWorkers() as workers:
        turns = [workers.launch(name, first, SHORT) for _ in range(2) for name in names]
        assert [outcome.status for outcome in turns] == ["ok"] * 4
        kept = _children()
        assert len(kept) == 2
        for _ in range(2):
            outcome = workers.launch(OURS, second, SHORT)
            assert outcome.sample is not None
            assert outcome.sample.rows == 3 * outcome.sample.calls
        assert _children() == kept
    assert not _children()


def test_a_kept_worker_that_does_not_close_its_case_is_replaced() -> None:
    first, second = (Case("CartPole-v1", num_envs=n, batch_size=n, num_threads=1) for n in (2, 3))
    with measure.KeptWorkers() as workers:
        assert workers.launch(OURS, first, SHORT).status == "ok"
        (child,) = _children()
        os.kill(child, signal.SIGKILL)
        assert workers.launch(OURS, second, SHORT).status == "ok"
        assert child not in _children()


def test_a_kept_worker_that_fails_or_dies() -> None:
    wrong = Case("CartPole-v1", 2, 2, 1, options={"gravity": "up"})
    with measure.KeptWorkers() as workers:
        outcome = workers.launch(OURS, wrong, SHORT)
        assert outcome.status == "failed"
        assert outcome.reason is not None
        assert "gravity" in outcome.reason
        assert not _children()
        right = dataclasses.replace(wrong, options={})
        assert workers.launch(OURS, right, SHORT).status == "ok"
        (child,) = _children()
        os.kill(child, signal.SIGKILL)
        assert workers.launch(OURS, right, SHORT) == Outcome("failed", reason="signal SIGKILL")


def _children() -> set[int]:
    """The workers that this process has."""
    tasks = Path("/proc/self/task").iterdir()
    found = {int(child) for task in tasks for child in (task / "children").read_text().split()}
    return {each for each in found if b"bench.worker" in Path(f"/proc/{each}/cmdline").read_bytes()}


def test_what_a_library_prints_does_not_mix_with_the_result() -> None:
    source = """
import os, sys
from envpool_py.cli.bench import peers, worker

def chatter(case):
    print("from Python")
    os.write(1, b"from C")
    raise RuntimeError("no")

peers.PARTICIPANTS["x"] = peers.Participant("x", "X", "json", "x", "", make=chatter)
sys.exit(worker.main())
"""
    request = {"case": CASE.to_json(), "seconds": 0.001, "warmup_seconds": 0.0}
    done = subprocess.run(
        [sys.executable, "-c", source, "--participant", "x"],
        input=json.dumps({**request, "path": "", "imports": []}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert Outcome.from_json(json.loads(done.stdout)).reason == "RuntimeError: no"
    assert "from Python" in done.stderr
    assert "from C" in done.stderr


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "signal SIGKILL"),
        ("import sys; sys.exit('first\\nlast words')", "exit code 1: last words"),
        ("raise SystemExit(3)", "exit code 3"),
        ("print('nonsense')", "unreadable result"),
        ("print('{\"colour\": 1}')", "unreadable result"),
    ],
)
def test_a_process_that_dies_or_talks_nonsense_has_failed(source: str, reason: str) -> None:
    outcome = measure.run_process([sys.executable, "-c", source], SHORT)
    assert outcome.status == "failed"
    assert outcome.sample is None
    assert outcome.reason is not None
    assert outcome.reason.startswith(reason)


def test_a_process_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_START_SECONDS", 0.0)
    started = subprocess.Popen
    processes: list[Any] = []

    def start(*arguments: Any, **options: Any) -> Any:
        processes.append(started(*arguments, **options))
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    command = [sys.executable, "-c", "import signal\nwhile True: signal.pause()"]
    outcome = measure.run_process(command, SHORT)
    assert outcome.status == "failed"
    assert outcome.reason is not None
    assert outcome.reason.startswith("no result after")
    assert processes[0].returncode == -signal.SIGKILL


def test_processes_per_environment_are_measured_only_in_moderation() -> None:
    few, many = default_peers(CASE), default_peers(Case("CartPole-v1", 256, 256, 2))
    assert set(few) - set(many) == {"gymnasium-async"}


def test_a_peer_of_few_tasks_joins_where_it_is_named() -> None:
    named = {"gymnasium-single", "mamujoco", "mpe2", "sb3", "tianshou", "puffer"}
    assert set(PEERS) - set(default_peers(CASE)) == {"ale-py", *named}
    assert set(PEERS) - set(default_peers(atari_case("Pong-v5", 8, 8, 2))) == named
