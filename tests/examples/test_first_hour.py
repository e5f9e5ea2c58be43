"""The notebook examples/first_hour.ipynb runs from its first cell to its last."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

PATH = Path(__file__).resolve().parents[2] / "examples" / "first_hour.ipynb"


def cells(kind: str) -> list[dict[str, Any]]:
    return [each for each in json.loads(PATH.read_text())["cells"] if each["cell_type"] == kind]


def test_the_notebook_is_stored_without_results() -> None:
    assert len(cells("code")) >= 10
    for cell in cells("code"):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None


def test_the_notebook_has_its_subjects() -> None:
    text = "\n".join(
        line for each in cells("markdown") for line in "".join(each["source"]).split("\n")
    )
    for heading in ("Install", "A pool", "Wrappers", "Asynchronous stepping", "A video", "PPO"):
        assert f"\n## {heading}\n" in text
    assert "\n## An environment of your own\n" in text


@pytest.mark.unsanitized  # its compiler line has no sanitizer, and it has a process of its own
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("torch", "matplotlib", "PIL", "pygame", "ipykernel"):
        pytest.importorskip(module)
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("CXXFLAGS", "-O1")
    notebook = nbformat.read(PATH, as_version=4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(
        notebook, timeout=1200, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    results = {
        cell["id"]: cell["outputs"] for cell in notebook.cells if cell["cell_type"] == "code"
    }
    text = "".join(part.get("text", "") for outputs in results.values() for part in outputs)
    returned = float(text.split("mean return ")[-1].split()[0])
    assert returned > 300, text
    pictures = [
        kind
        for outputs in results.values()
        for part in outputs
        for kind in part.get("data", {})
        if kind.startswith("image/")
    ]
    assert pictures == ["image/gif", "image/png", "image/gif"]
    assert "first_steps" in text
    assert "after six steps to the right" in text
