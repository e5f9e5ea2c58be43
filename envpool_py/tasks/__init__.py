"""Tasks: what an id means, and making pools of it.

`make` resolves an id and its options into one record and hands it to a pool. `registry` knows the
families (`families/`) and the plug-ins. Imported by the packages above; `envpool_py` has the public
names.
"""

__all__: list[str] = []
