"""Gymnasium's toy text tasks, and two of EnvPool's: their manifest, ids and pictures."""

__all__: list[str] = []
