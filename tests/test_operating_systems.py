"""What only one operating system has is used only in engine/base/os, and in Python in processes.py.

Reports every other use. Sources that break the rule test the rule itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# What only some operating systems have, and the only place in engine/ for it.
OS_LAYER = "engine/base/os/"
OF_ONE_SYSTEM = re.compile(
    r"__linux__|__APPLE__|\blinux/\w+\.h|\bsys/(syscall|prctl|epoll|eventfd|signalfd|timerfd|sysctl|event)\.h"
    r"|\b(syscall|prctl|memfd_create|shm_open|kqueue|gettid|tgkill|accept4|pipe2)\s*\("
    r"|\b(pidfd|epoll|eventfd|signalfd|timerfd|sched_[gs]et|inotify)_?\w*\s*\("
    r"|\b(SYS|CPU|MFD|FUTEX|PR)_[A-Z]+\w*|\bcpu_set_t\b|\bP_PIDFD\b|\bpthread_\w+_np\b"
    r"|\bMADV_(REMOVE|DONTDUMP|HUGEPAGE|DONTFORK|FREE_REUSABLE)\b|\bMAP_(POPULATE|HUGETLB)\b"
)
# The same in Python.
OS_MODULES = {"envpool_py/python_envs/processes.py", "envpool_py/ray/fleet/pool_actor.py"}
OF_ONE_SYSTEM_IN_PYTHON = re.compile(
    r"\bos\.(pidfd_open|P_PIDFD|sched_[gs]etaffinity|memfd_create|eventfd|waitid)\b"
    r"|\bsignal\.pidfd_\w+|\bselect\.(epoll|kqueue)\b"
)


def system_errors(path: str, text: str) -> Iterator[str]:
    """Yield the uses, outside of comments, of what only one operating system has."""
    is_cpp = path.startswith("engine/")
    if path.startswith(OS_LAYER) or path in OS_MODULES:
        return
    pattern, comment = (OF_ONE_SYSTEM, "//") if is_cpp else (OF_ONE_SYSTEM_IN_PYTHON, "#")
    for number, line in enumerate(text.splitlines(), 1):
        found = pattern.search(line.partition(comment)[0] if is_cpp else line)
        if found and not line.lstrip().startswith(comment):
            where = OS_LAYER if is_cpp else sorted(OS_MODULES)
            yield f"{path}:{number} uses {found[0]}: only {where} may"


def test_only_one_place_depends_on_the_operating_system() -> None:
    files = sorted(ROOT.glob("engine/**/*.h")) + sorted(ROOT.glob("engine/**/*.cc"))
    files += sorted(ROOT.glob("envpool_py/**/*.py"))
    assert any(path.is_relative_to(ROOT / OS_LAYER) for path in files)
    errors = [
        error
        for path in files
        for error in system_errors(path.relative_to(ROOT).as_posix(), path.read_text())
    ]
    assert not errors, "\n".join(errors)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("engine/runtime/pool.cc", "#if defined(__linux__)"),
        ("engine/topology/topology.cc", "#ifdef __APPLE__"),
        ("engine/base/rng.cc", "#include <linux/futex.h>"),
        ("engine/sync/parker.h", "#include <sys/syscall.h>"),
        ("engine/processes/recovery.cc", "  syscall(SYS_pidfd_send_signal, fd, 9, nullptr, 0);"),
        ("engine/processes/shared_arena.cc", '  int fd = memfd_create("name", 0);'),
        ("engine/processes/shared_arena.cc", "  madvise(memory, bytes, MADV_REMOVE);"),
        ("engine/topology/placement.cc", "  sched_setaffinity(0, bytes, set);"),
        ("engine/topology/placement.cc", "  cpu_set_t usual;"),
        ("engine/runtime/worker_threads.cc", "  pthread_setname_np(pthread_self(), name);"),
        ("envpool_py/python_envs/workers.py", "fd = os.pidfd_open(process_id)"),
        ("envpool_py/python_envs/choosing.py", "cpus = os.sched_getaffinity(0)"),
        ("envpool_py/python_envs/server.py", "os.waitid(os.P_PIDFD, fd, os.WEXITED)"),
        ("envpool_py/python_envs/launching.py", "signal.pidfd_send_signal(fd, 9)"),
    ],
)
def test_what_only_one_system_has_is_found_elsewhere(path: str, line: str) -> None:
    assert list(system_errors(path, f"\n{line}\n"))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("engine/base/os/futex_linux.cc", "  syscall(SYS_futex, word);"),
        ("engine/runtime/pool.cc", "// As a pidfd_open(2) does on Linux, and __linux__."),
        ("engine/processes/recovery.cc", "  Kill(status.process);  // with SYS_pidfd_send_signal"),
        ("engine/sync/spin_permits.cc", "  pthread_atfork(nullptr, nullptr, &Renew);"),
        ("envpool_py/python_envs/processes.py", "fd = os.pidfd_open(process_id)"),
        ("envpool_py/python_envs/workers.py", "# with os.pidfd_open"),
    ],
)
def test_the_layer_of_the_system_and_comments_are_let_through(path: str, line: str) -> None:
    assert list(system_errors(path, line)) == []
