"""The manifest of the MPE2 scenarios: see `envpool_py.tasks.manifest`.

MPE2's own names of the scenarios are aliases: "simple_spread_v3" and "mpe/simple_spread_v3".
"""

from __future__ import annotations

from envpool_py.tasks.families.mpe.tasks import TASKS
from envpool_py.tasks.manifest import Family

__all__ = ["FAMILY"]

_PAINTERS = "envpool_py.tasks.families.mpe.painters"

# Our ids, by MPE2's names.
_IDS = {
    "collect_treasure_v1": "MPE-CollectTreasure-v1",
    "simple_adversary_v3": "MPE-SimpleAdversary-v3",
    "simple_crypto_v3": "MPE-SimpleCrypto-v3",
    "simple_formation_v1": "MPE-SimpleFormation-v1",
    "simple_line_v1": "MPE-SimpleLine-v1",
    "simple_push_v3": "MPE-SimplePush-v3",
    "simple_reference_v3": "MPE-SimpleReference-v3",
    "simple_speaker_listener_v4": "MPE-SimpleSpeakerListener-v4",
    "simple_spread_v3": "MPE-SimpleSpread-v3",
    "simple_tag_v3": "MPE-SimpleTag-v3",
    "simple_v3": "MPE-Simple-v3",
    "simple_world_comm_v3": "MPE-SimpleWorldComm-v3",
}

FAMILY = Family(
    name="MPE2",
    tasks=TASKS,
    page="mpe.md",
    painters={
        "MPE-CollectTreasure": f"{_PAINTERS}:CollectTreasurePainter",
        "MPE-Simple": f"{_PAINTERS}:SimplePainter",
        "MPE-SimpleAdversary": f"{_PAINTERS}:AdversaryPainter",
        "MPE-SimpleCrypto": f"{_PAINTERS}:CryptoPainter",
        "MPE-SimpleFormation": f"{_PAINTERS}:FormationPainter",
        "MPE-SimpleLine": f"{_PAINTERS}:LinePainter",
        "MPE-SimplePush": f"{_PAINTERS}:PushPainter",
        "MPE-SimpleReference": f"{_PAINTERS}:ReferenceScenarioPainter",
        "MPE-SimpleSpeakerListener": f"{_PAINTERS}:SpeakerListenerPainter",
        "MPE-SimpleSpread": f"{_PAINTERS}:SpreadPainter",
        "MPE-SimpleTag": f"{_PAINTERS}:TagPainter",
        "MPE-SimpleWorldComm": f"{_PAINTERS}:WorldCommPainter",
    },
    aliases={**_IDS, **{f"mpe/{name}": task_id for name, task_id in _IDS.items()}},
    representatives=frozenset(
        {
            "MPE-CollectTreasure-v1",
            "MPE-SimpleLine-v1",
            "MPE-SimpleSpread-v3",
            "MPE-SimpleWorldComm-v3",
        }
    ),
    noun="scenarios",
    compat_exclusion="they are not among EnvPool's tasks",
)
