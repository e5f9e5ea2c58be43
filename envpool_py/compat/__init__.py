"""Other libraries' APIs on top of this package's pools, for programs that were written for them.

    import envpool_py.compat.envpool as envpool   # instead of `import envpool`

    python -m envpool_py.compat program.py        # runs a program with `import envpool` unchanged

The rest of the package imports only `hints` from here, which adds advice for users of EnvPool to
messages.
"""

__all__: list[str] = []
