"""The process that measures one participant: `python -m envpool_py.cli.bench.worker`.

It answers each line of its standard input, a JSON object, with a line of its standard output:

- "case", "seconds", "warmup_seconds" and, for plug-ins, "path" (a directory to import them from)
  and "imports": opens the case in place of the one that is open, measures, answers an `Outcome`;
- nothing: measures again;
- "case" that is null: closes the case, answers null.

It ends with its input, or after an outcome without a measurement when it is asked for another.
Output of a library goes to standard error.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib.metadata
import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.drivers import Consume, Driver, make_consumer, pace
from envpool_py.cli.bench.peers import PARTICIPANTS, Participant
from envpool_py.cli.bench.sample import Outcome, Sample
from envpool_py.cli.bench.unavailable import UnavailableError
from envpool_py.tasks import discovery

__all__ = ["main", "measure", "run", "sample_actions"]

# Enough batches that a short cycle of actions does not shape the episodes, and so few that the
# actions of thousands of environments stay in the processor's cache.
_MOST_BATCHES = 64
_ACTION_BYTES = 1 << 20
_LEAST_BATCHES = 8

# The clock is read about this many times in one measurement.
_CLOCK_READS = 50

Clock = Callable[[], int]


def sample_actions(space: Any, num_actions: int, seed: int, *, by_row: bool = False) -> list[Any]:
    """Returns batches of random actions, `num_actions` rows each, determined by space and seed.

    Dicts and tuples hold one array per part; with `by_row`, each batch of them is a list with the
    action of each row.
    """
    from gymnasium.vector.utils import batch_space, iterate

    batched = batch_space(space, num_actions)
    batched.seed(seed)
    first = batched.sample()
    size = max(_bytes_of(first, num_actions), 1)
    count = min(_MOST_BATCHES, max(_LEAST_BATCHES, _ACTION_BYTES // size))
    batches = [first, *(batched.sample() for _ in range(count - 1))]
    if by_row and isinstance(first, (dict, tuple)):
        return [list(iterate(batched, batch)) for batch in batches]
    return batches


def _bytes_of(batch: Any, num_actions: int) -> int:
    if isinstance(batch, (dict, tuple)):
        parts = batch.values() if isinstance(batch, dict) else batch
        return sum(_bytes_of(part, num_actions) for part in parts)
    return int(getattr(batch, "nbytes", num_actions))


def measure(
    driver: Driver,
    actions: Sequence[Any],
    seconds: float,
    warmup_seconds: float,
    clock: Clock = time.perf_counter_ns,
    cpu_clock: Clock = time.process_time_ns,
    consume: Consume | None = None,
    warmup_calls: int = 3,
) -> Sample:
    """Steps `driver` for `seconds`, after a warm-up that is not counted.

    The warm-up takes at least `warmup_seconds` and `warmup_calls` calls. `consume` is called
    between the results of a batch and its actions.
    """
    cycle = pace(driver, itertools.cycle(actions), consume)
    call_ns = _warm_up(driver, cycle, warmup_calls, int(warmup_seconds * 1e9), clock)
    chunk = max(1, int(seconds * 1e9 / _CLOCK_READS / max(call_ns, 1.0)))
    before = driver.stats()
    gc.collect()
    gc.disable()  # a collection would count as time of the measured library
    try:
        calls = 0
        cpu_start = cpu_clock()
        now = start = clock()
        deadline = start + int(seconds * 1e9)
        while now < deadline:
            driver.advance(itertools.islice(cycle, chunk))
            now = clock()
            calls += chunk
        cpu_ns = cpu_clock() - cpu_start
    finally:
        gc.enable()
    return Sample(
        calls=calls,
        rows=calls * driver.rows_per_call,
        wall_ns=now - start,
        cpu_ns=cpu_ns,
        stats=_growth(before, driver.stats()),
    )


def _warm_up(
    driver: Driver, cycle: Iterator[Any], least_calls: int, warmup_ns: int, clock: Clock
) -> float:
    """Steps until both are reached; returns the mean time of a call, ns."""
    calls = 0
    start = clock()
    elapsed = 0
    while calls < least_calls or elapsed < warmup_ns:
        driver.advance(itertools.islice(cycle, 1))
        calls += 1
        elapsed = clock() - start
    return elapsed / calls


def _growth(
    before: Mapping[str, int] | None, after: Mapping[str, int] | None
) -> dict[str, int] | None:
    if before is None or after is None:
        return None
    return {name: value - before.get(name, 0) for name, value in after.items()}


def run(participant: Participant, case: Case, seconds: float, warmup_seconds: float) -> Outcome:
    """Opens the case, measures it and closes it; an error becomes the outcome."""
    with contextlib.closing(outcomes(participant, case, seconds, warmup_seconds)) as measured:
        return next(measured)


def outcomes(
    participant: Participant, case: Case, seconds: float, warmup_seconds: float
) -> Generator[Outcome, None, None]:
    """Opens the case and measures it again and again; an error is the last outcome."""
    version = _version(participant.distribution)
    try:
        driver = participant.start(case)
    except UnavailableError as error:
        yield Outcome("unavailable", version=version, reason=error.reason, remedy=error.remedy)
        return
    except Exception as error:  # an exception of a library is the outcome of its measurement
        yield Outcome("failed", version=version, reason=_one_line(error))
        return
    try:
        actions = sample_actions(
            driver.action_space(), driver.num_actions, case.seed, by_row=driver.by_row
        )
        consume = make_consumer(case.consumer_us, case.consumer_waits)
        while True:
            sample = measure(
                driver,
                actions,
                seconds,
                warmup_seconds,
                consume=consume,
                warmup_calls=case.warmup_calls,
            )
            yield Outcome("ok", sample=sample, version=version)
    except Exception as error:
        yield Outcome("failed", version=version, reason=_one_line(error))
    finally:
        driver.close()


def _one_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def main(argv: Sequence[str] | None = None) -> int:
    """Measures what its standard input asks for; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m envpool_py.cli.bench.worker")
    parser.add_argument("--participant", required=True, choices=PARTICIPANTS, help="library")
    participant = PARTICIPANTS[parser.parse_args(argv).participant]
    # The outcome is written to a separate descriptor, so that a library's output cannot mix with
    # it.
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "w") as out, contextlib.ExitStack() as opened:
        os.dup2(2, 1)
        measured: Iterator[Outcome] = iter(())
        for line in sys.stdin:
            request = json.loads(line)
            outcome = None
            if "case" in request:
                opened.close()
                measured = iter(())
                gc.collect()
            if request.get("case") is not None:
                measured = opened.enter_context(contextlib.closing(_opened(participant, request)))
            if request.get("case", request) is not None:
                outcome = next(measured, None)
                if outcome is None:
                    break
            print(json.dumps(outcome and outcome.to_json()), file=out, flush=True)
    return 0


def _opened(participant: Participant, request: Mapping[str, Any]) -> Generator[Outcome, None, None]:
    if request["path"] not in sys.path:
        sys.path.append(request["path"])
    for name in request["imports"]:
        discovery.import_named(name)
    case = Case.from_json(request["case"])
    return outcomes(participant, case, request["seconds"], request["warmup_seconds"])


if __name__ == "__main__":
    sys.exit(main())
