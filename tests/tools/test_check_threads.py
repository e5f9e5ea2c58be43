"""Clang reports a field that is used without its lock."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools import check_threads

ROOT = Path(__file__).parents[2]
SOURCE = """
#include "engine/base/mutex.h"

struct Counter {
  void Add() {
    %s
    ++count;
  }
  engine::Mutex mutex;
  int count ENGINE_GUARDED_BY(mutex) = 0;
};
"""


def build(directory: Path, *, locks: bool) -> Path:
    """Writes the compile commands of a layer of one file."""
    unit = directory / "engine_count.dir" / "Unity" / "unity_0_cxx.cxx"
    unit.parent.mkdir(parents=True)
    unit.write_text(SOURCE % ("const engine::ScopedLock lock(mutex);" if locks else ""))
    entry = {
        "directory": str(directory),
        "file": str(unit),
        "command": f"g++ -std=c++20 -I{ROOT} -o unit.o -c {unit}",
    }
    (directory / "compile_commands.json").write_text(json.dumps([entry]))
    return directory


@pytest.mark.skipif(
    check_threads.clang(Path("unused")) is None, reason="Clang is not installed here"
)
@pytest.mark.parametrize("locks", [True, False])
def test_a_field_without_its_lock(
    tmp_path: Path, locks: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    assert check_threads.main([str(build(tmp_path, locks=locks))]) == (0 if locks else 1)
    assert ("requires holding lock 'mutex'" in capfd.readouterr().err) == (not locks)


def test_a_build_without_layers_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "compile_commands.json").write_text("[]")
    assert check_threads.main([str(tmp_path)]) == 1
