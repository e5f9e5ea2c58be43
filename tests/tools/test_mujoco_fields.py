"""tools.mujoco_fields: the table matches MuJoCo's headers and bindings; wrong ones are detected."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tools" / "mujoco_fields.py"

mujoco = pytest.importorskip("mujoco")
PACKAGE = Path(mujoco.__file__).parent
pytestmark = pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")


def version_of(number: int) -> tuple[int, ...]:
    """Returns the parts of mj_version(); up to 3.4.0 it has the form 340."""
    if number < 1000:
        return number // 100, number // 10 % 10, number % 10
    return number // 1_000_000, number // 1000 % 1000, number % 1000


@pytest.fixture
def fields(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    spec = importlib.util.spec_from_file_location("scripts_mujoco_fields", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # for its dataclasses
    spec.loader.exec_module(module)
    return module


def test_the_row_of_the_installed_version(fields: ModuleType) -> None:
    assert fields.main(["--check", str(PACKAGE)]) == 0


def test_versions_are_those_of_the_layouts(fields: ModuleType) -> None:
    layouts = (ROOT / "engine" / "envs" / "mujoco" / "layouts.cc").read_text()
    versions = re.findall(r'\.version = "([\d.]+)"', layouts)
    assert re.findall(r'\.version = "([\d.]+)"', fields.TABLE.read_text()) == versions


def test_shapes_are_those_of_the_bindings(fields: ModuleType) -> None:
    model: Any = mujoco.MjModel.from_xml_string("<mujoco><worldbody/></mujoco>")
    known = fields._known(fields.TABLE)[version_of(mujoco.mj_version())]
    for field in known.fields:
        owner = model.opt if field.name.startswith("opt.") else model
        value = np.asarray(getattr(owner, field.name.removeprefix("opt.")))
        if field.rows:
            columns = (field.columns,) if field.columns > 1 else ()
            shape: tuple[int, ...] = (getattr(model, field.rows), *columns)
        else:
            shape = (field.columns,) if field.columns > 0 else ()
        assert value.shape == shape, field
        if value.ndim == 0 and field.element == "kInt":
            value = value.astype(np.int32)  # a Python int
        expected = {"kDouble": "f8", "kFloat": "f4", "kInt": "i4"}.get(field.element)
        assert value.dtype.itemsize == 1 if expected is None else value.dtype == expected, field


def test_every_member_is_a_field_or_has_a_reason(fields: ModuleType) -> None:
    model: Any = mujoco.MjModel.from_xml_string("<mujoco><worldbody/></mujoco>")
    known = fields._known(fields.TABLE)[version_of(mujoco.mj_version())]
    names = {field.name for field in known.fields} | set(known.others)
    for name in dir(model):
        if isinstance(getattr(model, name), np.ndarray):
            assert name in names or name == "_sizes", name


@pytest.mark.parametrize("name", ["kFields", "kCounts"])
def test_a_wrong_number_is_found(
    name: str, fields: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = fields.TABLE.read_text()
    begin = table.index(f"{name}_{mujoco.__version__.replace('.', '_')}[]")
    wrong = re.sub(r"(\n\s+)\d+", r"\g<1>1", table[begin:], count=1)
    fields.TABLE = tmp_path / "table.cc"
    fields.TABLE.write_text(table[:begin] + wrong)
    assert fields.main(["--check", str(PACKAGE)]) == 1
    assert f"the row of {mujoco.__version__} is missing or differs" in capsys.readouterr().out


def test_rows_of_other_versions_stay(fields: ModuleType, tmp_path: Path) -> None:
    table = fields.TABLE.read_text()
    fields.TABLE = tmp_path / "table.cc"
    fields.TABLE.write_text(table)
    assert fields.main([str(PACKAGE)]) == 0
    assert fields.TABLE.read_text() == table
