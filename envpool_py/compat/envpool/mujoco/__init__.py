"""`envpool.mujoco`: `gym` has the classes of Gymnasium's tasks."""

__all__: list[str] = []
