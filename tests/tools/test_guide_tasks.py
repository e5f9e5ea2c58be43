"""Tables of the guide: many ids are named by patterns, which match these ids only."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from envpool_py.tasks import registry
from tools.guide.tasks import ids_of, names_of


@pytest.mark.parametrize("family", ["robotics", "procgen", "minigrid", "dm_control"])
@pytest.mark.parametrize("share", [2, 3, 10])
def test_patterns_match_these_ids_only(family: str, share: int) -> None:
    among = list(registry.all_families()[family].tasks)
    for wanted in (among[::share], among[: len(among) // share], among):
        patterns = names_of(wanted, among).strip("`").split("`, `")
        matched = [
            each for each in among if any(fnmatchcase(each, pattern) for pattern in patterns)
        ]
        assert matched == wanted


def test_a_family_in_few_words() -> None:
    among = list(registry.all_families()["robotics"].tasks)
    mazes = [each for each in among if each.startswith("PointMaze")]
    assert names_of(mazes, among) == "`PointMaze_*-v3`"
    assert names_of(mazes[:3], among) == ", ".join(f"`{each}`" for each in mazes[:3])


def test_words_that_select_ids() -> None:
    assert ids_of(["FetchReach*", "CartPole-v1"]) == [
        "FetchReach-v4",
        "FetchReachDense-v4",
        "CartPole-v1",
    ]
    assert ids_of(["robotics", "-*Maze*", "-*Hand*", "-Fetch*"]) == ["FrankaKitchen-v1"]
