"""benchmarks.fleet: every part runs, for a short time."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from .programs import record_of

NEEDED = ("ray", "torch", "ale_py")

pytestmark = [
    pytest.mark.unsanitized,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in NEEDED),
        reason=f"needs {', '.join(NEEDED)}",
    ),
]


def test_all_parts(tmp_path: Path) -> None:
    arguments = ("--rounds", "1", "--seconds", "0.05")
    record = record_of("fleet", *arguments, directory=tmp_path, timeout=300)
    rates = record["fragments"]["fragments_per_s"]
    assert set(rates) == {"Ray alone", "stream", "Ray alone, ten arrays"}
    assert all(rate > 0 for rate in rates.values())
    assert record["fragments"]["nbytes"] > 29_000_000
    assert all(record["weights"]["ms"][name] > 0 for name in ("published", "used by all"))
    for part in ("steps", "inference"):
        assert all(rate > 0 for rate in record[part]["steps_per_s"].values())
    checks = record["sizing"]["checks"]
    assert set(checks) == {"1", "2"}
    assert all(check["predicted"] > 0 < check["measured"] for check in checks.values())
    assert len(record["sizing"]["fleets"]) == 10
