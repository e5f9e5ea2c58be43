"""The tasks of MiniGrid and BabyAI: their manifest, ids and missions."""

from envpool_py.tasks.families.minigrid.missions import decode_mission

__all__ = ["decode_mission"]
