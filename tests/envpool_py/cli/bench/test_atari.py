"""Atari games, configured for equal frames in all libraries."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from envpool_py.cli.bench import measure, worker
from envpool_py.cli.bench.atari import atari_case
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.peers import OURS, PARTICIPANTS
from envpool_py.cli.bench.unavailable import INSTALL_ALL, UnavailableError

from .results import SHORT


def test_an_atari_case_names_the_game_as_each_library_does() -> None:
    case = atari_case("MsPacman-v5", 32, 16, 2)
    assert case.title == "MsPacman-v5, 32 envs, batches of 16"
    assert (case.task_for(OURS), case.task_for("envpool")) == ("MsPacman-v5", "MsPacman-v5")
    assert case.task_for("ale-py") == "ms_pacman"
    assert case.task_for("gymnasium-async") == "ale_py:ALE/MsPacman-v5"
    assert case.frame_skip == 4


@pytest.mark.parametrize("task", ["CartPole-v1", "ALE/Pong-v5", "Pnog-v5"])
def test_an_atari_case_is_of_an_atari_task(task: str) -> None:
    with pytest.raises(ValueError, match=f"expected an Atari task such as Pong-v5, got {task}"):
        atari_case(task, 8, 8, 2)


@pytest.mark.unsanitized  # other libraries start threads
@pytest.mark.parametrize(
    ("name", "batch_size", "rows_per_call"),
    [
        (OURS, 4, 4),
        (OURS, 2, 2),
        ("envpool", 2, 2),
        ("ale-py", 4, 4),
        ("ale-py", 2, 2),
        ("gymnasium-sync", 2, 4),
    ],
)
def test_atari_games_are_measured(name: str, batch_size: int, rows_per_call: int) -> None:
    pytest.importorskip("ale_py")
    if name == "envpool":
        pytest.importorskip("envpool")
    outcome = measure.launch_worker(name, atari_case("Pong-v5", 4, batch_size, 2), SHORT)
    assert outcome.status == "ok", outcome.reason
    assert outcome.sample is not None
    assert outcome.sample.rows == outcome.sample.calls * rows_per_call


@pytest.mark.unsanitized  # other libraries start threads
def test_all_libraries_see_the_same_frames() -> None:
    """Compares frames of a game without random idle frames, which is deterministic."""
    pytest.importorskip("ale_py")
    case = atari_case("Pong-v5", 2, 2, 1)
    frames = {}
    for name in (OURS, "ale-py", "gymnasium-sync"):
        options = {**case.options_for(name)}
        if "noop_max" in options:
            options["noop_max"] = 0
        wrappers = {**case.wrappers}
        wrappers["AtariPreprocessing"] = {**wrappers["AtariPreprocessing"], "noop_max": 0}
        still = dataclasses.replace(
            case, peer_options={**case.peer_options, name: options}, wrappers=wrappers
        )
        env = PARTICIPANTS[name].make(still)
        env.reset(seed=0)
        for _ in range(20):
            frames[name], rewards = env.step(np.array([2, 3]))[:2]
        env.close()
        assert frames[name].shape == (2, 4, 84, 84)
        assert np.abs(rewards).max() <= 1
    for name in ("ale-py", "gymnasium-sync"):
        np.testing.assert_array_equal(frames[OURS], frames[name])


@pytest.mark.unsanitized  # other libraries start threads
def test_the_environments_that_ale_py_hears_from_get_the_actions() -> None:
    pytest.importorskip("ale_py")
    case = atari_case("Pong-v5", 4, 2, 2)
    participant = PARTICIPANTS["ale-py"]
    env = participant.make(case)
    participant.drive(env, case)
    steps = np.zeros(4, int)
    for _ in range(40):
        env_id = env.step(np.zeros(2, int))[4]["env_id"]
        assert len(set(env_id)) == 2
        steps[env_id] += 1
    env.close()
    # One environment may be missing: its thread may have had no processor for so long.
    assert (steps > 0).sum() >= 3


def test_a_task_of_a_module_that_is_missing_is_no_failure() -> None:
    case = Case("A-v0", 1, 1, 1, peer_tasks={"gymnasium-sync": "no_such_module:A-v0"})
    outcome = worker.run(PARTICIPANTS["gymnasium-sync"], case, 0.001, 0.0)
    assert outcome.status == "unavailable"
    assert outcome.reason == "no_such_module is not installed"
    assert outcome.remedy == INSTALL_ALL


def test_gymnasium_wraps_each_environment() -> None:
    case = Case("CartPole-v1", 2, 2, 1, wrappers={"FrameStackObservation": {"stack_size": 3}})
    env = PARTICIPANTS["gymnasium-sync"].make(case)
    assert env.single_observation_space.shape == (3, 4)
    env.close()
    with pytest.raises(UnavailableError, match="no NumPy-vectorised CartPole-v1"):
        PARTICIPANTS["gymnasium-vectorized"].make(case)
