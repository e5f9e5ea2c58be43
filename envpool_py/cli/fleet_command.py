"""`envpool-py fleet URL`: what the actors of a learner do."""

from __future__ import annotations

import argparse
import http.client
import time
import urllib.error
import urllib.request
from collections import defaultdict
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from envpool_py.cli.bench.report import format_rate
from envpool_py.cli.bench_command import positive_seconds
from envpool_py.cli.output import UsageError, make_console
from envpool_py.errors import install_command

if TYPE_CHECKING:
    from prometheus_client.samples import Sample

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["PREFIX", "add_parser", "read", "run"]

DEFAULT_URL = "http://127.0.0.1:9400/metrics"
PREFIX = "envpool_fleet_"
"""What the names of a stream's metrics begin with, as `envpool_py.ray.fleet.metrics` has them."""
_TIMEOUT_S = 5.0
# Without it, the server answers in the older format.
_ACCEPT = {"Accept": "application/openmetrics-text; version=1.0.0"}


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser(
        "fleet",
        help="show the actors of a learner on a cluster",
        description="Shows the actors of a RolloutStream: steps per second, queues, staleness, "
        "restarts. The learner serves the metrics after stream.serve_metrics(port).",
    )
    parser.add_argument(
        "url",
        nargs="?",
        default=DEFAULT_URL,
        metavar="URL",
        help="what serve_metrics returned, or HOST:PORT (%(default)s)",
    )
    parser.add_argument(
        "--interval",
        type=positive_seconds,
        default=1.0,
        metavar="S",
        help="seconds between updates (%(default)s)",
    )
    parser.add_argument("--once", action="store_true", help="print the metrics once, and exit")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Shows the metrics until interrupted; once if the output is not a terminal."""
    url = full_url(arguments.url)
    console = make_console()
    if arguments.once or not console.is_terminal:
        console.print(view(read(url)))
        return 0
    with Live(view(read(url)), console=console, auto_refresh=False, screen=True) as live:
        while True:
            time.sleep(arguments.interval)
            try:
                shown = view(read(url))
            except UsageError as error:  # the learner may be back, from its checkpoint
                shown = Group(Text(str(error), style="red"))
            live.update(shown, refresh=True)


def full_url(text: str) -> str:
    """Returns the URL of a learner's metrics.

    Raises:
        UsageError: the text is not such a URL.
    """
    url = text if "://" in text else f"http://{text}"
    scheme, _, rest = url.partition("://")
    if scheme not in ("http", "https") or not rest.strip("/"):
        raise UsageError(f"fleet: expected http://HOST:PORT/metrics or HOST:PORT, got {text!r}")
    return url if "/" in rest else f"{url}/metrics"


def read(url: str) -> list[Sample]:
    """Returns the metrics.

    Raises:
        UsageError: nothing answers, or something else does; or prometheus_client is not installed.
    """
    try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
    except ImportError as error:
        raise UsageError(
            f"fleet: needs the package prometheus_client (`{install_command('ray')}`): {error}"
        ) from error
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers=_ACCEPT), timeout=_TIMEOUT_S
        ) as answer:
            text = answer.read().decode()
        families = list(text_string_to_metric_families(text))  # type: ignore[no-untyped-call]
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise UsageError(f"fleet: no metrics of a learner at {url}: {reason}") from error
    samples = [sample for family in families for sample in family.samples]
    if not any(sample.name.startswith(PREFIX) for sample in samples):
        raise UsageError(f"fleet: the metrics at {url} are not those of a RolloutStream")
    return samples


def view(samples: list[Sample]) -> Group:
    """Returns the tables of the totals and of the actors."""
    plain = {
        sample.name.removeprefix(PREFIX): sample.value for sample in samples if not sample.labels
    }
    labelled: dict[str, dict[str, float]] = defaultdict(dict)
    for sample in samples:
        for label in ("outcome", "le"):
            if label in sample.labels:
                labelled[sample.name.removeprefix(PREFIX)][sample.labels[label]] = sample.value
    return Group(_totals(plain, labelled), _actors(samples))


def _totals(plain: dict[str, float], labelled: dict[str, dict[str, float]]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    fragments = labelled["fragments_total"]
    steps = labelled["steps_total"]
    count = plain.get("staleness_count", 0.0)
    mean = plain.get("staleness_sum", 0.0) / count if count else 0.0
    rows = [
        ("steps per second", format_rate(plain.get("steps_per_second", 0.0))),
        ("steps", f"{steps.get('delivered', 0):,.0f} ({steps.get('stale', 0):,.0f} too old)"),
        ("episodes", f"{plain.get('episodes_total', 0):,.0f}"),
        (
            "fragments",
            ", ".join(f"{value:,.0f} {outcome}" for outcome, value in fragments.items() if value)
            or "none yet",
        ),
        (
            "queue",
            f"{plain.get('ready', 0):,.0f} wait for the learner, "
            f"{plain.get('outstanding', 0):,.0f} outstanding",
        ),
        ("staleness", f"{mean:.1f} versions, on average; {_largest(labelled)}"),
        ("weights", f"version {plain.get('weights_version', 0):,.0f}"),
        ("restarts", f"{plain.get('restarts_total', 0):,.0f}"),
    ]
    for row in rows:
        table.add_row(*row)
    return table


def _largest(labelled: dict[str, dict[str, float]]) -> str:
    buckets = labelled["staleness_bucket"]
    everything = buckets.get("+Inf", 0.0)
    for bound, below in buckets.items():
        if below == everything and bound != "+Inf":
            return f"at most {float(bound):g}"
    return "more than 64 at times"


def _actors(samples: list[Sample]) -> Table:
    rows: dict[int, dict[str, float]] = defaultdict(dict)
    hosts: dict[int, str] = {}
    for sample in samples:
        name = sample.name.removeprefix(PREFIX)
        if name.startswith("actor_") and sample.labels.get("actor", "").isdigit():
            number = int(sample.labels["actor"])
            rows[number][name.removeprefix("actor_").removesuffix("_total")] = sample.value
            hosts[number] = sample.labels.get("host", "")
    table = Table(box=box.SIMPLE_HEAD, title_justify="left")
    for heading in ("actor", "machine", "state"):
        table.add_column(heading)
    for heading in ("steps/s", "queue", "fragments", "steps", "restarts"):
        table.add_column(heading, justify="right")
    for number, row in sorted(rows.items()):
        table.add_row(
            str(number),
            hosts[number],
            "runs" if row.get("up") else "given up" if row.get("given_up") else "starts",
            format_rate(row.get("rate", 0.0)),
            *(f"{row.get(name, 0):,.0f}" for name in ("queue", "fragments", "steps", "restarts")),
        )
    return table
