"""The commands compare, disassemble and trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.atari import __main__ as command
from tools.atari import lockstep
from tools.atari.lockstep import Difference, Lockstep

from .plays import read_png


def test_compare_without_a_difference(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = "compare pong --frames 60 --seed 3 --mode 1 --difficulty 2 --full-actions"
    assert command.main([*arguments.split(), "--sticky", "0", "--restore", "0.1"]) == 0
    assert capsys.readouterr().out == "pong: no difference in 60 frames\n"


def test_compare_describes_a_difference(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Broken(Lockstep):
        def act(self, action: int, strength: float = 1.0) -> Difference | None:
            if self.frame == 20:
                self.theirs.set_ram(0xBC, int(self.ours.ram()[0x3C]) ^ 0x10)
            return super().act(action, strength)

    monkeypatch.setattr(lockstep, "Lockstep", Broken)
    path = tmp_path / "out.png"
    arguments = ["compare", "pong", "--frames", "60", "--writes", "5", "--picture", str(path)]
    assert command.main(arguments) == 1
    printed = capsys.readouterr().out
    assert "frame 20 differs" in printed
    assert "The last 5 register writes before it:" in printed
    assert read_png(path).shape == (420, 1928, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("compare pongg", 'got "pongg"; did you mean "pong"?'),
        ("compare pong --mode 9", "mode: pong has 0, 1, got 9"),
        ("compare pong --difficulty 9", "difficulty: pong has 0, 1, 2, 3, got 9"),
        ("disassemble none", 'got "none"'),
    ],
)
def test_wrong_arguments(arguments: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(arguments.split()) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert message in printed.err


def test_disassemble_begins_where_the_program_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["disassemble", "pong", "--count", "3"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "   F000  78       SEI",
        "   F001  D8       CLD",
        "   F002  A2 FF    LDX #$FF",
    ]
    assert command.main(["disassemble", "pong", "--count", "1", "--start", "F00E"]) == 0
    assert capsys.readouterr().out == "   F00E  85 02    STA WSYNC\n"


def test_trace_prints_every_instruction(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["trace", "pong", "--frames", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 1000
    assert lines[0].startswith("line   0 cycle      0  0:F0")
    assert any(" STA WSYNC " in line for line in lines)
