"""Plug-ins: installed ones are found without an import, others by `module:id` and `--import`.

The tests imitate an installed package by a directory on the path with a module and the metadata
that pip writes. The plug-in with tasks is the module of test environments under another name.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from envpool_py.errors import MissingPackageError
from envpool_py.tasks import discovery

COUNTER = "Testing/Counter-v0"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def install(site: Path, name: str, source: str | None, *entries: str) -> None:
    """Writes the files of an installed package `name`; `entries` are lines of its entry points."""
    if source is not None:
        (site / f"{name}.py").write_text(source)
    metadata = site / f"{name}-1.5.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n")
    text = "\n".join(["[envpool_py.tasks]", *(entries or (f"{name} = {name}",)), ""])
    (metadata / "entry_points.txt").write_text(text)


@pytest.fixture
def site(tmp_path: Path, testing: Any) -> Path:
    del testing  # the module must have been built
    path = tmp_path / "site"
    path.mkdir()
    return path


@pytest.fixture
def run(site: Path, tmp_path: Path) -> Run:
    """Runs Python with the packages of `site` installed."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))

    def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=elsewhere,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    return run_python


PLUGIN = "import envpool_py._testing\n"


def test_an_installed_plug_in_is_found_when_it_is_needed(site: Path, run: Run) -> None:
    install(site, "counters", PLUGIN)
    uses = (
        f"envpool_py.make('{COUNTER}').close()",
        f"envpool_py.make_dm('{COUNTER}').close()",
        f"envpool_py.make_spec('{COUNTER}')",
        f"assert '{COUNTER}' in envpool_py.list_all_envs()",
        # list_all_envs also registers the ids with Gymnasium.
        "envpool_py.list_all_envs(); import gymnasium; "
        "gymnasium.make_vec('EnvPool/Testing.Counter-v0').close()",
        "envpool_py.register_tasks(); import gymnasium; "
        "gymnasium.make('EnvPool/Testing.Counter-v0').close()",
    )
    script = """
import os
import sys
import traceback
import envpool_py
assert "importlib.metadata" not in sys.modules, "the import has looked for plug-ins"
with envpool_py.make("CartPole-v1") as envs:
    envs.reset()
assert envpool_py.make_spec("CartPole-v1").id == "CartPole-v1"
assert "counters" not in sys.modules
for use in sys.argv[1:]:
    process = os.fork()  # each use is the first of its process
    if process == 0:
        try:
            exec(use)
            assert "counters" in sys.modules
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitpid(process, 0)[1] == 0, use
"""
    run("-W", "error", "-c", script, *uses)


def test_gymnasium_finds_it_without_an_import(site: Path, run: Run) -> None:
    install(site, "counters", PLUGIN)
    run(
        "-W", "error", "-c",
        "import gymnasium\n"
        "task = 'envpool_py.tasks.plugins:EnvPool/Testing.Counter-v0'\n"
        "envs = gymnasium.make_vec(task, num_envs=3)\n"
        "print(envs.reset(seed=0)[0])\n"
        "gymnasium.make_vec(envs.spec).close()\n",
    )  # fmt: skip


def test_other_processes_find_it(site: Path, run: Run, tmp_path: Path) -> None:
    install(site, "counters", PLUGIN)
    (tmp_path / "counters_elsewhere.py").write_text(PLUGIN)
    write = f"""
import pickle, sys, json
sys.path.append({str(tmp_path)!r})
import envpool_py
for number, task_id in enumerate(sys.argv[1:]):
    with envpool_py.make(task_id, num_envs=2, seed=3) as envs:
        with open(f"{{number}}.pickle", "wb") as file:
            pickle.dump((envs, envpool_py.make_spec(task_id), envs.reset()[0]), file)
        with open(f"{{number}}.json", "w") as file:
            file.write(envs.spec.to_json())
"""
    read = f"""
import pickle, sys
sys.path.append({str(tmp_path)!r})
import gymnasium
from gymnasium.envs.registration import EnvSpec
with open("0.pickle", "rb") as file:
    envs, spec, first = pickle.load(file)
    assert envs.task_id == spec.id == "{COUNTER}", envs
    assert (envs.reset()[0] == first).all()
with open("0.json") as file:
    again = gymnasium.make_vec(EnvSpec.from_json(file.read()))
    assert (again.reset()[0] == first).all()
"""
    run("-W", "error", "-c", write, COUNTER)
    run("-W", "error", "-c", read)
    # The spec of a plug-in that is not installed names its module.
    run("-W", "error", "-c", write, f"counters_elsewhere:{COUNTER}")
    for metadata in site.iterdir():
        if metadata.suffix == ".dist-info":
            (metadata / "entry_points.txt").unlink()
    run("-W", "error", "-c", read)


def test_a_family_is_listed_without_its_module(site: Path, run: Run) -> None:
    package = site / "shop"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "manifest.py").write_text(
        "from envpool_py.tasks.manifest import Family, Limits\n"
        f"FAMILY = Family('Shop', {{'{COUNTER}': Limits()}}, module='shop.family', extra='shop')\n"
    )
    (package / "family.py").write_text(
        f"{PLUGIN}def prepare(task_id): print('prepared', task_id)\n"
    )
    install(site, "shop", None)
    done = run(
        "-W", "error", "-c",
        "import sys, envpool_py\n"
        f"assert '{COUNTER}' in envpool_py.list_all_envs()\n"
        "assert 'shop.family' not in sys.modules\n"
        f"envpool_py.make('{COUNTER}').close()\n",
    )  # fmt: skip
    assert done.stdout == f"prepared {COUNTER}\n"


BROKEN = {
    "raises": "raise ValueError('built for 0.0.1')\n",
    "exits": "raise SystemExit(3)\n",
    "lacks": "import no_such_module_anywhere\n",
    "twice": "import envpool_py._testing\n"
    "from envpool_py.tasks import registry\n"
    "registry.add('no_such_package')\n",
}


def test_a_broken_plug_in_does_not_break_the_others(site: Path, run: Run) -> None:
    for name, source in BROKEN.items():
        install(site, name, source)
    install(site, "absent", None)
    install(site, "counters", PLUGIN)
    done = run(
        "-c",
        "import sys, warnings, envpool_py\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        f"    assert '{COUNTER}' in envpool_py.list_all_envs()\n"
        "    envpool_py.list_all_envs()\n"
        "from envpool_py.tasks.discovery import PluginWarning\n"
        "assert all(each.category is PluginWarning for each in caught)\n"
        "for each in caught: print(each.message)\n"
        "try:\n"
        "    envpool_py.make('Frog-v0')\n"
        "except envpool_py.errors.UnknownTaskError as error:\n"
        "    print(error)\n",
    )
    *warned, unknown = done.stdout.splitlines()
    why = {
        "absent": "ModuleNotFoundError: No module named 'absent'",
        "exits": "SystemExit: 3",
        "lacks": "ModuleNotFoundError: No module named 'no_such_module_anywhere'",
        "raises": "ValueError: built for 0.0.1",
        "twice": "ModuleNotFoundError: No module named 'no_such_package'",
    }
    expected = [
        f"the plug-in {name} ({name} 1.5) cannot be loaded: {reason}"
        for name, reason in why.items()
    ]
    assert warned == expected
    assert unknown.startswith('unknown task_id "Frog-v0"; ')
    assert all(f"({line})" in unknown for line in expected)


def test_a_plug_in_may_ask_for_ids_while_it_is_imported(site: Path, run: Run) -> None:
    install(site, "asks", "import envpool_py\nids = envpool_py.list_all_envs()\n" + PLUGIN)
    run(
        "-W", "error", "-c",
        "import envpool_py\n"
        f"assert '{COUNTER}' in envpool_py.list_all_envs()\n"
        "import asks\n"
        f"assert 'CartPole-v1' in asks.ids and '{COUNTER}' not in asks.ids\n",
    )  # fmt: skip


def test_a_module_before_the_id(site: Path, run: Run) -> None:
    (site / "counters.py").write_text(PLUGIN)
    (site / "fails.py").write_text("import no_such_module_anywhere\n")
    (site / "in_python.py").write_text(
        "import gymnasium\n"
        "gymnasium.register('InPython-v0', 'gymnasium.envs.classic_control:CartPoleEnv')\n"
    )
    run(
        "-W", "error", "-c",
        f"""
import envpool_py
from envpool_py.errors import MissingPackageError, UnknownTaskError
assert envpool_py.make_spec("counters:{COUNTER}").id == "{COUNTER}"
for make in (envpool_py.make, envpool_py.make_gymnasium, envpool_py.make_dm):
    with make("counters:{COUNTER}") as envs:
        assert envs.task_id == "{COUNTER}"
with envpool_py.make("counters:{COUNTER}") as envs:
    assert envs.spec.id == "EnvPool/Testing.Counter-v0"
    assert envs.spec.kwargs["task_id"] == "counters:{COUNTER}"
with envpool_py.make("in_python:InPython-v0", num_workers=0) as envs:  # Gymnasium's, as before
    assert envs.reset()[0].shape == (1, 4)
for task_id, error, text in (
    ("fails:{COUNTER}", MissingPackageError, 'the module "fails" cannot be imported (No module'),
    ("nowhere:{COUNTER}", MissingPackageError, 'the module "nowhere" cannot be imported'),
    ("counters:Testing/Conter-v0", UnknownTaskError, 'did you mean "{COUNTER}"'),
    (":CartPole-v1", UnknownTaskError, 'unknown task_id ":CartPole-v1"'),
):
    try:
        envpool_py.make(task_id)
    except error as raised:
        assert text in str(raised), raised
    else:
        raise AssertionError(task_id)
""",
    )  # fmt: skip


def test_the_command_line_finds_them(site: Path, run: Run, tmp_path: Path) -> None:
    install(site, "counters", PLUGIN)
    install(site, "raises", BROKEN["raises"])
    quiet = ("-W", "ignore", "-m", "envpool_py.cli")
    listed = run(*quiet, "list", "testing/counter")
    assert COUNTER in listed.stdout
    shown = run("-m", "envpool_py.cli", "info")
    assert shown.stderr == ""
    assert [line.split(maxsplit=1)[1].rstrip() for line in shown.stdout.splitlines()[-2:]] == [
        "counters (counters 1.5)",
        "raises (raises 1.5): cannot be loaded: ValueError: built for 0.0.1",
    ]


SHORT = ("--num-envs", "2", "--seconds", "0.01", "--rounds", "1", "--against", "none")


@pytest.mark.long
def test_the_workers_of_bench_find_them(site: Path, run: Run, tmp_path: Path) -> None:
    install(site, "counters", PLUGIN)
    run("-m", "envpool_py.cli", "bench", COUNTER, *SHORT)
    plugin = tmp_path / "elsewhere" / "local_counters.py"
    plugin.write_text(PLUGIN)
    run("-m", "envpool_py.cli", "bench", "--import", str(plugin), COUNTER, *SHORT)


def test_import_on_the_command_line(run: Run, tmp_path: Path) -> None:
    plugin = tmp_path / "elsewhere" / "local_counters.py"
    command = ("-W", "error", "-c", "import sys; from envpool_py import cli; sys.exit(cli.main())")
    plugin.write_text(PLUGIN)
    for name in ("local_counters", str(plugin)):
        assert COUNTER in run(*command, "list", "--import", name, "counter").stdout
    run(*command, "bench", f"local_counters:{COUNTER}", *SHORT)


def test_wrong_arguments_of_import(capsys: pytest.CaptureFixture[str]) -> None:
    from envpool_py import cli

    assert cli.main(["list", "--import", "no_such_plug_in"]) == 2
    assert 'the module "no_such_plug_in" cannot be imported' in capsys.readouterr().err
    with pytest.raises(MissingPackageError, match=r"no_such\.so"):
        discovery.import_named("./no_such.so")


@pytest.mark.parametrize("command", ["info", "bench", "tune", "render", "play"])
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise RuntimeError('broken')", "RuntimeError: broken"),
        ("import sys; sys.exit(7)", "SystemExit: 7"),
        ("def", "SyntaxError"),
    ],
)
def test_modules_of_tasks_that_are_broken(
    command: str,
    source: str,
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from envpool_py import cli

    (tmp_path / "broken_module.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    more = ["--out", str(tmp_path / "film.gif")] if command == "render" else []
    assert cli.main([command, "broken_module:Some-v0", *more]) == 2
    error = capsys.readouterr().err
    assert f'the module "broken_module" cannot be imported ({reason}' in error
    assert len(error.splitlines()) == 1
    assert cli.main(["list", "--import", "broken_module"]) == 2
    assert "--import broken_module: the module" in capsys.readouterr().err


def test_tune_of_an_environment_that_fails(capsys: pytest.CaptureFixture[str]) -> None:
    from envpool_py import cli

    def fail() -> Any:
        raise ArithmeticError("of the environment")

    gymnasium.register("Fails-v0", entry_point=fail)
    try:
        assert cli.main(["tune", "Fails-v0", "--seconds", "0.01"]) == 2
    finally:
        del gymnasium.registry["Fails-v0"]
    assert "Fails-v0 failed: ArithmeticError: of the environment" in capsys.readouterr().err


def test_ids_are_split_at_the_last_colon() -> None:
    assert discovery.split("a.b:C-v0") == ("a.b", "C-v0")
    assert discovery.split("ALE/Pong-v5") == (None, "ALE/Pong-v5")
    assert discovery.split(":C-v0") == (None, ":C-v0")
