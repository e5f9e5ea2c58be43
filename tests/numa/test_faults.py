"""The check of placement on NUMA nodes finds what is wrong, in findings made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from . import faults
from .guests import GUESTS

FOUR = GUESTS[0]


def finding(**changes: Any) -> dict[str, Any]:
    """What a guest finds if all is well: 8 threads and 64 environments on 4 nodes of 2."""
    return {
        "part": "placement",
        "name": "ordered",
        "arguments": {"num_envs": 64, "num_threads": 8},
        "workers": {f"envpool-{i}": FOUR.nodes[i // 2] for i in range(8)},
        "memory": {"0": 16, "1": 16, "2": 16, "3": 16},
        "elsewhere": 0,
        "rows": {"own": 100},
        "steps": {},
        "caller_is_unchanged": True,
        **changes,
    }


def of_four(*findings: dict[str, Any]) -> list[str]:
    """The faults, if nothing is missing."""
    result = {"part": "results"}
    complete = [
        {"part": "complete", "of": "results", "findings": 1},
        {"part": "complete", "of": "placement", "findings": len(findings)},
    ]
    return faults.of_guest(FOUR, [*findings, result, *complete])


def test_nothing_is_wrong_if_all_is_well() -> None:
    assert of_four(finding()) == []
    within_a_thread_each = {"0": 18, "1": 16, "2": 16, "3": 14}
    assert of_four(finding(memory=within_a_thread_each)) == []


def test_missing_findings_are_a_fault() -> None:
    assert faults.of_guest(FOUR, [finding()]) == [
        "placement: 1 findings, expected some",
        "results: 0 findings, expected some",
    ]
    lost = {"part": "complete", "of": "results", "findings": 6}
    assert "results: 0 findings, expected 6" in faults.of_guest(FOUR, [lost])


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"memory": {"0": 24, "1": 16, "2": 16, "3": 8}}, "node 3 has the memory of 8 environm"),
        ({"memory": {"0": 21, "1": 21, "2": 22}}, "node 3 has the memory of 0 environments"),
        ({"elsewhere": 8}, "the memory of 8 environments is not where they were made"),
        ({"rows": {"own": 50, "other": 50}}, "50 of 100 rows are on the node of the thread"),
        ({"caller_is_unchanged": False}, "the caller's processors have changed"),
        ({"workers": {"envpool-0": [1, 2]}}, "envpool-0 may use processors [1, 2] of several"),
        ({"workers": {"envpool-0": [0, 1]}}, "node 1 has 0 workers, expected 2"),
        (
            {"arguments": {"num_envs": 64, "num_threads": 3}},
            "envpool-0 may use processors [0, 1], expected [0, 1, 2, 3, 4, 5, 6, 7]",
        ),
    ],
)
def test_each_fault_is_found(changes: dict[str, Any], fault: str) -> None:
    assert any(f"ordered: {fault}" in each for each in of_four(finding(**changes)))


def test_a_case_that_failed_is_a_fault() -> None:
    failed = {"part": "failed", "name": "ordered", "why": "Error"}
    assert "ordered: Error" in faults.of_guest(FOUR, [failed])


def test_another_machine_is_a_fault() -> None:
    machine = {"part": "machine", "nodes": {"0": [0, 1, 2, 3, 4, 5, 6, 7]}}
    assert any("the guest has nodes" in each for each in faults.of_guest(FOUR, [machine]))


def test_placement_that_is_off_would_be_found() -> None:
    everywhere = {f"envpool-{i}": list(range(8)) for i in range(8)}
    off = {"num_envs": 64, "num_threads": 8, "numa": "off"}
    found = finding(arguments=off, workers=everywhere, memory={"0": 60, "1": 4})
    assert of_four(found) == []
    assert faults.planted(FOUR, [found]) != []


def test_results_must_be_the_same_everywhere() -> None:
    def result(guest: str, mode: str, digest: str) -> dict[str, Any]:
        return {"part": "results", "guest": guest, "task": "T", "mode": mode, "digest": digest}

    same = [result(guest, mode, "a") for guest in ("four", "one") for mode in ("ordered", "first")]
    assert faults.of_results(same) == []
    assert len(faults.of_results([*same, result("pair", "ordered", "b")])) == 1
