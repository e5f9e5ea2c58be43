"""Checks of the rows of players, for tasks with players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.authoring.conformance.kit import NotApplicableError, check, expect
from envpool_py.authoring.conformance.pools import ByEnvironment
from envpool_py.authoring.conformance.results import assert_inside
from envpool_py.authoring.conformance.values import Actions, assert_layout, leaves
from envpool_py.tasks.make import make as make_pool
from envpool_py.tasks.spec import InfoSpec, TaskSpec, make_spec

__all__ = [
    "agrees_with_dm",
    "arrays_belong_to_the_caller",
    "ends_of_players",
    "rows_and_spaces",
    "rows_of_recv",
]

NUM_ENVS = 5
STEPS = 30
SHORT = 6  # longest episode, in steps


def make(task_id: str, **arguments: Any) -> Any:
    """Makes a pool of short episodes.

    Raises:
        NotApplicableError: the task has no players.
    """
    if make_spec(task_id).players is None:
        raise NotApplicableError("it has no players")
    arguments = {
        "num_envs": NUM_ENVS,
        "num_threads": 2,
        "max_episode_steps": SHORT,
        "seed": 6,
        **arguments,
    }
    return make_pool(task_id, **arguments)


class _Stepped(ByEnvironment):
    """Takes actions of all players, and keeps the pool's results unconverted."""

    def _converted(self, result: Any) -> Any:
        self._note(result[-1])
        return result


def _assert_infos(
    infos: Mapping[str, Any], fields: tuple[InfoSpec, ...], rows: int, where: str
) -> None:
    for field in fields:
        if field.name not in infos:
            expect("_" + field.name not in infos, f"{where} has the mask of {field.name!r} alone")
            continue
        value, mask = infos[field.name], infos["_" + field.name]
        expected = (np.dtype(field.dtype), (rows, *field.shape))
        expect(
            (value.dtype, value.shape) == expected,
            f"{where}[{field.name!r}]: expected {expected}, got {value.dtype} {value.shape}",
        )
        assert (mask.dtype, mask.shape) == (np.bool_, (rows,)), f"{where}[_{field.name}]: {mask!r}"
        assert mask.any(), f"{where}[{field.name!r}] is there, and no row has it"
        expect(
            not value[~mask].any(), f"{where}[{field.name!r}] is not zero where no player has it"
        )


def _assert_rows(spec: TaskSpec, observations: Any, infos: Mapping[str, Any]) -> int:
    """Asserts the form of a result of n environments; returns the number of player rows."""
    assert spec.players is not None
    env_id, players = infos["env_id"], infos["players"]
    rows = len(players["id"])
    for name in ("env_id", "id"):
        assert (players[name].dtype, players[name].shape) == (np.int32, (rows,)), name
    for name in ("terminated", "truncated"):
        assert (players[name].dtype, players[name].shape) == (np.bool_, (rows,)), name
    assert ((players["id"] >= 0) & (players["id"] < spec.players.max_players)).all()
    # Rows are sorted by the place of their environment in the batch, then by the player's id.
    place = {int(env): index for index, env in enumerate(env_id)}
    order = [
        (place[int(env)], int(player))
        for env, player in zip(players["env_id"], players["id"], strict=True)
    ]
    assert order == sorted(set(order)), f"rows of players are not in order: {order}"
    if not spec.players.vary:
        assert rows == len(env_id) * spec.players.max_players, f"{rows} rows of fixed players"
    assert_layout(spec.observation_space, observations, rows)
    assert_inside(spec.observation_space, observations)
    _assert_infos(players, spec.players.infos, rows, 'infos["players"]')
    _assert_infos(infos, spec.infos, len(env_id), "infos")
    _assert_masks(spec, players)
    return rows


def _assert_masks(spec: TaskSpec, players: Mapping[str, Any]) -> None:
    """Asserts that an action mask permits at least one action to each player that takes part."""
    mask = players.get("action_mask")
    number = getattr(spec.action_space, "n", None)
    if mask is None or number is None or mask.shape[1:] != (int(number),):
        return
    plays = ~(players["terminated"] | players["truncated"]) & players["_action_mask"]
    expect(mask[plays].any(axis=1).all(), 'infos["players"]["action_mask"] allows no action')


def _assert_step(spec: TaskSpec, result: tuple[Any, ...]) -> int:
    observations, rewards, terminated, truncated, infos = result
    rows = _assert_rows(spec, observations, infos)
    assert (rewards.dtype, rewards.shape) == (np.float64, (rows,)), f"rewards: {rewards!r}"
    expect(np.isfinite(rewards).all(), f"rewards: expected finite numbers, got {rewards}")
    for flags in (terminated, truncated):
        assert (flags.dtype, flags.shape) == (np.bool_, infos["env_id"].shape), f"flags: {flags!r}"
    return rows


@check(mode=["NextStep", "SameStep"])
def rows_and_spaces(task_id: str, mode: str) -> None:
    """Layout, order and bounds of the rows of players, over several episodes."""
    spec = make_spec(task_id)
    ends = 0
    with make(task_id, autoreset_mode=mode) as pool:
        assert pool.single_observation_space == spec.observation_space
        assert pool.single_action_space == spec.action_space
        stepped = _Stepped(pool)
        observations, infos = stepped.reset()
        _assert_rows(spec, observations, infos)
        for actions in Actions(task_id, STEPS, NUM_ENVS):
            result = stepped.step(actions)
            _assert_step(spec, result)
            np.testing.assert_array_equal(result[4]["env_id"], np.arange(NUM_ENVS))
            ended = result[2] | result[3]
            ends += int(ended.sum())
            if mode == "SameStep" and ended.any():
                _assert_final(spec, result, ended)
    expect(ends >= NUM_ENVS, f"only {ends} episodes ended, of at most {SHORT} steps each")


def _assert_final(spec: TaskSpec, result: tuple[Any, ...], ended: NDArray[Any]) -> None:
    assert spec.players is not None
    infos = result[4]
    np.testing.assert_array_equal(infos["_final_obs"], ended)
    players = infos["final_info"]["players"]
    of_ended = np.isin(players["env_id"], np.flatnonzero(ended))
    assert_layout(spec.observation_space, infos["final_obs"], len(of_ended))
    if spec.players.vary:
        assert of_ended.all(), "final rows of environments whose episodes did not end"
    else:
        assert len(of_ended) == len(result[1])
        for place, leaf in leaves(infos["final_obs"]).items():
            assert not leaf[~of_ended].any(), f"final_obs{place} is not zero where none ended"
    over = players["terminated"] | players["truncated"]
    expect(over[of_ended].all(), "a player has not ended with its episode")


@check()
def ends_of_players(task_id: str) -> None:
    """Players end with their episode at the latest, and a reset has no rewards and no ends."""
    with make(task_id) as pool:
        stepped = _Stepped(pool)
        _, infos = stepped.reset()
        for actions in Actions(task_id, STEPS, NUM_ENVS):
            _, rewards, terminated, truncated, infos = stepped.step(actions)
            players = infos["players"]
            fresh = infos["elapsed_step"] == 0
            over = players["terminated"] | players["truncated"]
            for row, who in enumerate(zip(players["env_id"], players["id"], strict=True)):
                env = int(who[0])
                if fresh[env]:
                    assert not over[row], f"player {who} has ended in a reset"
                    assert rewards[row] == 0.0, f"player {who} has a reward in a reset"
                elif terminated[env] or truncated[env]:
                    assert over[row], f"player {who} has not ended with its episode"


@check()
def rows_of_recv(task_id: str) -> None:
    """Results of `recv` have the form of those of `step`."""
    spec = make_spec(task_id)
    actions = Actions(task_id, STEPS, NUM_ENVS)
    with make(task_id, batch_size=2) as pool:
        stepped = _Stepped(pool)
        pool.async_reset()
        for step in range(STEPS):
            result = stepped.recv()
            _assert_step(spec, result)
            ids = result[4]["env_id"]
            stepped.send(actions[step, ids], ids)


@check()
def arrays_belong_to_the_caller(task_id: str) -> None:
    """Arrays of players are writable, aligned, and never written again.

    Batches share the array of names, which is read-only.
    """
    with make(task_id) as pool:
        stepped = _Stepped(pool)
        held: list[tuple[NDArray[Any], NDArray[Any]]] = []
        stepped.reset()
        for actions in Actions(task_id, STEPS, NUM_ENVS):
            observations, rewards, _, _, infos = stepped.step(actions)
            players = {name: part for name, part in infos["players"].items() if name != "name"}
            for part in (observations, rewards, players):
                for array in leaves(part).values():
                    assert array.flags.writeable
                    assert array.flags.c_contiguous
                    assert array.ctypes.data % 64 == 0
                    held.append((array, array.copy()))
        for array, copy in held:
            np.testing.assert_array_equal(array, copy)


@check()
def agrees_with_dm(task_id: str) -> None:
    """Both APIs give the same rows of players."""
    with make(task_id) as pool, make(task_id, env_type="dm") as dm_pool:
        stepped = _Stepped(pool)
        stepped.reset()
        dm_pool.reset()
        for actions in Actions(task_id, STEPS, NUM_ENVS):
            rows = stepped._rows(actions, None)
            result, step = stepped.step(actions), dm_pool.step(rows)
            players = result[4]["players"]
            np.testing.assert_array_equal(step.reward, result[1])
            np.testing.assert_array_equal(step.observation.players.id, players["id"])
            np.testing.assert_array_equal(step.discount, np.where(players["terminated"], 0.0, 1.0))
            ours, theirs = leaves(result[0]), leaves(step.observation.obs)
            for place, leaf in ours.items():
                np.testing.assert_array_equal(leaf, theirs[place])
