"""The tasks of this family: written by `make docs` from what it registers."""

from envpool_py.manifest import Limits

TASKS: dict[str, Limits] = {
    "CartPole-v0": Limits(200, 195.0),
    "CartPole-v1": Limits(500, 475.0),
    "MountainCar-v0": Limits(200, -110.0),
    "MountainCarContinuous-v0": Limits(999, 90.0),
    "Pendulum-v0": Limits(200),
    "Pendulum-v1": Limits(200),
    "Acrobot-v1": Limits(500, -100.0),
}
