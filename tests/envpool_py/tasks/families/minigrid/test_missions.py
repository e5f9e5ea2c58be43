"""Missions: strings in Gymnasium's interface, characters elsewhere."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.vector.utils import batch_space

import envpool_py
from envpool_py.errors import InputError, InputTypeError
from envpool_py.pool.final_obs import FinalObsPerEnv
from envpool_py.tasks.families.minigrid import decode_mission

TASK = "BabyAI-GoToLocal-v0"


def test_the_space_is_a_text_and_a_batch_a_tuple() -> None:
    with envpool_py.make(TASK, num_envs=3, seed=1) as pool:
        space = pool.single_observation_space["mission"]
        assert isinstance(space, gymnasium.spaces.Text)
        assert pool.observation_space["mission"] == batch_space(space, 3)
        missions = pool.reset()[0]["mission"]
        assert type(missions) is tuple
        assert [type(mission) for mission in missions] == [str] * 3
        assert all(mission in space for mission in missions)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_texts_are_made_for_rows_that_were_reset_only(mode: str) -> None:
    with envpool_py.make(
        TASK, num_envs=8, seed=2, max_steps=5, autoreset_mode=mode, num_threads=2
    ) as pool:
        before = pool.reset()[0]["mission"]
        pool.action_space.seed(0)
        fresh = 0
        for _ in range(40):
            observations, _, terminated, truncated, infos = pool.step(pool.action_space.sample())
            ended = terminated | truncated
            for env, mission in enumerate(observations["mission"]):
                if infos["elapsed_step"][env] > 0:
                    assert mission is before[env]
                else:
                    fresh += mission != before[env]
            if mode == "SameStep" and ended.any():
                for env in range(8):
                    final = infos["final_obs"]["mission"][env]
                    assert final == (before[env] if ended[env] else "")
            before = observations["mission"]
            if mode == "Disabled" and ended.any():
                again = pool.reset(options={"reset_mask": ended})[0]["mission"]
                assert all(again[env] is before[env] for env in range(8) if not ended[env])
                fresh += sum(a != b for a, b in zip(again, before, strict=True))
                before = again
        assert fresh > 10


def test_texts_of_batches_that_nobody_received_are_not_missed() -> None:
    """A drained reset changes the mission, although no batch contains the new text."""
    with envpool_py.make(TASK, num_envs=4, seed=3) as pool:
        before = pool.reset()[0]["mission"]
        pool.async_reset()
        pool.drain()
        observations = pool.step(np.zeros(4, int))[0]
        with envpool_py.make_dm(TASK, num_envs=4, seed=3) as other:
            other.reset()
            other.reset()
            step = other.step(np.zeros(4, int))
            assert list(observations["mission"]) == decode_mission(step.observation.obs["mission"])
        assert observations["mission"] != before


def test_first_ready_batches_have_the_missions_of_their_rows() -> None:
    with (
        envpool_py.make(TASK, num_envs=6, batch_size=2, seed=4, num_threads=3) as pool,
        envpool_py.make(TASK, num_envs=6, seed=4) as whole,
    ):
        expected = whole.reset()[0]["mission"]
        pool.async_reset()
        for _ in range(20):
            observations, *_, infos = pool.recv()
            ids = infos["env_id"]
            assert observations["mission"] == tuple(expected[env] for env in ids)
            pool.send(np.zeros(2, int), ids)


def test_dm_env_has_characters() -> None:
    with envpool_py.make_dm(TASK, num_envs=3, seed=5) as pool:
        missions = pool.reset().observation.obs["mission"]
        spec = pool.observation_spec().obs["mission"]
        assert (missions.dtype, missions.shape) == (np.uint8, spec.shape)
    with envpool_py.make(TASK, num_envs=3, seed=5) as pool:
        texts = pool.reset()[0]["mission"]
    assert decode_mission(missions) == list(texts)
    assert decode_mission(missions[0]) == texts[0]
    assert decode_mission(np.zeros(96, np.uint8)) == ""
    assert decode_mission(np.full(4, ord("x"), np.uint8)) == "xxxx"


def test_what_is_no_mission_is_refused() -> None:
    with pytest.raises(InputTypeError, match="mission: expected dtype uint8, got int64"):
        decode_mission(np.zeros(3, np.int64))
    with pytest.raises(InputError, match=r"mission: expected shape .* got \(1, 1, 1\)"):
        decode_mission(np.zeros((1, 1, 1), np.uint8))


def test_one_environment_and_objects_of_final_observations() -> None:
    env = gymnasium.make("EnvPool/BabyAI-GoToLocal-v0")
    observation, _ = env.reset(seed=6)
    assert isinstance(observation["mission"], str)
    assert env.observation_space.contains(observation)
    env.close()
    pool = FinalObsPerEnv(envpool_py.make(TASK, num_envs=2, max_steps=2, autoreset_mode="SameStep"))
    pool.reset(seed=7)
    pool.step(np.zeros(2, int))
    final = pool.step(np.zeros(2, int))[4]["final_obs"]
    assert isinstance(final[0]["mission"], str)
    pool.close()
