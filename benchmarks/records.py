"""Records of measurements: where they are kept, and how they are written and read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"
_WIDTH = 600  # columns; a sample with all its counters takes up to 400


def read(name: str) -> dict[str, Any]:
    """Returns the record in `results/NAME.json`."""
    record: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return record


def write(path: Path, record: object) -> None:
    """Writes a record as JSON in which a sample is one line."""
    path.write_text(_layout(record) + "\n")


def _layout(value: object, indent: str = "") -> str:
    """Returns JSON: on one line if it is short enough, otherwise with a line for each entry."""
    line = json.dumps(value)
    if len(line) <= _WIDTH or not isinstance(value, dict | list | tuple):
        return line
    inner = indent + " "
    if isinstance(value, dict):
        start, end = "{}"
        entries = [f"{json.dumps(str(key))}: {_layout(each, inner)}" for key, each in value.items()]
    else:
        start, end = "[]"
        entries = [_layout(each, inner) for each in value]
    return f"{start}\n{inner}" + f",\n{inner}".join(entries) + f"\n{indent}{end}"
