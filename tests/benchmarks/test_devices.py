"""The measurements of policies on a device run, at small size."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def test_torch(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from benchmarks import torch_device

    record = tmp_path / "torch.json"
    lengths = ("--seconds", "0.02", "--rounds", "1", "--device", "cpu")
    assert torch_device.main(["CartPole-v1", *lengths, "--json", str(record)]) == 0
    rates = json.loads(record.read_text())["steps_per_s"]["CartPole-v1"]
    assert set(rates) == {"TorchPool", "by hand", "no policy"}
    assert min(rates.values()) > 0


def test_jax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jax")
    from benchmarks import jax_scan

    monkeypatch.setattr(jax_scan, "SIZES", (8,))
    record = tmp_path / "jax.json"
    lengths = ("--turns", "1", "--seconds", "0.001")
    jax_scan.main([*lengths, "--threads", "1", "--out", str(record)])
    written = json.loads(record.read_text())
    assert written["threads"] == 1
    (case,) = written["cases"]
    assert {"envpool_py", "io_callback", "python", "alone"} <= set(case["us_per_step"])
