"""The Python part of Gymnasium's Box2D tasks."""

__all__: list[str] = []
