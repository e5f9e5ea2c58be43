"""The process of `envpool-py check`: the checks, and the rate of a pool.

`check_command` starts it as `python -m envpool_py.cli.check_worker`.
"""

from __future__ import annotations

from envpool_py.authoring.conformance import worker
from envpool_py.cli.bench.drivers import OrderedDriver
from envpool_py.cli.bench.worker import measure, sample_actions
from envpool_py.cli.programs import command_of
from envpool_py.tasks.make import make

__all__ = ["COMMAND", "RATE", "main", "steps_per_second"]

COMMAND = command_of("envpool_py.cli.check_worker")
RATE = "rate"
"""Name of the job that measures steps per second."""
_NUM_ENVS = 256
_SECONDS = 0.3


def steps_per_second(task_id: str) -> float:
    """Measures a pool with the default number of threads for a short time."""
    with make(task_id, num_envs=_NUM_ENVS, seed=0) as pool:
        driver = OrderedDriver(pool, _NUM_ENVS, 0)
        actions = sample_actions(driver.action_space(), driver.num_actions, 0)
        return measure(driver, actions, _SECONDS, _SECONDS / 3).steps_per_s


def main() -> int:
    """Runs the jobs of a parent process."""
    return worker.main({RATE: lambda task_id: str(steps_per_second(task_id))})
