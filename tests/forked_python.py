"""Runs programs in processes that are forked from one that has imported NumPy and the package.

A process of its own is what some tests are about, and what examples need; starting Python and
importing NumPy, Gymnasium and `envpool_py` takes it most of a second, which a forked process does
not need. What such a process sees is what a new one sees after `import envpool_py`: its `__main__`
is new, its environment, directory, arguments and standard streams are those that were asked for,
and it ends as any other, with its exit handlers and the finalization of the interpreter.

Tests of what an import does or loads start Python instead.

This file is also the program of the process that is forked: it reads a request per line and
answers with an exit code.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class ForkedPython:
    """The processes that are forked, one for each set of options of the interpreter."""

    def __init__(self) -> None:
        self._servers: dict[Any, subprocess.Popen[str]] = {}
        self._lock = threading.Lock()

    def run(
        self,
        *arguments: str,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        timeout: float = 600.0,
    ) -> subprocess.CompletedProcess[str]:
        """Does what `subprocess.run([sys.executable, *arguments], capture_output=True)` does.

        Args:
            *arguments: options of the interpreter (`-W error`), then `-c SOURCE` or `-m MODULE`,
                then what the program finds in `sys.argv[1:]`.
            cwd: its directory.
            env: its environment. None: that of this process.
            timeout: seconds after which it is killed and `subprocess.TimeoutExpired` raised.
        """
        if "ENVPOOL_SANITIZER" in os.environ:  # it does not follow a fork well
            return subprocess.run(
                [sys.executable, *arguments],
                cwd=cwd,
                env=env,
                capture_output=True,
                text=True,
                timeout=timeout,
                check=False,
            )
        at = next(at for at, text in enumerate(arguments) if text in ("-c", "-m"))
        kind, text, *rest = arguments[at:]
        env = dict(os.environ if env is None else env)
        with tempfile.TemporaryDirectory() as directory, self._lock:
            streams = [str(Path(directory) / name) for name in ("stdout", "stderr")]
            request = {kind: text, "argv": rest, "cwd": str(cwd), "env": env, "streams": streams}
            server = self._server(arguments[:at], env)
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(json.dumps({**request, "timeout": timeout}) + "\n")
            server.stdin.flush()
            code, in_time = json.loads(server.stdout.readline())
            out, err = (Path(name).read_text() for name in streams)
        if not in_time:
            raise subprocess.TimeoutExpired([sys.executable, *arguments], timeout, out, err)
        return subprocess.CompletedProcess([sys.executable, *arguments], code, out, err)

    def close(self) -> None:
        """Ends the processes that are forked."""
        with self._lock:
            for server in self._servers.values():
                server.communicate()
            self._servers.clear()

    def _server(self, options: tuple[str, ...], env: dict[str, str]) -> subprocess.Popen[str]:
        # What is read when an interpreter starts.
        start = {name: env[name] for name in sorted(env) if name.startswith(("PYTHON", "LD_"))}
        key = (options, tuple(start.items()))
        if key not in self._servers or self._servers[key].poll() is not None:
            self._servers[key] = subprocess.Popen(
                [sys.executable, *options, __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                # A process with threads is not forked: those of OpenBLAS would be some.
                env={**env, "OPENBLAS_NUM_THREADS": "1"},
            )
        return self._servers[key]


def _serve() -> dict[str, Any]:
    """Forks a process for each request; returns the request, in the new process only."""
    with os.fdopen(os.dup(0), "r") as requests, os.fdopen(os.dup(1), "w") as answers:
        for line in requests:
            request = dict(json.loads(line))
            process = os.fork()
            if process == 0:
                return request
            print(json.dumps(_await(process, request["timeout"])), file=answers, flush=True)
    raise SystemExit(0)


def _await(process: int, timeout: float) -> tuple[int, bool]:
    """Returns the exit code of a process, and whether it ended by itself; kills it otherwise."""
    late = False

    def kill(*_: Any) -> None:
        nonlocal late
        late = True
        os.kill(process, signal.SIGKILL)

    signal.signal(signal.SIGALRM, kill)
    signal.setitimer(signal.ITIMER_REAL, timeout)
    _, status = os.waitpid(process, 0)
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # as in a new process
    return os.waitstatus_to_exitcode(status), not late


def _become(request: dict[str, Any]) -> None:
    """Gives this process the directory, environment, arguments and streams of a request."""
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = ["-c" if "-c" in request else "-m", *request["argv"]]
    sys.path[0] = "" if "-c" in request else request["cwd"]
    paths = (os.devnull, *request["streams"])
    flags = (os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT] * 2)
    for stream, (path, flag) in enumerate(zip(paths, flags, strict=True)):
        opened = os.open(path, flag, 0o600)
        os.dup2(opened, stream)
        os.close(opened)


def _run(request: dict[str, Any]) -> None:
    _become(request)
    if "-m" in request:
        runpy.run_module(request["-m"], run_name="__main__", alter_sys=True)
        return
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main
    exec(compile(request["-c"], "<string>", "exec", dont_inherit=True), main.__dict__)


if __name__ == "__main__":
    import gymnasium
    import numpy as np

    import envpool_py

    del gymnasium, np, envpool_py
    _run(_serve())
