"""The benchmarks of one slow environment, and of the cost of recording, run."""

from __future__ import annotations

import pytest

from benchmarks import recording, uneven
from envpool_py.tasks import discovery


@pytest.mark.long  # compiles a plug-in
def test_work_is_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Workers of later tests would import the plug-in, whose directory is gone by then.
    monkeypatch.setattr(discovery, "_imported", dict(discovery._imported))
    assert uneven.main(["--seconds", "0.05", "--rounds", "1"]) in (0, 1)
    table = capsys.readouterr().out
    assert "ordered" in table
    assert "first-ready" in table


def test_recording_takes_turns(capsys: pytest.CaptureFixture[str]) -> None:
    assert recording.main(["CartPole-v1", "--seconds", "0.005", "--rounds", "1"]) == 0
    assert capsys.readouterr().out.count("CartPole-v1") == 2
