"""`envpool-py new` and `envpool-py dev`: a project that builds, passes its tests and installs."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from envpool_py import cli
from envpool_py.authoring import scaffold
from envpool_py.cli import dev_command
from envpool_py.errors import InputError

pytestmark = pytest.mark.unsanitized  # these modules are built without a sanitizer

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "plugins.md"
# At -O3 most of the build time is optimization.
FAST = {"CXXFLAGS": "-O0"}


def environment(tmp_path: Path) -> dict[str, str]:
    """Returns variables for this Python's commands; pip installs into `site` without downloads."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    site = tmp_path / "site"
    packages = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    pip = {
        "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_DEPS": "1",
        "PIP_TARGET": str(site), "PIP_QUIET": "1",
    }  # fmt: skip
    return {**os.environ, **FAST, **pip, "PATH": path, "PYTHONPATH": packages}


@pytest.mark.long  # runs pip and three processes of checks
def test_the_page_leads_to_an_installed_package(tmp_path: Path) -> None:
    """Runs the commands of docs/plugins.md as written there."""
    (block,) = re.findall(r"^```sh project\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    commands = block.splitlines()
    assert [shlex.split(line)[0] for line in commands] == [
        "envpool-py", "cd", "envpool-py", "envpool-py", "pytest", "pip", "envpool-py",
    ]  # fmt: skip
    # Use `python -m`: the script itself names the Python for which it was installed.
    script = "\n".join(re.sub("^(pip|pytest) ", r"python -m \1 ", line) for line in commands)
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"built my_env/my_env\.so in .* s\nMyEnv-v0: [\d,]+ steps/s\n", done.stdout)
    assert "5 passed, 3 skipped in " in done.stdout  # by check: one player
    assert re.search(r"6 passed, 3 skipped, \d+ deselected", done.stdout)  # the output of pytest
    assert re.search(r"^ *MyEnv-v0 +2 x float32 +0\.\.2 +500", done.stdout, re.MULTILINE)
    files = {path.relative_to(tmp_path / "site").name for path in (tmp_path / "site").iterdir()}
    assert "my_env.so" in files


@pytest.mark.long
def test_all_checks_and_the_program_without_python(tmp_path: Path) -> None:
    assert cli.main(["new", "my_env", "--directory", str(tmp_path / "here"), "--no-build"]) == 0
    program = (tmp_path / "here" / "debug.cc").read_text()
    command = re.findall(r"^//   (.*?)$", program, re.MULTILINE)
    script = "\n".join(command).replace("\\\n", "").replace("-fsanitize=address,undefined", "")
    for line in ("python -m envpool_py --compile my_env.cc", "envpool-py check my_env", script):
        done = subprocess.run(
            ["bash", "-euc", line],
            cwd=tmp_path / "here",
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("1000 steps, rewards 1000, place ")


def test_the_files_import_modules_that_exist() -> None:
    names = {
        name
        for template in Path(scaffold.__file__).parent.glob("*.template")
        for name in re.findall(r"(?:from|import) (envpool_py(?:\.\w+)*)", template.read_text())
    }
    assert {"envpool_py", "envpool_py.authoring.paths"} <= names
    for name in names:
        importlib.import_module(name)


def test_names_and_files_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("", "MyEnv", "1st", "my-env", "../my_env", "my env"):
        with pytest.raises(InputError, match="name: expected lower-case letters"):
            scaffold.write(name, tmp_path / "project")
    assert not (tmp_path / "project").exists()
    written = scaffold.write("a_b2", tmp_path / "project")
    assert len(written) == len(scaffold.FILES)
    assert scaffold.class_name_of("a_b2") == "AB2"
    text = "".join(path.read_text() for path in written)
    assert "@" not in re.sub(r"@pytest|\S+@\S+\.\S+", "", text)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "README.md").write_text("mine")
    assert cli.main(["new", "a_b2", "--directory", str(tmp_path / "other")]) == 2
    assert "README.md exists" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["README.md"]


WALK = """
#include <envpool.h>
#include "limit.h"
class Walk {
 public:
  static engine::EnvSpec Spec(const engine::ParamValues&) {
    engine::EnvSpec spec;
    spec.observation = engine::SpaceSpec::Box<double>({1}, -1.0, 1.0);
    spec.action = engine::SpaceSpec::Discrete(2);
    return spec;
  }
  void Reset(engine::Rng&) { place_ = 0.0; }
  engine::StepResult Step(engine::ActionView action, engine::Rng&) {
    place_ += action.Index() == 1 ? 0.5 : -0.5;
    if (kCrashes) *static_cast<volatile int*>(nullptr) = 1;
    return {.reward = 1.0, .terminated = place_ >= kLimit || place_ <= -kLimit};
  }
  void Observe(engine::ObsRow row) const { *row.Data<double>() = place_; }
 private:
  double place_ = 0.0;
};
ENVPOOL_PLUGIN(walk) { registry.Add<Walk>("Walk-v0", {.max_episode_steps = 20}); }
"""


def limit(value: float, crashes: bool = False) -> str:
    flag = "true" if crashes else "false"
    return f"constexpr double kLimit = {value};\nconstexpr bool kCrashes = {flag};\n"


class Dev:
    """Runs `envpool-py dev` and reads its output line by line."""

    def __init__(self, directory: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "envpool_py.cli", "dev", "walk.cc"],
            cwd=directory,
            env={**os.environ, **FAST},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def until(self, pattern: str) -> str:
        """Reads output until a line matches; returns that line."""
        assert self.process.stdout is not None
        seen = []
        for line in self.process.stdout:
            seen.append(line)
            if re.search(pattern, line):
                return line
        raise AssertionError(f"{pattern!r} is not in {''.join(seen)}")


@pytest.fixture
def dev(tmp_path: Path) -> Iterator[Dev]:
    (tmp_path / "walk.cc").write_text(WALK)
    (tmp_path / "limit.h").write_text("this is no C++\n")
    started = Dev(tmp_path)
    guard = threading.Timer(900.0, started.process.kill)  # ends a test that would block forever
    guard.start()
    yield started
    guard.cancel()
    started.process.kill()
    started.process.wait()
    assert started.process.stdout is not None
    started.process.stdout.close()


def save(path: Path, text: str) -> None:
    """Writes a file as an editor does, with a new modification time."""
    before = path.stat().st_mtime_ns
    path.write_text(text)
    os.utime(path, ns=(time.time_ns(), max(time.time_ns(), before + 1)))


def test_dev_goes_on_when_the_source_compiles_again(dev: Dev, tmp_path: Path) -> None:
    dev.until("error")
    save(tmp_path / "limit.h", limit(1.0))
    dev.until(r"built walk\.so in ")
    dev.until(r"^Walk-v0: [\d,]+ steps/s")
    assert dev.process.poll() is None


@pytest.mark.long  # four builds
def test_dev_follows_each_change(dev: Dev, tmp_path: Path) -> None:
    """Saves versions that do not compile, work, break a rule, crash and work again."""
    dev.until("error")
    save(tmp_path / "limit.h", limit(1.0))
    dev.until(r"built walk\.so in ")
    dev.until(r"^Walk-v0: [\d,]+ steps/s")
    save(tmp_path / "limit.h", limit(1.5))
    dev.until(r"built walk\.so in ")
    dev.until(
        r"Walk-v0: rows\..*: CheckFailedError: .*observation\[0\]: expected a value in \[-1, 1\], "
        r"got -?1\.5"
    )
    save(tmp_path / "limit.h", limit(1.0, crashes=True))
    dev.until(r"walk\.so ended the process: SIGSEGV")
    save(tmp_path / "limit.h", limit(0.5))
    dev.until(r"^Walk-v0: [\d,]+ steps/s")
    assert dev.process.poll() is None


@pytest.mark.long  # four builds
def test_dev_once_says_whether_it_works(tmp_path: Path) -> None:
    (tmp_path / "walk.cc").write_text(WALK)
    command = [sys.executable, "-m", "envpool_py.cli", "dev", "--once", "walk.cc"]
    for text, code, part in (
        ("no C++", 1, "error"),
        (limit(9.0), 1, "expected a value in [-1, 1]"),
        (limit(1.0), 0, "steps/s"),
    ):
        (tmp_path / "limit.h").write_text(text)
        done = subprocess.run(
            command, cwd=tmp_path, env={**os.environ, **FAST}, capture_output=True, text=True,
            timeout=1200, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        assert part in done.stdout + done.stderr
    done = subprocess.run(
        [*command, "--task", "Run-v0"], cwd=tmp_path, env={**os.environ, **FAST},
        capture_output=True, text=True, timeout=1200, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "the module has no task Run-v0 (it has Walk-v0)" in done.stderr


def test_what_counts_as_a_change(tmp_path: Path) -> None:
    source = tmp_path / "a.cc"
    source.write_text("one")
    below = tmp_path / "below"
    below.mkdir()
    changes = dev_command.changes_in([source])
    next(changes)
    (tmp_path / "notes.md").write_text("no source")
    (below / "c.h").write_text("in another directory")
    source.read_text()
    assert [next(changes) for _ in range(3)] == [False] * 3
    (tmp_path / "b.h").write_text("another")
    assert next(filter(None, changes))
    source.write_text("two")
    assert next(filter(None, changes))
    source.unlink()
    assert next(filter(None, changes))
    assert not next(changes)


def test_dev_names_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["dev", str(tmp_path / "none.cc")]) == 2
    assert "there is no file" in capsys.readouterr().err
    (tmp_path / "a.cc").write_text("")
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    assert cli.main(["dev", str(tmp_path / "a.cc")]) == 2
    assert "watchfiles (`pip install 'watchfiles>=0.21'`)" in capsys.readouterr().err
