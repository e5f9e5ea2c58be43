"""EnvPool's surface over the pools of this package: `import envpool_py.compat.envpool as envpool`.

Functions, arguments, results and classes are those of EnvPool 1.2.5; what remains different is in
`docs/coming-from-envpool.md`. Pools of `envpool_py.make` are Gymnasium's instead.
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

# Of EnvPool whose surface this is: programs compare it.
__version__ = "1.2.5"

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
