"""The measurements of a machine with many processors run, at small size."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import many_cores, placement


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux's /proc")
def test_parts(tmp_path: Path) -> None:
    parts = {part.name: part for part in many_cores.parts(1, 20.0, tmp_path)}
    for name in ("machine", "scaling-halfcheetah", "placement"):
        end = many_cores.run(parts[name], tmp_path, 600.0)
        assert end["status"] == "ok", (tmp_path / f"{name}.txt").read_text()
    assert "compiled by" in (tmp_path / "machine.txt").read_text()
    curves = json.loads((tmp_path / "scaling-halfcheetah.json").read_text())["scaling"]["curves"]
    assert set(curves) == {"ordered", "first-ready"}
    assert (tmp_path / "scaling-halfcheetah.png").stat().st_size > 0
    results = json.loads((tmp_path / "placement.json").read_text())["results"]
    assert len({(each["task"], each["digest"]) for each in results}) == 2  # one for each task
    assert all(sum(each["pages"].values()) > 0 for each in results)


def test_summary(tmp_path: Path) -> None:
    assert many_cores.main(["--out", str(tmp_path), "--minutes", "0.01", "--only=machine"]) == 0
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["parts"]["machine"]["status"] == "ended"


def test_a_part_that_is_too_long_is_ended(tmp_path: Path) -> None:
    waits = ("bench", "CartPole-v1", "--seconds", "600.125", "--against", "none")
    end = many_cores.run(many_cores.Part("slow", 1.0, "envpool_py.cli", waits), tmp_path, 4.0)
    assert end["status"] == "ended"
    left = [
        path.parent.name
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if b"600.125" in _read(path)
    ]
    assert left == []  # its worker has a session of its own


def _read(path: Path) -> bytes:
    with contextlib.suppress(OSError):  # it has ended
        return path.read_bytes()
    return b""


def test_a_part_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = many_cores.Part("wrong", 1.0, "envpool_py.cli", ("bench", "NoSuchTask-v0"))
    monkeypatch.setattr(many_cores, "parts", lambda *_: [wrong])
    assert many_cores.main(["--out", str(tmp_path), "--minutes", "1"]) == 1
    end = json.loads((tmp_path / "summary.json").read_text())["parts"]["wrong"]
    assert end["status"] == "failed"
    assert end["exit_code"] != 0
    assert "NoSuchTask-v0" in (tmp_path / "wrong.txt").read_text()


def test_a_part_without_its_package_is_left_out(tmp_path: Path) -> None:
    part = many_cores.Part("other", 1.0, "envpool_py.cli", ("info",), ("no_such_package",))
    end: dict[str, Any] = many_cores.run(part, tmp_path, 60.0)
    assert end == {"status": "left out", "reason": "no_such_package is not installed"}


def test_placement_finds_workers_of_several_nodes_and_results_that_differ() -> None:
    system = {"numa_nodes": [{"cpus": [0, 1]}, {"cpus": [2, 3]}], "default_num_threads": 4}
    good = {"task": "T", "mode": "ordered", "numa": "auto", "workers": [[0, 1]], "digest": "a"}
    assert placement.faults([good], system) == []
    wrong = placement.faults([good, {**good, "workers": [[1, 2]], "digest": "b"}], system)
    assert [line.partition(":")[0] for line in wrong] == ["T", "T, ordered"]
