"""The tables of EnvPool's families, of differences, and of changes that public programs need.

They come from the data of tests, in `tests/compat`: `envpool_families.py`, `differences.py` and
`public_programs.py`.
"""

from __future__ import annotations

from tests.compat import differences, public_programs
from tests.compat.envpool_families import FAMILIES
from tools.guide.markdown import table

_OF = {"compat": differences.COMPAT, "main": differences.MAIN}
_LAST = {"compat": "what to do", "main": "why"}


def envpool_families() -> str:
    """EnvPool's families, with the number of ids, and those that the compat module has."""
    rows = [
        [item.name, *(str(number or "") for number in item.ids), item.here] for item in FAMILIES
    ]
    return table(["family", "ids in EnvPool 1.2.5", "in 1.2.7", "here"], rows)


def envpool_differences(surface: str) -> str:
    """Differences of the compat module ("compat") or of the main API ("main")."""
    rows = [[item.title, item.envpool, item.here, item.change] for item in _OF[surface]]
    return table(["", "EnvPool", "here", _LAST[surface]], rows)


def envpool_programs() -> str:
    """Public programs, and the changes that each needs beside another import."""
    rows = []
    for program in public_programs.PROGRAMS:
        theirs = program.theirs or "nothing"
        rows.append([program.name, f"`{program.where}`", theirs, program.change or "nothing"])
    return table(["program", "where", "for EnvPool", "here"], rows)
