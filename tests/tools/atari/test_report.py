"""The description of a difference."""

from __future__ import annotations

import pytest

from tools.atari.lockstep import Lockstep, Setup
from tools.atari.report import report

from .plays import changed_pair, screen_difference


def test_a_report_says_where_and_shows_the_writes_and_their_code() -> None:
    difference = screen_difference()
    text = report(difference, writes=9)
    lines = text.splitlines()
    assert lines[0] == (
        "pong, mode 0, difficulty 0, seed 3, sticky 0.25: frame 50 differs after action 0 "
        "(frame 50 since the start)"
    )
    assert f"  {difference.fields[0]}" in lines
    scanline = difference.row + 34
    assert f"The screen first differs in row {difference.row}, scanline {scanline}." in lines
    begin = lines.index("The last 9 register writes before it:") + 1
    writes = lines[begin : begin + 9]
    numbers = [int(write.split()[1]) for write in writes]
    assert numbers == sorted(numbers)
    assert numbers[-1] == scanline
    code = lines[lines.index("The code that made them:") :]
    last = writes[-1].rsplit(" by ", 1)[1]
    address, instruction = last.split(":")[1].split(" ", 1)
    assert any(line.startswith(f" > {address}") and line.endswith(instruction) for line in code)


def test_a_report_without_a_frame_has_no_trace() -> None:
    pair = changed_pair(0x95)
    assert pair.reset() is None  # a reset clears the memory
    pair.theirs.set_ram(0x95, int(pair.ours.ram()[0x15]) ^ 1)
    difference = pair.compare("a look")
    assert difference is not None
    assert "no trace" in report(difference)


@pytest.mark.parametrize("action", [0, 2])
def test_a_report_says_when_the_controls_make_its_trace_another_frame(action: int) -> None:
    pair = Lockstep(Setup("alien", repeat_action_probability=0.0))
    for _ in range(200):
        assert pair.act(0) is None
    pair.theirs.set_ram(0x80, int(pair.ours.ram()[0]) ^ 0xFF)
    difference = pair.act(action)
    assert difference is not None
    # The trace has the previous frame's controls, with which no action was pressed.
    assert ("take it with care" in report(difference)) == (action != 0)
