"""MetaWorld's benchmarks beside the reference's vector environments of the same names."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest

from envpool_py.errors import InputError, OptionError
from envpool_py.tasks.families.metaworld import benchmarks, lists

from .metaworld_pair import REGISTERED, metaworld, shim

pytest.importorskip("envpool_py._mujoco")
pytestmark = pytest.mark.usefixtures("shimmed")


@pytest.fixture
def shimmed(monkeypatch: pytest.MonkeyPatch, mujoco_log_elsewhere: None) -> None:
    shim(monkeypatch)


def theirs_of(name: str, num_goals: int, **arguments: Any) -> Any:
    """Returns the reference's vector environment."""
    before = metaworld._N_GOALS
    metaworld._N_GOALS = num_goals
    try:
        if name == "ML1-train":  # whose id in the reference makes the part for tests
            task = arguments.pop("env_name")
            return metaworld.make_ml_envs_train(task, vector_strategy="sync", **arguments)
        made: Any = REGISTERED[f"Meta-World/{name}"].vector_entry_point
        return made(vector_strategy="sync", **arguments)
    finally:
        metaworld._N_GOALS = before


def compare(name: str, steps: int, num_goals: int = 2, **arguments: Any) -> None:
    """Compares observations, rewards and ends, with autoreset, from the first reset on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reference's spaces of observations are too small
        ours: Any = gymnasium.make_vec(
            f"EnvPool/MetaWorld.{name}", num_goals=num_goals, **arguments
        )
        theirs = theirs_of(name, num_goals, **arguments)
        if name.startswith("ML"):
            theirs.call("sample_tasks")  # without it, its first reset fails
        seen, _ = ours.reset()
        expected, _ = theirs.reset()
        rng = np.random.default_rng(0)
        for step in range(steps):
            assert seen.dtype == expected.dtype
            np.testing.assert_array_equal(seen, expected, err_msg=f"{name}, step {step}")
            if name.startswith("ML") and step == steps // 2:
                theirs.call("sample_tasks")
                seen, _ = ours.reset(options={"sample_tasks": True})
                expected, _ = theirs.reset()
                continue
            actions = rng.uniform(-1, 1, (len(seen), 4)).astype(np.float32)
            seen, *results, _ = ours.step(actions)
            expected, *others, _ = theirs.step(actions)
            for result, other in zip(results, others, strict=True):
                np.testing.assert_array_equal(result, other, err_msg=f"{name}, step {step}")
    ours.close()
    theirs.close()


@pytest.mark.parametrize("one_hot", [False, True])
def test_ten_tasks(one_hot: bool) -> None:
    compare("MT10", 9, seed=3, use_one_hot=one_hot, max_episode_steps=6)


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


def test_wrappers_of_the_reference_are_refused_by_name() -> None:
    with pytest.raises(OptionError, match=r"normalize_observations: .*NormalizeObservation"):
        benchmarks.make_mt("MT10", normalize_observations=True)
    with pytest.raises(OptionError, match="reward_normalization_method"):
        benchmarks.make_ml("ML10", reward_normalization_method="exponential")
