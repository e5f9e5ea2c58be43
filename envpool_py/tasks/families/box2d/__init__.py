"""The Python part of Gymnasium's Box2D tasks."""
