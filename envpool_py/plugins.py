"""Importing this module loads all installed plug-ins and registers their tasks with Gymnasium.

It is for ids of Gymnasium's functions, which import a module that stands before the id:

    gymnasium.make_vec("envpool_py.plugins:EnvPool/MyEnv-v0", num_envs=8)
"""

from envpool_py import discovery

discovery.load_all()
