"""The metrics of a stream: for Prometheus, over HTTP, and in the terminal."""

from __future__ import annotations

import contextlib
import re
import socket
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric, Sample
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from envpool_py import cli
from envpool_py.cli import fleet_command
from envpool_py.cli.output import UsageError
from envpool_py.errors import ActorLostError, InputError, MissingPackageError, ResourceError
from envpool_py.ray.fleet.metrics import PREFIX, StreamCollector
from envpool_py.ray.fleet.snapshot import ActorRow, Snapshot
from envpool_py.ray.fleet.stream import FragmentStream

from . import fake_transport as fake


def worked(seed: int = 0) -> FragmentStream:
    """Returns a stream whose metrics have samples of every kind."""
    odds = fake.Odds(death=0.1, store_full=0.05)
    stream = FragmentStream(fake.FakeTransport(seed, odds), 3, max_staleness=1, max_failures=100)
    for number in range(60):
        stream.take()
        stream.publish(number)
    return stream


def metrics_of(snapshot: Snapshot) -> list[Metric]:
    """Returns the metrics as Prometheus reads them."""
    registry = CollectorRegistry()
    registry.register(StreamCollector(lambda: snapshot))
    return list(text_string_to_metric_families(generate_latest(registry).decode()))


def samples_of(metrics: list[Metric]) -> list[Sample]:
    return [sample for metric in metrics for sample in metric.samples]


def test_the_metrics_have_the_numbers() -> None:
    with worked() as stream:
        snapshot = stream.snapshot()
    counts = snapshot.counts
    samples = samples_of(metrics_of(snapshot))
    values = {(s.name, *sorted(s.labels.items())): s.value for s in samples}
    assert values[f"{PREFIX}requested_total",] == counts.requested
    for outcome in ("delivered", "stale", "lost", "failed", "abandoned"):
        value = values[f"{PREFIX}fragments_total", ("outcome", outcome)]
        assert value == getattr(counts, outcome)
    assert counts.stale > 0
    assert counts.lost > 0
    assert values[f"{PREFIX}restarts_total",] == counts.restarts > 0
    assert values[f"{PREFIX}staleness_count",] == counts.delivered == 60
    assert values[f"{PREFIX}staleness_bucket", ("le", "1.0")] == 60
    assert values[f"{PREFIX}staleness_bucket", ("le", "0.0")] == counts.staleness[0]
    assert values[f"{PREFIX}staleness_sum",] == counts.staleness[1]
    for row in snapshot.actors:
        labels = ("actor", str(row.number)), ("host", row.host)
        assert values[(f"{PREFIX}actor_queue", *labels)] == row.queue
        assert values[(f"{PREFIX}actor_restarts_total", *labels)] == row.incarnation
        assert values[(f"{PREFIX}actor_fragments_total", *labels)] == row.fragments


def test_actors_that_were_given_up(capsys: pytest.CaptureFixture[str]) -> None:
    with FragmentStream(fake.FakeTransport(0, fake.Odds(start_death=1.0)), 1) as stream:
        with pytest.raises(ActorLostError):
            stream.take()
        assert [row.state for row in stream.snapshot().actors] == ["given up"]
        values = {sample.name: sample.value for sample in samples_of(metrics_of(stream.snapshot()))}
        assert values[f"{PREFIX}actor_given_up"] == 1
        assert values[f"{PREFIX}actor_up"] == 0
        assert cli.main(["fleet", stream.serve_metrics(0), "--once"]) == 0
    assert "given up" in capsys.readouterr().out


def test_the_types_and_names() -> None:
    """The names and types are those that dashboards and alerts know."""
    with worked() as stream:
        metrics = metrics_of(stream.snapshot())
    assert {metric.name.removeprefix(PREFIX): metric.type for metric in metrics} == {
        "requested": "counter",
        "fragments": "counter",
        "steps": "counter",
        "episodes": "counter",
        "bytes": "counter",
        "restarts": "counter",
        "staleness": "histogram",
        "weights_version": "gauge",
        "ready": "gauge",
        "outstanding": "gauge",
        "steps_per_second": "gauge",
        "actor_up": "gauge",
        "actor_given_up": "gauge",
        "actor_rate": "gauge",
        "actor_queue": "gauge",
        "actor_fragments": "counter",
        "actor_steps": "counter",
        "actor_restarts": "counter",
    }
    assert all(metric.documentation for metric in metrics)
    assert fleet_command.PREFIX == PREFIX


def test_labels_are_escaped() -> None:
    with worked() as stream:
        snapshot = stream.snapshot()
    host = 'a"b\\c\nd,e="f"'
    snapshot.actors[:] = [ActorRow(0, 0, "runs", host, 1.0, 2, 3, 4)]
    samples = samples_of(metrics_of(snapshot))
    hosts = {sample.labels["host"] for sample in samples if "host" in sample.labels}
    assert hosts == {host}


@pytest.mark.parametrize(
    "text", ["", "<p>a</p>", "a 1\n", "a one\n# EOF\n", "{} 1\n# EOF\n", "a{b=\n# EOF\n"]
)
def test_other_text_is_refused(text: str) -> None:
    url = f"data:,{urllib.parse.quote(text)}"
    with pytest.raises(UsageError, match=f"no metrics of a learner at {re.escape(url)}: "):
        fleet_command.read(url)


def test_metrics_of_another_program_are_refused() -> None:
    url = f"data:,{urllib.parse.quote('a 1' + chr(10) + '# EOF' + chr(10))}"
    with pytest.raises(UsageError, match="are not those of a RolloutStream"):
        fleet_command.read(url)


def test_over_http() -> None:
    with worked() as stream:
        url = stream.serve_metrics(port=0)
        assert fleet_command.read(url) == samples_of(metrics_of(stream.snapshot()))
        # As a browser asks, which does not know the newer format.
        with urllib.request.urlopen(url) as answer:
            assert answer.headers["Content-Type"].startswith("text/plain")
            assert f"{PREFIX}requested_total " in answer.read().decode()
        with pytest.raises(InputError, match=f"already served at {url}"):
            stream.serve_metrics(port=0)
        port = int(re.findall(r":(\d+)/", url)[0])
        with (
            worked(1) as other,
            pytest.raises(ResourceError, match=f"cannot listen on 127.0.0.1:{port}"),
        ):
            other.serve_metrics(port=port)
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url)


def test_connections_beyond_the_limit_are_closed() -> None:
    with worked() as stream, contextlib.ExitStack() as silent:
        url = stream.serve_metrics(port=0)
        port = int(re.findall(r":(\d+)/", url)[0])
        before = threading.active_count()
        for _ in range(16):
            silent.enter_context(socket.create_connection(("127.0.0.1", port)))
        with socket.create_connection(("127.0.0.1", port)) as one_more:
            assert one_more.recv(1) == b""
        assert threading.active_count() == before + 16
        silent.close()
        while True:  # until the server has noticed that a connection was closed
            with contextlib.suppress(UsageError):
                assert fleet_command.read(url)
                break


def test_the_dashboard(capsys: pytest.CaptureFixture[str]) -> None:
    with worked() as stream:
        url = stream.serve_metrics(port=0)
        assert cli.main(["fleet", url, "--once"]) == 0
        first = capsys.readouterr().out
        assert cli.main(["fleet", url.removeprefix("http://").removesuffix("/metrics")]) == 0
        assert capsys.readouterr().out == first
        counts = stream.counts
        rows = stream.snapshot().actors
    assert f"60 delivered, {counts.stale} stale, {counts.lost} lost" in first
    assert f"restarts          {counts.restarts}" in first
    assert "at most 1" in first
    table = [line.split() for line in first.splitlines() if "here" in line]
    assert [line[0] for line in table] == [str(row.number) for row in rows if row.host]
    assert [line[-1] for line in table] == [str(row.incarnation) for row in rows if row.host]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://here", "expected http://HOST:PORT/metrics or HOST:PORT, got 'ftp://here'"),
        ("http://", "expected http://HOST:PORT"),
        ("127.0.0.1:1", "no metrics of a learner at http://127.0.0.1:1/metrics"),
        ("not a host", "no metrics of a learner"),
    ],
)
def test_wrong_addresses(url: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["fleet", url]) == 2
    assert message in capsys.readouterr().err


def test_without_prometheus_client(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [*sys.modules]:
        if name.partition(".")[0] == "prometheus_client" or name.endswith(".metrics"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    install = r"prometheus_client [(]`pip install '.*'`[)]"
    with worked() as stream, pytest.raises(MissingPackageError, match=install):
        stream.serve_metrics(port=0)
    assert cli.main(["fleet"]) == 2
    assert re.search(install, capsys.readouterr().err)
