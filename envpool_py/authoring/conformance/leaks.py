"""Checks that steps, resets and pools free the memory that they allocate.

The C library reports how many bytes are allocated. Everything runs on the calling thread, because
the C library caches some freed memory per thread and counts it as allocated.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import os
from collections.abc import Callable
from typing import Any

from envpool_py.authoring.conformance.kit import NotApplicableError, check, expect
from envpool_py.authoring.conformance.pools import make as make_pool
from envpool_py.authoring.conformance.values import Actions

__all__ = ["pools", "steps_and_resets"]

NUM_ENVS = 4
SHORT = 3  # longest episode, in steps: there are many resets
STEPS = 48
_ROUNDS = 20
# The smallest allocation of a C++ object, bytes.
_LEAST = 16


class _MallInfo2(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
            "fordblks", "keepcost",
        )
    )  # fmt: skip


# Cached, because each CDLL makes a class of about a kilobyte that only the garbage collector frees.
@functools.cache
def _mallinfo2() -> Callable[[], _MallInfo2]:
    try:
        function = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        raise NotApplicableError("the C library has no mallinfo2") from None
    function.restype = _MallInfo2
    return function


def _allocated() -> int:
    """Returns how many bytes the C library has allocated and not freed.

    Raises:
        NotApplicableError: the C library does not report it.
    """
    if os.environ.get("ENVPOOL_SANITIZER"):
        raise NotApplicableError("the sanitizer has an allocator of its own")
    mallinfo2 = _mallinfo2()
    gc.collect()
    info = mallinfo2()
    return int(info.uordblks) + int(info.hblkhd)


def _growths(run: Callable[[], None], enough: int) -> list[int]:
    """Returns the growth of allocated memory in each of several runs, bytes, after two warm-ups.

    Caches of Python and of the engine grow in some runs. A leak grows in every run, so the
    measurement stops after one run that grows by less than `enough` bytes.
    """
    # Existing objects are not garbage of the runs, and collecting them takes long.
    gc.freeze()
    try:
        run()
        run()
        growths: list[int] = []
        while len(growths) < _ROUNDS and min(growths, default=enough) >= enough:
            before = _allocated()
            run()
            growths.append(_allocated() - before)
    finally:
        gc.unfreeze()
    return growths


def _make(task_id: str) -> Any:
    return make_pool(task_id, num_envs=NUM_ENVS, num_threads=1, max_episode_steps=SHORT, seed=1)


@check()
def steps_and_resets(task_id: str) -> None:
    """Steps and resets leave no memory behind."""
    actions = Actions(task_id, STEPS, NUM_ENVS)
    batches = list(actions)
    with _make(task_id) as pool:

        def run() -> None:
            pool.reset(seed=3)
            for each in batches:
                pool.step(each)

        events = NUM_ENVS * STEPS // SHORT  # a lower bound of the resets, and of the steps
        growths = _growths(run, _LEAST * events)
    expect(
        min(growths) < _LEAST * events,
        f"each of {_ROUNDS} runs of {NUM_ENVS} environments over {STEPS} steps with at least "
        f"{events} resets leaves bytes allocated: {growths}",
    )


@check()
def pools(task_id: str) -> None:
    """A closed pool leaves no memory behind."""
    actions = Actions(task_id, 2, NUM_ENVS)
    pools_per_run = 6

    def run() -> None:
        for _ in range(pools_per_run):
            with _make(task_id) as pool:
                pool.reset()
                pool.step(actions[0])

    enough = _LEAST * NUM_ENVS * pools_per_run
    growths = _growths(run, enough)
    expect(
        min(growths) < enough,
        f"each of {_ROUNDS} runs of {pools_per_run} pools with {NUM_ENVS} environments leaves "
        f"bytes allocated: {growths}",
    )
