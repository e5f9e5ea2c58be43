"""The manifest of the DeepMind Control Suite: see `envpool_py.tasks.manifest`.

The ids are EnvPool's: domain and task in one word, with version 1. The ids of Shimmy, which wraps
the suite for Gymnasium, are aliases.
"""

from __future__ import annotations

from envpool_py.tasks.families.dm_control.tasks import TASKS
from envpool_py.tasks.manifest import Family

__all__ = ["FAMILY"]

_SUITE = {
    "acrobot": "swingup swingup_sparse",
    "ball_in_cup": "catch",
    "cartpole": "balance balance_sparse swingup swingup_sparse two_poles three_poles",
    "cheetah": "run",
    "dog": "stand walk trot run fetch",
    "finger": "spin turn_easy turn_hard",
    "fish": "upright swim",
    "hopper": "stand hop",
    "humanoid": "stand walk run run_pure_state",
    "humanoid_CMU": "stand walk run",
    "lqr": "lqr_2_1 lqr_6_2",
    "manipulator": "bring_ball bring_peg insert_ball insert_peg",
    "pendulum": "swingup",
    "point_mass": "easy hard",
    "quadruped": "walk run escape fetch",
    "reacher": "easy hard",
    "stacker": "stack_2 stack_4",
    "swimmer": "swimmer6 swimmer15",
    "walker": "stand walk run",
}


def _canonical_id(domain: str, task: str) -> str:
    words = f"{domain}_{task}".split("_")
    return "".join(word if word == "CMU" else word.capitalize() for word in words) + "-v1"


FAMILY = Family(
    name="DeepMind Control Suite",
    tasks=TASKS,
    page="dm-control.md",
    module="envpool_py.tasks.families.dm_control.family",
    extra="dm-control",
    needs=("mujoco", "dm_control"),
    # A light task, one with contacts, one that terminates, one that writes into its model.
    representatives=frozenset(
        {"CartpoleSwingup-v1", "CheetahRun-v1", "LqrLqr21-v1", "ReacherEasy-v1"}
    ),
    aliases={
        f"dm_control/{domain}-{task}-v0": _canonical_id(domain, task)
        for domain, tasks in _SUITE.items()
        for task in tasks.split()
    },
    substitutes={
        "physics": "observations have positions and velocities; `save_states` and `load_states` of "
        "a pool (envpool_py.make) keep and set whole states",
    },
    compat_exclusion=(
        "EnvPool draws other numbers from the same seed and observes arrays that these tasks do "
        "not have, so programs written for its tasks would not do the same"
    ),
)
