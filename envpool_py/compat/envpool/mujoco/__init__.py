"""`envpool.mujoco`: `gym`, `robotics` and `metaworld` have the classes of their tasks."""

__all__: list[str] = []
