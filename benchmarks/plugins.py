"""Speed of plug-ins: compares a plug-in with the same class built in, and measures `StepMany`.

    python -m benchmarks.plugins            # about two minutes
    python -m benchmarks.plugins --quick

Builds `benchmarks/plugin/pole_plugin.cc` and the example `cartpole_simd` like plug-ins of a user,
and steps two tasks alternately, A B A B, each time in a separate process.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from envpool_py.authoring import building

ROOT = Path(__file__).resolve().parents[1]
CLASSIC_CONTROL = ROOT / "engine" / "envs" / "classic_control"
PLUGINS = [
    [ROOT / "benchmarks" / "plugin" / "pole_plugin.cc", CLASSIC_CONTROL / "lane_functions.cc"],
    [ROOT / "examples" / "plugins" / "cartpole_simd" / "cartpole_simd.cc"],
]


@dataclass(frozen=True)
class Case:
    """Two tasks in one configuration; first-ready mode if `batch_size` is below `num_envs`."""

    title: str
    base: str
    other: str
    num_envs: int
    batch_size: int
    num_threads: int
    # The lowest rate of `other`, divided by that of `base`.
    floor: float = 0.95
    # Whether the plug-in is used through the C interface, like a plug-in of another release.
    c_interface: bool = False


PLAIN, SIMD = "PlainCartPole-v1", "SimdCartPole-v1"
CASES = [
    Case("CartPole, 1", "CartPole-v1", "Plugin/CartPole-v1", 1, 1, 1),
    Case("CartPole, 256", "CartPole-v1", "Plugin/CartPole-v1", 256, 256, 1),
    Case("CartPole, 4096, two threads", "CartPole-v1", "Plugin/CartPole-v1", 4096, 4096, 2),
    Case("CartPole, 256 of 1024", "CartPole-v1", "Plugin/CartPole-v1", 1024, 256, 2),
    Case("Pendulum, 1024", "Pendulum-v1", "Plugin/Pendulum-v1", 1024, 1024, 1),
    Case(
        "C interface: CartPole, 4096", "CartPole-v1", "Plugin/CartPole-v1", 4096, 4096, 1, 0.7, True
    ),
    Case(
        "C interface: Pendulum, 1024", "Pendulum-v1", "Plugin/Pendulum-v1", 1024, 1024, 1, 0.9, True
    ),
    Case("StepMany beside Step, 256", PLAIN, SIMD, 256, 256, 1, 1.5),
    Case("StepMany beside Step, 4096", PLAIN, SIMD, 4096, 4096, 1, 1.5),
    Case("CartPole-v1 beside StepMany, 4096", SIMD, "CartPole-v1", 4096, 4096, 1, 0.95),
]

CHILD = """
import json, sys
import envpool_py
from envpool_py.cli.bench.drivers import FirstReadyDriver, OrderedDriver
from envpool_py.cli.bench.worker import measure, sample_actions
case = json.loads(sys.argv[1])
sys.path.append(case["directory"])
import cartpole_simd, pole_plugin
sizes = {name: case[name] for name in ("num_envs", "batch_size", "num_threads")}
with envpool_py.make(case["task"], seed=0, **sizes) as pool:
    rows, ordered = case["batch_size"], case["batch_size"] == case["num_envs"]
    driver = OrderedDriver(pool, rows, 0) if ordered else FirstReadyDriver(pool, rows)
    actions = sample_actions(driver.action_space(), rows, 0)
    sample = measure(driver, actions, case["seconds"], case["seconds"] / 3)
    print(json.dumps([sample.steps_per_s, sample.cpu_ns / sample.rows]))
"""


def build(directory: Path, *flags: str) -> None:
    """Compiles the plug-ins with the installed package; built-in classes are this repository's."""
    directory.mkdir(exist_ok=True)
    for sources in PLUGINS:
        building.compile_plugin(sources, directory, ["-iquote", str(ROOT), *flags])


def rate(case: Case, task: str, directory: Path, seconds: float) -> tuple[float, float]:
    """Measures steps per second, and processor time per step (ns), in a separate process."""
    arguments = {**vars(case), "task": task, "directory": str(directory), "seconds": seconds}
    command = [sys.executable, "-c", CHILD, json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    steps_per_s, cpu_ns = json.loads(done.stdout)
    return steps_per_s, cpu_ns


def compare(case: Case, directory: Path, seconds: float, rounds: int) -> list[float]:
    """Returns medians: both rates, the ratio of the rates, and the ratio of the processor times.

    Other programs disturb processor times less than rates. For a pool that waits, processor times
    are not meaningful.
    """
    base, other = [], []
    for _ in range(rounds):
        base.append(rate(case, case.base, directory, seconds))
        other.append(rate(case, case.other, directory, seconds))
    pairs = list(zip(base, other, strict=True))
    return [
        statistics.median(rate for rate, _ in base),
        statistics.median(rate for rate, _ in other),
        statistics.median(theirs[0] / ours[0] for ours, theirs in pairs),
        statistics.median(ours[1] / theirs[1] for ours, theirs in pairs),
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Measures all cases and prints a table of Markdown; returns 1 if one misses its floor."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plugins")
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--seconds", type=float, default=0.8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="only cases whose title contains this text")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a floor is missed")
    arguments = parser.parse_args(argv)
    seconds, rounds = (0.2, 1) if arguments.quick else (arguments.seconds, arguments.rounds)
    missed = False
    print("| case | steps/s | steps/s | ratio | of processor time | floor |")
    print("| --- | --- | --- | --- | --- | --- |")
    cases = [case for case in CASES if arguments.only in case.title]
    with tempfile.TemporaryDirectory() as directory:
        plain, c_interface = Path(directory, "plain"), Path(directory, "c_interface")
        build(plain)
        if any(case.c_interface for case in cases):
            build(c_interface, "-DENVPOOL_C_INTERFACE_ONLY")
        for case in cases:
            modules = c_interface if case.c_interface else plain
            base, other, ratio, cpu_ratio = compare(case, modules, seconds, rounds)
            missed = missed or ratio < case.floor
            rates = f"{base:,.0f} | {other:,.0f} | {ratio:.3f} | {cpu_ratio:.3f}"
            print(f"| {case.title} | {rates} | {case.floor} |", flush=True)
    return 1 if arguments.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
