"""Objects of the extension module that were never constructed."""

from __future__ import annotations

import contextlib

import pytest

from envpool_py import _core
from envpool_py.errors import EnvPoolError

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


# What object has, and what would change the class or the object for good.
_HARMLESS = {"__class__", "__del__", "__init_subclass__", "__new__", "__subclasshook__"}


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_special_methods_of_such_an_object_do_not_end_the_process(cls: type) -> None:
    made = cls.__new__(cls)
    for name in {name for name in dir(cls) if name.startswith("__")} - _HARMLESS:
        member = getattr(made, name)
        for arguments in ((), (2,), ("__doc__",)) if callable(member) else ():
            with contextlib.suppress(TypeError, AttributeError, ValueError, EnvPoolError):
                member(*arguments)
    with pytest.raises(TypeError, match="cannot pickle or copy"):
        made.__reduce__()
