"""Settings as plain data."""

from __future__ import annotations

import enum
import json
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from envpool_py.pool.plain import to_plain


class Flag(enum.IntEnum):
    SHADOW = 3


class Member:
    """Like a member of MuJoCo's enumerations: not an int, but convertible to one."""

    def __index__(self) -> int:
        return 7


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (2**70, 2**70),
        (0.5, 0.5),
        ("text", "text"),
        (b"text", "text"),
        ("gr\u00fcn".encode(), "gr\u00fcn"),
        (np.bool_(True), True),
        (np.uint8(200), 200),
        (np.float64(0.1), 0.1),
        (np.float32(0.1), float(np.float32(0.1))),
        (np.longdouble(0.5), 0.5),
        (np.str_("text"), "text"),
        (np.bytes_(b"text"), "text"),
        (np.array(5), 5),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.array([b"SF", b"HG"]), ["SF", "HG"]),
        (np.array([["S", "F"], ["H", "G"]]), [["S", "F"], ["H", "G"]]),
        (np.array([0.5], np.longdouble), [0.5]),
        (range(3), [0, 1, 2]),
        ([np.int64(1), (np.int64(2), None)], [1, (2, None)]),
        ({Flag.SHADOW: np.False_, Member(): 1.0, "a": [b"b"]}, {3: False, 7: 1.0, "a": ["b"]}),
        (Member(), 7),
        (AutoresetMode.SAME_STEP, "SameStep"),
    ],
)
def test_plain(value: Any, expected: Any) -> None:
    result = to_plain(value)
    assert result == expected
    assert_plain(result)
    json.dumps(result)


def assert_plain(value: Any) -> None:
    assert type(value) in (type(None), bool, int, float, str, list, tuple, dict)
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, (list, tuple)):
        for item in value:
            assert_plain(item)


def test_containers_are_copied() -> None:
    value = {"a": [1, {"b": [2]}]}
    result = to_plain(value)
    value["a"][1]["b"].append(3)  # type: ignore[index]
    assert result == {"a": [1, {"b": [2]}]}


def test_what_is_not_known_stays() -> None:
    value = object()
    assert to_plain(value) is value
