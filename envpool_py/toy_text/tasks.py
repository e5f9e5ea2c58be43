"""The tasks of this family: written by `make docs` from what it registers."""

from envpool_py.manifest import Limits

TASKS: dict[str, Limits] = {
    "FrozenLake-v1": Limits(100, 0.7),
    "FrozenLake8x8-v1": Limits(200, 0.85),
    "CliffWalking-v0": Limits(),
    "CliffWalking-v1": Limits(),
    "CliffWalkingSlippery-v1": Limits(),
    "Taxi-v3": Limits(200, 8.0),
    "Taxi-v4": Limits(200, 8.0),
    "Blackjack-v1": Limits(),
    "Catch-v0": Limits(),
    "NChain-v0": Limits(1000),
    "NChain-v1": Limits(1000),
}
