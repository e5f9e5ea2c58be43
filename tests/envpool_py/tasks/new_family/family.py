"""Loads the family's module, which registers its tasks, and counts the preparations."""

from __future__ import annotations

import importlib

importlib.import_module("pond._pond")

prepared: list[str] = []


def prepare(task_id: str) -> None:
    prepared.append(task_id)
