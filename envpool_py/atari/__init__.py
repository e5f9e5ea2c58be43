"""Atari games.

`ids`: the tasks; `roms`: where ROMs come from; `family`: what `make` loads; `tools`: for those who
add games. `import envpool_py` imports no more of it than `ids`.
"""
