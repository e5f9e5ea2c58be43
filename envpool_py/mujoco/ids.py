"""The ids of the MuJoCo tasks, known without the extension module and without MuJoCo.

They are those that Gymnasium registers and can make with this MuJoCo: its Pusher-v4 cannot.
"""

from __future__ import annotations

__all__ = ["LIMITS", "REWARD_THRESHOLDS"]

# Per task: the versions, the longest episode in steps, and the return at which it counts as solved.
_TASKS: dict[str, tuple[tuple[int, ...], int, float | None]] = {
    "Ant": ((4, 5), 1000, 6000.0),
    "HalfCheetah": ((4, 5), 1000, 4800.0),
    "Hopper": ((4, 5), 1000, 3800.0),
    "Humanoid": ((4, 5), 1000, None),
    "HumanoidStandup": ((4, 5), 1000, None),
    "InvertedDoublePendulum": ((4, 5), 1000, 9100.0),
    "InvertedPendulum": ((4, 5), 1000, 950.0),
    "Pusher": ((5,), 100, 0.0),
    "Reacher": ((4, 5), 50, -3.75),
    "Swimmer": ((4, 5), 1000, 360.0),
    "Walker2d": ((4, 5), 1000, None),
}

LIMITS: dict[str, int | None] = {
    f"{name}-v{version}": limit
    for name, (versions, limit, _) in _TASKS.items()
    for version in versions
}

REWARD_THRESHOLDS: dict[str, float] = {
    f"{name}-v{version}": threshold
    for name, (versions, _, threshold) in _TASKS.items()
    for version in versions
    if threshold is not None
}
