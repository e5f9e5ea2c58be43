"""The metrics of a stream: as OpenMetrics text, over HTTP, and in the terminal."""

from __future__ import annotations

import re
import urllib.error
import urllib.request

import pytest

from envpool_py import cli
from envpool_py.errors import ActorLostError, InputError, ResourceError
from envpool_py.ray.fleet.metrics import CONTENT_TYPE, PREFIX, parse, text_of
from envpool_py.ray.fleet.snapshot import ActorRow
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


def test_the_text_has_the_numbers() -> None:
    with worked() as stream:
        snapshot = stream.snapshot()
        text = text_of(snapshot)
    counts = snapshot.counts
    values = {(s.name, *sorted(s.labels.items())): s.value for s in parse(text)}
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
        values = {sample.name: sample.value for sample in parse(text_of(stream.snapshot()))}
        assert values[f"{PREFIX}actor_given_up"] == 1
        assert values[f"{PREFIX}actor_up"] == 0
        assert cli.main(["fleet", stream.serve_metrics(0), "--once"]) == 0
    assert "given up" in capsys.readouterr().out


def test_the_text_follows_the_format() -> None:
    """Each metric family is declared once, before its samples, whose suffixes fit its type."""
    with worked() as stream:
        lines = text_of(stream.snapshot()).splitlines()
    assert lines[-1] == "# EOF"
    suffixes = {"counter": ["_total"], "gauge": [""], "histogram": ["_bucket", "_count", "_sum"]}
    declared: dict[str, str] = {}
    allowed: list[str] = []
    for line in lines[:-1]:
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            assert name not in declared
            declared[name] = kind
            allowed = [name + suffix for suffix in suffixes[kind]]
        elif line.startswith("# HELP "):
            assert line.split()[2] in declared
        else:
            assert re.split(r"[{ ]", line)[0] in allowed, line


def test_the_text_is_read_by_prometheus() -> None:
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    with worked() as stream:
        snapshot = stream.snapshot()
    families = {f.name: f for f in parser.text_string_to_metric_families(text_of(snapshot))}
    assert families[f"{PREFIX}requested"].samples[0].value == snapshot.counts.requested
    assert families[f"{PREFIX}staleness"].type == "histogram"


def test_labels_are_escaped() -> None:
    with worked() as stream:
        snapshot = stream.snapshot()
    host = 'a"b\\c\nd,e="f"'
    snapshot.actors[:] = [ActorRow(0, 0, "runs", host, 1.0, 2, 3, 4)]
    hosts = {s.labels["host"] for s in parse(text_of(snapshot)) if "host" in s.labels}
    assert hosts == {host}


@pytest.mark.parametrize("text", ["", "a 1\n", "a one\n# EOF\n", "{} 1\n# EOF\n", "a{b=\n# EOF\n"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="OpenMetrics: expected"):
        parse(text)


def test_over_http() -> None:
    with worked() as stream:
        url = stream.serve_metrics(port=0)
        with urllib.request.urlopen(url) as answer:
            assert answer.headers["Content-Type"] == CONTENT_TYPE
            assert answer.read().decode() == text_of(stream.snapshot())
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(url.replace("metrics", "other"))
        refused.value.close()
        assert refused.value.code == 404
        with pytest.raises(InputError, match="expected one call"):
            stream.serve_metrics(port=0)
        port = int(re.findall(r":(\d+)/", url)[0])
        with (
            worked(1) as other,
            pytest.raises(ResourceError, match=f"cannot listen on 127.0.0.1:{port}"),
        ):
            other.serve_metrics(port=port)
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url)


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
