"""The scenarios of MPE2, the multi-agent particle environments.

`manifest`: the family's description for the rest of the package; `tasks`: the ids; `painters`: the
pictures.
`import envpool_py` imports only `manifest` and `tasks`.
"""

__all__: list[str] = []
