"""The manifest of the Procgen games: see `envpool_py.tasks.manifest`.

An id for each game and each of its modes, with EnvPool's names. Procgen has wheels of its library
for some versions of Python only, under three names; those before 3.13 require a NumPy and a gym
that are too old for this package, and the library needs neither.
"""

from __future__ import annotations

import sys

from envpool_py.tasks.families.procgen.tasks import TASKS
from envpool_py.tasks.manifest import Family

__all__ = ["FAMILY", "PACKAGE"]

PACKAGE = "procgen_gym" if sys.version_info >= (3, 13) else "procgen"
"""The package that has the library, as it is imported."""

_WHEELS = {
    (3, 10): "--no-deps procgen==0.10.7",
    (3, 11): "--no-deps procgen-mirror==0.10.7",
    (3, 12): "--no-deps procgen-mirror==0.10.7",
    (3, 13): "procgen-gym==0.1.1",
}
_PYTHONS = "Linux on x86-64 with Python 3.10 to 3.13"


def _how_to_install() -> str:
    wheel = _WHEELS.get(sys.version_info[:2])
    if wheel is None:
        return (
            f"Procgen has no wheel for Python {sys.version_info[0]}.{sys.version_info[1]}, only "
            f"for {_PYTHONS}"
        )
    return f"to install it: `pip install {wheel}` (there are wheels for {_PYTHONS})"


def _aliases() -> dict[str, str]:
    """Returns the ids that Procgen's packages register; their default is the mode "hard"."""
    aliases = {}
    for task_id in TASKS:
        game, hard, _ = task_id.partition("Hard-v0")
        if hard:
            aliases[f"procgen-{game.lower()}-v0"] = task_id
            aliases[f"procgen_gym/procgen-{game.lower()}-v0"] = task_id
    return aliases


FAMILY = Family(
    name="Procgen",
    tasks=TASKS,
    page="procgen.md",
    noun="modes of 16 games",
    module="envpool_py.tasks.families.procgen.family",
    extra="procgen",
    needs=(PACKAGE,),
    install=_how_to_install(),
    controls="envpool_py.tasks.families.procgen.controls:controls_of",
    # All games are played by the same class.
    representatives=frozenset({"CoinrunEasy-v0", "MazeMemory-v0"}),
    aliases=_aliases(),
)
