"""`envpool.python.protocol`: the classes that programs name in their annotations."""

from envpool_py.compat.adapter import EnvPool
from envpool_py.compat.arrays import ArraySpec
from envpool_py.compat.dm_pool import DMEnvPool
from envpool_py.compat.gymnasium_pool import GymnasiumEnvPool
from envpool_py.compat.spec import EnvSpec

__all__ = ["ArraySpec", "DMEnvPool", "EnvPool", "EnvSpec", "GymnasiumEnvPool"]
