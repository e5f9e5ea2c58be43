"""The columns of a rollout: arrays with a row for each step of each environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from envpool_py.errors import InputError, InputTypeError, suggestion
from envpool_py.rollout.trees import Zeros

__all__ = ["ColumnSpec", "check_names", "make_columns"]

ColumnSpec = Sequence[int] | tuple[Sequence[int], DTypeLike]
"""The shape of a row, or the shape and the dtype; float32 without one."""

OWN_COLUMNS = frozenset(
    {"observations", "actions", "rewards", "terminated", "truncated", "valid", "env_ids"}
)
"""Columns that every rollout has."""

DEFAULT_COLUMNS: Mapping[str, ColumnSpec] = {"values": (), "log_probs": ()}


def make_columns(
    columns: Mapping[str, ColumnSpec] | None, shape: tuple[int, ...], zeros: Zeros = np.zeros
) -> dict[str, NDArray[Any]]:
    """Returns the zeroed arrays of the user's columns.

    Args:
        columns: specifications by name; None: "values" and "log_probs".
        shape: shape of the leading dimensions.
        zeros: allocates each array.

    Raises:
        InputError, InputTypeError: a name or a specification is not valid.
    """
    made = {}
    for name, spec in (DEFAULT_COLUMNS if columns is None else columns).items():
        if not isinstance(name, str) or not name.isidentifier() or name in OWN_COLUMNS:
            raise InputError(
                f"columns: expected names that are identifiers other than {sorted(OWN_COLUMNS)}, "
                f"got {name!r}"
            )
        row, dtype = _shape_and_dtype(name, spec)
        made[name] = zeros((*shape, *row), dtype)
    return made


def _shape_and_dtype(name: str, spec: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    try:
        if len(spec) == 2 and isinstance(spec[0], Sequence):
            return tuple(int(size) for size in spec[0]), np.dtype(spec[1])
        return tuple(int(size) for size in spec), np.dtype(np.float32)
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            f"columns[{name!r}]: expected the shape of a row, or (shape, dtype), got {spec!r}"
        ) from error


def check_names(given: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Checks the names of the columns that were passed to `act`.

    Raises:
        InputError: there is no column of a given name.
    """
    for name in given:
        if name not in known:
            raise InputError(
                f"act: expected columns named {sorted(known)}, got {name!r}"
                f"{suggestion(name, list(known))}"
            )
