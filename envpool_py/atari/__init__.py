"""Atari games.

`manifest`: what the rest of the package needs to know; `tasks`: the ids; `family`: what `make`
loads; `roms`: where ROMs come from; `controls`: the keys of `envpool-py play`; `tools`: for those
who add games. `import envpool_py` imports no more of it than `manifest` and `tasks`.
"""
