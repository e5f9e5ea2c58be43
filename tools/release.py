"""Checks that the repository is ready for the release of a tag.

    python -m tools.release v0.2.0

The version in pyproject.toml, the newest entry of CHANGELOG.md with its date, and CITATION.cff must
be those of the tag. Prints what is wrong and exits with 1. Needs only Python.
"""

from __future__ import annotations

import datetime
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def problems(tag: str, root: Path = ROOT) -> Iterator[str]:
    """Yields a line for each thing that does not fit the tag.

    Args:
        tag: "v" and the version.
        root: the repository.
    """
    if not re.fullmatch(r"v\d+\.\d+\.\d+(rc\d+)?", tag):
        yield f'tag: expected one like "v0.2.0" or "v0.2.0rc1", got "{tag}"'
        return
    version = tag[1:]
    stated = _first(root / "pyproject.toml", r'^version = "([^"]+)"')
    if stated != version:
        yield f"pyproject.toml: expected version {version}, got {stated}"
    cited = _first(root / "CITATION.cff", r"^version: (\S+)")
    if cited != version:
        yield f"CITATION.cff: expected version {version}, got {cited}"
    entry = _first(root / "CHANGELOG.md", r"^## (.+)")
    date = re.fullmatch(rf"{re.escape(version)}, (\d{{4}}-\d\d-\d\d)", entry or "")
    if date is None:
        yield f'CHANGELOG.md: expected "## {version}, <date>" as its newest entry, got "{entry}"'
        return
    try:
        datetime.date.fromisoformat(date[1])
    except ValueError:
        yield f"CHANGELOG.md: {date[1]} is no date"
    released = _first(root / "CITATION.cff", r"^date-released: (\S+)")
    if released != date[1]:
        yield f"CITATION.cff: expected date-released {date[1]}, got {released}"


def _first(path: Path, pattern: str) -> str | None:
    found = re.search(pattern, path.read_text(), re.MULTILINE)
    return found[1] if found else None


def main() -> int:
    """Prints the problems of the tag in the arguments; returns the exit code."""
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    found = list(problems(sys.argv[1]))
    print("\n".join(found) or f"{sys.argv[1]}: ready")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
