"""Other libraries' APIs on top of this package's pools, for programs that were written for them.

Imported by programs; `pool` and `tasks` import only `hints`, which adds advice to messages.

    import envpool_py.compat.envpool as envpool   # instead of `import envpool`

    python -m envpool_py.compat program.py        # runs a program with `import envpool` unchanged
"""

__all__: list[str] = []
