"""Data-parallel learners: speed with one and two ranks, and the cost of communication.

    python -m benchmarks.data_parallel [--task CartPole-v1] [--updates 10] [--rounds 3]
        [--json FILE]

Runs `examples/learners/torch_ddp.py` with torchrun, alternately: with one rank; with two ranks,
which divide its environments and minibatches; with two ranks that learn their shares separately,
without averaging gradients, advantages or checks; and with two such ranks that only wait for each
other at each optimizer step, which shows how much of the difference is the time of the slower rank.
Rates are the sum over all ranks, without the start of the processes. Each rank has one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

import envpool_py
from benchmarks import records

PROGRAM = Path(__file__).resolve().parent.parent / "examples" / "learners" / "torch_ddp.py"
UPDATE = {"CartPole-v1": 4_096, "Pong-v5": 2_048}  # steps of an update
WAYS: dict[str, tuple[int, list[str]]] = {
    "1 rank": (1, []),
    "2 ranks": (2, []),
    "2 ranks, no checks": (2, ["--check-every", "0"]),
    "2 alone, waiting": (2, ["--alone", "waiting"]),
    "2 alone": (2, ["--alone"]),
}


def measure(ranks: int, arguments: list[str], task: str, updates: int) -> float:
    """Returns the steps per second of a run, summed over all ranks."""
    with tempfile.TemporaryDirectory() as directory:
        record = Path(directory) / "record.json"
        subprocess.run(
            [
                *(sys.executable, "-m", "torch.distributed.run", "--standalone"),
                *("--nproc-per-node", str(ranks), "--max-restarts", "3", str(PROGRAM)),
                *("--task", task, "--steps", str(updates * UPDATE[task]), "--json", str(record)),
                *arguments,
            ],
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        written: dict[str, Any] = json.loads(record.read_text())
        return float(written["steps_per_s"])


def main() -> None:
    """Measures."""
    parser = argparse.ArgumentParser(description="Speed of data-parallel learners.")
    parser.add_argument("--task", choices=UPDATE, default="CartPole-v1")
    parser.add_argument("--updates", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    given = parser.parse_args()
    rates: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(given.rounds):
        for name, (ranks, arguments) in WAYS.items():
            rates[name].append(measure(ranks, arguments, given.task, given.updates))
            print(f"{name:20} {rates[name][-1]:>9,.0f} steps/s", flush=True)

    def ratio(first: str, second: str) -> float:
        pairs = zip(rates[first], rates[second], strict=True)
        return round(statistics.median(one / other for one, other in pairs), 2)

    ratios = {
        "speed-up of 2 ranks": ratio("2 ranks", "1 rank"),
        "2 ranks / 2 alone": ratio("2 ranks", "2 alone"),
        "2 ranks, no checks / 2 alone": ratio("2 ranks, no checks", "2 alone"),
        "2 alone, waiting / 2 alone": ratio("2 alone, waiting", "2 alone"),
        "2 ranks / 2 alone, waiting": ratio("2 ranks", "2 alone, waiting"),
    }
    for name, value in ratios.items():
        print(f"{name:30} {value:5.2f}")
    if given.json is not None:
        record = {
            "task": given.task,
            "updates": given.updates,
            "steps_per_s": rates,
            "ratios": ratios,
            "versions": {"envpool_py": envpool_py.__version__, "torch": torch.__version__},
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "load_at_end": round(os.getloadavg()[0], 1),
        }
        records.write(given.json, record)


if __name__ == "__main__":
    main()
