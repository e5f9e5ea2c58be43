"""Actors fill fragments in place; the contents equal those of rollouts in the learner's process."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import InputError, InputTypeError, OptionError
from envpool_py.pool.trees import leaves
from envpool_py.ray.fleet import ActorSpec, Fragment, PoolActor, Spaces, join
from envpool_py.ray.fleet.messages import Header, Payload
from envpool_py.ray.fleet.seeds import SeedKey, seeds_of
from envpool_py.rollout import Rollout

ENTROPY = SeedKey(3, 0, 1, 0)
N, T = 5, 40


class Noise:
    """A policy of random actions that depend only on the weights."""

    def __init__(self, spaces: Spaces) -> None:
        self._space = spaces.single_action_space
        self._random = np.random.default_rng(0)
        self.seen: list[Any] = []

    def set_weights(self, weights: Any) -> None:
        self.seen.append(weights)
        self._random = np.random.default_rng(weights)

    def act(self, observations: Any) -> tuple[Any, Mapping[str, Any]]:
        rows = len(next(leaves(observations))[1])
        space: Any = self._space
        if hasattr(space, "n"):
            actions = self._random.integers(space.n, size=rows)
        else:
            actions = self._random.uniform(-1, 1, (rows, *space.shape)).astype(space.dtype)
        return actions, {"log_probs": self._random.random(rows, np.float32)}


def spec_of(task: str, **settings: Any) -> ActorSpec:
    return ActorSpec(task, N, T, Noise, settings=settings)


def value_of(observations: Any) -> Any:
    return observations.reshape(len(observations), -1).sum(-1)


def copied(payload: Payload) -> Payload:
    """Copies a payload, as a transport does."""
    block = payload.block.copy()
    block.flags.writeable = False
    return copy.deepcopy(payload)._replace(block=block)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("limit", [None, 7])
def test_a_fragment_is_the_rollout_of_the_same_pool(mode: str, limit: int | None) -> None:
    settings = {"autoreset_mode": mode, "max_episode_steps": limit}
    spec = spec_of("CartPole-v1", **settings)
    actor = PoolActor()
    info = actor.prepare(spec, ENTROPY)
    policy = Noise(spec.spaces())
    policy.set_weights(17)
    seeds = seeds_of(ENTROPY, N)
    with envpool_py.make(
        "CartPole-v1", num_envs=N, seed=seeds, record_episode_statistics=True, **settings
    ) as envs:
        rollout = Rollout(envs, T, columns={"log_probs": ()})
        for sequence in range(3):
            header, payload = actor.fill(1, 17)
            fragment = Fragment(header, info.layout, copied(payload), 0, "numpy")
            for _ in rollout:
                actions, columns = policy.act(rollout.obs)
                rollout.act(actions, **columns)
            ours, theirs = fragment.flat(), rollout.flat()
            assert list(ours) == list(theirs)
            for name in ours:
                assert np.array_equal(ours[name], theirs[name]), name
                assert not ours[name].flags.writeable
            assert np.array_equal(fragment.observations, rollout.observations)
            assert np.array_equal(fragment.final_steps, rollout.final_steps)
            assert np.array_equal(fragment.final_observations, rollout.final_observations)
            values = value_of(theirs["observations"]).reshape(T, N)
            given = (value_of, rollout.columns["log_probs"], values)
            for own, other in zip(
                fragment.vtrace(*given, gamma=0.9), rollout.vtrace(*given, gamma=0.9), strict=True
            ):
                assert np.array_equal(own, other)
            expected = Header(
                actor=1,
                incarnation=0,
                sequence=sequence,
                version=1,
                steps=int(rollout.valid.sum()),
                seconds=header.seconds,
                nbytes=payload.block.nbytes,
                episode_returns=rollout.episode_returns,
                episode_lengths=rollout.episode_lengths,
            )
            assert header == expected
            if limit is not None and mode != "NextStep":
                assert len(fragment.final_steps) > 0
    actor.close()


@pytest.mark.parametrize("task", ["CartPole-v1", "Pendulum-v1", "Blackjack-v1"])
def test_all_arrays_are_in_one_block(task: str) -> None:
    """Blackjack covers a tree of observations."""
    actor = PoolActor()
    info = actor.prepare(spec_of(task), ENTROPY)
    header, payload = actor.fill(1, 0)
    arrays = info.layout.arrays(payload.block)
    size = 0
    for _, leaf in leaves(arrays):
        begin = leaf.ctypes.data - payload.block.ctypes.data
        assert 0 <= begin <= begin + leaf.nbytes <= payload.block.nbytes
        assert leaf.ctypes.data % 64 == 0
        size += leaf.nbytes
    count = sum(1 for _ in leaves(arrays))
    assert size <= header.nbytes < size + 64 * count
    # The environments write into the block: the rollout's arrays are not copied.
    begin = actor._rollout._host_rewards.ctypes.data - payload.block.ctypes.data
    assert 0 <= begin < payload.block.nbytes
    actor.close()


def test_weights_are_set_when_they_are_other_ones() -> None:
    actor = PoolActor()
    actor.prepare(spec_of("CartPole-v1"), ENTROPY)
    for version in (1, 1, 2, 2, 5):
        actor.fill(version, version)
    policy: Any = actor._policy
    assert policy.seen == [1, 2, 5]
    actor.close()


def test_a_failed_fragment_is_not_counted() -> None:
    spec = spec_of("CartPole-v1")
    actor = PoolActor()
    actor.prepare(spec, ENTROPY)
    policy: Any = actor._policy
    act, policy.act = policy.act, lambda _: (np.full(N, 9), {})
    with pytest.raises(InputError):
        actor.fill(1, 0)
    policy.act = act
    assert actor.fill(1, 0)[0].sequence == 0
    assert actor.fill(1, 0)[0].sequence == 1
    actor.close()


def test_an_actor_uses_the_processors_that_it_is_given() -> None:
    before = os.sched_getaffinity(0)
    one = [min(before)]
    try:
        actor = PoolActor()
        info = actor.prepare(spec_of("CartPole-v1"), ENTROPY, one, 1)
        assert info.processors == one
        assert info.pid == os.getpid()
        assert actor._envs.config["num_threads"] == 1
        actor.close()
    finally:
        os.sched_setaffinity(0, before)


def test_every_pool_has_other_seeds() -> None:
    seen: set[int] = set()
    count = 0
    for seed_key in (
        SeedKey(s, e, a, i) for s in (0, 1) for e in (0, 1) for a in (0, 1, 7) for i in (0, 3)
    ):
        seeds = seeds_of(seed_key, 100)
        assert seeds == seeds_of(seed_key, 100)
        assert all(0 <= seed < 2**64 for seed in seeds)
        seen.update(seeds)
        count += 100
    assert len(seen) == count
    assert all(0 <= seed < 2**32 for seed in seeds_of(ENTROPY, 100, bits=32))


def test_tasks_whose_seeds_have_32_bits() -> None:
    pytest.importorskip("dm_control")
    actor = PoolActor()
    actor.prepare(spec_of("CartpoleBalance-v1"), ENTROPY)
    assert actor.fill(1, 0)[0].steps == N * T
    actor.close()


def test_fragments_side_by_side() -> None:
    spec = spec_of("CartPole-v1", autoreset_mode="SameStep", max_episode_steps=9)
    fragments = []
    for number in range(3):
        actor = PoolActor()
        info = actor.prepare(spec, ENTROPY._replace(actor=number))
        header, payload = actor.fill(1, number)
        fragments.append(Fragment(header, info.layout, copied(payload), 0, "numpy"))
        actor.close()
    both = join(fragments)
    assert both.num_envs == 3 * N
    assert both.observations.shape == (T + 1, 3 * N, 4)
    zeros = np.zeros((T, 3 * N), np.float32)
    values = value_of(both.flat()["observations"]).reshape(T, 3 * N)
    targets, _ = both.vtrace(value_of, zeros, values, gamma=0.9)
    for number, fragment in enumerate(fragments):
        columns = slice(number * N, (number + 1) * N)
        assert np.array_equal(both.actions[:, columns], fragment.actions)
        own, _ = fragment.vtrace(value_of, zeros[:, columns], values[:, columns], gamma=0.9)
        assert np.array_equal(targets[:, columns], own)
    with pytest.raises(InputError, match="at least one"):
        join([])


def test_tensors() -> None:
    torch = pytest.importorskip("torch")
    actor = PoolActor()
    info = actor.prepare(spec_of("CartPole-v1"), ENTROPY)
    header, payload = actor.fill(1, 0)
    fragment = Fragment(header, info.layout, copied(payload), 0, "torch")
    assert isinstance(fragment.observations, torch.Tensor)
    assert np.array_equal(fragment.observations.numpy(), actor._rollout.observations)
    values = value_of(fragment.flat()["observations"]).reshape(T, N)
    given = (value_of, torch.zeros(T, N), values)
    targets, advantages = fragment.vtrace(*given, gamma=0.9)
    expected = actor._rollout.vtrace(value_of, np.zeros((T, N)), values.numpy(), gamma=0.9)
    assert np.allclose(targets, expected[0], atol=1e-5)
    assert np.allclose(advantages, expected[1], atol=1e-5)
    actor.close()


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"num_envs": 0}, InputError, "num_envs: expected at least 1, got 0"),
        ({"num_envs": "2"}, InputTypeError, "num_envs: expected an integer, got '2'"),
        ({"length": 0}, InputError, "length: expected at least 1, got 0"),
        ({"policy": 3}, InputTypeError, "policy: expected a callable, got 3"),
        ({"settings": {"seed": 3}}, InputError, "settings: 'seed' is not a setting"),
    ],
)
def test_specs_are_checked(arguments: Any, kind: type[Exception], message: str) -> None:
    given = {"task": "CartPole-v1", "num_envs": 2, "length": 3, "policy": Noise, **arguments}
    with pytest.raises(kind, match=message):
        ActorSpec(**given)


def test_options_are_checked_where_the_pool_is_made() -> None:
    with pytest.raises(OptionError):
        PoolActor().prepare(spec_of("CartPole-v1", no_such_option=3), ENTROPY)


def test_neither_the_package_nor_fleets_need_ray() -> None:
    modules = "envpool_py, envpool_py.ray.fleet, envpool_py.cli"
    code = f"import {modules}, sys; assert not {{'ray', 'torch'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
