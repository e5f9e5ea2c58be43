"""Runs programs in processes forked from one that has imported NumPy and the package.

Some tests and all examples need a separate process. Starting Python and importing NumPy, Gymnasium
and `envpool_py` takes most of a second; a fork avoids this. A forked process looks like a new one
after `import envpool_py`: `__main__` is new, the environment, directory, arguments and standard
streams are those of the request, and it exits as usual, with exit handlers and the interpreter's
finalization.

Tests of imports start Python instead.

This file is also the program of the forking process: it reads one request per line and answers with
an exit code.
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
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class ForkedPython:
    """The forking processes, one for each set of interpreter options."""

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
        """Does the same as `subprocess.run([sys.executable, *arguments], capture_output=True)`.

        Args:
            *arguments: options of the interpreter (`-W error`), then `-c SOURCE` or `-m MODULE`,
                then the program's arguments (`sys.argv[1:]`).
            cwd: the working directory.
            env: the environment variables. None: those of this process.
            timeout: seconds until the process is killed and `subprocess.TimeoutExpired` is raised.
        """
        if "ENVPOOL_SANITIZER" in os.environ:  # sanitizers do not support forks well
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
        """Ends the forking processes."""
        with self._lock:
            for server in self._servers.values():
                # Not by the end of its input: processes that a test has forked may hold the pipe.
                with server:
                    server.kill()
            self._servers.clear()

    def _server(self, options: tuple[str, ...], env: dict[str, str]) -> subprocess.Popen[str]:
        # The variables that an interpreter reads when it starts.
        start = {name: env[name] for name in sorted(env) if name.startswith(("PYTHON", "LD_"))}
        key = (options, tuple(start.items()))
        if key not in self._servers or self._servers[key].poll() is not None:
            self._servers[key] = subprocess.Popen(
                [sys.executable, *options, __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                # The process must have no threads when it forks, such as OpenBLAS's.
                env={**env, "OPENBLAS_NUM_THREADS": "1"},
            )
        return self._servers[key]


def _serve() -> dict[str, Any]:
    """Forks a process for each request; returns the request only in the new process."""
    with os.fdopen(os.dup(0), "r") as requests, os.fdopen(os.dup(1), "w") as answers:
        for line in requests:
            request = dict(json.loads(line))
            process = os.fork()
            if process == 0:
                return request
            print(json.dumps(_await(process, request["timeout"])), file=answers, flush=True)
    raise SystemExit(0)


def _await(process: int, timeout: float) -> tuple[int, bool]:
    """Waits for a process, and kills it after `timeout` seconds.

    Returns its exit code, and whether it ended in time.
    """
    late = False

    def kill(*_: Any) -> None:
        nonlocal late
        late = True
        os.kill(process, signal.SIGKILL)

    signal.signal(signal.SIGALRM, kill)
    signal.setitimer(signal.ITIMER_REAL, timeout)
    _, status = os.waitpid(process, 0)
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # the default, as in a new process
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
    # From 3.12 on Python warns of a fork while there are threads. Scripts do that on purpose.
    warnings.filterwarnings("ignore", "This process", DeprecationWarning)
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
