"""Checks that the guide describes every task: each family has a page with all its ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envpool_py.tasks import registry
from tools.guide.tasks import ids_of

# Kinds of tables that list the ids of a family.
_LISTS = ("tasks", "ids")


def undocumented(tables: Mapping[str, list[list[str]]]) -> Iterator[str]:
    """Yields one line for each omission of the pages.

    A page may describe options without tables; but if it has tables of options, they must cover
    every task.

    Args:
        tables: words of the tables (kind and arguments) by the page's file name.
    """
    for name, family in registry.all_families().items():
        if family.page is None or family.page not in tables:
            yield f"the manifest of {name} names no page of docs/ that exists: {family.page}"
            continue
        words = tables[family.page]
        if not any(kind in _LISTS and name in of for kind, *of in words):
            yield f'docs/{family.page} has no table of "tasks {name}"'
        of_options = {task_id for kind, *of in words if kind == "options" for task_id in ids_of(of)}
        for task_id in family.tasks if of_options else ():
            if task_id not in of_options:
                yield f'docs/{family.page} has no table of "options {task_id}"'
