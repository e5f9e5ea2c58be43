"""Under which ids Gymnasium has our tasks."""

from __future__ import annotations

# EnvPool's ids of tasks that Gymnasium 1.4 has in a later version only.
_RENAMED = {"CliffWalking-v0": "CliffWalking-v1", "Taxi-v3": "Taxi-v4"}


def reference_id(task_id: str) -> str:
    """Returns the id by which Gymnasium has the task, if it has it."""
    return _RENAMED.get(task_id, task_id)
