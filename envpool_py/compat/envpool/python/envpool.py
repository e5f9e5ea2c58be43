"""`envpool.python.envpool`: the base class of pools by the name that programs ask for."""

from envpool_py.compat.adapter import EnvPool as EnvPoolMixin

__all__ = ["EnvPoolMixin"]
