"""Pickles that carry functions to worker processes."""

from __future__ import annotations

import pickle
import traceback

import pytest

from envpool_py.python_envs import pickling


def test_code_keeps_the_name_of_its_file() -> None:
    def outer() -> int:
        return inner()

    def inner() -> int:
        return max(one // 0 for one in [1])

    loaded = pickle.loads(pickling.dumps(outer))
    assert loaded is not outer
    with pytest.raises(ZeroDivisionError) as failure:
        loaded()
    frames = traceback.extract_tb(failure.value.__traceback__)[1:]
    assert {frame.filename for frame in frames} == {__file__}
    assert [frame.name for frame in frames][:2] == ["outer", "inner"]
    assert frames[0].line == "return inner()"
