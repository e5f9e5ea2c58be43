"""The tables of differences from EnvPool, and of changes that public programs need.

Both come from the data with which tests run the programs: `tests/compat/differences.py` and
`tests/compat/public_programs.py`.
"""

from __future__ import annotations

from tests.compat import differences, public_programs
from tools.guide.markdown import table

_OF = {"compat": differences.COMPAT, "main": differences.MAIN}
_LAST = {"compat": "what to do", "main": "why"}


def envpool_differences(surface: str) -> str:
    """Differences of the compat module ("compat") or of the main API ("main")."""
    rows = [[item.title, item.envpool, item.here, item.change] for item in _OF[surface]]
    return table(["", "EnvPool 1.2.5", "here", _LAST[surface]], rows)


def envpool_programs() -> str:
    """Public programs, and the changes that each needs beside another import."""
    rows = []
    for program in public_programs.PROGRAMS:
        theirs = program.theirs or "nothing"
        rows.append([program.name, f"`{program.where}`", theirs, program.change or "nothing"])
    return table(["program", "where", "for EnvPool 1.2.5", "here"], rows)
