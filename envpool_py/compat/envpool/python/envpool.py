"""`envpool.python.envpool`: the base class of pools, under the name that programs import."""

from envpool_py.compat.adapter import EnvPool as EnvPoolMixin

__all__ = ["EnvPoolMixin"]
