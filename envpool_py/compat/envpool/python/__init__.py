"""`envpool.python`: the classes that programs name in their annotations."""

from envpool_py.compat.envpool.python import envpool as envpool
from envpool_py.compat.envpool.python.protocol import (
    DMEnvPool,
    EnvPool,
    EnvSpec,
    GymnasiumEnvPool,
)

__all__ = ["DMEnvPool", "EnvPool", "EnvSpec", "GymnasiumEnvPool"]
