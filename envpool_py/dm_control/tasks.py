"""The tasks of this family: written by `make docs` from what it registers."""

from envpool_py.manifest import Limits

TASKS: dict[str, Limits] = {}
