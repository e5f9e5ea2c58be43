"""gymnasium.make_vec("EnvPool/<id>") after `import envpool_py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import envpool_py
from envpool_py.errors import InputError, OptionError
from envpool_py.tasks import gymnasium_ids

RunScript = Callable[..., str]
TASKS = envpool_py.list_all_envs()


# Gymnasium warns that a newer version exists.
@pytest.mark.filterwarnings("ignore:.*is out of date:DeprecationWarning")
@pytest.mark.usefixtures("task_packages")
@pytest.mark.parametrize("task_id", TASKS)
def test_every_task_is_registered(task_id: str) -> None:
    envpool_py.register_tasks()  # also registers tasks of modules imported after envpool_py
    spec = gymnasium.spec(gymnasium_ids.gymnasium_id(task_id))
    task = envpool_py.make_spec(task_id)
    assert spec.namespace == "EnvPool"
    assert spec.max_episode_steps == task.max_episode_steps
    assert spec.reward_threshold == task.reward_threshold
    envs = gymnasium.make_vec(spec.id, num_envs=2)
    assert isinstance(envs, envpool_py.GymnasiumPool)
    assert envs.single_observation_space == task.observation_space
    envs.close()


def test_as_in_the_readme() -> None:
    envs = gymnasium.make_vec(
        "EnvPool/CartPole-v1", num_envs=8, vectorization_mode="vector_entry_point"
    )
    assert isinstance(envs, envpool_py.GymnasiumPool)
    assert envs.num_envs == 8
    assert envs.spec is not None
    assert envs.spec.id == "EnvPool/CartPole-v1"
    assert envs.spec.kwargs["num_envs"] == 8
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    again = gymnasium.make_vec(envs.spec)
    assert again.num_envs == 8
    np.testing.assert_array_equal(envs.reset(seed=3)[0], again.reset(seed=3)[0])
    envs.close()
    again.close()


def test_first_ready_mode() -> None:
    envs: Any = gymnasium.make_vec("EnvPool/CartPole-v1", num_envs=8, batch_size=4)
    assert (envs.batch_size, envs.is_async) == (4, True)
    envs.async_reset(seed=0)
    assert envs.recv()[0].shape == (4, 4)
    envs.close()


def test_module_prefix_imports_and_registers(run_script: RunScript) -> None:
    printed = run_script(
        "import gymnasium; print(gymnasium.make_vec('envpool_py:EnvPool/CartPole-v1', 2))",
        "-Werror",
    )
    assert printed.strip() == "GymnasiumPool(CartPole-v1, num_envs=2)"


@pytest.mark.parametrize("mode", ["SameStep", AutoresetMode.SAME_STEP])
def test_keywords_reach_the_pool(mode: Any) -> None:
    envs: Any = gymnasium.make_vec(
        "EnvPool/CartPole-v1",
        num_envs=8,
        vectorization_mode="vector_entry_point",
        num_threads=2,
        seed=5,
        autoreset_mode=mode,
        max_episode_steps=3,
        render_mode=None,
        sutton_barto_reward=True,
    )
    assert envs.num_threads == 2
    assert envs.autoreset_mode is AutoresetMode.SAME_STEP
    envs.reset()
    for _ in range(3):
        _, rewards, _, truncated, infos = envs.step(np.zeros(8, np.int64))
        assert not rewards.any()
    assert truncated.all()
    assert infos["_final_obs"].all()
    envs.close()


@pytest.mark.parametrize(("limit", "expected"), [(None, 200), (4, 4), (-1, None)])
def test_step_limit(limit: int | None, expected: int | None) -> None:
    arguments: dict[str, Any] = {} if limit is None else {"max_episode_steps": limit}
    envs = gymnasium.make_vec("EnvPool/Pendulum-v1", num_envs=1, **arguments)
    envs.reset(seed=0)
    truncated_at = None
    for step in range(1, 260):
        if envs.step(np.zeros((1, 1), np.float32))[3][0]:
            truncated_at = step
            break
    assert truncated_at == expected
    envs.close()


def test_bad_keywords_are_ours_to_explain() -> None:
    with pytest.raises(OptionError, match="num_threads"):
        gymnasium.make_vec("EnvPool/CartPole-v1", num_envs=2, num_thread=2)
    with pytest.raises(InputError, match="render_mode"):
        gymnasium.make_vec("EnvPool/CartPole-v1", num_envs=2, render_mode="human")


@pytest.mark.parametrize("name", ["frameskip", "num_threads"])
def test_an_unknown_keyword_is_refused_as_by_a_function(name: str) -> None:
    """Wrappers try keywords, look for these words, and then omit the keyword."""
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        gymnasium.make("EnvPool/CartPole-v1", **{name: 4})


def test_registering_again_changes_nothing_and_does_not_warn(run_script: RunScript) -> None:
    # Runs in a new process: a second import makes a second set of classes.
    code = """
import sys
import gymnasium
import envpool_py

def registered():
    return {k: id(v) for k, v in gymnasium.registry.items() if k.startswith("EnvPool/")}

before = registered()
assert before
envpool_py.register_tasks()
assert registered() == before
for name in [name for name in sys.modules if name.startswith("envpool_py.")]:
    if name != "envpool_py._core":
        del sys.modules[name]
del sys.modules["envpool_py"]
import envpool_py
assert registered() == before
print(gymnasium.make_vec("EnvPool/CartPole-v1", 2))
"""
    assert run_script(code, "-Werror").strip() == "GymnasiumPool(CartPole-v1, num_envs=2)"


def test_ids_with_a_namespace_of_their_own() -> None:
    assert gymnasium_ids.gymnasium_id("CartPole-v1") == "EnvPool/CartPole-v1"
    assert gymnasium_ids.gymnasium_id("Some/Task-v0") == "EnvPool/Some.Task-v0"
