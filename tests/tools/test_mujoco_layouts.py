"""tools.mujoco_layouts: the table matches MuJoCo's headers, and a wrong one is detected."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tools" / "mujoco_layouts.py"

mujoco = pytest.importorskip("mujoco")
PACKAGE = Path(mujoco.__file__).parent
pytestmark = pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")


@pytest.fixture
def layouts() -> ModuleType:
    spec = importlib.util.spec_from_file_location("scripts_mujoco_layouts", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def versions_of(table: Path) -> list[str]:
    return re.findall(r'\.version = "([\d.]+)"', table.read_text())


def test_the_row_of_the_installed_version(layouts: ModuleType) -> None:
    assert layouts.main(["--check", str(PACKAGE)]) == 0
    assert mujoco.__version__ in versions_of(layouts.TABLE)


@pytest.mark.parametrize("member", ["nbody", "qpos0", "cfrc_ext", "scene_bytes"])
def test_a_wrong_number_is_found(
    member: str, layouts: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = layouts.TABLE.read_text()
    begin = table.index(f'"{mujoco.__version__}"')
    wrong = re.sub(rf"(\.{member} = )\d+", r"\g<1>1", table[begin:], count=1)
    copy = tmp_path / "layouts.cc"
    copy.write_text(table[:begin] + wrong)
    layouts.TABLE = copy
    shutil.copy(ROOT / "engine" / "envs" / "mujoco" / "layout.h", tmp_path)
    assert layouts.main(["--check", str(PACKAGE)]) == 1
    assert f"the row of {mujoco.__version__} is missing or differs" in capsys.readouterr().out


def test_what_is_written_is_what_is_checked(layouts: ModuleType, tmp_path: Path) -> None:
    shutil.copy(ROOT / "engine" / "envs" / "mujoco" / "layout.h", tmp_path)
    layouts.TABLE = tmp_path / "layouts.cc"
    assert layouts.main([str(PACKAGE)]) == 0
    assert versions_of(layouts.TABLE) == [mujoco.__version__]
    assert layouts.main(["--check", str(PACKAGE)]) == 0


def test_rows_of_other_versions_stay(layouts: ModuleType, tmp_path: Path) -> None:
    table = layouts.TABLE.read_text()
    begin = table.index(f'    {{.version = "{mujoco.__version__}"')
    end = table.find("    {.version", begin + 1)
    end = table.index("};\n// clang-format on") if end < 0 else end
    copy = tmp_path / "layouts.cc"
    copy.write_text(table[:begin] + table[end:])
    shutil.copy(ROOT / "engine" / "envs" / "mujoco" / "layout.h", tmp_path)
    layouts.TABLE = copy
    assert layouts.main([str(PACKAGE)]) == 0
    assert copy.read_text() == table


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        (r"mjtNum\*\s+xpos;", "float* xpos;", "xpos"),
        (r"mjOBJ_CAMERA\s*,", "mjOBJ_CAMERA = 77,", "kObjectCamera"),
    ],
)
def test_headers_that_are_not_as_the_family_takes_them_to_be(
    before: str, after: str, named: str, layouts: ModuleType, tmp_path: Path
) -> None:
    shutil.copytree(PACKAGE / "include", tmp_path / "include")
    changed = 0
    for header in (tmp_path / "include" / "mujoco").glob("*.h"):
        text, times = re.subn(before, after, header.read_text())
        header.write_text(text)
        changed += times
    assert changed >= 1  # the pattern occurs in two structs of older headers
    with pytest.raises(layouts.LayoutError, match=named):
        layouts.main(["--check", str(tmp_path)])


def test_a_package_without_headers(layouts: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(layouts.LayoutError, match=r"expected MuJoCo's headers in .*include, found"):
        layouts.main(["--check", str(tmp_path)])


def test_the_extra_takes_the_versions_of_the_table(layouts: ModuleType) -> None:
    versions = versions_of(layouts.TABLE)
    assert versions == sorted(versions, key=lambda text: [int(part) for part in text.split(".")])
    assert f'"mujoco>={versions[0]},<={versions[-1]}",' in (ROOT / "pyproject.toml").read_text()
    for page in ("README.md", "CHANGELOG.md", "docs/mujoco.md", "third_party/README.md"):
        text = " ".join((ROOT / page).read_text().split())
        assert f"release of MuJoCo from {versions[0]} to {versions[-1]}" in text or (
            f"any release from {versions[0]} to {versions[-1]}" in text
        ), page
