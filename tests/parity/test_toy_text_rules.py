"""Catch and NChain: compares ours with their rules in plain Python, and the rules with EnvPool.

EnvPool draws other random numbers, so the comparison takes its draws from its results: the ball's
first column, and whether an action slipped. CliffWalking-v0 draws no numbers and is compared
directly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import OptionError

pytestmark = pytest.mark.numbers

NUM_ENVS = 16


class Catch:
    """A falling ball and a paddle below it. The methods return the board."""

    def __init__(self, height: int, width: int) -> None:
        self.height, self.width = height, width

    def reset(self, column: int) -> np.ndarray:
        self.row, self.column, self.paddle = 0, column, self.width // 2
        return self.board()

    def step(self, action: int) -> tuple[np.ndarray, float, bool]:
        """Action 0: left, 1: stay, 2: right. Returns board, reward and whether the ball is down."""
        if action == 0 and self.paddle > 0:
            self.paddle -= 1
        if action == 2 and self.paddle < self.width - 1:
            self.paddle += 1
        self.row += 1
        down = self.row == self.height - 1
        reward = 0.0
        if down:
            reward = 1.0 if self.paddle == self.column else -1.0
        return self.board(), reward, down

    def board(self) -> np.ndarray:
        board = np.zeros((self.height, self.width), np.float32)
        board[self.row, self.column] = 1.0
        board[-1, self.paddle] = 1.0
        return board


class NChain:
    """A chain of states, with rewards for reaching its end and for returning to its start."""

    def __init__(
        self, n: int = 5, slip: float = 0.2, small: float = 2.0, large: float = 10.0
    ) -> None:
        self.last, self.slip, self.small, self.large = n - 1, slip, small, large
        self.state = 0

    def step(self, action: int, slips: bool) -> tuple[int, float]:
        """Action 0: forward, 1: back, swapped if it slips. Returns the state and the reward."""
        if slips:
            action = 1 - action
        if action == 1:
            self.state = 0
            return 0, self.small
        if self.state == self.last:
            return self.state, self.large
        self.state += 1
        return self.state, 0.0


@pytest.mark.parametrize(
    "options", [{}, {"height": 2, "width": 1}, {"height": 7, "width": 6}, {"width": 40}], ids=str
)
def test_catch(options: dict[str, Any]) -> None:
    height, width = options.get("height", 10), options.get("width", 5)
    with envpool_py.make("Catch-v0", num_envs=NUM_ENVS, seed=3, **options) as pool:
        generators = [np.random.default_rng(3 + env) for env in range(NUM_ENVS)]
        oracles = [Catch(height, width) for _ in range(NUM_ENVS)]

        def boards() -> list[np.ndarray]:
            starts = [int(generator.integers(width)) for generator in generators]
            return [oracle.reset(start) for oracle, start in zip(oracles, starts, strict=True)]

        observations, _ = pool.reset()
        np.testing.assert_array_equal(observations, boards())
        caught = []
        for actions in np.random.default_rng(0).integers(3, size=(60 * height, NUM_ENVS)):
            observations, rewards, terminated, truncated, _ = pool.step(actions)
            if oracles[0].row == height - 1:  # all episodes have the same length
                np.testing.assert_array_equal(observations, boards())
                assert not rewards.any()
                assert not terminated.any()
                continue
            steps = [oracle.step(int(each)) for oracle, each in zip(oracles, actions, strict=True)]
            np.testing.assert_array_equal(observations, [step[0] for step in steps])
            np.testing.assert_array_equal(rewards, [step[1] for step in steps])
            np.testing.assert_array_equal(terminated, [step[2] for step in steps])
            assert not truncated.any()
            caught.extend(rewards[terminated])
        assert len(caught) >= 50 * NUM_ENVS
        assert set(caught) == ({1.0} if width == 1 else {1.0, -1.0})


@pytest.mark.parametrize("task_id", ["NChain-v0", "NChain-v1"])
@pytest.mark.parametrize(
    "options",
    [{}, {"n": 1}, {"n": 3, "slip": 0.5, "small": -1, "large": 0.25}, {"slip": 0}, {"slip": 1.0}],
    ids=str,
)
def test_nchain(task_id: str, options: dict[str, Any]) -> None:
    with envpool_py.make(task_id, num_envs=NUM_ENVS, seed=8, **options) as pool:
        assert pool.single_observation_space.n == options.get("n", 5)  # type: ignore[attr-defined]
        generators = [np.random.default_rng(8 + env) for env in range(NUM_ENVS)]
        oracles = [NChain(**options) for _ in range(NUM_ENVS)]
        pool.reset()
        # Mostly forward; otherwise states near the end of the chain are rare.
        actions = np.random.default_rng(1).random((2100, NUM_ENVS)) < 0.2
        for step, each in enumerate(actions.astype(np.int64), start=1):
            observations, rewards, terminated, truncated, _ = pool.step(each)
            assert not terminated.any()
            assert truncated.all() == truncated.any() == (step % 1001 == 1000)
            if step % 1001 == 0:
                assert not observations.any()
                assert not rewards.any()
                for oracle in oracles:
                    oracle.state = 0
                continue
            for env in range(NUM_ENVS):
                slips = bool(generators[env].random() < oracles[env].slip)
                expected = oracles[env].step(int(each[env]), slips)
                assert (observations[env], rewards[env]) == expected, (step, env)


@pytest.mark.parametrize(
    ("task_id", "options", "words"),
    [
        ("Catch-v0", {"height": 1}, ["height", "[2, 4096]", "1"]),
        ("Catch-v0", {"width": 0}, ["width", "[1, 4096]", "0"]),
        ("NChain-v1", {"n": 0}, ["n", "0"]),
        ("NChain-v1", {"slip": 1.5}, ["slip", "[0, 1]", "1.5"]),
    ],
)
def test_bad_options(task_id: str, options: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(OptionError) as caught:
        envpool_py.make(task_id, **options)
    for word in words:
        assert word in str(caught.value)


@pytest.fixture
def envpool() -> Any:
    return pytest.importorskip("envpool", reason="EnvPool comes with the extra `bench`")


def make_reference(envpool: Any, task_id: str, **options: Any) -> Any:
    return envpool.make(task_id, env_type="gymnasium", num_envs=NUM_ENVS, seed=2, **options)


@pytest.mark.parametrize("task_id", ["Catch-v0", "CliffWalking-v0", "NChain-v0"])
def test_specs_are_envpools(task_id: str, envpool: Any) -> None:
    ours = envpool_py.make_spec(task_id)
    theirs = envpool.make_spec(task_id)
    assert ours.observation_space.shape == theirs.observation_space.shape
    assert ours.action_space.n == theirs.action_space.n  # type: ignore[attr-defined]
    limit = theirs.config.max_episode_steps
    assert ours.max_episode_steps == (None if limit == 2**31 - 1 else limit)
    for name in ("height", "width", "is_slippery"):
        if hasattr(theirs.config, name):
            assert ours.options[name].default == getattr(theirs.config, name)


def test_cliff_walking_is_envpools(envpool: Any) -> None:
    theirs = make_reference(envpool, "CliffWalking-v0")
    ends = 0
    with envpool_py.make("CliffWalking-v0", num_envs=NUM_ENVS, seed=0) as ours:
        np.testing.assert_array_equal(ours.reset()[0], theirs.reset()[0])
        rng = np.random.default_rng(0)
        state = np.full(NUM_ENVS, 36)
        for _ in range(500):
            row, column = np.divmod(state, 12)
            ahead = np.where(column == 11, 2, np.where(row == 3, 0, 1))
            actions = np.where(rng.random(NUM_ENVS) < 0.8, ahead, rng.integers(4, size=NUM_ENVS))
            mine = ours.step(actions)
            other = theirs.step(actions.astype(np.int32))
            for ours_field, theirs_field in zip(mine[:4], other[:4], strict=True):
                np.testing.assert_array_equal(ours_field, theirs_field)
            np.testing.assert_array_equal(mine[4]["prob"], other[4]["prob"])
            np.testing.assert_array_equal(mine[4]["elapsed_step"], other[4]["elapsed_step"])
            state = mine[0]
            ends += int(mine[2].sum())
    assert ends > 50


@pytest.mark.parametrize("options", [{}, {"height": 6, "width": 8}], ids=str)
def test_catch_is_envpools(options: dict[str, int], envpool: Any) -> None:
    height, width = options.get("height", 10), options.get("width", 5)
    theirs = make_reference(envpool, "Catch-v0", **options)
    oracles = [Catch(height, width) for _ in range(NUM_ENVS)]
    rng = np.random.default_rng(0)
    columns = set()
    actions = None
    for _ in range(60):  # the step after an episode's last one resets
        observations = theirs.reset()[0] if actions is None else theirs.step(actions)[0]
        starts = observations[:, 0].argmax(axis=1)
        columns.update(starts.tolist())
        boards = [oracle.reset(int(start)) for oracle, start in zip(oracles, starts, strict=True)]
        np.testing.assert_array_equal(observations, boards)
        for _ in range(height - 1):
            actions = rng.integers(3, size=NUM_ENVS).astype(np.int32)
            observations, rewards, terminated, truncated, _ = theirs.step(actions)
            steps = [oracle.step(int(each)) for oracle, each in zip(oracles, actions, strict=True)]
            np.testing.assert_array_equal(observations, [step[0] for step in steps])
            np.testing.assert_array_equal(rewards, [step[1] for step in steps])
            np.testing.assert_array_equal(terminated, [step[2] for step in steps])
            assert not truncated.any()
    assert columns == set(range(width))


def test_nchain_is_envpools(envpool: Any) -> None:
    theirs = make_reference(envpool, "NChain-v0")
    theirs.reset()
    oracles = [NChain() for _ in range(NUM_ENVS)]
    slips = 0
    steps = 1000  # the step limit
    for each in np.random.default_rng(0).random((steps, NUM_ENVS)) < 0.2:
        observations, rewards, terminated, truncated, _ = theirs.step(each.astype(np.int32))
        assert not terminated[:-1].any()
        for env, oracle in enumerate(oracles):
            # Going back gives the small reward; going forward gives none or the large one.
            slipped = bool((rewards[env] == 2.0) != each[env])
            slips += slipped
            assert (observations[env], rewards[env]) == oracle.step(int(each[env]), slipped)
    assert truncated.all()
    # 16,000 draws; the tolerance is five standard deviations.
    assert abs(slips / (steps * NUM_ENVS) - 0.2) < 0.016
