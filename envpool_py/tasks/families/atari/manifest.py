"""The manifest of the Atari games: see `envpool_py.tasks.manifest`.

Two ids for each game: `Pong-v5` gives frames ready for learning, with EnvPool's options;
`ALE/Pong-v5` is the environment that ale-py registers with Gymnasium under this id.
"""

from __future__ import annotations

from envpool_py.tasks.families.atari.tasks import TASKS
from envpool_py.tasks.manifest import WHOLE_STATES, Family

__all__ = ["FAMILY"]

FAMILY = Family(
    name="Atari",
    tasks=TASKS,
    page="atari.md",
    noun="games",
    module="envpool_py.tasks.families.atari.family",
    extra="atari",
    needs=("ale_py",),
    controls="envpool_py.tasks.families.atari.controls:controls_of",
    methods={"get_action_meanings": "envpool_py.tasks.families.atari.controls:action_meanings"},
    attributes={
        "ale": "envpool_py.tasks.families.atari.attributes:Ale",
        "_frameskip": "envpool_py.tasks.families.atari.attributes:frame_skip",
    },
    substitutes={
        "clone_state": WHOLE_STATES,
        "restore_state": WHOLE_STATES,
        "get_keys_to_action": "`envpool-py play` has the keys, and get_action_meanings() names "
        "the actions",
        "_action_set": "get_action_meanings() names the actions of the action space in order",
        "_game": "the id has the name of the game",
        "_obs_type": "obs_type is the option",
    },
    earlier_ids="envpool_py.tasks.families.atari.earlier_ids:advice",
    bench_case="envpool_py.cli.bench.atari:case_of",
    # All games are played by the same two classes.
    representatives=frozenset({"ALE/Breakout-v5", "Breakout-v5"}),
)
