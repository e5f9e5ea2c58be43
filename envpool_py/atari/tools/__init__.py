"""Tools for those who add games or mappers: see `python -m envpool_py.atari.tools --help`.

`lockstep` plays a game on our console and on ale-py's side by side, `report` says all there is to
say about their first difference, `disassembly` shows what a program does. They need ale-py.
"""
