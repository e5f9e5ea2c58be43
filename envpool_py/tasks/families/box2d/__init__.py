"""Gymnasium's Box2D tasks.

`manifest`: the family's description for the rest of the package; `tasks`: the ids; `painters`: the
pictures; `options`: warnings about options.
`import envpool_py` imports only `manifest` and `tasks`.
"""

__all__: list[str] = []
