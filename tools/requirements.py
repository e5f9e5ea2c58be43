"""Print requirements from pyproject.toml, one per line: to build, to run, and for an extra.

    requirements.py [EXTRA]
    requirements.py --group GROUP   those of a dependency group alone

`make` installs these into its own environments and then builds without isolation, so that a rebuild
compiles only changed files. pip's isolated build (`pip install .`) uses the same lists.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:  # pip contains the same parser
    from pip._vendor import tomli as tomllib


def expand(extra: str, project: dict[str, Any]) -> Iterator[str]:
    """Yield the requirements of `extra`; `name[a,b]` is replaced by the requirements of a and b."""
    for requirement in project["optional-dependencies"][extra]:
        itself = re.fullmatch(rf"{re.escape(project['name'])}\[([\w, ]+)\]", requirement)
        if itself:
            for other in itself[1].split(","):
                yield from expand(other.strip(), project)
        else:
            yield requirement


def main() -> None:
    """Print the requirements, and the two programs that scikit-build-core calls."""
    pyproject = Path(__file__).resolve().parent.parent / "pyproject.toml"
    with pyproject.open("rb") as file:
        config = tomllib.load(file)
    if sys.argv[1:2] == ["--group"]:
        print("\n".join(config["dependency-groups"][sys.argv[2]]))
        return
    scikit_build = config["tool"]["scikit-build"]
    requirements = [
        *config["build-system"]["requires"],
        *(f"{name}{scikit_build[name]['version']}" for name in ("cmake", "ninja")),
        *config["project"]["dependencies"],
    ]
    for extra in sys.argv[1:]:
        requirements += expand(extra, config["project"])
    print("\n".join(requirements))


if __name__ == "__main__":
    main()
