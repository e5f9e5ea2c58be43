"""The Atari module has everything that its stub lists, with docstrings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import envpool_py
from envpool_py import _atari

STUB = Path(envpool_py.__file__).with_name("_atari.pyi")
TYPES_FOR_CHECKERS = {"GameDescription", "ProcessorState"}


def parts_of_stub() -> set[str]:
    names = set()
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef) and node.name not in TYPES_FOR_CHECKERS:
            members = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            names |= {node.name} | {f"{node.name}.{name}" for name in members}
    return names


def parts_of_module() -> Iterator[tuple[str, Any]]:
    for name, part in vars(_atari).items():
        if name.startswith("_"):
            continue
        yield name, part
        if isinstance(part, type):
            for member, value in vars(part).items():
                # A class without a constructor of its own has pybind11's.
                if not member.startswith("_") or (member == "__init__" and name != "Snapshot"):
                    yield f"{name}.{member}", value


def test_the_stub_lists_all_of_the_module() -> None:
    assert parts_of_stub() == {name for name, _ in parts_of_module()}


@pytest.mark.parametrize(
    ("name", "part"), [pytest.param(*part, id=part[0]) for part in parts_of_module()]
)
def test_every_part_says_what_it_is(name: str, part: Any) -> None:
    text = part.__doc__ or ""
    signature = f"{name.rpartition('.')[2]}("
    if text.startswith(signature):
        text = text.partition("\n\n")[2]
    # Of a part with several forms, the line of each form is made by the binding library.
    lines = [line for line in text.splitlines() if not re.match(r"\d+\. \w+\(", line)]
    assert any(line.strip() for line in lines)
    assert max(len(line) for line in lines) <= 100
