"""Where the threads of a pool run and the memory of its batches lies, on machines with NUMA nodes.

    python -m benchmarks.placement [TASK]... [--json FILE]

For each task, in ordered and in first-ready mode, with `numa="auto"` and with "off": the processors
that each worker may use, how many pages of the returned observations are on each node, the step
rate, and whether the results are equal (they do not depend on placement). Returns 1 if they are
not, or if a worker of "auto" may use processors of several nodes although there are enough threads
for all nodes.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import envpool_py
from benchmarks import records
from envpool_py.cli.bench.report import format_rate
from envpool_py.cli.bench.worker import sample_actions
from envpool_py.pool import core

TASKS = ("HalfCheetah-v5", "Pong-v5")
_ENVS_PER_THREAD = 8
_MOVE_PAGES = {"x86_64": 279, "aarch64": 239}  # numbers of the system call


def page_nodes(array: np.ndarray[Any, Any]) -> dict[int, int]:
    """Returns the number of the array's pages on each node; empty if the system does not tell."""
    number = _MOVE_PAGES.get(os.uname().machine)
    if number is None:
        return {}
    page = os.sysconf("SC_PAGE_SIZE")
    first = array.ctypes.data // page
    count = (array.ctypes.data + array.nbytes - 1) // page - first + 1
    pages = (ctypes.c_void_p * count)(*((first + i) * page for i in range(count)))
    nodes = (ctypes.c_int * count)()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, 0, ctypes.c_ulong(count), pages, None, nodes, 0) != 0:
        return {}
    return dict(Counter(node for node in nodes if node >= 0))  # below 0: not touched yet


def worker_processors(before: set[int]) -> list[list[int]]:
    """Returns the processors of each thread that has started since `before`."""
    return [sorted(os.sched_getaffinity(thread)) for thread in sorted(threads() - before)]


def threads() -> set[int]:
    """Returns the ids of the threads of this process."""
    return {int(entry.name) for entry in Path("/proc/self/task").iterdir()}


def measure(task: str, batch: int, envs: int, numa: str, seconds: float) -> dict[str, Any]:
    """Returns what the module says, of one pool."""
    before = threads()
    ordered = batch == envs
    pool: Any
    with envpool_py.make(task, num_envs=envs, batch_size=batch, numa=numa, seed=0) as pool:
        actions = sample_actions(pool.single_action_space, envs, 0)
        seen = [hashlib.sha256() for _ in range(envs)]
        order = [0] * envs  # of each environment: steps so far
        pages: Counter[int] = Counter()
        steps = 0

        def note(result: tuple[Any, ...]) -> np.ndarray[Any, Any]:
            ids: np.ndarray[Any, Any] = result[-1]["env_id"]
            pages.update(page_nodes(result[0]))
            for row, env in enumerate(ids):
                if order[env] <= 20:
                    seen[env].update(result[0][row].tobytes())
                order[env] += 1
            return ids

        def next_actions(ids: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            return np.array([actions[order[env] % len(actions)][env] for env in ids])

        if ordered:
            ids = note(pool.reset())
        else:
            pool.async_reset()
            ids = note(pool.recv())
        processors = worker_processors(before)
        while min(order) <= 20:
            if ordered:
                ids = note(pool.step(next_actions(ids)))
            else:
                pool.send(next_actions(ids), ids)
                ids = note(pool.recv())
        began = time.perf_counter()
        while time.perf_counter() - began < seconds:
            if ordered:
                pool.step(actions[steps % len(actions)])
            else:
                pool.send(actions[0][:batch], ids)
                ids = pool.recv()[-1]["env_id"]
            steps += batch
        rate = steps / (time.perf_counter() - began)
        digest = hashlib.sha256(b"".join(each.digest() for each in seen)).hexdigest()
    return {
        "task": task,
        "mode": "ordered" if ordered else "first-ready",
        "numa": numa,
        "workers": processors,
        "pages": {str(node): count for node, count in sorted(pages.items())},
        "steps_per_s": rate,
        "digest": digest,
    }


def faults(found: Sequence[dict[str, Any]], system: dict[str, Any]) -> list[str]:
    """Returns what is wrong in the results of `measure`; empty: nothing."""
    wrong = []
    digests: dict[str, set[str]] = {}
    for each in found:
        digests.setdefault(each["task"], set()).add(each["digest"])
    wrong += [f"{task}: results differ" for task, those in digests.items() if len(those) > 1]
    nodes = [set(node["cpus"]) for node in system["numa_nodes"]]
    if len(nodes) > 1 and system["default_num_threads"] >= len(nodes):
        for each in found:
            if each["numa"] != "auto":
                continue
            for worker in each["workers"]:
                if not any(set(worker) <= node for node in nodes):
                    wrong.append(
                        f"{each['task']}, {each['mode']}: a worker may use processors {worker} "
                        "of several nodes"
                    )
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints a table, and writes the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("task", nargs="*", default=TASKS, metavar="TASK")
    parser.add_argument("--seconds", type=float, default=1.0, help="of one measurement")
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args(arguments)
    system = core.system_info()
    envs = system["default_num_threads"] * _ENVS_PER_THREAD
    table = Table(box=box.SIMPLE_HEAD)
    for column in ("task", "mode", "numa", "steps/s", "pages by node", "workers' processors"):
        table.add_column(column)
    found = []
    for task in given.task:
        for batch in (envs, envs // 2):
            for numa in ("auto", "off"):
                result = measure(task, batch, envs, numa, given.seconds)
                found.append(result)
                table.add_row(
                    task,
                    result["mode"],
                    numa,
                    format_rate(result["steps_per_s"]),
                    ", ".join(f"{node}: {count}" for node, count in result["pages"].items()),
                    " ".join(f"{min(each)}-{max(each)}" for each in result["workers"]),
                )
    Console().print(table)
    wrong = faults(found, system)
    for line in wrong:
        print(line, file=sys.stderr)
    if given.json is not None:
        records.write(given.json, {"system": system, "results": found, "faults": wrong})
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
