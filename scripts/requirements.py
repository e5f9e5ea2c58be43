"""Print what the build needs, one requirement a line, from pyproject.toml.

`make` installs these into its own environments and then builds without isolation, so that a
second build compiles only what changed. pip's isolated build (`pip install .`) reads the same list.
"""

from __future__ import annotations

import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:  # pip carries the same parser
    from pip._vendor import tomli as tomllib


def main() -> None:
    """Print build-system.requires, and the two programs that scikit-build-core calls."""
    project = Path(__file__).resolve().parent.parent
    with (project / "pyproject.toml").open("rb") as file:
        config = tomllib.load(file)
    scikit_build = config["tool"]["scikit-build"]
    programs = [f"{name}{scikit_build[name]['version']}" for name in ("cmake", "ninja")]
    print("\n".join(config["build-system"]["requires"] + programs))


if __name__ == "__main__":
    main()
