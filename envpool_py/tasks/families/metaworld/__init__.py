"""MetaWorld on the library of the installed `mujoco` package.

`manifest`: the family's description for the rest of the package; `tasks`: the ids; `family`: loaded
by `make`. `import envpool_py` imports only `manifest` and `tasks`.
"""

__all__: list[str] = []
