"""Atari games.

`manifest`: the family's description for the rest of the package; `tasks`: the ids; `family`: loaded
by `make`; `roms`: finds the ROMs; `controls`: the keys of `envpool-py play`. `import envpool_py`
imports only `manifest` and `tasks`.
"""

__all__: list[str] = []
