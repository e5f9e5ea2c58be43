"""A call for which one allocation fails: a MemoryError, and the process goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from envpool_py import _core

LIBRARY = Path(_core.__file__).parent / "libcounting_malloc.so"

SCRIPT = """
import ctypes, sys
import envpool_py
from envpool_py import _core

library = ctypes.CDLL(sys.argv[1])
library.allocations_of_this_thread.restype = ctypes.c_uint64
library.fail_allocation.argtypes = [ctypes.c_uint64]
arguments = {}
original = _core.Pool

class Recorded(original):
    def __init__(self, *args, **keywords):
        arguments["all"] = args, keywords
        super().__init__(*args, **keywords)

import envpool_py.pool.core as core
core._core.Pool = Recorded
envpool_py.make("CartPole-v1", num_threads=1).close()
core._core.Pool = original
args, keywords = arguments["all"]

def make():
    original(*args, **keywords).close(0.0)

make()
before = library.allocations_of_this_thread()
make()
count = library.allocations_of_this_thread() - before
failed = 0
for after in range(count):
    library.fail_allocation(after)
    try:
        make()
    except MemoryError:
        failed += 1
make()
print(count > 10, failed > count // 2)
"""


@pytest.mark.skipif(not LIBRARY.is_file(), reason="needs the library of an editable installation")
@pytest.mark.unsanitized  # a sanitizer has allocation functions of its own
def test_each_allocation_of_a_new_pool_may_fail(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(LIBRARY)],
        cwd=tmp_path,
        env={**os.environ, "LD_PRELOAD": str(LIBRARY)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (run.returncode, run.stdout) == (0, "True True\n"), run.stderr
