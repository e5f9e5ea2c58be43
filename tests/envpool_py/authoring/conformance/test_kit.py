"""The kit itself: it finds environments that break a rule, and survives crashes of others."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from envpool_py.authoring.conformance import NotApplicableError, checks, leaks
from envpool_py.authoring.conformance.episodes import Event, assert_prefix
from envpool_py.authoring.conformance.kit import expect, raises
from envpool_py.authoring.conformance.runner import Job, Outcome, run
from envpool_py.authoring.conformance.values import Actions, assert_equal, bounds_of, leaves
from envpool_py.cli.check_worker import COMMAND, RATE
from envpool_py.tasks.discovery import import_named
from envpool_py.tasks.spec import make_spec

# Checks that environments of the testing module fail, with a part of each message.
FAILURES = {
    ("Testing/Failing-v0", "results.layout_and_bounds[mode=NextStep]"): "EnvironmentFailedError",
    ("Testing/SetsNotEveryInfo-v0", "rows.observations_infos_rewards[mode=NextStep]"): (
        'CheckFailedError: environment 0 failed: check: info "seen" is not written'
    ),
}


@pytest.fixture
def named(testing: Any) -> None:
    """Makes the testing module importable by name in the runner's processes, as `--import` does."""
    del testing
    import_named("envpool_py._testing")


@pytest.mark.parametrize(("task_id", "name"), FAILURES)
def test_a_failed_check_says_what_is_wrong(task_id: str, name: str, testing: Any) -> None:
    del testing
    (check,) = (check for check in checks() if check.name == name)
    with pytest.raises(Exception) as caught:  # noqa: PT011
        check.run(task_id)
    assert FAILURES[task_id, name] in f"{type(caught.value).__name__}: {caught.value}"


@pytest.mark.usefixtures("named")
def test_no_picture_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    (pictures,) = [check for check in checks() if check.name == "rows.pictures"]
    with pytest.raises(NotApplicableError, match="pygame, which cannot be imported"):
        pictures.run("CartPole-v1")


def test_jobs_run_in_a_process_of_their_own() -> None:
    jobs = [
        Job("Testing/Counter-v0", "results.a_few_steps"),
        Job("Testing/Failing-v0", "results.layout_and_bounds[mode=NextStep]"),
        Job("Testing/Counter-v0", "rows.pictures"),
        Job("Testing/Counter-v0", RATE),
    ]
    told: list[Outcome] = []
    outcomes = run(jobs, 300.0, told.append, command=COMMAND)
    assert told == outcomes
    assert [outcome.job for outcome in outcomes] == jobs
    assert [outcome.status for outcome in outcomes] == ["passed", "failed", "skipped", "passed"]
    assert outcomes[1].text.startswith("EnvironmentFailedError: environment ")
    assert outcomes[2].text == "it does not render"
    assert float(outcomes[3].text) > 0


CRASHES = """
import json, os, signal, sys, threading
spec = json.load(sys.stdin)
for task_id, name in spec["jobs"]:
    if name == "crashes":
        print("about to crash", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "exits":
        os._exit(7)
    if name == "hangs":
        threading.Event().wait()
    print(json.dumps({"status": "passed", "text": name, "seconds": 0.5}), flush=True)
"""


@pytest.mark.skipif(
    "ENVPOOL_SANITIZER" in os.environ, reason="the sanitizer handles the signal itself"
)
def test_a_crash_ends_one_check_only() -> None:
    jobs = [Job("A-v0", name) for name in ("one", "crashes", "two", "exits", "three")]
    outcomes = run(jobs, 300.0, command=[sys.executable, "-c", CRASHES])
    assert [outcome.status for outcome in outcomes] == [
        "passed", "failed", "passed", "failed", "passed",
    ]  # fmt: skip
    assert outcomes[1].text == "ended the process: signal SIGSEGV\nabout to crash"
    assert outcomes[3].text == "ended the process: exit code 7"
    assert [outcome.text for outcome in outcomes[::2]] == ["one", "two", "three"]


def test_a_check_that_hangs_is_ended() -> None:
    (outcome,) = run([Job("A-v0", "hangs")], 0.5, command=[sys.executable, "-S", "-c", CRASHES])
    assert (outcome.status, outcome.text) == ("failed", "hangs: no result after 0.5 s")


def test_names_are_distinct_and_have_a_line() -> None:
    names = [check.name for check in checks()]
    assert len(set(names)) == len(names) >= 50
    assert all(check.doc.endswith(".") for check in checks())
    assert {name.partition(".")[0] for name in names} == {
        "rows", "results", "players", "episodes", "seeds", "configuration", "dm_api", "states",
        "leaks",
    }  # fmt: skip


def test_actions_have_the_form_of_the_space(testing: Any) -> None:
    del testing
    for task_id in ("Testing/BoxLong-v0", "Testing/MultiBinaryAction-v0", "Pendulum-v1", "Taxi-v3"):
        space = make_spec(task_id).action_space
        space.seed(0)
        actions = Actions(task_id, 50, 4)
        assert len(list(actions)) == 50
        for leaf in leaves(actions[:, 0]).values():
            assert len(leaf) == 50
        for step in range(50):
            assert space.contains(_item(actions[step, 2]))


def _item(nested: Any) -> Any:
    if isinstance(nested, dict):
        return {name: _item(child) for name, child in nested.items()}
    if isinstance(nested, tuple):
        return tuple(map(_item, nested))
    return nested


def test_bounds_are_reached() -> None:
    low, high = bounds_of(make_spec("Taxi-v3").action_space)
    assert (low, high) == (0, 5)
    seen = np.unique(Actions("Taxi-v3", 100, 4)[:])
    assert seen.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        ((np.zeros(2),), (np.zeros(2), np.zeros(2)), "only one of the two results has [1]"),
        ({"a": np.zeros(2)}, {"a": np.zeros(2, int)}, "['a'] is float64 (2,) and int64 (2,)"),
        (
            ({"a": np.array([[1.0, 2.0], [3.0, np.nan]])},),
            ({"a": np.array([[1.0, 2.5], [3.0, np.nan]])},),
            "[0]['a'][0, 1] is 2.0 and 2.5 (1 of 4 elements differ)",
        ),
    ],
)
def test_a_difference_names_its_place(left: Any, right: Any, message: str) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_equal(left, right, "what")
    assert str(caught.value) == f"what: {message}"
    assert_equal(left, left, "what")


def test_an_environment_that_differs_is_named() -> None:
    first = Event("reset", b"a", b"")
    expected = [[first, Event("step", b"b", b"", 1.0)], [first]]
    assert_prefix(expected, expected, 1)
    other = [[first, Event("step", b"c", b"", 2.0)], [first]]
    with pytest.raises(AssertionError, match="environment 0, event 1: observation, reward differ"):
        assert_prefix(other, expected, 1)
    with pytest.raises(AssertionError, match="environment 1: 1 events, expected at least 2"):
        assert_prefix(expected, expected, 2)


def test_what_is_expected() -> None:
    expect(True, "no")
    with pytest.raises(AssertionError, match="what it is"):
        expect(False, "what it is")
    with raises(KeyError, "a look"):
        raise KeyError
    with (
        pytest.raises(AssertionError, match="a look: expected KeyError"),
        raises(KeyError, "a look"),
    ):
        pass
    assert issubclass(NotApplicableError, Exception)


# The use in an author's own pytest tests


PLUGIN_TEST = """
from envpool_py.authoring.conformance.plugin import conformance_tests
test_conformance = conformance_tests("envpool_py._testing:Testing/Counter-v0")
"""


def test_a_test_file_of_an_author(
    testing: Any, tmp_path: Any, run_script: Callable[..., str]
) -> None:
    del testing
    (tmp_path / "test_counter.py").write_text(PLUGIN_TEST)
    printed = run_script(
        """
        import pytest, sys
        code = pytest.main(["-q", "-p", "no:cacheprovider", "-k", "results", "test_counter.py"])
        sys.exit(code)
        """
    )
    assert "6 passed" in printed


def test_without_a_test_file(testing: Any, run_script: Callable[..., str]) -> None:
    del testing
    printed = run_script(
        """
        import pytest
        options = ["-q", "-p", "no:cacheprovider", "-p", "envpool_py.authoring.conformance.plugin"]
        failing = "results.layout_and_bounds[mode=NextStep]"
        code = pytest.main(
            [*options, "--envpool", "envpool_py._testing", "-k",
             "Counter and results or Failing and layout_and_bounds and NextStep", "-rf"]
        )
        assert code == 1, code
        family = "envpool_py.tasks.families.toy_text"
        code = pytest.main([*options, "--envpool", family, "-k", "a_few_steps"])
        assert code == 0, code
        """
    )
    assert "1 failed, 6 passed" in printed
    assert "FAILED envpool::results.layout_and_bounds[mode=NextStep][Testing/Failing-v0]" in printed
    assert "11 passed" in printed


@pytest.mark.skipif("ENVPOOL_SANITIZER" in os.environ, reason="it has an allocator of its own")
def test_memory_that_each_run_keeps_is_a_leak_and_what_a_few_keep_is_not() -> None:
    kept: list[bytearray] = []

    def leak() -> None:
        kept.append(bytearray(5000))

    def warm_up() -> None:
        if len(kept) < 10:
            leak()

    # Other threads of the process may free a little meanwhile.
    assert min(leaks._growths(leak, 1000)) >= 4000
    kept.clear()
    assert min(leaks._growths(warm_up, 1000)) < 1000
    assert len(kept) == 10
