"""Rollouts: the steps of a pool, in arrays that are allocated once and filled in place.

Imported by programs, `torch`, `ray` and `integrations`.

    from envpool_py.rollout import Rollout

    rollout = Rollout(envs, 128)
    for t in rollout:
        actions, log_probs, values = policy(rollout.obs)
        rollout.act(actions, log_probs=log_probs, values=values)
    advantages, returns = rollout.gae(value_of, gamma=0.99, lam=0.95)

`Rollout` is for environments that are stepped together, `FirstReadyRollout` for a pool with
`batch_size < num_envs`. `Collector` fills one rollout while the program learns from another. The
functions `gae` and `vtrace` may be used with any arrays.
"""

from envpool_py.rollout.collector import Collector, make_rollouts
from envpool_py.rollout.first_ready import FirstReadyRollout
from envpool_py.rollout.returns import gae, vtrace
from envpool_py.rollout.rollout import Rollout

__all__ = ["Collector", "FirstReadyRollout", "Rollout", "gae", "make_rollouts", "vtrace"]
