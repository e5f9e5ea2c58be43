"""Many reinforcement-learning environments of one task, stepped at once in C++.

    import envpool_py

    envs = envpool_py.make("CartPole-v1", num_envs=8, seed=0)
    observations, infos = envs.reset()

`make` gives a `gymnasium.vector.VectorEnv` (or a `dm_env.Environment`) that also has `send` and
`recv`. Importing this package registers its tasks for `gymnasium.make_vec` as `EnvPool/<id>`.
"""

from envpool_py import errors
from envpool_py.authoring.paths import get_cmake_dir, get_include
from envpool_py.errors import EnvironmentFailedError, EnvPoolError
from envpool_py.pool.core import version as __version__
from envpool_py.pool.final_obs import FinalObsPerEnv
from envpool_py.pool.gymnasium_pool import GymnasiumPool
from envpool_py.python_envs.make import make_python
from envpool_py.tasks.catalog import list_all_envs, register_tasks
from envpool_py.tasks.default_ids import register_as_default
from envpool_py.tasks.gymnasium_ids import register_known
from envpool_py.tasks.load import load
from envpool_py.tasks.make import make, make_dm, make_gym, make_gymnasium
from envpool_py.tasks.spec import (
    InfoSpec,
    OptionSpec,
    PlayerSpec,
    PlayersSpec,
    RenderSpec,
    TaskSpec,
    make_spec,
)

__all__ = [
    "EnvPoolError",
    "EnvironmentFailedError",
    "FinalObsPerEnv",
    "GymnasiumPool",
    "InfoSpec",
    "OptionSpec",
    "PlayerSpec",
    "PlayersSpec",
    "RenderSpec",
    "TaskSpec",
    "__version__",
    "errors",
    "get_cmake_dir",
    "get_include",
    "list_all_envs",
    "load",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_python",
    "make_spec",
    "register_as_default",
    "register_tasks",
]

register_known()
