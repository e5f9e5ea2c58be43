"""Tables of the committed benchmark results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from envpool_py.bench.peers import OURS, PEERS
from envpool_py.bench.report import format_rate, format_ratio
from scripts.guide.markdown import table

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
_POOLS = ("atari-2-cores", "mujoco-2-cores")


def rates(name: str) -> str:
    """Step rates of every case of a record, and how many times those of the peers they are."""
    cases = _record(name)["cases"]
    rows = [(case["title"], _rates(case)) for case in cases]
    peers = [peer for peer in PEERS if any(peer in rates for _, rates in rows)]
    return table(
        ["case", "steps/s", "µs per call", *(f"times {peer}" for peer in peers)],
        (
            [
                title,
                format_rate(rates[OURS]["steps_per_s"]),
                f"{rates[OURS]['call_us']:.3g}",
                *(_times(rates, peer) for peer in peers),
            ]
            for title, rates in rows
        ),
    )


def pools() -> str:
    """What large pools take to make and to hold."""
    rows = []
    for name in _POOLS:
        measured = _record(name)["pools"]
        for library in measured["libraries"]:
            if library["problem"] is None:
                rows.append(
                    [
                        f"{measured['task']}, {library['num_envs']:,} environments",
                        library["name"],
                        f"{library['make_s']:.2g}",
                        f"{library['env_bytes'] / 1e3:,.0f}",
                    ]
                )
    return table(["pool", "library", "seconds to make", "KB an environment"], rows)


def _record(name: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return record


def _rates(case: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns by library what was measured in a case."""
    return {library["name"]: library for library in case["results"] if library["status"] == "ok"}


def _times(rates: dict[str, dict[str, Any]], peer: str) -> str:
    if peer not in rates:
        return ""
    return format_ratio(rates[OURS]["steps_per_s"] / rates[peer]["steps_per_s"])
