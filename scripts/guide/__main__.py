"""Writes the tables of docs/*.md and docs/autoreset.svg anew, or checks them.

    python -m scripts.guide           rewrite what is out of date, and name it (`make docs`)
    python -m scripts.guide --check   name it, and exit with 1

A table stands between two comments, the first of which says what it is of:

    <!-- table: options Ant-v4 Ant-v5 -->
    <!-- end of table -->

`TABLES` has all kinds of them. On a page with a table of `common-options`, the tables of `options`
leave those out.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

from scripts.guide import drawing, package, results, tasks, timeline

DOCS = Path(__file__).resolve().parents[2] / "docs"

TABLES: dict[str, Callable[..., str]] = {
    "tasks": tasks.tasks,
    "games": tasks.games,
    "infos": tasks.infos,
    "common-options": tasks.common_options,
    "options": tasks.options,
    "reset-options": tasks.reset_options,
    "errors": package.errors,
    "command": package.command,
    "timeline": timeline.timeline,
    "rates": results.rates,
    "pools": results.pools,
}

_TABLE = re.compile(r"(<!-- table: ([^\n]*) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)


def rewritten(text: str) -> str:
    """Returns the page with its tables as they should be."""
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


def main() -> int:
    """Rewrites or checks the pages; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m scripts.guide")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 instead")
    check = parser.parse_args().check
    contents = {page: rewritten(page.read_text()) for page in sorted(DOCS.glob("*.md"))}
    contents[DOCS / "autoreset.svg"] = drawing.drawing()
    stale = [path for path, new in contents.items() if not path.exists() or path.read_text() != new]
    for path in stale:
        if check:
            print(f"docs/{path.name} is out of date: `make docs` writes it anew")
        else:
            path.write_text(contents[path])
            print(f"docs/{path.name}: written anew")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
