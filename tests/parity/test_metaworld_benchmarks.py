"""MetaWorld's benchmarks beside the reference's vector environments of the same names."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from envpool_py.errors import EnvPoolError, InputError, NoAttributeError, OptionError
from envpool_py.integrations.metaworld import benchmarks
from envpool_py.tasks.families.metaworld import lists

from .metaworld_pair import REGISTERED, goals_of_each_task, metaworld, mt1, shim

pytest.importorskip("envpool_py._mujoco")
pytestmark = pytest.mark.usefixtures("shimmed")


@pytest.fixture
def shimmed(monkeypatch: pytest.MonkeyPatch, mujoco_log_elsewhere: None) -> None:
    shim(monkeypatch)


def theirs_of(name: str, num_goals: int, **arguments: Any) -> Any:
    """Returns the reference's vector environment."""
    made: Any = REGISTERED[f"Meta-World/{name}"].vector_entry_point
    if name == "ML1-train":  # whose id in the reference makes the part for tests
        made = partial(metaworld.make_ml_envs_train, arguments.pop("env_name"))
    with goals_of_each_task(num_goals):
        return made(vector_strategy="sync", **arguments)


def sampled(theirs: Any) -> Any:
    """Returns the observations of new goals, as its vector environment would."""
    observations = [observation for observation, _ in theirs.call("sample_tasks")]
    return np.stack(observations).astype(theirs.single_observation_space.dtype)


def compare(name: str, steps: int, num_goals: int = 2, **arguments: Any) -> int:
    """Compares observations, rewards and ends, with autoreset, from the first reset on.

    Returns the number of ended episodes.
    """
    ends = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reference's spaces of observations are too small
        ours: Any = gymnasium.make_vec(
            f"EnvPool/MetaWorld.{name}", num_goals=num_goals, **arguments
        )
        theirs = theirs_of(name, num_goals, **arguments)
        seen, _ = ours.reset()
        # Without sample_tasks, its first reset fails in meta learning.
        expected = sampled(theirs) if name.startswith("ML") else theirs.reset()[0]
        rng = np.random.default_rng(0)
        for step in range(steps):
            where = f"{name}, step {step}"
            assert seen.dtype == expected.dtype
            np.testing.assert_array_equal(seen, expected, err_msg=where)
            if name.startswith("ML") and step == steps // 2:
                expected = sampled(theirs)
                seen, _ = ours.reset(options={"sample_tasks": True})
                continue
            actions = rng.uniform(-1, 1, (len(seen), 4)).astype(np.float32)
            seen, *results, infos = ours.step(actions)
            expected, *others, their_infos = theirs.step(actions)
            for result, other in zip(results, others, strict=True):
                assert result.dtype == other.dtype
                np.testing.assert_array_equal(result, other, err_msg=where)
            ended = results[1] | results[2]
            ends += int(ended.sum())
            for row in np.flatnonzero(ended):
                compare_end(infos, their_infos, row, where)
    ours.close()
    theirs.close()
    return ends


def compare_end(infos: Any, theirs: Any, row: int, where: str) -> None:
    """Compares what the infos say of the end of an episode, with autoreset in the same step."""
    final = infos["final_obs"][row]
    expected = theirs["final_obs"][row].astype(final.dtype)
    np.testing.assert_array_equal(final, expected, err_msg=where)
    final, expected = infos["final_info"], theirs["final_info"]
    assert final["success"][row] == expected["success"][row]
    assert final["episode"]["l"][row] == expected["episode"]["l"][row]
    # The reference adds float32 rewards in float32.
    np.testing.assert_allclose(
        final["episode"]["r"][row], expected["episode"]["r"][row], rtol=1e-6, err_msg=where
    )
    assert infos["episode"]["r"][row] == final["episode"]["r"][row]


@pytest.mark.parametrize("one_hot", [False, True])
def test_ten_tasks(one_hot: bool) -> None:
    assert compare("MT10", 9, seed=3, use_one_hot=one_hot, max_episode_steps=6) == 10


@pytest.mark.long
@pytest.mark.parametrize("name", ["MT25", "MT50"])
def test_more_tasks(name: str) -> None:
    compare(name, 4, num_goals=1, seed=8)


def test_one_task_of_meta_learning() -> None:
    for split in ("train", "test"):
        compare(f"ML1-{split}", 6, 4, env_name="push-v3", seed=5, meta_batch_size=2)


@pytest.mark.long
@pytest.mark.parametrize("name", ["ML10-train", "ML10-test", "ML25-train", "ML25-test"])
def test_meta_learning(name: str) -> None:
    compare(name, 5, 2, seed=5, meta_batch_size=50 if name == "ML25-train" else 10)


@pytest.mark.long
@pytest.mark.parametrize(("split", "goals"), [("train", 1), ("test", 9)])
def test_meta_learning_of_45_tasks(split: str, goals: int) -> None:
    # 45 environments of 45 tasks, and of 5.
    compare(f"ML45-{split}", 3, goals, seed=1, meta_batch_size=45, total_tasks_per_cls=goals)


def test_tasks_of_ones_own() -> None:
    names = ["push-v3", "reach-v3"]
    compare("custom-mt-envs", 4, 3, envs_list=names, seed=5, use_one_hot=True)
    compare(
        "custom-ml-envs", 4, 2, train_envs=names, test_envs=["sweep-v3"], seed=5, meta_batch_size=4
    )


def test_lists_are_those_of_the_reference() -> None:
    tables = metaworld.env_dict
    for name, ours in lists.MT.items():
        assert list(ours) == list(getattr(tables, f"{name}_V3"))
    for name, splits in lists.ML.items():
        for split, tasks in splits.items():
            assert list(tasks) == list(getattr(tables, f"{name}_V3")[split])


def test_copies_of_a_benchmark() -> None:
    """Copy j is the benchmark with the seed `seed + j`."""
    with (
        benchmarks.make_mt("MT10", 2, seed=4, num_goals=2) as both,
        benchmarks.make_mt("MT10", seed=5, num_goals=2) as second,
    ):
        np.testing.assert_array_equal(both.reset()[0][10:], second.reset()[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"benchmark": "MT11"}, 'a benchmark or a task of MetaWorld, got "MT11"; did you mean'),
        ({"benchmark": "reach"}, 'got "reach"; did you mean "reach-v3"?'),
        ({"benchmark": "MT10", "num_envs": 0}, "num_envs: expected an integer >= 1, got 0"),
        ({"benchmark": "MT10", "env_options": []}, "env_options: expected nothing"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        benchmarks.make_mt(**arguments)


def test_wrong_arguments_of_meta_learning() -> None:
    with pytest.raises(InputError, match="multiple of the number of tasks, 10, got 25"):
        benchmarks.make_ml("ML10", meta_batch_size=25)
    with pytest.raises(InputError, match="multiple of the environments of a task, 2, got 3"):
        benchmarks.make_ml("ML10", total_tasks_per_cls=3)
    with pytest.raises(InputError, match='split: expected "train" or "test"'):
        benchmarks.make_ml("ML10", split="both")
    with pytest.raises(InputError, match="num_envs: expected 1"):
        benchmarks.make_ml("ML10", 3)
    with pytest.raises(InputError, match="expected other tasks than train_envs"):
        benchmarks.make_custom_ml(["reach-v3"], ["reach-v3"])


WRAPPED: list[dict[str, Any]] = [
    {"normalize_observations": True},
    {"reward_normalization_method": "gymnasium"},
    {"reward_normalization_method": "exponential"},
    {"recurrent_info_in_obs": True},
    {
        "normalize_observations": True,
        "use_one_hot": True,
        "recurrent_info_in_obs": True,
        "normalize_reward_in_recurrent_info": False,
        "reward_normalization_method": "gymnasium",
    },
    {
        "use_one_hot": True,
        "recurrent_info_in_obs": True,
        "reward_normalization_method": "exponential",
        "reward_alpha": 0.1,
    },
    {"normalize_observations": True, "use_one_hot": True},
]


@pytest.mark.parametrize("options", WRAPPED, ids=lambda options: ", ".join(options))
def test_wrappers(options: dict[str, Any]) -> None:
    """Among the tasks is one whose rewards are float32, and episodes end."""
    names = ["drawer-close-v3", "push-v3", "dial-turn-v3"]
    ends = compare("custom-mt-envs", 11, envs_list=names, seed=5, max_episode_steps=4, **options)
    assert ends == 6


@pytest.mark.long
@pytest.mark.parametrize("options", WRAPPED, ids=lambda options: ", ".join(options))
def test_wrappers_of_ten_tasks(options: dict[str, Any]) -> None:
    assert compare("MT10", 130, seed=5, max_episode_steps=50, **options) == 20
    alone = {name: value for name, value in options.items() if name != "use_one_hot"}
    arguments: dict[str, Any] = {"seed": 2, "meta_batch_size": 10, "max_episode_steps": 7}
    assert compare("ML10-train", 30, **arguments, **alone) >= 30
    assert compare("ML10-test", 30, **arguments, **alone) >= 30


def test_wrappers_of_meta_learning() -> None:
    options = {"recurrent_info_in_obs": True, "normalize_observations": True}
    for split in ("train", "test"):
        arguments: dict[str, Any] = {"env_name": "push-v3", "seed": 5, "meta_batch_size": 2}
        compare(f"ML1-{split}", 8, 4, max_episode_steps=3, **arguments, **options)


@pytest.mark.parametrize("mode", ["NextStep", "Disabled"])
def test_wrappers_with_other_resets(mode: str) -> None:
    arguments: dict[str, Any] = {
        "envs_list": ["drawer-close-v3", "push-v3"],
        "seed": 5,
        "max_episode_steps": 3,
        "autoreset_mode": AutoresetMode(mode),
        **WRAPPED[4],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours: Any = gymnasium.make_vec("EnvPool/MetaWorld.custom-mt-envs", num_goals=2, **arguments)
        theirs = theirs_of("custom-mt-envs", 2, **arguments)
        mine, other = ours.reset(), theirs.reset()
        rng = np.random.default_rng(0)
        for _ in range(11):
            np.testing.assert_array_equal(mine[0], other[0])
            actions = rng.uniform(-1, 1, (2, 4)).astype(np.float32)
            mine, other = ours.step(actions), theirs.step(actions)
            for one, expected in zip(mine[:4], other[:4], strict=True):
                np.testing.assert_array_equal(one, expected)
            ended = mine[2] | mine[3]
            if ended.any():
                np.testing.assert_array_equal(
                    mine[4]["episode"]["r"][ended], other[4]["episode"]["r"][ended]
                )
            if mode == "Disabled" and ended.any():
                mask = {"reset_mask": ended}
                mine, other = ours.reset(options=mask), theirs.reset(options=dict(mask))
    ours.close()
    theirs.close()


def test_one_environment() -> None:
    """What `gymnasium.make` makes: the number of a task counts as in the reference's MT1."""
    options: dict[str, Any] = {
        "normalize_observations": True,
        "reward_normalization_method": "gymnasium",
    }
    for given in ({}, options, {"reward_normalization_method": "exponential"}):
        ours = gymnasium.make(
            "EnvPool/MetaWorld.MT1", env_name="push-v3", seed=4, num_goals=2, **given
        )
        theirs = mt1("push-v3", seed=4, num_goals=2, **given)
        follow(ours, theirs, 5)


@pytest.mark.filterwarnings("ignore:.*(A Box observation|precision lowered)")  # the reference's
@pytest.mark.parametrize("kind", ["hidden", "observable"])
def test_one_goal(kind: str) -> None:
    name = f"goal_{kind}"
    theirs = REGISTERED[f"Meta-World/{name}"].entry_point(env_name="sweep-v3", seed=9)
    ours = gymnasium.make(f"EnvPool/MetaWorld.{name}", env_name="sweep-v3", seed=9)
    follow(ours, theirs, 4)
    with gymnasium.make_vec(
        f"EnvPool/MetaWorld.{name}", 2, env_name=f"sweep-v3-goal-{kind}", seed=8
    ) as both:
        first, _ = both.reset()
        np.testing.assert_array_equal(first[1], theirs.reset()[0])
        np.testing.assert_array_equal(both.reset()[0], first)


def follow(ours: Any, theirs: Any, steps: int) -> None:
    """Compares two environments over two episodes."""
    rng = np.random.default_rng(1)
    for _ in range(2):
        np.testing.assert_array_equal(ours.reset()[0], theirs.reset()[0])
        for _ in range(steps):
            action = rng.uniform(-1, 1, 4).astype(np.float32)
            mine, other = ours.step(action), theirs.step(action)
            np.testing.assert_array_equal(mine[0], other[0])
            assert mine[1:4] == other[1:4]
    ours.close()


@pytest.mark.filterwarnings("ignore:.*(A Box observation|precision lowered)")  # the reference's
def test_numbers_of_tasks() -> None:
    """The length of the one-hot vector, and the place of the first task in it."""
    arguments: dict[str, Any] = {"use_one_hot": True, "num_tasks": 12, "num_goals": 1, "seed": 1}
    with benchmarks.make_mt("MT10", vector_strategy="async", **arguments) as ten:
        np.testing.assert_array_equal(ten.reset()[0][:, 39:], np.eye(12)[:10])
    with benchmarks.make_mt1("reach-v3", 2, env_id=4, **arguments) as one:
        np.testing.assert_array_equal(one.reset()[0][:, 39:], np.eye(12)[[4, 4]])
        theirs = mt1("reach-v3", num_goals=1, use_one_hot=True, num_tasks=12, env_id=4, seed=1)
        expected = theirs.reset()[0].astype(np.float32)
        np.testing.assert_array_equal(one.reset()[0][0], expected)


def test_attributes_through_wrappers() -> None:
    with benchmarks.make_mt1("reach-v3", 2, normalize_observations=True) as envs:
        assert envs.get_attr("terminate_on_success") == (False, False)
        envs.set_attr("terminate_on_success", [True, False])
        assert envs.call("terminate_on_success") == (True, False)
        with pytest.raises(NoAttributeError, match=r'set_attr."terminate_on_success"'):
            envs.call("toggle_terminate_on_success", True)
        with pytest.raises(NoAttributeError, match=r'reset.options=."sample_tasks": True'):
            envs.call("sample_tasks")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reward_alpha": 0.1}, r'because only reward_normalization_method="exponential" uses it'),
        ({"normalize_reward_in_recurrent_info": False}, "because only recurrent_info_in_obs=True"),
        ({"reward_normalization_method": "exponential", "reward_alpha": 0}, r"in \(0, 1\], got 0"),
        ({"reward_normalization_method": "exponential", "reward_alpha": 2}, "reward_alpha"),
        ({"reward_normalization_method": "mean"}, "'gymnasium' or 'exponential', got 'mean'"),
        ({"normalize_observations": 1}, "normalize_observations: expected a bool, got int 1"),
        ({"vector_strategy": "threads"}, "vector_strategy: expected 'sync' or 'async'"),
        ({"use_one_hot": True, "num_tasks": 9}, r"num_tasks: .* in \[10, 10000\], got 9"),
        ({"normalize_observations": True, "batch_size": 3}, "first-ready"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(EnvPoolError, match=message):
        benchmarks.make_mt("MT10", num_goals=1, **options)


def test_options_that_are_dead_in_the_reference() -> None:
    for name, value in {"use_one_hot": True, "env_id": 1, "num_tasks": 3}.items():
        with pytest.raises(OptionError, match=f"{name}: expected nothing.*no numbers"):
            benchmarks.make_ml("ML10", **{name: value})
    for name in ("use_one_hot", "recurrent_info_in_obs"):
        with pytest.raises(OptionError, match=f"{name}: .*only gymnasium.make_vec"):
            gymnasium.make("EnvPool/MetaWorld.MT1", env_name="reach-v3", **{name: True})
