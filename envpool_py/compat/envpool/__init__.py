"""EnvPool's API on the pools of this package: `import envpool_py.compat.envpool as envpool`.

Functions, arguments, results and classes are those of EnvPool 1.2.7. `docs/coming-from-envpool.md`
lists the remaining differences. New programs should use `envpool_py.make`, which follows Gymnasium.
"""

from envpool_py.compat.adapter import EnvPool
from envpool_py.compat.dm_pool import DMEnvPool
from envpool_py.compat.envpool import python as python
from envpool_py.compat.envpool.registration import (
    list_all_envs,
    make,
    make_dm,
    make_gym,
    make_gymnasium,
    make_spec,
    register,
)
from envpool_py.compat.gymnasium_pool import GymnasiumEnvPool
from envpool_py.compat.spec import EnvSpec

# The version of EnvPool whose API this is, because programs compare it.
__version__ = "1.2.7"

__all__ = [  # noqa: RUF022  # in EnvPool's order
    "register",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_spec",
    "list_all_envs",
    "EnvSpec",
    "EnvPool",
    "DMEnvPool",
    "GymnasiumEnvPool",
]
