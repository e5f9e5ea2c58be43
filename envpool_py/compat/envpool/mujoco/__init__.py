"""`envpool.mujoco`: `gym` has the classes of Gymnasium's tasks."""
