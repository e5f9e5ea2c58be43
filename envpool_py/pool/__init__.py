"""What every pool is: its base class, its two faces (Gymnasium and dm_env), and its arguments.

A pool gets a resolved task and knows no registry; `core` is the only module that uses the compiled
engine. Imported by every other package; `envpool_py` has the public names.
"""

__all__: list[str] = []
