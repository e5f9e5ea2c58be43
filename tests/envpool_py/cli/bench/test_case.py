"""Cases: the configuration of a measurement, as data."""

from __future__ import annotations

import json

import pytest

from envpool_py.cli.bench.case import Case


def test_a_case_survives_json() -> None:
    case = Case(
        "Pong-v5",
        num_envs=8,
        batch_size=4,
        num_threads=2,
        frame_skip=4,
        options={"stack_num": 4},
        peer_tasks={"gymnasium-sync": "ALE/Pong-v5"},
        peer_options={"gymnasium-sync": {}},
        wrappers={"FrameStackObservation": {"stack_size": 4}},
    )
    again = Case.from_json(json.loads(json.dumps(case.to_json())))
    assert again == case
    assert again.first_ready
    assert again.task_for("gymnasium-sync") == "ALE/Pong-v5"
    assert again.task_for("envpool") == "Pong-v5"
    assert again.options_for("envpool") == {"stack_num": 4}
    assert again.options_for("gymnasium-sync") == {}


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((0, 1, 1), "num_envs must be at least 1, got 0"),
        ((4, 0, 1), "batch_size must be at least 1, got 0"),
        ((4, 5, 1), r"batch_size must be at most num_envs \(4\), got 5"),
        ((4, 4, -1), "num_threads must be at least 1, got -1"),
    ],
)
def test_a_case_checks_its_numbers(numbers: tuple[int, int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Case("CartPole-v1", *numbers)


def test_titles_tell_cases_apart() -> None:
    assert Case("A-v0", 1, 1, 1).title == "A-v0, 1 env"
    assert Case("A-v0", 4096, 4096, 1).title == "A-v0, 4,096 envs"
    assert Case("A-v0", 1024, 256, 1).title == "A-v0, 1,024 envs, batches of 256"
