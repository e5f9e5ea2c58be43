"""Set-up of all Python tests: imports of packages that are not installed, and sanitizers."""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import importlib.util
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from . import absent_packages
from .absent_packages import pytest_runtest_makereport  # noqa: F401, a hook
from .forked_python import ForkedPython

ROOT = Path(__file__).resolve().parents[1]


def _load(name: str) -> None:
    """Make a package of the repository importable although it is not installed."""
    spec = importlib.util.spec_from_file_location(
        name, ROOT / name / "__init__.py", submodule_search_locations=[str(ROOT / name)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


for _name in ("benchmarks", "tools"):
    _load(_name)

# "address" or "thread" if the engine was built with a sanitizer (make asan, make tsan).
SANITIZER = os.environ.get("ENVPOOL_SANITIZER", "")

# Tests of Python code. What they run of the engine the other tests run too, so they are left out
# under a sanitizer, where they would take half an hour.
OF_PYTHON = [
    ROOT / "tests" / path
    for path in (
        "benchmarks",
        "compat",
        "envpool_py/cli",
        "envpool_py/test_readme.py",
        "examples",
        "gymnasium",
        "integrations",
        "test_absent_packages.py",
        "test_layering.py",
        "test_operating_systems.py",
        "tools",
        "typing",
    )
]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--part", metavar="I/N", help="of the long tests, only part I (from 0) of N equal parts"
    )
    absent_packages.add_option(parser)


def pytest_configure() -> None:
    """Keeps the pipes to pytest-xdist out of processes that tests fork.

    If a test hangs, its process is ended; a forked process that lives on would hold the pipes, and
    the run would wait for it.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    pipes = []
    for entry in Path("/dev/fd").iterdir():
        with contextlib.suppress(OSError):  # the list's own
            fd = int(entry.name)
            if fd > 2 and stat.S_ISFIFO(os.fstat(fd).st_mode):
                pipes.append(fd)

    def leave_pipes() -> None:
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        for fd in pipes:
            os.dup2(null, fd, inheritable=False)
        os.close(null)

    os.register_at_fork(after_in_child=leave_pipes)


def pytest_report_header() -> str:
    import envpool_py

    built = f", under the {SANITIZER} sanitizer" if SANITIZER else ""
    return f"envpool_py {envpool_py.__version__}{built}"


def _mark_combinations(items: list[pytest.Item]) -> None:
    """Marks most parameter combinations of tests with the marker `sampled` as long."""
    sampled: dict[str, list[pytest.Function]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("sampled"):
            sampled.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for functions in sampled.values():
        marker = functions[0].get_closest_marker("sampled")
        assert marker is not None
        (name,) = marker.args
        # Number the values (by identity: all items share the objects) and the other combinations.
        values: dict[int, int] = {}
        others: dict[tuple[int, ...], int] = {}
        numbers = []
        for item in functions:
            given = {key: id(value) for key, value in item.callspec.params.items()}
            value = values.setdefault(given.pop(name), len(values))
            numbers.append((value, others.setdefault(tuple(given.values()), len(others))))
        for item, (value, other) in zip(functions, numbers, strict=True):
            if value != other % len(values):
                item.add_marker(pytest.mark.long)


def _select_part(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects the long tests that are not in the part of `--part`."""
    given = config.getoption("--part")
    if given is None:
        return
    try:
        part, parts = map(int, given.split("/"))
    except ValueError:
        part, parts = -1, 0
    if not 0 <= part < parts:
        raise pytest.UsageError(f"--part: expected I/N with 0 <= I < N, got {given!r}")

    def belongs(item: pytest.Item) -> bool:
        # By name, so that a test that is added or deleted does not move the others.
        number = zlib.crc32(item.nodeid.encode())
        return item.get_closest_marker("long") is None or number % parts == part

    config.hook.pytest_deselected(items=[item for item in items if not belongs(item)])
    items[:] = [item for item in items if belongs(item)]


@pytest.hookimpl(tryfirst=True)  # it must add markers before `-m` deselects
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _mark_combinations(items)
    _select_part(config, items)
    if not SANITIZER:
        return
    reasons = {
        "unsanitized": f"not under the {SANITIZER} sanitizer, which changes what it depends on"
    }
    if SANITIZER == "thread":
        reasons["numbers"] = "compares numbers; threads are the subject of tests/conformance"
        reasons["foreign_threads"] = "compares with threads that ThreadSanitizer cannot follow"
    of_python = pytest.mark.skip(reason="its subject is Python code")
    for item in items:
        for name, reason in reasons.items():
            if item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=reason))
        if any(item.path.is_relative_to(path) for path in OF_PYTHON):
            item.add_marker(of_python)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Returns a function that makes directories which all processes of a run share.

    `made_once(name, fill)` calls `fill(directory)` in the first process that calls it; others wait
    for that call. It is for data that takes long to make and that tests only read.
    """
    base = tmp_path_factory.getbasetemp()
    root = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "made_once"
    root.mkdir(exist_ok=True)

    def directory_of(name: str, fill: Callable[[Path], object]) -> Path:
        directory, done = root / name, root / f"{name}.done"
        with (root / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                directory.mkdir(parents=True, exist_ok=True)
                fill(directory)
                done.touch()
        return directory

    return directory_of


@pytest.fixture(scope="session")
def forked_python() -> Iterator[ForkedPython]:
    """Runs programs in forked processes, which need not import NumPy and the package again."""
    python = ForkedPython()
    yield python
    python.close()


@pytest.fixture
def mujoco_log_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs the test in a temporary directory, because MuJoCo writes a log file."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session", autouse=True)
def _other_programs_run_without_the_sanitizer(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Start ffmpeg without the sanitizer's library, which child processes of Python inherit.

    Otherwise ThreadSanitizer, which does not see ffmpeg's own locks, ends ffmpeg in mid-film.
    """
    if not SANITIZER:
        return
    try:
        imageio_ffmpeg = importlib.import_module("imageio_ffmpeg")
    except ImportError:
        return
    program = tmp_path_factory.mktemp("programs") / "ffmpeg"
    ffmpeg = imageio_ffmpeg.get_ffmpeg_exe()
    program.write_text(f'#!/bin/sh\nexec env -u LD_PRELOAD "{ffmpeg}" "$@"\n')
    program.chmod(0o755)
    os.environ["IMAGEIO_FFMPEG_EXE"] = str(program)
