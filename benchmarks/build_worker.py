"""Steps pools of one build of the package, on request: `python -I build_worker.py`.

`builds` starts this program with the interpreters of two builds. The imported package may be older
than this file, so the program uses only its `make`, `reset`, `async_reset`, `step`, `send` and
`recv`. It reads one JSON object per line, and answers each with another:

- {"case": {...}}: closes the open pool and opens the given one. Answer: {}, or {"error": text}.
- {"seconds": s}: steps the pool for s seconds. Answer: {"steps": n, "ns": duration}.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import cycle
from typing import Any

_BATCHES = 32
_WARMUP_S = 0.05
# The clock is read once per this many calls at most.
_MOST_CALLS = 256

Call = Callable[[], None]


def _pause(microseconds: float) -> None:
    end = time.perf_counter_ns() + int(microseconds * 1000)
    while time.perf_counter_ns() < end:
        pass


def _ordered(env: Any, actions: Iterator[Any], consumer_us: float) -> Call:
    # The last result stays referenced until the next one arrives, as in a training program.
    kept: Any = env.reset()

    def call() -> None:
        nonlocal kept
        kept = env.step(next(actions))
        if consumer_us:
            _pause(consumer_us)

    return call


def _first_ready(env: Any, actions: Iterator[Any], consumer_us: float) -> Call:
    env.async_reset()
    kept: Any = None

    def call() -> None:
        nonlocal kept
        kept = env.recv()
        if consumer_us:
            _pause(consumer_us)
        env.send(next(actions), kept[-1]["env_id"])

    return call


class Worker:
    """One pool and the call that steps it."""

    def __init__(self) -> None:
        self._env: Any = None
        self._call: Call | None = None
        self._rows = 0
        self._calls = 1

    def open(self, case: Mapping[str, Any]) -> dict[str, Any]:
        """Makes the pool of `case` and warms it up."""
        from gymnasium.vector.utils import batch_space

        import envpool_py

        if self._env is not None:
            self._env.close()
            self._env = self._call = None
        try:
            env = envpool_py.make(
                case["task"],
                env_type="gymnasium",
                num_envs=case["num_envs"],
                batch_size=case["batch_size"],
                num_threads=case["num_threads"],
                seed=case["seed"],
                **case["options"],
            )
        except Exception as problem:  # an older build may raise any error for an unknown argument
            return {"error": f"{type(problem).__name__}: {problem}"}
        self._rows = case["batch_size"]
        space = batch_space(env.single_action_space, self._rows)
        space.seed(case["seed"])
        actions = cycle([space.sample() for _ in range(_BATCHES)])
        way = _first_ready if self._rows < case["num_envs"] else _ordered
        self._env, self._call, self._calls = env, way(env, actions, case["consumer_us"]), 1
        self.run(_WARMUP_S)
        return {}

    def run(self, seconds: float) -> dict[str, Any]:
        """Steps the pool until `seconds` have passed."""
        call = self._call
        if call is None:
            return {"error": "no pool is open"}
        gc.collect()
        gc.disable()
        total = 0
        start = now = time.perf_counter_ns()
        end = start + int(seconds * 1e9)
        while now < end:
            for _ in range(self._calls):
                call()
            total += self._calls
            now = time.perf_counter_ns()
        gc.enable()
        # About fifty readings of the clock in the next run.
        self._calls = max(1, min(_MOST_CALLS, total // 50))
        return {"steps": total * self._rows, "ns": now - start}


def main() -> None:
    """Answers the requests of standard input."""
    worker = Worker()
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        request = json.loads(line)
        if "case" in request:
            answer = worker.open(request["case"])
        else:
            answer = worker.run(request["seconds"])
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
