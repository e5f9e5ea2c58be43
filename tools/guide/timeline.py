"""The timelines of docs/autoreset.md: two environments around the end of an episode.

The content comes from a pool when `python -m tools.guide` runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import envpool_py

# On the frozen lake without slipping, environment 0 goes down and then right, so that its second
# step leads into a hole. Environment 1 always goes right.
_DOWN, _RIGHT = 1, 2
_ACTIONS = ([_DOWN, _RIGHT], [_RIGHT, _RIGHT], [_DOWN, _RIGHT], [_DOWN, _RIGHT])


def timeline(mode: str) -> str:
    """Returns a Markdown table for an autoreset mode, with a row per call."""
    lines = [
        "| call | actions | observations | rewards | terminated | elapsed_step | more |\n",
        "|---|---|---|---|---|---|---|\n",
    ]
    with envpool_py.make(
        "FrozenLake-v1",
        num_envs=2,
        autoreset_mode=mode,
        is_slippery=False,
        reward_schedule=(1.0, -1.0, 0.0),
    ) as envs:
        observations, infos = envs.reset(seed=0)
        lines.append(_line("reset()", "", observations, None, None, infos))
        ended = np.zeros(2, bool)
        for number, actions in enumerate(_ACTIONS, 1):
            if mode == "Disabled" and ended.any():
                observations, infos = envs.reset(options={"reset_mask": ended})
                mask = f"reset_mask={_list(ended)}"
                lines.append(_line(f"reset({mask})", "", observations, None, None, infos))
            observations, rewards, ended, _, infos = envs.step(np.array(actions))
            lines.append(
                _line(f"step {number}", _list(actions), observations, rewards, ended, infos)
            )
    return "".join(lines)


def _line(
    call: str, actions: str, observations: Any, rewards: Any, ended: Any, infos: dict[str, Any]
) -> str:
    more = ""
    if "final_obs" in infos:
        more = f"`final_obs` {_list(infos['final_obs'])}, `_final_obs` {_list(infos['_final_obs'])}"
    cells = [
        call,
        actions,
        _list(observations),
        "" if rewards is None else _list(rewards),
        "" if ended is None else _list(ended),
        _list(infos["elapsed_step"]),
        more,
    ]
    return f"| {' | '.join(cells)} |\n"


def _list(values: Any) -> str:
    return "[" + ", ".join(_text(value) for value in np.asarray(values).tolist()) + "]"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "True" if value else "False"
    return f"{value:g}"
