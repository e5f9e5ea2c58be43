"""Surfaces of other libraries over the pools of this one, for programs that were written for them.

    import envpool_py.compat.envpool as envpool   # in place of `import envpool`

    python -m envpool_py.compat program.py        # a program that says `import envpool`, unchanged

Nothing here is imported by the rest of the package.
"""
