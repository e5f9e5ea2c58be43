"""The Procgen games on the library of an installed Procgen package.

`manifest`: the family's description for the rest of the package; `tasks`: the ids; `family`: loaded
by `make`; `library`: finds and opens the library; `controls`: the keys of `envpool-py play`.
`import envpool_py` imports only `manifest` and `tasks`.
"""

__all__: list[str] = []
