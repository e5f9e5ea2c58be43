"""Constructor options of single environments, in the forms in which programs give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envpool_py.errors import OptionError, OptionTypeError
from envpool_py.pool.plain import to_plain

__all__ = ["EnvOptions", "per_env"]

EnvOptions = Sequence[Mapping[str, Any]] | Mapping[str, Any]
"""A mapping for each environment, or one mapping of option to values."""


def per_env(
    name: str,
    value: Any,
    num_envs: int,
    pool_arguments: Sequence[str] = (),
    *,
    spreads: bool = False,
) -> list[dict[str, Any]]:
    """Returns the options as one dict of plain data for each environment.

    The engine checks the options; this function checks their form.

    Args:
        name: name of the argument, for messages.
        value: a sequence of mappings, one per environment; or a mapping of option to a sequence or
            array of values, one per environment.
        num_envs: number of environments.
        pool_arguments: names that are arguments of a pool and cannot differ inside of it.
        spreads: whether a value of a mapping that is not a sequence is that of all environments.

    Raises:
        OptionError, OptionTypeError: the value has another form.
    """
    if isinstance(value, Mapping):
        rows = _from_columns(name, value, num_envs, spreads)
    elif isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, (str, bytes)):
        if len(value) != num_envs:
            raise OptionError(
                f"{name}: expected a mapping for each of {num_envs} environments, got {len(value)}"
            )
        rows = []
        for env, item in enumerate(value):
            if not isinstance(item, Mapping):
                raise OptionTypeError(
                    f"{name}[{env}]: expected a mapping of options, got {type(item).__name__} "
                    f"{item!r}"
                )
            rows.append({option: to_plain(each) for option, each in item.items()})
    else:
        raise OptionTypeError(
            f"{name}: expected a sequence of mappings, one for each environment, or a mapping of "
            f"option to values, got {type(value).__name__} {value!r}"
        )
    for env, row in enumerate(rows):
        for option in row:
            if option in pool_arguments:
                raise OptionError(
                    f"{name}: environment {env}: {option!r} is an argument of the whole pool: give "
                    "it to make"
                )
    return rows


def _from_columns(
    name: str, columns: Mapping[str, Any], num_envs: int, spreads: bool
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{} for _ in range(num_envs)]
    for option, values in columns.items():
        is_column = isinstance(values, (Sequence, np.ndarray)) and not isinstance(
            values, (str, bytes)
        )
        if not is_column and not spreads:
            raise OptionTypeError(
                f"{name}[{option!r}]: expected a sequence of {num_envs} values, one for each "
                f"environment, got {type(values).__name__} {values!r}"
            )
        if is_column and len(values) != num_envs:
            raise OptionError(
                f"{name}[{option!r}]: expected {num_envs} values, one for each environment, got "
                f"{len(values)}"
            )
        for env, row in enumerate(rows):
            row[option] = to_plain(values[env] if is_column else values)
    return rows
