"""The tasks of MiniGrid and BabyAI.

`manifest`: the family's description for the rest of the package; `tasks`: the ids. Programs import
`decode_mission`.
"""

from envpool_py.tasks.families.minigrid.missions import decode_mission

__all__ = ["decode_mission"]
