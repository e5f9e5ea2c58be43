"""The tasks of MetaWorld's benchmarks, in the reference's order, on which goals depend."""

from __future__ import annotations

from collections.abc import Mapping

from envpool_py.tasks.families.metaworld.manifest import FAMILY

__all__ = ["ML", "MT", "TASK_OF"]

TASK_OF: Mapping[str, str] = FAMILY.aliases
"""The id of each task by the reference's name, such as "reach-v3"."""


def _names(*lines: str) -> tuple[str, ...]:
    return tuple(f"{word}-v3" for line in lines for word in line.split())


_ALL = _names(
    "assembly basketball bin-picking box-close button-press-topdown",
    "button-press-topdown-wall button-press button-press-wall coffee-button coffee-pull",
    "coffee-push dial-turn disassemble door-close door-lock door-open door-unlock",
    "hand-insert drawer-close drawer-open faucet-open faucet-close hammer",
    "handle-press-side handle-press handle-pull-side handle-pull lever-pull",
    "pick-place-wall pick-out-of-hole pick-place plate-slide plate-slide-side",
    "plate-slide-back plate-slide-back-side peg-insert-side peg-unplug-side soccer",
    "stick-push stick-pull push push-wall push-back reach reach-wall shelf-place",
    "sweep-into sweep window-open window-close",
)
_TEN = _names(
    "reach push pick-place door-open drawer-open drawer-close button-press-topdown",
    "peg-insert-side window-open window-close",
)
_TWENTY_FIVE = _names(
    "coffee-pull pick-out-of-hole disassemble pick-place-wall basketball stick-pull",
    "button-press-wall faucet-open door-lock lever-pull sweep-into faucet-close",
    "coffee-button button-press-topdown-wall dial-turn",
)

MT: Mapping[str, tuple[str, ...]] = {
    "MT10": _TEN,
    "MT25": (*_TEN, *_TWENTY_FIVE),
    "MT50": _ALL,
}
"""The tasks of each benchmark with visible goals."""

ML: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "ML10": {
        "train": _names(
            "reach push pick-place door-open drawer-close button-press-topdown",
            "peg-insert-side window-open sweep basketball",
        ),
        "test": _names(
            "drawer-open door-close shelf-place sweep-into lever-pull",
        ),
    },
    "ML25": {
        "train": MT["MT25"],
        "test": _names(
            "basketball door-close shelf-place sweep button-press",
        ),
    },
    "ML45": {
        "train": _names(
            "assembly basketball button-press-topdown button-press-topdown-wall",
            "button-press button-press-wall coffee-button coffee-pull coffee-push",
            "dial-turn disassemble door-close door-open drawer-close drawer-open",
            "faucet-open faucet-close hammer handle-press-side handle-press",
            "handle-pull-side handle-pull lever-pull pick-place-wall pick-out-of-hole",
            "push-back pick-place plate-slide plate-slide-side plate-slide-back",
            "plate-slide-back-side peg-insert-side peg-unplug-side soccer stick-push",
            "stick-pull push-wall push reach-wall reach shelf-place sweep-into sweep",
            "window-open window-close",
        ),
        "test": _names(
            "bin-picking box-close hand-insert door-lock door-unlock",
        ),
    },
}
"""The tasks of both parts of each benchmark of meta learning."""
