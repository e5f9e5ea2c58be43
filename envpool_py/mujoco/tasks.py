"""The tasks of this family: written by `make docs` from what it registers."""

from envpool_py.manifest import Limits

TASKS: dict[str, Limits] = {
    "Ant-v4": Limits(1000, 6000.0),
    "Ant-v5": Limits(1000, 6000.0),
    "HalfCheetah-v4": Limits(1000, 4800.0),
    "HalfCheetah-v5": Limits(1000, 4800.0),
    "Hopper-v4": Limits(1000, 3800.0),
    "Hopper-v5": Limits(1000, 3800.0),
    "Humanoid-v4": Limits(1000),
    "Humanoid-v5": Limits(1000),
    "HumanoidStandup-v4": Limits(1000),
    "HumanoidStandup-v5": Limits(1000),
    "InvertedDoublePendulum-v4": Limits(1000, 9100.0),
    "InvertedDoublePendulum-v5": Limits(1000, 9100.0),
    "InvertedPendulum-v4": Limits(1000, 950.0),
    "InvertedPendulum-v5": Limits(1000, 950.0),
    "Pusher-v5": Limits(100, 0.0),
    "Reacher-v4": Limits(50, -3.75),
    "Reacher-v5": Limits(50, -3.75),
    "Swimmer-v4": Limits(1000, 360.0),
    "Swimmer-v5": Limits(1000, 360.0),
    "Walker2d-v4": Limits(1000),
    "Walker2d-v5": Limits(1000),
}
