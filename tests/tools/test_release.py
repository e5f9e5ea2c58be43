"""Whether the files that state a version agree with the tag of a release."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.release import ROOT, problems

VERSION = 'name = "a"\nversion = "1.2.3"  # here\n'
CITATION = "cff-version: 1.2.0\nversion: 1.2.3\ndate-released: 2026-05-04\n"
CHANGELOG = "# Changelog\n\n## 1.2.3, 2026-05-04\n\nText.\n\n## 1.2.2, 2026-01-01\n"


def write(root: Path, **changed: str) -> None:
    files = {"pyproject.toml": VERSION, "CITATION.cff": CITATION, "CHANGELOG.md": CHANGELOG}
    for name, text in files.items():
        (root / name).write_text(changed.get(name.partition(".")[0].lower(), text))


def test_files_that_agree_are_ready(tmp_path: Path) -> None:
    write(tmp_path)
    assert list(problems("v1.2.3", tmp_path)) == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"pyproject": 'version = "1.2.4"\n'}, "pyproject.toml: expected version 1.2.3, got 1.2.4"),
        ({"citation": "version: 1.2.2\ndate-released: 2026-05-04\n"}, "CITATION.cff: expected ver"),
        ({"citation": "version: 1.2.3\n"}, "expected date-released 2026-05-04, got None"),
        ({"changelog": "## 1.2.3, unreleased\n"}, 'got "1.2.3, unreleased"'),
        ({"changelog": "## 1.2.3, 2026-15-04\n"}, "2026-15-04 is no date"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, changed: dict[str, str], told: str) -> None:
    write(tmp_path, **changed)
    assert any(told in line for line in problems("v1.2.3", tmp_path))


@pytest.mark.parametrize("tag", ["1.2.3", "v1.2", "v1.2.3-rc1", ""])
def test_other_tags_are_refused(tmp_path: Path, tag: str) -> None:
    write(tmp_path)
    assert [line[:4] for line in problems(tag, tmp_path)] == ["tag:"]


def test_the_citation_has_the_version_of_the_package() -> None:
    version = re.search(r'^version = "(.+?)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version is not None
    assert f"\nversion: {version[1]}\n" in (ROOT / "CITATION.cff").read_text()
