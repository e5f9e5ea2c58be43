"""Tables of the committed benchmark results."""

from __future__ import annotations

from math import prod
from typing import Any

from benchmarks import console_speed, records
from envpool_py.cli.bench.peers import OURS, PARTICIPANTS, PEERS
from envpool_py.cli.bench.report import format_rate, format_ratio
from tools.guide.markdown import table

_POOLS = ("atari-2-cores", "mujoco-2-cores")


def rates(name: str) -> str:
    """Step rates of every case of a record, and their ratios to the rates of the peers."""
    cases = records.read(name)["cases"]
    rows = [(case["title"], _rates(case)) for case in cases]
    peers = [peer for peer in PEERS if any(peer in rates for _, rates in rows)]
    return table(
        ["case", "steps/s", "µs per call", *(f"times {peer}" for peer in peers)],
        (
            [
                title,
                format_rate(rates[OURS]["steps_per_s"]),
                _microseconds(rates[OURS]["call_us"]),
                *(_times(rates, peer) for peer in peers),
            ]
            for title, rates in rows
        ),
    )


def speed_up(name: str, peer: str) -> str:
    """One sentence for the README: the geometric mean of our speed-up over a peer in all cases."""
    record = records.read(name)
    cases = record["cases"]
    games = {case["title"].split(",")[0] for case in cases}
    rates = [_rates(case) for case in cases]
    ratios = [of[OURS]["steps_per_s"] / of[peer]["steps_per_s"] for of in rates]
    return (
        f"On two cores it steps {len(games)} Atari games **{prod(ratios) ** (1 / len(ratios)):.1f} "
        f"times** as fast as {PARTICIPANTS[peer].title} {record['versions'][peer]} "
        "(geometric mean; [all measurements](docs/performance.md#measured)).\n"
    )


def games(name: str) -> str:
    """Every Atari game: its emulation and its pool, the lowest ratio to EnvPool first."""
    record = records.read(name)
    rows = []
    for game, case in zip(record["games"], record["cases"], strict=True):
        speed, rates = console_speed.GameSpeed(**game), _rates(case)
        rows.append(
            (
                record["ratios"][speed.game],
                [
                    case["case"]["task"],
                    f"{speed.us(console_speed.OURS):.1f}",
                    f"{speed.us(console_speed.ALE):.1f}",
                    format_ratio(speed.ratio),
                    format_rate(rates[OURS]["steps_per_s"]),
                    _times(rates, "envpool"),
                ],
            )
        )
    return table(
        ["task", "µs a frame", "ale-py, µs", "times ale-py", "pool of 8, steps/s", "times EnvPool"],
        (cells for _, cells in sorted(rows, key=lambda row: row[0])),
    )


def jax(name: str) -> str:
    """Microseconds per step inside compiled programs of JAX, and ratios to EnvPool's."""
    titles = {
        "envpool_py": "`envpool_py.jax`",
        "envpool": "EnvPool's `xla()`",
        "io_callback": "`step` by `io_callback`",
        "python": "`step` from Python, compiled policy",
        "alone": "`step` and policy, each alone",
    }
    cases = records.read(name)["cases"]
    return table(
        ["environments", *(f"{title}, µs" for title in titles.values()), "times EnvPool"],
        (
            [
                f"{case['num_envs']:,}",
                *(f"{case['us_per_step'][key]:,.3g}" for key in titles),
                f"{case['us_per_step']['envpool'] / case['us_per_step']['envpool_py']:.0f}",
            ]
            for case in cases
        ),
    )


def fleet(name: str) -> str:
    """Rates of a stream on Ray, compared with Ray alone and with one pool in this process."""
    record = records.read(name)
    moved = record["fragments"]["fragments_per_s"]
    size = record["fragments"]["nbytes"] / 1e6
    steps = record["steps"]["steps_per_s"]
    rows = [
        [f"fragments of {size:.0f} MB, per second, two actors", f"{moved['stream']:.0f}"],
        ["the same arrays, moved by Ray alone", f"{moved['Ray alone']:.0f}"],
        ["the same in ten arrays, by Ray alone", f"{moved['Ray alone, ten arrays']:.0f}"],
        [
            f"{record['weights']['nbytes'] / 1e6:.0f} MB of weights, until both actors have them",
            f"{record['weights']['ms']['used by all']:.0f} ms",
        ],
        ["Pong, two actors with a thread each, steps/s", f"{steps['two actors']:,}"],
        ["Pong, one pool with two threads in process, steps/s", f"{steps['one pool']:,}"],
    ]
    for kind, rate in record.get("inference", {"steps_per_s": {}})["steps_per_s"].items():
        rows.append([f"Pong with a network, {kind} inference, two actors, steps/s", f"{rate:,}"])
    for actors, check in record.get("sizing", {"checks": {}})["checks"].items():
        measured = f"{check['measured']:,} measured, {check['predicted']:,} predicted"
        rows.append([f"Pong, a learner that waits 4 ms, actors: {actors}, steps/s", measured])
    return table(["", f"{record['machine']['cores']} processors"], rows)


def fleets(name: str) -> str:
    """Predictions of the simulation for fleets of other sizes."""
    rows = []
    for at in records.read(name)["sizing"]["fleets"]:
        rows.append(
            [
                f"{at['actors']:,}",
                at["inference"],
                format_rate(at["steps_per_s"]),
                f"{at['actors_busy']:.0%}",
                f"{at['learner_busy']:.0%}",
                f"{at['staleness']:,.0f}",
                f"{at['in_bytes_per_s'] / 1e6:,.0f}",
                f"{at['out_bytes_per_s'] / 1e6:,.0f}",
                f"{at['inference_bytes_per_s'] / 1e6:,.0f}",
            ]
        )
    headings = ["actors", "inference", "steps/s", "actors busy", "learner busy", "staleness"]
    return table([*headings, "fragments, MB/s", "weights, MB/s", "observations, MB/s"], rows)


def pools() -> str:
    """Time and memory of large pools."""
    rows = []
    for name in _POOLS:
        measured = records.read(name)["pools"]
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


def _rates(case: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the successful results of a case by library."""
    return {library["name"]: library for library in case["results"] if library["status"] == "ok"}


def _microseconds(value: float) -> str:
    return f"{value:.3g}" if value < 999.5 else f"{value:,.0f}"


def _times(rates: dict[str, dict[str, Any]], peer: str) -> str:
    if peer not in rates:
        return ""
    return format_ratio(rates[OURS]["steps_per_s"] / rates[peer]["steps_per_s"])
