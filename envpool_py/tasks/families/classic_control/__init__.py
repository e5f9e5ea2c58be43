"""Gymnasium's classic control tasks: their manifest, ids and pictures."""

__all__: list[str] = []
