"""The warnings that Gymnasium gives about options of the Box2D tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["warnings_of"]

# Greatest recommended values; the least is 0.
_RECOMMENDED = {"wind_power": 20.0, "turbulence_power": 2.0}


def warnings_of(task_id: str, options: Mapping[str, Any]) -> list[str]:
    """Returns the texts of warnings about the options given for a task."""
    return [
        f"{task_id}: option {name}: recommended is a number in [0, {high:g}], got {options[name]!r}"
        for name, high in _RECOMMENDED.items()
        if name in options and not 0.0 <= options[name] <= high
    ]
