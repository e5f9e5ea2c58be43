"""Gymnasium's toy text tasks: what is left of them in Python, their pictures."""
