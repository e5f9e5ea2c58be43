"""Writes the generated tables of README.md and docs/*.md and the picture docs/autoreset.svg.

    python -m tools.guide           rewrites the files that are out of date (`make docs`)
    python -m tools.guide --check   names the files that are out of date, and exits with 1

A table is enclosed in two comments. The first one names the table's kind and arguments:

    <!-- table: options Ant-v4 Ant-v5 -->
    <!-- end of table -->

`TABLES` contains all kinds of tables. On a page with a table of `common-options`, the tables of
`options` omit the common options. A task that no page describes is an error, which must be fixed by
editing a page.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

from tools.guide import (
    coverage,
    drawing,
    envpool_differences,
    envpool_settings,
    foreign_tests,
    package,
    results,
    tasks,
    timeline,
)

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

TABLES: dict[str, Callable[..., str]] = {
    "families": tasks.family_table,
    "tasks": tasks.tasks,
    "ids": tasks.ids,
    "infos": tasks.infos,
    "common-options": tasks.common_options,
    "options": tasks.options,
    "reset-options": tasks.reset_options,
    "envpool-families": envpool_differences.envpool_families,
    "envpool-differences": envpool_differences.envpool_differences,
    "envpool-programs": envpool_differences.envpool_programs,
    "envpool-settings": envpool_settings.envpool_settings,
    "excluded-tests": foreign_tests.excluded_tests,
    "errors": package.errors,
    "command": package.command,
    "timeline": timeline.timeline,
    "rates": results.rates,
    "speed-up": results.speed_up,
    "games": results.games,
    "pools": results.pools,
    "jax": results.jax,
    "fleet": results.fleet,
    "fleets": results.fleets,
}

_TABLE = re.compile(r"(<!-- table: ([^\n]*) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)


def rewritten(text: str) -> str:
    """Returns the page with up-to-date tables."""
    shared = [
        name
        for _, description, _, _ in _TABLE.findall(text)
        if description.startswith("common-options ")
        for name in tasks.common(description.split()[1:])
    ]

    def anew(found: re.Match[str]) -> str:
        kind, *words = found[2].split()
        content = (
            tasks.options(*words, apart_from=shared) if kind == "options" else TABLES[kind](*words)
        )
        return f"{found[1]}\n{content}\n{found[4]}"

    return _TABLE.sub(anew, text)


def described(text: str) -> list[list[str]]:
    """Returns the words of each table of a page: its kind and its arguments."""
    return [description.split() for _, description, _, _ in _TABLE.findall(text)]


def main() -> int:
    """Rewrites or checks the pages; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.guide")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 instead")
    check = parser.parse_args().check
    pages = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
    contents = {page: rewritten(page.read_text()) for page in pages}
    contents[DOCS / "autoreset.svg"] = drawing.drawing()
    stale = [path for path, new in contents.items() if not path.exists() or path.read_text() != new]
    for path in stale:
        name = path.relative_to(ROOT)
        if check:
            print(f"{name} is out of date: `make docs` rewrites it")
        else:
            path.write_text(contents[path])
            print(f"docs/{path.name}: written anew")
    tables = {page.name: described(page.read_text()) for page in DOCS.glob("*.md")}
    lacking = list(coverage.undocumented(tables))
    for problem in lacking:
        print(problem)
    return 1 if lacking or (check and stale) else 0


if __name__ == "__main__":
    sys.exit(main())
