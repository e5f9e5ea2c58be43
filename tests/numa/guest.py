"""Runs inside a guest: where the threads of pools run, where memory lies, and digests of results.

    python guest.py PART...         PART: placement, results

Prints each finding as a line of JSON after "@@". Each pool is made in a process of its own, so that
no memory of an earlier pool is used again.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import envpool_py

_MOVE_PAGES = 279  # the number of the system call on x86-64
_PAGE = os.sysconf("SC_PAGESIZE")
_STEPS = 4  # of a pool of the probe
# Environments of a task, steps of each, and environments of a batch in first-ready mode.
_RESULTS = {"CartPole-v1": (64, 200), "HalfCheetah-v5": (16, 10), "Pong-v5": (16, 8)}


def say(part: str, **finding: object) -> None:
    """Prints a finding."""
    print("@@" + json.dumps({"part": part, **finding}), flush=True)


def numbers(text: str) -> list[int]:
    """Returns the numbers of a list of the kernel, as "0-2,5"."""
    found: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def processors() -> dict[int, list[int]]:
    """Returns the processors of each node."""
    nodes = Path("/sys/devices/system/node").glob("node[0-9]*")
    return {int(node.name[4:]): numbers((node / "cpulist").read_text()) for node in sorted(nodes)}


def page_nodes(addresses: Sequence[int] | np.ndarray[Any, Any]) -> list[int]:
    """Returns the node of the page of each address; below 0: the number of the kernel's error."""
    count = len(addresses)
    pages = (ctypes.c_void_p * count)(*(int(each) // _PAGE * _PAGE for each in addresses))
    nodes = (ctypes.c_int * count)()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(_MOVE_PAGES, 0, ctypes.c_ulong(count), pages, None, nodes, 0) != 0:
        raise OSError(ctypes.get_errno(), "move_pages")
    return list(nodes)


def workers() -> dict[str, list[int]]:
    """Returns the processors that each worker thread may use."""
    return {
        (task / "comm").read_text().strip(): sorted(os.sched_getaffinity(int(task.name)))
        for task in Path("/proc/self/task").iterdir()
        if (task / "comm").read_text().startswith("envpool-")
    }


# --- Where threads and memory are ----------------------------------------------------------------


def cases(nodes: int, cpus: int) -> dict[str, dict[str, Any]]:
    """Returns the arguments of each pool of the probe."""
    ordered: dict[str, Any] = {"num_envs": 64, "num_threads": cpus}
    return {
        "ordered": ordered,
        "first-ready": {**ordered, "batch_size": 16},
        "a thread for each node": {**ordered, "num_threads": nodes},
        "a thread for each node, first-ready": {**ordered, "num_threads": nodes, "batch_size": 16},
        "two threads for each processor": {**ordered, "num_threads": 2 * cpus},
        "cores": {**ordered, "thread_affinity": "cores"},
        "step_timeout": {**ordered, "step_timeout": 600.0},
        "light environments": {**ordered, "num_envs": 16_384, "bytes": 0, "row": 3},
        "fewer threads than nodes": {**ordered, "num_threads": max(nodes - 1, 1)},
        "numa off": {**ordered, "numa": "off"},
    }


def placement() -> None:
    """Says where the environments, rows and threads of each case are."""
    nodes = processors()
    cpus = sum(len(each) for each in nodes.values())
    say("machine", nodes=nodes, kernel=os.uname().release)
    of_case = cases(len(nodes), cpus)
    for name, arguments in of_case.items():
        in_child(name, lambda name=name, arguments=arguments: look(name, **arguments))
    say("complete", of="placement", findings=len(of_case))


def look(name: str, **arguments: Any) -> None:
    """Makes and steps a pool of the probe."""
    import node_probe  # type: ignore[import-not-found]  # noqa: F401  # registers the task

    node_of = {cpu: node for node, cpus in processors().items() for cpu in cpus}
    caller = sorted(os.sched_getaffinity(0))
    num_envs = arguments["num_envs"]
    arguments = {"row": 2 * _PAGE // 8, **arguments}
    with envpool_py.make("NodeProbe-v0", seed=1, **arguments) as pool:
        seen = np.zeros((num_envs, 3), np.int64)
        rows: Counter[str] = Counter()
        steps: Counter[str] = Counter()
        kept = []  # so that each batch has memory of its own
        ordered = pool.batch_size == num_envs
        if not ordered:
            pool.async_reset()
        for step in range(_STEPS * num_envs // pool.batch_size):
            if ordered:
                observations, *_, infos = pool.reset() if step == 0 else pool.step([1] * num_envs)
            else:
                observations, *_, infos = pool.recv()
                pool.send([1] * pool.batch_size, infos["env_id"])
            seen[infos["env_id"]] = observations[:, :3]
            kept.append(observations)
            stepped = observations[observations[:, 2] >= 0]
            stepped_on = [node_of[int(cpu)] for cpu in stepped[:, 2]]
            count(steps, page_nodes(stepped[:, 0]), stepped_on)
            if len(stepped) == pool.batch_size and observations.strides[0] > _PAGE:
                # A page in the middle of each row, so that no other row is in it.
                first, size = observations.ctypes.data + _PAGE, observations.strides[0]
                count(rows, page_nodes([first + i * size for i in range(len(stepped))]), stepped_on)
        memory, made_on = page_nodes(seen[:, 0]), [node_of[int(cpu)] for cpu in seen[:, 1]]
        say(
            "placement",
            name=name,
            arguments=arguments,
            workers=workers(),
            memory=Counter(memory),
            elsewhere=sum(a != b for a, b in zip(memory, made_on, strict=True)),
            rows=rows,
            steps=steps,
            caller_is_unchanged=caller == sorted(os.sched_getaffinity(0)),
        )


def count(counter: Counter[str], own: Sequence[int], nodes: Sequence[int]) -> None:
    """Counts how many of `nodes` are those that they should be."""
    counter.update("own" if a == b else "other" for a, b in zip(own, nodes, strict=True))


# --- Results -------------------------------------------------------------------------------------


def results() -> None:
    """Says the digest of the results of each task, in both modes."""
    cpus = os.cpu_count() or 1
    for task, (num_envs, steps) in _RESULTS.items():
        for batch_size in (num_envs, num_envs // 4):
            mode = "ordered" if batch_size == num_envs else "first-ready"
            in_child(
                f"{task}, {mode}",
                lambda task=task, envs=num_envs, batch=batch_size, steps=steps, mode=mode: say(
                    "results",
                    task=task,
                    mode=mode,
                    digest=digest(task, envs, batch, steps, num_threads=cpus),
                ),
            )
    say("complete", of="results", findings=2 * len(_RESULTS))


def digest(task: str, num_envs: int, batch_size: int, steps: int, num_threads: int) -> str:
    """Returns a digest of the first results of each environment."""
    digests = [hashlib.sha256() for _ in range(num_envs)]
    seen = np.zeros(num_envs, int)
    with envpool_py.make(
        task, num_envs=num_envs, batch_size=batch_size, num_threads=num_threads, seed=7
    ) as pool:
        pool.single_action_space.seed(5)
        actions = np.array(
            [[pool.single_action_space.sample() for _ in range(num_envs)] for _ in range(steps + 1)]
        )

        def note(results: tuple[Any, ...]) -> Any:
            ids = results[-1]["env_id"]
            for at, env in enumerate(ids):
                if seen[env] <= steps:
                    # The first row is a reset's, which has no rewards in ordered mode.
                    for field in results[:1] if seen[env] == 0 else results[:-1]:
                        digests[env].update(field[at].tobytes())
                    seen[env] += 1
            return ids

        ordered = batch_size == num_envs
        if ordered:
            ids = note(pool.reset())
        else:
            pool.async_reset()
            ids = note(pool.recv())
        while seen.min() <= steps:
            action = actions[np.minimum(seen[ids] - 1, steps), ids]
            if ordered:
                ids = note(pool.step(action))
            else:
                pool.send(action, ids)
                ids = note(pool.recv())
    return hashlib.sha256(b"".join(each.digest() for each in digests)).hexdigest()


def in_child(name: str, work: Callable[[], None]) -> None:
    """Calls `work` in another process, and says it if that fails."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            say("failed", name=name, why=traceback.format_exc())
            os._exit(1)
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        say("failed", name=name, why=f"exit code {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    for part in sys.argv[1:]:
        {"placement": placement, "results": results}[part]()
