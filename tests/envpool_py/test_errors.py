"""The class hierarchy of envpool_py.errors."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from envpool_py import errors

if sys.version_info >= (3, 11):
    import tomllib
else:  # pip contains the same parser
    from pip._vendor import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("UnknownTaskError", LookupError),
        ("OptionError", ValueError),
        ("OptionTypeError", TypeError),
        ("UnknownOptionError", TypeError),
        ("UnknownOptionError", errors.OptionError),
        ("InputError", ValueError),
        ("InputTypeError", TypeError),
        ("EnvIdError", errors.InputError),
        ("ResetNeededError", gymnasium.error.ResetNeeded),
        ("NothingInFlightError", RuntimeError),
        ("RecvTimeoutError", TimeoutError),
        ("BatchMemoryError", MemoryError),
        ("ClosedError", gymnasium.error.ClosedEnvironmentError),
        ("ForkedError", RuntimeError),
        ("NoAttributeError", AttributeError),
        ("PluginError", ImportError),
        ("RomError", RuntimeError),
        ("InternalError", RuntimeError),
        ("EnvironmentFailedError", RuntimeError),
    ],
)
def test_derives_from_what_a_caller_would_catch(name: str, base: type[Exception]) -> None:
    error = getattr(errors, name)
    assert issubclass(error, errors.EnvPoolError)
    assert issubclass(error, base)
    assert name in errors.__all__


def test_all_names_every_class() -> None:
    classes = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.EnvPoolError)
    }
    assert classes == set(errors.__all__)


_OF_ENVIRONMENTS = [errors.EnvironmentFailedError, errors.CheckFailedError]


@pytest.mark.parametrize(
    "name", sorted(set(errors.__all__) - {kind.__name__ for kind in _OF_ENVIRONMENTS})
)
def test_message_is_the_text_and_survives_pickling(name: str) -> None:
    error = getattr(errors, name)("actions: expected 4 rows, got 3")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error) == "actions: expected 4 rows, got 3"


@pytest.mark.parametrize("kind", _OF_ENVIRONMENTS)
def test_environment_failed_carries_ids_causes_and_batch(
    kind: type[errors.EnvironmentFailedError],
) -> None:
    batch = (np.zeros((2, 4)), {"env_id": np.array([3, 5], np.int32)})
    error = kind("2 environments failed", (3, 5), ("a", "b"), batch)
    for each in (error, pickle.loads(pickle.dumps(error))):
        assert type(each) is kind
        assert str(each) == "2 environments failed"
        assert each.env_ids == [3, 5]
        assert each.causes == ["a", "b"]
        np.testing.assert_array_equal(each.batch[1]["env_id"], [3, 5])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("num_env", '; did you mean "num_envs"?'),
        ("NUM_ENVS", '; did you mean "num_envs"?'),
        ("sed", '; did you mean "seed"?'),
        ("zzzz", ""),
        ("num_envs" * 100_000, ""),
        ("", ""),
    ],
)
def test_suggestion(name: str, expected: str) -> None:
    assert errors.suggestion(name, ["num_envs", "seed", "batch_size"]) == expected


def test_the_extras_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    given = project["optional-dependencies"]
    # For work on this package.
    others = {"bench", "test", "dev", "hooks", "threads", "site", "notebook"}
    assert errors.EXTRAS.keys() == given.keys() - others
    for extra, packages in errors.EXTRAS.items():
        assert list(packages) == [each.partition(";")[0] for each in given[extra]]
    guide = (ROOT / "docs" / "first-steps.md").read_text()
    for extra in errors.EXTRAS:
        assert f"| `{extra}` |" in guide
        assert f"`{errors.install_command(extra)}`" in guide
