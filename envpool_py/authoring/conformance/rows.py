"""Checks of the rows that environments write, with `make(..., check_outputs=True)`."""

from __future__ import annotations

from typing import Any

from envpool_py.authoring.conformance.kit import NotApplicableError, check
from envpool_py.authoring.conformance.pools import make as make_pool
from envpool_py.authoring.conformance.values import Actions, assert_equal
from envpool_py.errors import MissingPackageError, RenderModeError
from envpool_py.tasks.spec import make_spec

__all__ = ["observations_infos_rewards", "pictures", "rows_of_recv"]

NUM_ENVS = 3
STEPS = 14
SHORT = 6  # longest episode, in steps


def make(task_id: str, **arguments: Any) -> Any:
    """Makes a pool of short episodes whose rows are checked."""
    arguments = {
        "num_envs": NUM_ENVS,
        "num_threads": 2,
        "max_episode_steps": SHORT,
        "seed": 4,
        "check_outputs": True,
        **arguments,
    }
    return make_pool(task_id, **arguments)


@check(every_id="long", mode=["NextStep", "SameStep", "Disabled"])
def observations_infos_rewards(task_id: str, mode: str) -> None:
    """Every element is written, in its dtype and bounds; a check changes no result."""
    with (
        make(task_id, autoreset_mode=mode) as pool,
        make(task_id, autoreset_mode=mode, check_outputs=False) as plain,
    ):
        assert_equal(pool.reset(), plain.reset(), "resets with and without check_outputs=True")
        for actions in Actions(task_id, STEPS, NUM_ENVS):
            result = pool.step(actions)
            assert_equal(result, plain.step(actions), "steps with and without check_outputs=True")
            ended = result[2] | result[3]
            if mode == "Disabled" and ended.any():
                options = {"reset_mask": ended}
                again, same = pool.reset(options=options), plain.reset(options=options)
                assert_equal(
                    again[0], same[0], "resets by mask with and without check_outputs=True"
                )


@check(every_id="long")
def rows_of_recv(task_id: str) -> None:
    """Rows that steps of `send` and `recv` write pass the same checks."""
    actions = Actions(task_id, STEPS, NUM_ENVS)
    with make(task_id, batch_size=2, autoreset_mode="SameStep") as pool:
        pool.async_reset()
        for step in range(STEPS):
            ids = pool.recv()[4]["env_id"]
            pool.send(actions[step, ids], ids)


@check(every_id="long")
def pictures(task_id: str) -> None:
    """Every pixel of a picture is drawn."""
    if make_spec(task_id).render is None:
        raise NotApplicableError("it does not render")
    try:
        with make(task_id, num_envs=1, render_mode="rgb_array") as pool:
            pool.reset()
            pool.step(Actions(task_id, 1, 1)[0])
            pool.render()
    except (MissingPackageError, RenderModeError) as error:
        raise NotApplicableError(f"nothing to draw with: {error}") from error
