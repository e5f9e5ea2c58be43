"""Gymnasium's Box2D tasks: what Python needs of them."""
