"""The tasks of MiniGrid and BabyAI: their manifest, ids and missions."""

from envpool_py.minigrid.missions import decode_mission

__all__ = ["decode_mission"]
