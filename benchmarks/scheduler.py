"""Predicts and checks step rates with the simulator of the scheduler (`benchmarks/simulate`).

    python -m benchmarks.scheduler predict     # 1 to 256 processors: results/scheduler-simulated.*
    python -m benchmarks.scheduler check       # against real runs on this machine

`check` measures real pools with 1, 2, 4, ... threads, simulates the same pools on a machine of one
node, and exits with 1 if a rate differs by more than 15 %. Two costs come from measurements. The
first is the mean duration of a step of each task, from the pool's own statistics. For N threads, it
is measured in N independent pools with one thread each, which run at once, because processors may
be slower while others are busy, which no scheduler can change. The second is the time of a call
outside of the environments; it is fitted so that the simulated rate of CartPole with one thread
equals the measured one. The measurements take turns. The other costs of the machine are given as
NAME=VALUE (see simulate.cc); `benchmarks/engine/sync_benchmark` measures some of them.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks import records
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import Timing, launch_worker
from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.bench.plot import COLOURS, figure_class
from envpool_py.cli.bench.report import format_rate, run_record, source_record
from envpool_py.cli.bench.scaling import thread_counts
from envpool_py.pool import core

ROOT = Path(__file__).resolve().parent.parent
BINARY = ROOT / "build" / "bench" / "benchmarks" / "simulate" / "simulate"
_TOLERANCE = 0.15
_TIMING = Timing(seconds=1.0, warmup_seconds=0.5, rounds=1)
_ROUNDS = 5

# EnvPool's published rates on 256 processors (2 sockets with 64 cores each), in steps per second:
# its Atari figure counts four frames a step.
PUBLISHED = {"20 us": ("EnvPool, MuJoCo", 3.13e6), "300 us": ("EnvPool, Atari", 1.07e6 / 4)}

# Tasks for `check`, with bytes of an observation, and bytes that a step accesses. The first one is
# the lightest: most of its time is that of calls.
CHECKED = {"CartPole-v1": (16, 64), "HalfCheetah-v5": (136, 65_536), "Pong-v5": (28_224, 16_384)}


def simulate(binary: Path, case: str, values: dict[str, Any]) -> dict[str, Any]:
    """Runs the simulator; returns its output."""
    arguments = [f"{name}={value}" for name, value in values.items()]
    done = subprocess.run(
        [str(binary), case, *arguments], stdout=subprocess.PIPE, text=True, check=True
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def draw(record: dict[str, Any], path: Path) -> None:
    """Writes a picture: one panel per workload, rates against threads."""
    rows = record["simulated"]["rows"]
    workloads = list(dict.fromkeys(row["workload"] for row in rows))
    designs = list(dict.fromkeys(row["design"] for row in rows))
    figure = figure_class()(figsize=(12, 8), dpi=120, layout="constrained")
    panels = figure.subplots(2, 2).ravel()
    for panel, workload in zip(panels, workloads, strict=True):
        lines: dict[tuple[str, str], list[tuple[int, float]]] = {}
        for row in rows:
            if row["workload"] == workload:
                point = (row["threads"], row["steps_per_s"])
                lines.setdefault((row["mode"], row["design"]), []).append(point)
        for (mode, design), points in lines.items():
            style = "o-" if mode == "ordered" else "s--"
            colour = COLOURS[designs.index(design)]
            panel.plot(*zip(*points, strict=True), style, color=colour, label=f"{mode}, {design}")
        first = next(iter(lines.values()))[0][1]
        threads = [point[0] for point in next(iter(lines.values()))]
        panel.plot(threads, [first * n for n in threads], color="#999999", label="linear")
        if workload in PUBLISHED:
            name, rate = PUBLISHED[workload]
            panel.plot([256], [rate], "k*", markersize=11, label=f"{name} (published)")
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.set_title(f"{workload} a step", fontsize=10)
        panel.set_xlabel("threads")
        panel.set_ylabel("steps per second (simulated)")
        panel.grid(alpha=0.3)
        panel.legend(fontsize=7)
    figure.savefig(path)


def efficiencies(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the rows with "efficiency": the rate divided by that of linear scaling."""
    single = {
        (row["workload"], row["design"], row["mode"]): row["steps_per_s"]
        for row in rows
        if row["threads"] == 1
    }
    return [
        {
            **row,
            "efficiency": row["steps_per_s"]
            / (row["threads"] * single[row["workload"], row["design"], row["mode"]]),
        }
        for row in rows
    ]


def predict(binary: Path, values: dict[str, Any], name: str) -> int:
    """Simulates up to 256 processors; writes the record and the picture."""
    simulated = simulate(binary, "scaling", values)
    simulated["rows"] = efficiencies(simulated["rows"])
    source = source_record(ROOT)
    record = {
        **run_record(core.system_info(), source, core.version),
        "values": values,
        "simulated": simulated,
    }
    records.write(records.RESULTS / f"{name}.json", record)
    draw(record, records.RESULTS / f"{name}.png")
    table = _table("Simulated", ("workload", "design", "mode", "threads", "steps/s", "of linear"))
    for row in simulated["rows"]:
        if row["threads"] in (1, 16, 64, 256):
            table.add_row(
                row["workload"], row["design"], row["mode"], str(row["threads"]),
                format_rate(row["steps_per_s"]), f"{row['efficiency']:.2f}",
            )  # fmt: skip
    Console().print(table)
    return 0


def check(binary: Path, values: dict[str, Any]) -> int:
    """Compares with real runs; returns 1 if one differs by more than 15 %."""
    processors = len(os.sched_getaffinity(0))
    machine = {"sockets": 1, "nodes": 1, "cores": processors, "threads": 1, **values}
    envs = 8 * processors
    cases = [
        Case(task, envs, batch, threads)
        for task in CHECKED
        for threads in thread_counts(processors)
        for batch in (envs, envs // 2)
    ]
    measured = _measure(cases)

    def simulated_rate(case: Case, call_ns: float) -> float:
        row_bytes, state_bytes = CHECKED[case.task]
        rate: float = simulate(binary, "one", {
            "call": call_ns, **machine,
            "num_threads": case.num_threads, "num_envs": envs, "batch_size": case.batch_size,
            "step_ns": measured[_key(case)].step_ns, "row_bytes": row_bytes,
            "state_bytes": state_bytes,
        })["rows"][0]["steps_per_s"]  # fmt: skip
        return rate

    call_ns: dict[bool, float] = {}  # by mode
    for case in cases[:2]:  # CartPole with one thread
        batch_ns = 1e9 * case.batch_size / measured[_key(case)].steps_per_s
        fitted = 0.5 * batch_ns
        for _ in range(5):
            fitted += batch_ns - 1e9 * case.batch_size / simulated_rate(case, fitted)
        call_ns[case.first_ready] = fitted
    table = _table("", ("task", "mode", "threads", "measured", "simulated", "difference"))
    worst = 0.0
    for case in cases:
        simulated = simulated_rate(case, call_ns[case.first_ready])
        rate = measured[_key(case)].steps_per_s
        difference = simulated / rate - 1.0
        worst = max(worst, abs(difference))
        table.add_row(
            case.task, "first-ready" if case.first_ready else "ordered", str(case.num_threads),
            format_rate(rate), format_rate(simulated),
            "fitted" if case in cases[:2] else f"{difference:+.0%}",
        )  # fmt: skip
    Console().print(table)
    return int(worst > _TOLERANCE)


def _table(title: str, columns: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for column in columns:
        table.add_column(column, no_wrap=True)
    return table


class _Measured(NamedTuple):
    """Medians of one case: the step rate, and the duration of a step (see the module)."""

    steps_per_s: float
    step_ns: float


def _key(case: Case) -> tuple[str, int, bool]:
    return case.task, case.num_threads, case.first_ready


def _measure(cases: Sequence[Case]) -> dict[tuple[str, int, bool], _Measured]:
    """Measures the cases in turns; returns the medians of each."""
    rates: dict[tuple[str, int, bool], list[float]] = defaultdict(list)
    costs: dict[tuple[str, int, bool], list[float]] = defaultdict(list)
    with Progress(transient=True) as progress:
        for case in progress.track([*cases] * _ROUNDS, description="measuring"):
            ((rate, step_ns),) = _run(case, 1)
            rates[_key(case)].append(rate)
            if case.num_threads == 1:
                costs[_key(case)].append(step_ns)
                continue
            alone = dataclasses.replace(case, batch_size=case.num_envs, num_threads=1)
            mean = float(np.mean([each.step_ns for each in _run(alone, case.num_threads)]))
            for first_ready in (False, True):
                costs[case.task, case.num_threads, first_ready].append(mean)
    return {key: _Measured(median(rates[key]), median(costs[key])) for key in rates}


def _run(case: Case, copies: int) -> list[_Measured]:
    """Measures pools in as many processes, at the same time."""
    with ThreadPoolExecutor(copies) as threads:
        outcomes = list(threads.map(lambda _: launch_worker(OURS, case, _TIMING), range(copies)))
    results = []
    for outcome in outcomes:
        sample = outcome.sample
        if sample is None or sample.stats is None:
            raise RuntimeError(outcome.reason)
        results.append(_Measured(sample.steps_per_s, sample.stats["step_ns"] / sample.rows))
    return results


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the program; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scheduler")
    parser.add_argument("what", choices=("predict", "check"))
    parser.add_argument("values", nargs="*", metavar="NAME=VALUE")
    parser.add_argument("--binary", type=Path, default=BINARY, help="the simulator (%(default)s)")
    parser.add_argument("--name", default="scheduler-simulated", help="of the results")
    arguments = parser.parse_args(argv)
    values = dict(text.split("=", 1) for text in arguments.values)
    if arguments.what == "predict":
        return predict(arguments.binary, values, arguments.name)
    return check(arguments.binary, values)


if __name__ == "__main__":
    sys.exit(main())
