"""Programs import this to register the tasks; here they are always registered.

Attributes:
    gym_mujoco_envs: for each task its name, the versions that exist here, and its step limit.
"""

from __future__ import annotations

from envpool_py.tasks.families.mujoco.tasks import TASKS

__all__ = ["gym_mujoco_envs"]


def _versions(task: str) -> tuple[str, ...]:
    return tuple(
        version for name, version in (task_id.split("-") for task_id in TASKS) if name == task
    )


gym_mujoco_envs = [
    (task, _versions(task), TASKS[f"{task}-v5"].max_episode_steps)
    for task in sorted({task_id.split("-")[0] for task_id in TASKS})
]
