"""Pickles objects for other processes, including functions, classes and spaces of any kind."""

from __future__ import annotations

import io
import types
from collections import ChainMap
from typing import Any, ClassVar

import cloudpickle  # type: ignore[import-untyped]

__all__ = ["Pickler", "dumps"]


def dumps(value: Any) -> bytes:
    """Returns a pickle of `value` that contains the code of objects that `pickle` cannot handle.

    `pickle.loads` reads it in a process that has this package.
    """
    with io.BytesIO() as file:
        Pickler(file).dump(value)
        return file.getvalue()


def _reduce_code(code: types.CodeType) -> tuple[Any, ...]:
    make, arguments = cloudpickle.CloudPickler.dispatch_table[types.CodeType](code)
    return _make_code, (code.co_filename, make, arguments)


def _make_code(filename: str, make: Any, arguments: tuple[Any, ...]) -> types.CodeType:
    code: types.CodeType = make(*arguments)
    return code.replace(co_filename=filename)


class Pickler(cloudpickle.CloudPickler):  # type: ignore[misc]
    """The pickler of `dumps`."""

    # cloudpickle 3.1.3 replaces the name of a function's file by "<dynamic-code>". The traceback of
    # an environment that fails in a worker must name the file.
    dispatch_table: ClassVar[Any] = ChainMap(
        {types.CodeType: _reduce_code}, cloudpickle.CloudPickler.dispatch_table
    )
