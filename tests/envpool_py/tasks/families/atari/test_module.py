"""All parts of the Atari modules are in their stubs and have docstrings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import envpool_py
from envpool_py import _atari, _atari_debug

MODULES = [_atari, _atari_debug]
TYPES_FOR_CHECKERS = {"GameDescription", "ProcessorState"}


def parts_of_stub(module: ModuleType) -> set[str]:
    names = set()
    stub = Path(envpool_py.__file__).with_name(module.__name__.rpartition(".")[2] + ".pyi")
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef) and node.name not in TYPES_FOR_CHECKERS:
            members = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            names |= {node.name} | {f"{node.name}.{name}" for name in members}
    return names


def parts_of_module(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name, part in vars(module).items():
        if name.startswith("_"):
            continue
        yield name, part
        if isinstance(part, type):
            for member, value in vars(part).items():
                # A class without its own constructor has pybind11's.
                if not member.startswith("_") or (member == "__init__" and name != "Snapshot"):
                    yield f"{name}.{member}", value


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_stub_lists_all_of_the_module(module: ModuleType) -> None:
    assert parts_of_stub(module) == {name for name, _ in parts_of_module(module)}


@pytest.mark.parametrize(
    ("name", "part"),
    [pytest.param(*part, id=part[0]) for module in MODULES for part in parts_of_module(module)],
)
def test_every_part_says_what_it_is(name: str, part: Any) -> None:
    text = part.__doc__ or ""
    signature = f"{name.rpartition('.')[2]}("
    if text.startswith(signature):
        text = text.partition("\n\n")[2]
    # pybind11 generates the line of each overload.
    lines = [line for line in text.splitlines() if not re.match(r"\d+\. \w+\(", line)]
    assert any(line.strip() for line in lines)
    assert max(len(line) for line in lines) <= 100
