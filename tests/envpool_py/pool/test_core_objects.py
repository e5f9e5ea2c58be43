"""Objects of the extension module that were never constructed."""

from __future__ import annotations

import pytest

from envpool_py import _core

CLASSES = [value for value in vars(_core).values() if isinstance(value, type)]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_an_object_made_by_new_alone_raises(cls: type) -> None:
    made = cls.__new__(cls)
    members = {name: value for name, value in vars(cls).items() if not name.startswith("_")}
    assert members
    for name, value in members.items():
        if isinstance(value, staticmethod):
            continue
        with pytest.raises(TypeError, match=r"__init__ has not initialised|incompatible function"):
            getattr(made, name)()
