"""The warning that threads do not help, with given times."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.python_envs.hosting import LocalHosting
from envpool_py.python_envs.overlap import OverlapJudge, overlaps

from ..at_once import needs_gil
from . import awkward


@pytest.mark.parametrize(
    ("inside", "cpu", "elapsed", "expected"),
    [
        (1.0, 1.0, 1.0, False),  # one environment after the other
        (2.0, 1.0, 1.0, False),  # both are in a step, but share the GIL
        (2.0, 2.0, 1.0, True),  # both compute
        (2.0, 1.3, 1.0, True),
        (2.0, 0.01, 1.0, True),  # both wait
        (1.0, 0.01, 1.0, False),  # one waits and holds the GIL
        (1.0, 0.5, 1.0, False),
    ],
)
def test_overlaps(inside: float, cpu: float, elapsed: float, expected: bool) -> None:
    assert overlaps(inside, cpu, elapsed) == expected


def judged(batch_seconds: float, cpu: float, batches: int = 100) -> int | None:
    """Returns the number of batches, of `batch_seconds` each, after which a judge decides."""
    judge = OverlapJudge()
    for batch in range(1, batches + 1):
        elapsed = batch * batch_seconds
        if judge(2 * elapsed, cpu * elapsed, elapsed):
            return batch
    return None


def test_it_warns_once_enough_is_known() -> None:
    with pytest.warns(RuntimeWarning, match='hold the GIL: make it with workers="processes"'):
        assert judged(1.0, cpu=1.0) == 40
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert judged(1.0, cpu=2.0) == 40
        # So many batches take too little time.
        assert judged(1e-4, cpu=1.0) is None


def test_the_first_batches_do_not_count() -> None:
    judge = OverlapJudge()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for batch in range(1, 10):
            judge(batch * 1.0, batch * 1.0, batch * 1.0)
        while not judge(batch * 2.0 - 9, batch * 2.0 - 9, batch * 1.0):
            batch += 1


@needs_gil
@pytest.mark.parametrize("num_workers", [0, 1, 2])
def test_the_engine_asks_until_it_is_answered(
    num_workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[float, ...]] = []

    class Judge:
        def __call__(self, *times: float) -> bool:
            asked.append(times)
            return len(asked) == 3

    monkeypatch.setattr("envpool_py.python_envs.hosting.OverlapJudge", Judge)
    with envpool_py.make_python(
        awkward.Base, 4, num_workers=num_workers, workers="threads"
    ) as pool:
        pool.reset()
        for _ in range(5):
            pool.step(np.zeros(4, int))
    assert len(asked) == (3 if num_workers == 2 else 0)
    assert asked == sorted(asked)
    for inside, cpu, elapsed in asked:
        assert inside > 0.999 * elapsed > 0
        assert cpu > 0


@needs_gil
def test_a_warning_that_is_an_exception_loses_no_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    class Judge:
        def __call__(self, *times: float) -> bool:
            raise RuntimeWarning("one after the other")

    monkeypatch.setattr("envpool_py.python_envs.hosting.OverlapJudge", Judge)
    endless = functools.partial(awkward.Base, ends=0.0)
    with envpool_py.make_python(endless, 4, num_workers=2, workers="threads") as pool:
        pool.reset()
        steps = [pool.step(np.zeros(4, int))[4]["elapsed_step"]]
        with pytest.raises(RuntimeWarning, match="one after the other"):
            pool.step(np.zeros(4, int))
        steps.append(pool.step(np.zeros(4, int))[4]["elapsed_step"])
        assert np.array_equal(steps, [[1] * 4, [2] * 4])


def test_without_a_gil_nothing_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys._is_gil_enabled", lambda: False, raising=False)
    space: Any = awkward.spaces.Discrete(2)
    assert LocalHosting([], space, space).judge_overlap is None
