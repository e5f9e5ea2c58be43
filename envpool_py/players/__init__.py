"""Tasks with several players (docs/several-players.md).

`rows` arranges rows of players, `as_envs` makes an environment of each player, and `pettingzoo` has
PettingZoo's parallel API. Imported by programs, rollouts and adapters.
"""

from envpool_py.players.as_envs import PlayersAsEnvs
from envpool_py.players.rows import PlayerRows, by_player, present_mask, to_rows

__all__ = ["PlayerRows", "PlayersAsEnvs", "by_player", "present_mask", "to_rows"]
