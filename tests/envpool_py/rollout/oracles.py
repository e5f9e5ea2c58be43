"""GAE and V-trace by definition: per environment, with one explicit sum for each step."""

from __future__ import annotations

from typing import Any

import numpy as np


def episodes_of(terminated: Any, truncated: Any, valid: Any) -> list[list[int]]:
    """Returns the valid steps of one environment, split at the ends of episodes."""
    episodes: list[list[int]] = [[]]
    for t in range(len(terminated)):
        if not valid[t]:
            episodes.append([])
            continue
        episodes[-1].append(t)
        if terminated[t] or truncated[t]:
            episodes.append([])
    return [episode for episode in episodes if episode]


def columns(rng: Any, steps: int, envs: int, dtype: Any = np.float64) -> dict[str, Any]:
    """Returns random columns with ends of episodes and rows that are not steps (`valid` False)."""
    terminated = rng.random((steps, envs)) < 0.15
    truncated = rng.random((steps, envs)) < 0.15
    values = rng.normal(size=(steps, envs)).astype(dtype)
    # Within an episode, the next value is the value of the next row.
    next_values = rng.normal(size=(steps, envs)).astype(dtype)
    goes_on = ~(terminated | truncated)[:-1]
    next_values[:-1][goes_on] = values[1:][goes_on]
    # As in NextStep mode, some ends are followed by a row that is not a step.
    valid = np.ones((steps, envs), bool)
    valid[1:] = ~((terminated | truncated)[:-1] & (rng.random((steps - 1, envs)) < 0.5))
    terminated &= valid
    truncated &= valid
    return {
        "rewards": rng.normal(size=(steps, envs)).astype(dtype),
        "values": values,
        "next_values": next_values,
        "terminated": terminated,
        "truncated": truncated,
        "valid": valid,
    }


def gae(c: dict[str, Any], gamma: float, lam: float) -> np.ndarray:
    """Returns the sums of (gamma * lam)^l * delta[t + l] over the rest of the episode."""
    result = np.zeros(c["rewards"].shape)
    for env in range(result.shape[1]):
        col = {name: column[:, env] for name, column in c.items()}
        for episode in episodes_of(col["terminated"], col["truncated"], col["valid"]):
            for at, t in enumerate(episode):
                for power, later in enumerate(episode[at:]):
                    bootstrap = 0.0 if col["terminated"][later] else col["next_values"][later]
                    delta = col["rewards"][later] + gamma * bootstrap - col["values"][later]
                    result[t, env] += (gamma * lam) ** power * delta
    return result


def vtrace(
    c: dict[str, Any], log_ratios: Any, gamma: float, lam: float, clips: tuple[float, float, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the paper's equation 1, and the advantage of the policy gradient below it."""
    clip_rho, clip_c, clip_policy = clips
    targets = np.array(c["values"], np.float64)
    advantages = np.zeros(targets.shape)
    for env in range(targets.shape[1]):
        col = {name: column[:, env] for name, column in c.items()}
        ratios = np.exp(log_ratios[:, env])
        for episode in episodes_of(col["terminated"], col["truncated"], col["valid"]):
            for at, t in enumerate(episode):
                for place in range(at, len(episode)):
                    later = episode[place]
                    bootstrap = 0.0 if col["terminated"][later] else col["next_values"][later]
                    delta = min(clip_rho, ratios[later]) * (
                        col["rewards"][later] + gamma * bootstrap - col["values"][later]
                    )
                    trace = np.prod([lam * min(clip_c, ratios[i]) for i in episode[at:place]])
                    targets[t, env] += gamma ** (place - at) * trace * delta
            for at, t in enumerate(episode):
                if col["terminated"][t]:
                    following = 0.0
                elif col["truncated"][t] or at + 1 == len(episode):
                    following = col["next_values"][t]
                else:
                    following = targets[episode[at + 1], env]
                advantages[t, env] = min(clip_policy, ratios[t]) * (
                    col["rewards"][t] + gamma * following - col["values"][t]
                )
    return targets, advantages
