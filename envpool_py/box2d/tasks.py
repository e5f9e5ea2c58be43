"""The tasks of this family: written by `make docs` from what it registers."""

from envpool_py.manifest import Limits

TASKS: dict[str, Limits] = {
    "LunarLander-v2": Limits(1000, 200.0),
    "LunarLander-v3": Limits(1000, 200.0),
    "LunarLanderContinuous-v2": Limits(1000, 200.0),
    "LunarLanderContinuous-v3": Limits(1000, 200.0),
    "BipedalWalker-v3": Limits(1600, 300.0),
    "BipedalWalkerHardcore-v3": Limits(2000, 300.0),
    "CarRacing-v2": Limits(1000, 900.0),
    "CarRacing-v3": Limits(1000, 900.0),
}
