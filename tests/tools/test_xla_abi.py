"""tools.xla_abi: our declarations match jaxlib's headers, and a wrong one is detected."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytest.importorskip("jax")
pytestmark = pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")


@pytest.fixture
def xla_abi() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tools_xla_abi", ROOT / "tools" / "xla_abi.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_installed_version(xla_abi: ModuleType) -> None:
    assert xla_abi.main([]) == 0


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ("kS8 = 2", "kS8 = 9", "XLA_FFI_DataType_S8"),
        ("kExecuteStage = 3", "kExecuteStage = 2", "kExecuteStage"),
        ("  void* data;\n  std::int64_t rank;", "  std::int64_t rank;\n  void* data;", "rank"),
        ("  int stage;\n", "  int stage;\n  long more;\n", "abi::CallFrame"),
        ("kLastMinorVersion = 4", "kLastMinorVersion = 0", "kLastMinorVersion"),
        ("kInvalidArgument = 3", "kInvalidArgument = 4", "INVALID_ARGUMENT"),
    ],
)
def test_a_difference_is_found(
    before: str,
    after: str,
    named: str,
    xla_abi: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = xla_abi.ABI.read_text()
    assert before in text
    changed = tmp_path / "xla_ffi.h"
    changed.write_text(text.replace(before, after))
    xla_abi.ABI = changed
    assert xla_abi.main([]) == 1
    assert named in capsys.readouterr().out
