"""The trace of a frame: its instructions and its writes."""

from __future__ import annotations

import numpy as np

from envpool_py import _atari_debug
from envpool_py.tasks.families.atari import roms
from tools.atari.trace import steps, trace_frame

from .plays import program_console


def test_a_trace_has_each_write_where_it_happens() -> None:
    console = program_console()
    after = program_console()
    after.run_frame()
    trace = trace_frame(console)
    assert np.array_equal(trace.ram, after.ram())
    assert np.array_equal(console.screen(), after.screen())
    colors = [write for write in trace.writes if write.register == "COLUBK"]
    assert [(write.value, write.scanline, write.clock) for write in colors[:2]] == [
        (0x1E, 0, 30),
        (0x86, 100, 45),
    ]
    assert colors[1].instruction.address == 0xF024
    assert [write.cycle * 3 for write in colors[:2]] == [30 - 15, 100 * 228 + 45 - 15]
    waits = [write for write in trace.writes if write.register == "WSYNC"]
    assert len(waits) == 263
    assert str(colors[1]).endswith("COLUBK = $86  by 0:F024 STA COLUBK")


def test_a_trace_finds_the_scanline_of_the_first_row() -> None:
    console = program_console()
    screen = console.screen()
    trace = trace_frame(console)
    change = int(np.nonzero(screen[:, 159] != screen[0, 159])[0][0])
    assert trace.first_line is None  # all frames are equal
    colors = [write for write in trace.writes if write.register == "COLUBK"]
    assert colors[1].scanline - change == 34
    for game in ("pong", "qbert", "pooyan"):
        runner = _atari_debug.GameRunner(_atari_debug.Rom(game, roms.rom_bytes(game)), seed=1)
        runner.run([0, 1, 3, 4] * 50)
        found = [trace_frame(runner).first_line for _ in range(8)]
        assert {line for line in found if line is not None} == {
            {"pong": 34, "qbert": 40, "pooyan": 26}[game]
        }


def test_the_steps_of_a_frame_are_the_frame() -> None:
    rom = _atari_debug.Rom("pong", roms.rom_bytes("pong"))
    whole, stepped = (_atari_debug.GameRunner(rom, repeat_action_probability=0.0) for _ in range(2))
    for runner in (whole, stepped):
        runner.run([0] * 10)
    whole.act(0)
    addresses = [step.instruction.address for step in steps(stepped)]
    assert np.array_equal(whole.ram(), stepped.ram())
    assert np.array_equal(whole.screen(), stepped.screen())
    assert whole.processor() == stepped.processor()
    assert len(addresses) > 1000
    assert min(addresses) >= 0xF000


def test_a_frame_that_the_program_does_not_end_goes_on() -> None:
    program = bytes.fromhex("8D 96 02 4C 00 F0")  # sets the timer in an endless loop of 7 cycles
    console = _atari_debug.Console("4K", program + bytes(4086) + bytes.fromhex("00 F0 00 F0"))
    first, second = list(steps(console)), list(steps(console))
    assert len(first) == len(second) == 25_000
    assert [step.processor["cycles"] for step in first[:3]] == [0, 4, 7]
    assert [step.processor["cycles"] for step in second[:3]] == [87_500, 87_504, 87_507]
    (write, *_) = trace_frame(console).writes
    assert (write.register, write.cycle) == ("TIM64T", 175_004)
