"""Plots of measurements."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from envpool_py.cli.bench import plot
from envpool_py.cli.bench.peers import OURS

from .results import record_of, result_of


def test_a_plot_is_a_picture_that_grows_with_its_bars(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    rates = {OURS: [2e6], "envpool": [4e5], "plain C++ loop": [3e7], "gymnasium-sync": []}
    heights = []
    for cases in (1, 5):
        path = tmp_path / f"{cases}.png"
        plot.draw(record_of(*[result_of(rates)] * cases), path)
        with image.open(path) as picture:
            picture.verify()
            assert picture.format == "PNG"
            heights.append(picture.height)
    assert heights[1] > heights[0]


def test_a_plot_carries_its_labels(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "plot.svg"
    plot.draw(record_of(result_of({OURS: [2e6], "envpool": [4e5]})), path)
    text = path.read_text()  # SVG files contain each text as a comment beside its outlines
    for label in ("CartPole-v1, 4 envs", "400 k (ours 5.00x)", "2.00 M", "EnvPool", "Some CPU"):
        assert label in text


def test_without_matplotlib_the_message_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(plot.PlotError, match=r"pip install 'matplotlib"):
        plot.draw(record_of(result_of({OURS: [1.0]})), tmp_path / "plot.png")
    assert list(tmp_path.iterdir()) == []


def test_nothing_measured_is_nothing_to_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(plot.PlotError, match="nothing was measured"):
        plot.draw(record_of(result_of({OURS: []})), tmp_path / "plot.png")
