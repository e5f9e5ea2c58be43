"""The workflows in .github run commands of the Makefile that exist.

`make -n` expands every rule that the commands need, and runs none of them.
"""

from __future__ import annotations

import itertools
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RUN = re.compile(r"^ *(?:- )?run: *(.*)$", re.MULTILINE)
MATRIX = re.compile(r"^ +(\w+): \[(.*)\]$", re.MULTILINE)
EXPRESSION = re.compile(r"\$\{\{ *([\w.]+) *\}\}")
VALUES = {"github.ref_name": ["v0.1.0"]}


def commands_of(text: str) -> list[str]:
    """Returns the commands of a workflow, one for each combination of the values of its matrix."""
    values = dict(VALUES)
    for name, listed in MATRIX.findall(text):
        values[f"matrix.{name}"] = [each.strip().strip('"') for each in listed.split(",")]
    commands = []
    for command in RUN.findall(text):
        names = list(dict.fromkeys(EXPRESSION.findall(command)))
        for chosen in itertools.product(*(values[name] for name in names)):
            place = dict(zip(names, chosen, strict=True))
            commands.append(EXPRESSION.sub(lambda found, place=place: place[found[1]], command))
    return commands


def is_of_the_makefile(command: str) -> bool:
    return re.fullmatch(r"make( [\w.=-]+)+", command) is not None


COMMANDS = sorted({command for path in WORKFLOWS for command in commands_of(path.read_text())})


def grouped(commands: list[str]) -> dict[str, list[str]]:
    """Returns the goals of the commands by the variables that they set: `make` takes many goals."""
    groups: dict[str, list[str]] = {}
    for command in commands:
        words = command.split()[1:]
        variables = " ".join(word for word in words if "=" in word)
        groups.setdefault(variables, []).extend(word for word in words if "=" not in word)
    return groups


def dry(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    return subprocess.run(
        ["make", "-n", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_there_are_workflows_with_commands() -> None:
    assert {path.stem for path in WORKFLOWS} == {"nightly", "release", "site", "tests", "wheels"}
    assert "make test PYTHON=python" in COMMANDS
    assert "make check-release TAG=v0.1.0" in COMMANDS


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_only_the_makefile(path: Path) -> None:
    text = path.read_text()
    assert len(RUN.findall(text)) == len(re.findall(r"\brun:", text)), "a command of several lines"
    others = [each for each in commands_of(text) if not is_of_the_makefile(each)]
    assert others == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_called_exist(path: Path) -> None:
    for name in re.findall(r"uses: \./(.*)", path.read_text()):
        assert (ROOT / name).is_file(), name


@pytest.mark.parametrize(("variables", "goals"), grouped(COMMANDS).items())
def test_the_makefile_has_the_commands(variables: str, goals: list[str]) -> None:
    done = dry(*variables.split(), *goals)
    assert done.returncode == 0, done.stderr


def test_a_command_that_is_missing_fails() -> None:
    assert not is_of_the_makefile("pip install .")
    assert not is_of_the_makefile("make test && echo")
    done = dry("lint", "check-what-is-not-there")
    assert done.returncode != 0
    assert "No rule to make target" in done.stderr


def test_the_nightly_run_has_every_part_of_check_all() -> None:
    makefile = (ROOT / "Makefile").read_text()
    parts = re.search(r"^check-all: (.*)$", makefile, re.MULTILINE)
    assert parts is not None
    nightly = (ROOT / ".github" / "workflows" / "nightly.yml").read_text()
    assert {f"make {part} PYTHON=python" for part in parts[1].split()} == set(commands_of(nightly))
