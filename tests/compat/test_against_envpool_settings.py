"""EnvPool and the compat module have the same settings, pictures, attributes and classes.

The tests need EnvPool: `make check-envpool` runs them; `make test` skips them without it.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from .both_libraries import IS_OLD, both, describe, ours, theirs

# Both libraries warn about seeds, and EnvPool's bounds lose precision.
pytestmark = pytest.mark.filterwarnings("ignore:.*precision lowered by casting")

WRONG: list[tuple[str, dict[str, Any]]] = [
    ("CartPole-v9", {}),
    ("CartPole-v1", {"env_type": "nonsense"}),
    ("CartPole-v1", {"seed": [1, 2]}),
    ("CartPole-v1", {"seed": 2**40}),
    ("CartPole-v1", {"num_envs": 0}),
    ("CartPole-v1", {"num_envs": 2, "batch_size": 3}),
    ("CartPole-v1", {"max_num_players": 0}),
    ("CartPole-v1", {"gym_reset_return_info": False}),
    ("CartPole-v1", {"nonsense": 1}),
    ("CartPole-v1", {"autoreset_mode": "NextStep"}),
    ("CartPole-v1", {"render_mode": "nonsense"}),
]


@pytest.mark.parametrize(("task_id", "wrong"), WRONG)
def test_wrong_settings_raise_what_envpool_raises(task_id: str, wrong: dict[str, Any]) -> None:
    kwargs = {"env_type": "gymnasium", **wrong}
    with pytest.raises(Exception) as raised:  # noqa: PT011  # EnvPool has no message to match
        theirs.make(task_id, **kwargs)
    with pytest.raises(type(raised.value)):
        ours.make(task_id, **kwargs)


RENDERED: list[tuple[str, dict[str, int], Any]] = [
    ("CartPole-v1", {}, None),
    ("CartPole-v1", {}, 2),
    ("CartPole-v1", {"render_env_id": 1}, None),
    ("CartPole-v1", {}, [2, 0]),
    ("CartPole-v1", {}, [1, 1]),
    ("Pendulum-v1", {"render_width": 100, "render_height": 50}, [0, 1]),
    ("Acrobot-v1", {}, None),
    ("Pong-v5", {}, [0, 1]),
    ("Pong-v5", {"render_width": 84, "render_height": 90}, None),
]


@pytest.mark.parametrize(("task_id", "settings", "ids"), RENDERED)
def test_pictures(task_id: str, settings: dict[str, int], ids: Any) -> None:
    if task_id != "Pong-v5":
        pytest.importorskip("pygame")

    def program(envpool: Any) -> Any:
        env = envpool.make_gymnasium(task_id, num_envs=3, render_mode="rgb_array", **settings)
        env.reset()
        assert env.render_mode == "rgb_array"
        return describe((env.render(ids), env.render(env_ids=ids, camera_id=-1)))

    mine, other = both(program)
    assert mine == other


def test_no_pictures() -> None:
    def program(envpool: Any) -> Any:
        no_mode = envpool.make_gymnasium("CartPole-v1")
        no_mode.reset()
        with pytest.raises(RuntimeError):
            no_mode.render()
        return no_mode.render_mode

    mine, other = both(program)
    assert mine == other


ATTRIBUTES = (
    "is_vector_env",
    "num_envs",
    "is_async",
    "render_mode",
    "metadata",
    "closed",
    "observation_space",
    "single_observation_space",
    "action_space",
    "single_action_space",
)


def test_attributes_of_a_pool() -> None:
    def program(envpool: Any) -> Any:
        env = envpool.make_gymnasium("CartPole-v1", num_envs=5, batch_size=0, num_threads=0)
        config = {**env.config, "base_path": ""}
        assert env.unwrapped is env
        assert type(env.spec).__name__ == "CartPoleEnvSpec"
        assert env.spec.config.num_envs == len(env) == 5
        return config, env.all_env_ids.tolist(), *(getattr(env, name) for name in ATTRIBUTES)

    mine, other = both(program)
    assert mine == other


def test_repr() -> None:
    def program(envpool: Any) -> Any:
        made = envpool.make_gymnasium("CartPole-v1", num_envs=5)
        spec = envpool.make_spec("Pong-v5", num_envs=2)
        texts = repr(made), str(made), repr(spec), repr(spec.config)
        return [re.sub(r"base_path='[^']*'", "", text) for text in texts]

    mine, other = both(program)
    assert mine == other


def test_seed_warns() -> None:
    def program(envpool: Any) -> Any:
        env = envpool.make_gymnasium("CartPole-v1")
        with pytest.warns(UserWarning, match="seed"):
            env.seed(1)
        with pytest.warns(UserWarning, match="seed"):
            env.reset(seed=1)
        return None

    both(program)


def test_classes_by_name() -> None:
    def program(envpool: Any) -> Any:
        import importlib

        seen = []
        for module, kind in [
            ("classic_control", "CartPole"),
            ("classic_control", "Acrobot"),
            ("toy_text", "FrozenLake"),
            ("toy_text", "Blackjack" if IS_OLD else "Taxi"),
            ("atari", "Atari"),
        ]:
            classes = importlib.import_module(f"{envpool.__name__}.{module}")
            spec_class = getattr(classes, f"{kind}EnvSpec")
            # EnvPool reads the ROMs from this directory, and exits the process if they are missing.
            data = envpool.registration.base_path
            spec = spec_class(spec_class.gen_config(num_envs=2, seed=0, base_path=data))
            for end in ("Gymnasium", "DM"):
                env = getattr(classes, f"{kind}{end}EnvPool")(spec)
                env.reset()
                seen.append(describe(env.step(np.zeros(2, np.int32))))
            seen.append({**spec.config._asdict(), "base_path": ""})
        return seen

    mine, other = both(program)
    assert mine == other
