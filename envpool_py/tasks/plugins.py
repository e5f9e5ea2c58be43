"""Importing this module loads all installed plug-ins and registers their tasks with Gymnasium.

Gymnasium's functions import the module before the colon of an id:

    gymnasium.make_vec("envpool_py.tasks.plugins:EnvPool/MyEnv-v0", num_envs=8)
"""

from envpool_py.tasks import discovery

__all__: list[str] = []

discovery.load_all()
