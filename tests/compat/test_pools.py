"""Pools of the compat module return the same numbers as pools of the main API."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import threading
from typing import Any

import dm_env
import gymnasium
import numpy as np
import pytest

import envpool_py
import envpool_py.compat.envpool as envpool
from envpool_py.compat.robotics_tables import EARLIER_IDS
from envpool_py.errors import (
    EnvIdError,
    EnvironmentFailedError,
    EnvPoolError,
    InputError,
    NothingInFlightError,
)
from envpool_py.pool.trees import row as row_of
from envpool_py.tasks import registry
from envpool_py.tasks.families.atari.tasks import TASKS as ATARI_TASKS
from envpool_py.tasks.families.metaworld.manifest import FAMILY as METAWORLD
from envpool_py.tasks.families.robotics.manifest import FAMILY as ROBOTICS

# Tasks that the compat module leaves out, each with the reason.
REFUSED = {
    task_id: family.compat_exclusion
    for family in registry.all_families().values()
    if family.compat_exclusion is not None
    for task_id in family.tasks
}


def test_numbers_are_those_of_the_main_api() -> None:
    compat = envpool.make_gymnasium("CartPole-v1", num_envs=4, seed=7)
    main = envpool_py.make("CartPole-v1", num_envs=4, seed=7)
    np.testing.assert_array_equal(compat.reset()[0], main.reset()[0])
    ended = 0
    for step in range(200):
        actions = np.full(4, step % 2)
        obs, rewards, terminated, truncated, infos = compat.step(actions)
        expected = main.step(actions)
        np.testing.assert_array_equal(obs, expected[0])
        np.testing.assert_array_equal(rewards, expected[1])
        np.testing.assert_array_equal(terminated | truncated, expected[2] | expected[3])
        np.testing.assert_array_equal(infos["elapsed_step"], expected[4]["elapsed_step"])
        ended += int((terminated | truncated).sum())
    assert ended > 0


def test_numbers_of_the_dm_kind_are_those_of_the_main_api() -> None:
    compat = envpool.make_dm("CartPole-v1", num_envs=4, seed=7, max_episode_steps=8)
    main = envpool_py.make_dm("CartPole-v1", num_envs=4, seed=7, max_episode_steps=8)
    pairs = [(compat.reset(), main.reset())]
    pairs += [(compat.step(np.zeros(4)), main.step(np.zeros(4, np.int64))) for _ in range(30)]
    for mine, expected in pairs:
        np.testing.assert_array_equal(mine.step_type, expected.step_type)
        np.testing.assert_array_equal(mine.reward, expected.reward)
        np.testing.assert_array_equal(mine.observation.obs, expected.observation.obs)
        np.testing.assert_array_equal(mine.discount, mine.step_type != dm_env.StepType.LAST)
    assert isinstance(compat, dm_env.Environment)


def test_time_steps_have_one_class() -> None:
    """JAX compares the classes of structures."""
    pool = envpool.make_dm("Pong-v5", num_envs=1)
    first = pool.reset().observation
    second = pool.step(np.zeros(1, np.int32)).observation
    assert type(first) is type(second)
    assert type(first.players) is type(second.players)
    assert type(first) is not type(envpool.make_dm("CartPole-v1").reset().observation)


def test_an_end_on_the_last_step_is_a_truncation_only() -> None:
    """On a fall at the last allowed step, the main API sets both flags, compat only one."""
    main = envpool_py.make("CartPole-v1", num_envs=64, seed=0)
    main.reset()
    length = 1
    while not main.step(np.zeros(64, np.int64))[2].any():
        length += 1
    limits = {"num_envs": 64, "seed": 0, "max_episode_steps": length}
    main = envpool_py.make("CartPole-v1", **limits)
    compat = envpool.make_gymnasium("CartPole-v1", **limits)
    main.reset()
    compat.reset()
    for _ in range(length):
        expected = main.step(np.zeros(64, np.int64))
        _, _, terminated, truncated, _ = compat.step(np.zeros(64))
    assert (expected[2] & expected[3]).any()
    assert not terminated.any()
    assert truncated.all()


@pytest.mark.parametrize("ids", [[3], [2, 0], [1, 3, 2, 0], None])
def test_partial_sends_give_what_a_step_gives(ids: list[int] | None) -> None:
    one, other = (envpool.make_gymnasium("CartPole-v1", num_envs=4, seed=1) for _ in range(2))
    one.reset()
    other.reset()
    env_id = None if ids is None else np.array(ids)
    actions = np.ones(4 if ids is None else len(ids), np.int32)
    for _ in range(3):
        one.send(actions, env_id)
        received, stepped = one.recv(), other.step(actions, env_id)
        for mine, expected in zip(received[:4], stepped[:4], strict=True):
            np.testing.assert_array_equal(mine, expected)
        np.testing.assert_array_equal(received[4]["env_id"], stepped[4]["env_id"])
        assert received[4]["env_id"].tolist() == (ids or [0, 1, 2, 3])


def test_sends_add_up_before_a_recv() -> None:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=4, seed=1)
    env.reset()
    env.send(np.array([1]), np.array([2]))
    env.send(np.array([0, 1]), np.array([3, 0]))
    with pytest.raises(EnvIdError, match="got 2 again"):
        env.send(np.array([1]), np.array([2]))
    assert env.recv()[4]["env_id"].tolist() == [2, 3, 0]
    with pytest.raises(NothingInFlightError):
        env.recv()
    env.send(np.zeros(4))
    with pytest.raises(EnvIdError):
        env.send(np.zeros(1), np.array([0]))
    assert env.recv()[4]["elapsed_step"].tolist() == [2, 1, 2, 2]


def test_sends_keep_their_own_copies() -> None:
    """As in EnvPool, a program may write its next actions into the same array."""
    envs = [envpool.make_gymnasium("CartPole-v1", num_envs=2, seed=1) for _ in range(2)]
    for env in envs:
        env.reset()
    reused = np.zeros(1, np.int32)
    envs[0].send(reused, np.array([0]))
    reused[0] = 1
    envs[0].send(reused, np.array([1]))
    envs[1].step(np.array([0, 1]))
    envs[0].recv()
    np.testing.assert_array_equal(envs[0].step(np.zeros(2))[0], envs[1].step(np.zeros(2))[0])


def test_a_refused_recv_keeps_what_was_sent() -> None:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=3, seed=1)
    env.reset()
    env.send(np.zeros(1), np.array([0]))
    env.send(np.array([7]), np.array([1]))
    for _ in range(2):
        with pytest.raises(InputError, match="got 7"):
            env.recv()
    env.reset(np.array([1]))  # drops the wrong one
    assert env.recv()[4]["env_id"].tolist() == [0]


@pytest.mark.parametrize("num_envs", [2, 4])
def test_a_refused_send_sends_nothing(num_envs: int) -> None:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=num_envs, batch_size=2, seed=1)
    env.reset(np.array([0]))  # the others are reset by their first step
    with pytest.raises(EnvIdError, match="got 1 again"):
        env.send(np.zeros(3), np.array([0, 1, 1]))
    env.send(np.zeros(2), np.array([0, 1]))
    assert sorted(env.recv()[4]["env_id"].tolist()) == [0, 1]
    env.send(np.zeros(num_envs), np.arange(num_envs))
    with pytest.raises(EnvIdError):
        env.send(np.zeros(2), np.array([1, 0]))


def test_a_send_of_no_environment() -> None:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    env.reset()
    env.send(np.zeros(2))
    env.send(np.zeros(0), np.zeros(0, np.int32))
    assert env.recv()[4]["env_id"].tolist() == [0, 1]


def test_first_sends_of_some_do_not_end_the_games_of_others() -> None:
    """In asynchronous pools, with games of several episodes."""
    pytest.importorskip("ale_py")
    some, all_used = (
        envpool.make_gymnasium("Breakout-v5", num_envs=4, batch_size=2, episodic_life=True, seed=1)
        for _ in range(2)
    )
    all_used.async_reset()
    all_used.recv()
    all_used.recv()
    some.send(np.zeros(2), np.array([0, 1]))  # resets them; 2 and 3 remain unused
    some.recv()
    lives = set()
    for _ in range(60):
        infos = []
        for env in (some, all_used):
            env.send(np.ones(2), np.array([0, 1]))
            received = env.recv()[4]
            row = received["env_id"].tolist().index(0)
            infos.append((received["elapsed_step"][row], received["lives"][row]))
        assert infos[0] == infos[1]
        lives.add(infos[0][1])
    assert len(lives) > 1


def test_sends_after_environments_failed_in_a_recv() -> None:
    env = envpool.make_gymnasium("Acrobot-v1", num_envs=2, seed=1)
    env.reset()
    env.pool.reset([1], options={"low": 1e20, "high": 1e21})  # the next step fails
    env.send(np.zeros(2), np.array([1, 0]))
    with pytest.raises(EnvironmentFailedError) as raised:
        env.recv()
    assert raised.value.batch[4]["env_id"].tolist() == [1, 0]
    env.reset(np.array([1]))
    env.send(np.zeros(1), np.array([0]))
    assert env.recv()[4]["env_id"].tolist() == [0]


def test_a_reset_drops_what_was_sent() -> None:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=3)
    env.reset()
    env.send(np.zeros(3))
    assert env.reset()[1]["elapsed_step"].tolist() == [0, 0, 0]
    env.send(np.zeros(2), np.array([0, 2]))
    assert env.reset(np.array([2]))[1]["env_id"].tolist() == [2]
    assert env.recv()[4]["env_id"].tolist() == [0]
    env.async_reset()
    assert env.reset()[1]["env_id"].tolist() == [0, 1, 2]
    assert env.step(np.zeros(3))[4]["elapsed_step"].tolist() == [1, 1, 1]


def test_first_steps_reset_and_the_others_step() -> None:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=4, seed=3)
    expected = envpool_py.make("CartPole-v1", num_envs=4, seed=3).reset()[0]
    first = env.step(np.zeros(2), np.array([3, 1]))
    np.testing.assert_array_equal(first[0], expected[[3, 1]])
    obs, rewards, *_, infos = env.step(np.zeros(4), np.array([0, 1, 2, 3]))
    assert rewards.tolist() == [0, 1, 0, 1]
    assert infos["elapsed_step"].tolist() == [0, 1, 0, 1]
    np.testing.assert_array_equal(obs[[0, 2]], expected[[0, 2]])
    assert not np.array_equal(obs[1], expected[1])


@pytest.mark.parametrize("task_id", ["Taxi-v3", "Blackjack-v1", "Pong-v5", "Ant-v5", "Taxi-v4"])
def test_first_steps_of_some_for_every_form(task_id: str) -> None:
    """A batch joins rows of resets and of steps, with infos that only one of the two has."""
    for make in (envpool.make_gymnasium, envpool.make_dm):
        env = make(task_id, num_envs=3)
        zeros = np.zeros((3, *env.spec.action_space.shape))
        env.step(zeros[:1], np.array([1]))
        result = env.step(zeros)
        if make is envpool.make_dm:
            assert (result.step_type > 0).tolist() == [False, True, False]
            infos = result.observation._asdict()
        else:
            infos = result[4]
            assert infos["elapsed_step"].tolist() == [0, 1, 0]
        del infos["players"]
        assert {len(value) for value in infos.values()} == {3}


def test_first_steps_of_an_asynchronous_pool() -> None:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=4, batch_size=2)
    env.send(np.zeros(3), np.array([0, 1, 2]))
    first = env.recv()
    assert first[4]["elapsed_step"].tolist() == [0, 0]
    assert first[1].tolist() == [0, 0]
    env.send(np.zeros(3), np.array([*first[4]["env_id"], 3]))
    later = [env.recv() for _ in range(2)]
    steps = {
        int(env_id): int(step)
        for *_, infos in later
        for env_id, step in zip(infos["env_id"], infos["elapsed_step"], strict=True)
    }
    assert steps == {env_id: int(env_id in first[4]["env_id"]) for env_id in range(4)}


def test_a_reset_of_an_asynchronous_pool_begins_anew() -> None:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=6, batch_size=2, num_threads=2)
    _, infos = env.reset()
    for _ in range(20):
        *_, infos = env.step(np.zeros(2), infos["env_id"])
    observations, infos = env.reset()
    assert observations.shape == (2, 4)
    seen = [*infos["env_id"]]
    assert infos["elapsed_step"].tolist() == [0, 0]
    for _ in range(2):
        *_, infos = env.recv()
        assert infos["elapsed_step"].tolist() == [0, 0]
        seen += [*infos["env_id"]]
    assert sorted(seen) == list(range(6))
    observations, infos = env.reset(np.array([4, 1, 5]))
    assert infos["env_id"].tolist() == [4, 1, 5]


def test_a_sender_and_a_receiver() -> None:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=8, batch_size=4, num_threads=2)
    env.async_reset()
    received: list[Any] = []
    ready, in_flight = threading.Semaphore(0), threading.Semaphore(2)  # batches

    def receive() -> None:
        for _ in range(100):
            in_flight.acquire(timeout=30)
            received.append(env.recv()[4]["env_id"])
            ready.release()

    receiver = threading.Thread(target=receive)
    receiver.start()
    for turn in range(98):  # the last two batches remain in flight
        assert ready.acquire(timeout=30)
        env.send(np.zeros(4), received[turn])
        in_flight.release()
    receiver.join(timeout=30)
    assert len(received) == 100
    assert np.bincount(np.concatenate(received), minlength=8).min() > 10


def test_results_belong_to_the_caller() -> None:
    env = envpool.make_gymnasium("Breakout-v5", num_envs=2)
    observations, infos = env.reset()
    kept = observations.copy()
    env.step(np.zeros(2))
    np.testing.assert_array_equal(observations, kept)
    infos["env_id"][:] = 9
    assert infos["players"]["env_id"].tolist() == [0, 1]
    for array in (observations, *env.step(np.zeros(2))[:4]):
        assert array.flags.writeable


def test_seeds() -> None:
    def first(**seeds: Any) -> Any:
        return envpool.make_gymnasium("CartPole-v1", num_envs=3, **seeds).reset()[0]

    np.testing.assert_array_equal(first(), first(seed=42))
    np.testing.assert_array_equal(first(seed=5)[1:], first(seed=6)[:-1])
    np.testing.assert_array_equal(first(seed=[5, 6, 7]), first(seed=5))
    np.testing.assert_array_equal(first(env_seed=[5, 6, 7]), first(seed=5))
    np.testing.assert_array_equal(first(seed=np.array([7, 6, 5]))[::-1], first(seed=5))
    np.testing.assert_array_equal(first(seed=-2)[2], first(seed=0)[0])
    assert not np.array_equal(first(seed=-2), first(seed=-3))
    env = envpool.make_gymnasium("CartPole-v1", num_envs=3, seed=5)
    env.reset()
    with pytest.warns(UserWarning, match="seed"):
        again = env.reset(seed=5)[0]
    assert not np.array_equal(again, first(seed=5))


class _Statistics(gymnasium.Wrapper):  # type: ignore[type-arg]
    """Sums returns by environment, as many programs do around EnvPool."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.num_envs = getattr(env, "num_envs", 1)
        self.returns = np.zeros(self.num_envs, np.float32)

    def reset(self, **kwargs: Any) -> Any:
        self.returns[:] = 0
        return super().reset(**kwargs)

    def step(self, action: Any) -> Any:
        observations, rewards, terminated, truncated, infos = super().step(action)
        self.returns += rewards
        infos["r"] = self.returns.copy()
        self.returns *= 1 - (terminated | truncated)
        return observations, rewards, terminated, truncated, infos


def test_wrappers_of_one_environment_go_around() -> None:
    envs = envpool.make("CartPole-v1", env_type="gym", num_envs=3)
    # CleanRL's programs set these attributes.
    envs.num_envs = 3
    envs.single_action_space = envs.action_space
    envs.single_observation_space = envs.observation_space
    envs.is_vector_env = True
    wrapped = _Statistics(envs)
    assert isinstance(wrapped.action_space, gymnasium.spaces.Discrete)
    assert wrapped.unwrapped is envs
    assert wrapped.spec.config == envs.spec.config
    wrapped.reset()
    returns = []
    for _ in range(60):
        _, _, terminated, truncated, infos = wrapped.step(np.zeros(3))
        returns += infos["r"][terminated | truncated].tolist()
    assert returns
    assert all(8 <= value <= 12 for value in returns)  # the pole falls to one side
    observed = gymnasium.wrappers.TransformReward(wrapped, lambda reward: reward * 2)
    assert observed.step(np.zeros(3))[1].shape == (3,)
    wrapped.close()
    assert envs.closed


def test_wrappers_of_vectors_go_around() -> None:
    envs = envpool.make_gymnasium("CartPole-v1", num_envs=3)
    assert isinstance(envs, gymnasium.vector.VectorEnv)
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    wrapped.reset()
    lengths: list[int] = []
    for _ in range(40):
        infos = wrapped.step(np.zeros(3))[4]
        if "episode" in infos:
            lengths += infos["episode"]["l"][infos["_episode"]].tolist()
    assert lengths
    assert all(8 <= length <= 12 for length in lengths)


def test_failed_environments_bring_their_batch() -> None:
    """The error's batch has EnvPool's form, not the engine's."""
    env = envpool.make_gymnasium("CartPole-v1", num_envs=2)
    env.reset()
    raw = env._engine.step(np.zeros(2, np.int64), None)

    class Failing:
        def step(self, *_: Any) -> Any:
            raise EnvironmentFailedError("environment 1 failed", [1], ["why"], raw)

    env._engine = Failing()
    with pytest.raises(EnvironmentFailedError) as raised:
        env.step(np.zeros(2))
    assert raised.value.batch[1].dtype == np.float32
    assert raised.value.batch[4]["players"]["env_id"].tolist() == [0, 1]


def test_register_is_refused_in_words() -> None:
    with pytest.raises(RuntimeError, match="your-own-environment"):
        envpool.register("Mine-v0", "mine", "MineEnvSpec", "MineDMEnvPool", "MineEnvPool")


def test_closing() -> None:
    for make in (envpool.make_gymnasium, envpool.make_dm):
        env = make("CartPole-v1", num_envs=2)
        env.reset()
        env.close()
        env.close()
        with pytest.raises(EnvPoolError):
            env.step(np.zeros(2))
    with envpool.make_gymnasium("CartPole-v1") as env:
        env.reset()
    assert env.closed


def test_the_registry_says_where_the_classes_are() -> None:
    specs = envpool.registration.registry.specs
    for task_id in ("CartPole-v1", "Taxi-v3", "Pong-v5", "Ant-v5"):
        module, spec_class, settings = specs[task_id]
        classes = importlib.import_module(module.replace("envpool", envpool.__name__, 1))
        assert isinstance(envpool.make_spec(task_id, **settings), getattr(classes, spec_class))
        assert spec_class in dir(classes)
    assert set(specs) == set(envpool.list_all_envs())
    assert set(envpool_py.list_all_envs()) - REFUSED.keys() <= set(specs)
    with pytest.raises(AttributeError, match="NoneEnvSpec"):
        _ = classes.NoneEnvSpec


def test_tasks_that_are_left_out_say_why() -> None:
    assert "MiniGrid-DoorKey-8x8-v0" in REFUSED
    assert not REFUSED.keys() & set(envpool.list_all_envs())
    make_gym = functools.partial(envpool.make, env_type="gym")
    for make in (make_gym, envpool.make_gymnasium, envpool.make_dm, envpool.make_spec):
        for task_id in ("MiniGrid-DoorKey-8x8-v0", "BabyAI-BossLevel-v0"):
            with pytest.raises(EnvPoolError) as caught:
                make(task_id)
            assert str(REFUSED[task_id]) in str(caught.value)
            assert "take envpool_py.make" in str(caught.value)


def some_ids() -> list[str]:
    """Return three ids of Atari, those that represent large families, and every other id.

    The ids of test environments are left out: other tests may have registered them, and some of
    these environments block until a test releases them.
    """
    some = {"Pong-v5", "ALE/Pong-v5", "TicTacToe3d-v5"}
    many = {*ATARI_TASKS, *EARLIER_IDS}
    for family in (ROBOTICS, METAWORLD):
        some |= family.representatives
        many |= family.tasks.keys()
    return [
        task_id
        for task_id in envpool.list_all_envs()
        if task_id in some or not (task_id in many or task_id.startswith("Testing/"))
    ]


@pytest.mark.parametrize("task_id", some_ids())
def test_every_task_has_results_in_its_spaces(task_id: str) -> None:
    family = registry.family_of(task_id)
    if family in (ROBOTICS, METAWORLD):
        for needed in family.needs:
            if importlib.util.find_spec(needed) is None:
                pytest.skip(f"needs {needed}")
    spec = envpool.make_spec(task_id)
    env = envpool.make_gymnasium(task_id, num_envs=2, seed=1)
    assert env.observation_space == spec.observation_space
    # EnvPool bounds the states of Box2D tasks by the least and the greatest positive number.
    kind = spec.task.envpool_class
    has_bounds = kind is None or kind.bounds != "unstated"
    observations, infos = env.reset()
    named = {f"info:{name}" for name in infos} - {"info:players", "info:elapsed_step"}
    assert named | {"info:players.env_id"} == {
        name for name in spec.state_array_spec if name.startswith("info:")
    }
    for _ in range(5):
        for index in range(2):
            row, space = row_of(observations, index), env.observation_space
            if has_bounds:
                assert space.contains(row)
            else:
                assert (row.dtype, row.shape) == (space.dtype, space.shape)
        actions = np.stack([env.action_space.sample() for _ in range(2)])
        observations, rewards, _, _, infos = env.step(actions)
        assert rewards.dtype == np.float32
        for name, array in spec.state_array_spec.items():
            value = infos.get(name.removeprefix("info:")) if name.startswith("info:") else None
            if value is not None:
                shape = [size for size in array.shape if size != -1]
                assert (value.dtype, [*value.shape]) == (array.dtype, [2, *shape])
    steps = envpool.make_dm(task_id, num_envs=2, seed=1)
    names = steps.reset().observation._fields
    if task_id != "FrankaKitchen-v1":  # whose goals have more names in EnvPool's spec
        assert names == steps.observation_spec()._fields
    name = "obs" if "obs" in names else "observation"
    first = getattr(steps.step(actions).observation, name)[0]
    if has_bounds:
        getattr(steps.observation_spec(), name).validate(first)
