"""The manifest of a family for tests only."""

from __future__ import annotations

from pond.tasks import TASKS

from envpool_py.tasks.manifest import Family, Keys

FAMILY = Family(
    name="Pond",
    tasks=TASKS,
    page="pond.md",
    module="pond.family",
    painters={"Pond": "pond.painters:PondPainter", "WidePond": "pond.painters:PondPainter"},
    keys={"Pond": Keys({"space": (1, "leap")}, idle=(0,))},
)
