"""benchmarks.records: the layout of a record; the committed records have it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import records

COMMITTED = [
    path
    for path in sorted(records.RESULTS.glob("*.json"))
    if not path.name.startswith("latest.")  # of the last run here; git ignores them
]


def test_what_is_short_is_one_line(tmp_path: Path) -> None:
    sample = {"calls": 1, "rates": [1.5, 1e-05]}
    record = {"cpu": "a", "none": [], "samples": [sample] * 40, "at": {1: ["x" * 700, True]}}
    records.write(tmp_path / "record.json", record)
    lines = (tmp_path / "record.json").read_text().splitlines()
    assert lines[:4] == ["{", ' "cpu": "a",', ' "none": [],', ' "samples": [']
    assert lines[4:43] == [f"  {json.dumps(sample)},"] * 39
    assert lines[43:] == [
        f"  {json.dumps(sample)}",
        " ],",
        ' "at": {',
        '  "1": [',
        f'   "{"x" * 700}",',
        "   true",
        "  ]",
        " }",
        "}",
    ]  # fmt: skip


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_committed_records_have_the_layout(path: Path, tmp_path: Path) -> None:
    records.write(tmp_path / path.name, records.read(path.stem))
    assert (tmp_path / path.name).read_text() == path.read_text()
