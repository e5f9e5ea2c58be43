"""What a machine with many processors, and a GPU if it has one, makes of the package.

    python -m benchmarks.many_cores --out DIRECTORY [--minutes 9] [--only PART]...

Runs one program after another: facts of the machine, how two tasks scale beside EnvPool, the search
of `envpool-py tune`, the placement on NUMA nodes, JAX, and a policy in PyTorch on the GPU. Each has
a share of the time, after which it is ended. What a program prints, its record and its picture are
in the directory; `summary.json` says how each one ended. A part whose packages are not installed is
left out by name. `scripts/many_cores.sh` installs everything first.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from envpool_py.cli.programs import command_of
from envpool_py.pool import core

MINUTES = 9.0
_LONGEST_END_SECONDS = 20.0


@dataclasses.dataclass(frozen=True)
class Part:
    """A program that measures one thing.

    Attributes:
        name: names its files.
        share: of the time, relative to the others.
        module: what `python -m` runs.
        arguments: of the program.
        needs: packages without which it is left out.
    """

    name: str
    share: float
    module: str
    arguments: tuple[str, ...]
    needs: tuple[str, ...] = ()


def parts(threads: int, seconds: float, directory: Path) -> list[Part]:
    """Returns the parts for a machine, in order.

    Args:
        threads: that the machine can use.
        seconds: for all parts; the length of each measurement follows from it.
        directory: for their files.
    """
    one = max(min(seconds / 540 * 0.4, 1.0), 0.02)  # of one measurement

    def file(name: str) -> str:
        return str(directory.resolve() / name)

    def scaling(task: str) -> Part:
        # Two modes, two participants, two rounds, and a point for each doubling of the threads.
        name = f"scaling-{task.partition('-')[0].lower()}"
        return Part(
            name,
            2.6,
            "envpool_py.cli",
            (
                *("bench", task, "--num-threads", str(threads)),
                *("--scaling", "--rounds", "2", "--seconds", f"{one:.3f}"),
                *("--against", "envpool" if _has("envpool") else "none"),
                *("--json", file(f"{name}.json"), "--plot", file(f"{name}.png")),
            ),
        )

    tuned = ("tune", "Pong-v5", "--seconds", f"{seconds / 12:.1f}", "--json", file("tune.json"))
    length = ("--seconds", f"{one:.3f}", "--json")
    return [
        Part("machine", 0.3, "envpool_py.cli", ("info",)),
        scaling("Pong-v5"),
        scaling("HalfCheetah-v5"),
        Part("tune", 1.6, "envpool_py.cli", tuned),
        Part("placement", 1.0, "benchmarks.placement", (*length, file("placement.json"))),
        Part(
            "jax",
            1.6,
            "benchmarks.jax_scan",
            (
                *("--turns", "3", "--seconds", f"{one / 4:.3f}", "--threads", str(threads)),
                *("--out", file("jax.json")),
            ),
            ("jax",),
        ),
        Part("torch", 1.3, "benchmarks.torch_device", (*length, file("torch.json")), ("torch",)),
    ]


def _has(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def run(part: Part, directory: Path, limit: float) -> dict[str, Any]:
    """Runs one part; returns how it ended: "ok", "failed", "ended" (at its limit), "left out"."""
    missing = [package for package in part.needs if not _has(package)]
    if missing:
        return {"status": "left out", "reason": f"{', '.join(missing)} is not installed"}
    began = time.perf_counter()
    with (directory / f"{part.name}.txt").open("w") as output:
        process = subprocess.Popen(
            [*command_of(part.module), *part.arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_mind_interrupts,
        )
        try:
            code = process.wait(limit)
            ended = {"status": "ok" if code == 0 else "failed", "exit_code": code}
        except subprocess.TimeoutExpired:
            ended = {"status": "ended", "reason": f"after its share of {limit:.0f} s"}
        finally:
            _end(process)
    return {**ended, "seconds": round(time.perf_counter() - began, 1)}


def _mind_interrupts() -> None:
    # A program in the background may have been started with interrupts ignored.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a program. When interrupted, it ends its workers, which have sessions of their own."""
    with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
        os.killpg(process.pid, signal.SIGINT)
        process.wait(_LONGEST_END_SECONDS)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the parts, prints a table, and writes the summary; returns 1 if a part has failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, metavar="DIRECTORY")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="for all (%(default)s)")
    parser.add_argument("--only", action="append", metavar="PART", help="a part to run")
    given = parser.parse_args(arguments)
    system = core.system_info()
    seconds = given.minutes * 60
    chosen = parts(system["default_num_threads"], seconds, given.out)
    names = [part.name for part in chosen]
    unknown = set(given.only or ()) - set(names)
    if unknown:
        parser.error(f"--only: expected one of {', '.join(names)}, got {', '.join(unknown)}")
    given.out.mkdir(parents=True, exist_ok=True)
    whole = sum(part.share for part in chosen)
    console = Console(stderr=True)
    ends: dict[str, Any] = {}
    for part in chosen:
        if given.only is not None and part.name not in given.only:
            continue
        limit = part.share / whole * seconds
        console.print(f"{part.name}: at most {limit:.0f} s")
        ends[part.name] = run(part, given.out, limit)
        summary = {"system": system, "minutes": given.minutes, "parts": ends}
        (given.out / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    table = Table(box=box.SIMPLE_HEAD)
    for column in ("part", "", "seconds", ""):
        table.add_column(column)
    for name, end in ends.items():
        reason = end.get("reason", f"see {given.out}/{name}.txt")
        table.add_row(name, end["status"], str(end.get("seconds", "")), reason)
    Console().print(table)
    return 1 if any(end["status"] == "failed" for end in ends.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
