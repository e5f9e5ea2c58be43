"""The ids of the Atari tasks, known without the extension module, which takes a while to load.

Two for each game: `Pong-v5` gives frames ready for learning, with EnvPool's options; `ALE/Pong-v5`
is the environment that ale-py registers with Gymnasium under this id.
"""

from __future__ import annotations

__all__ = ["GAMES", "LIMITS", "game_of"]

# All that ale-py registers, as it spells their ROMs; `_atari.games()` gives the same.
# fmt: off
GAMES = (
    "adventure", "air_raid", "alien", "amidar", "assault", "asterix", "asteroids", "atlantis",
    "atlantis2", "backgammon", "bank_heist", "basic_math", "battle_zone", "beam_rider",
    "berzerk", "blackjack", "bowling", "boxing", "breakout", "carnival", "casino", "centipede",
    "chopper_command", "crazy_climber", "crossbow", "darkchambers", "defender", "demon_attack",
    "donkey_kong", "double_dunk", "earthworld", "elevator_action", "enduro", "entombed", "et",
    "fishing_derby", "flag_capture", "freeway", "frogger", "frostbite", "galaxian", "gopher",
    "gravitar", "hangman", "haunted_house", "hero", "human_cannonball", "ice_hockey",
    "jamesbond", "journey_escape", "kaboom", "kangaroo", "keystone_kapers", "king_kong", "klax",
    "koolaid", "krull", "kung_fu_master", "laser_gates", "lost_luggage", "mario_bros",
    "miniature_golf", "montezuma_revenge", "mr_do", "ms_pacman", "name_this_game", "othello",
    "pacman", "phoenix", "pitfall", "pitfall2", "pong", "pooyan", "private_eye", "qbert",
    "riverraid", "road_runner", "robotank", "seaquest", "sir_lancelot", "skiing", "solaris",
    "space_invaders", "space_war", "star_gunner", "superman", "surround", "tennis", "tetris",
    "tic_tac_toe_3d", "time_pilot", "trondead", "turmoil", "tutankham", "up_n_down", "venture",
    "video_checkers", "video_chess", "video_cube", "video_pinball", "wizard_of_wor",
    "word_zapper", "yars_revenge", "zaxxon",
)
# fmt: on

_STEPS = 27_000  # half an hour of play at four frames a step

# The longest episode of every task, in steps; None: no limit beyond the console's own.
LIMITS: dict[str, int | None] = {
    f"{prefix}{game.title().replace('_', '')}-v5": limit
    for game in GAMES
    for prefix, limit in (("", _STEPS), ("ALE/", None))
}

_GAMES_BY_NAME = {game.title().replace("_", ""): game for game in GAMES}


def game_of(task_id: str) -> str:
    """Returns the game, one of `GAMES`, that the task of `LIMITS` plays."""
    return _GAMES_BY_NAME[task_id.removeprefix("ALE/").removesuffix("-v5")]
