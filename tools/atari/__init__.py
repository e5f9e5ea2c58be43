"""Tools for adding Atari games or mappers: see `python -m tools.atari --help`.

`lockstep` plays a game on our emulator and on ale-py side by side. `report` describes their first
difference. `disassembly` lists a program. All need ale-py.
"""
