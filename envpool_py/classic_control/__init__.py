"""Gymnasium's classic control tasks: what is left of them in Python, their pictures."""
