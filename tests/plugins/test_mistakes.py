"""The package's messages for authors' mistakes that the compiler cannot detect."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import envpool_py

from .test_compiler_messages import ERRORS, WARNINGS

pytestmark = pytest.mark.unsanitized  # the plug-in's compiler command has no sanitizer flags

Compile = Callable[..., Path]
RunPython = Callable[..., str]

MALFORMED = "expected [namespace/]name-v<number>, of letters, digits, _, - and ."

PLAYERS = (
    "`engine::StepResult Step(engine::PlayerActions actions, std::span<engine::PlayerResult> "
    "results, engine::Rng& rng)`"
)

# The import error after "plug-in mistakes: ", by the mistake in mistakes.cc.
REFUSED = {
    "id Walk": f'task id "Walk": {MALFORMED}',
    "id Walk-v": f'task id "Walk-v": {MALFORMED}',
    "id Walk-v1x": f'task id "Walk-v1x": {MALFORMED}',
    "id -v1": f'task id "-v1": {MALFORMED}',
    "id my walk-v1": f'task id "my walk-v1": {MALFORMED}',
    "id a/b/Walk-v1": f'task id "a/b/Walk-v1": {MALFORMED}',
    "id my_env:Walk-v1": f'task id "my_env:Walk-v1": {MALFORMED}',
    "id CartPole-v1": "CartPole-v1: a task of this id is registered already",
    "id Pong-v5": "Pong-v5: the family Atari has a task of this id",
    "same id": "First-v0: a task of this id is registered already",
    "step limit": "Bad-v0: expected max_episode_steps >= 0 (0: no limit), got -1",
    "threshold": "Bad-v0: expected a number as reward_threshold, got NaN",
    "something else": "an exception that is not a std::exception",
    "reserved option": 'Bad-v0 option "num_envs": the name is reserved for an argument of `make`',
    "reserved reset option": (
        'Bad-v0 reset option "reset_mask": the name is reserved for an argument of `reset`'
    ),
    "same option": 'Bad-v0 option "size": two options have this name',
    "option name": (
        'Bad-v0 option "the size": expected a name of letters, digits and _ that begins with no '
        "digit"
    ),
    "no default": (
        'Bad-v0 option "size": expected a default value, whose type is the option\'s, got none'
    ),
    "bounds of text": 'Bad-v0 option "map": expected no bounds for a str',
    "bounds": 'Bad-v0 option "size": expected low <= high, got 2.000000 and 1.000000',
    "default out of range": (
        'Bad-v0 default of option "size": expected a value in [2, 10], got 40'
    ),
    "default not a choice": (
        'Bad-v0 default of option "map": expected one of "a", "b", got "c"; did you mean "a"?'
    ),
    "choices of numbers": 'Bad-v0 option "size": expected no choices for a float',
    "list of text": (
        'Bad-v0 option "map": expected one_is_list only for a list of numbers, got a str'
    ),
    "low bounds": (
        "inconsistent spec: Bad-v0 observation: expected 1 low bound or 4, one per element, got 3"
    ),
    "high bounds": (
        "inconsistent spec: Bad-v0 action: expected 1 high bound or 4, one per element, got 2"
    ),
    "empty range": "inconsistent spec: Bad-v0 action: expected low <= high at element 1",
    "no actions": "inconsistent spec: Bad-v0 action: expected n >= 1, got 0",
    "greatest value": (
        "inconsistent spec: Bad-v0 action: expected a greatest value, start + n - 1, of int64, got "
        "start 9223372036854775807 and n 2"
    ),
    "huge": (
        "inconsistent spec: Bad-v0 observation: expected a shape of at most 1099511627776 "
        "elements, got (1000000000, 1000000000)"
    ),
    "same key": 'inconsistent spec: Bad-v0 observation: two children have the key "eye"',
    "same path": 'inconsistent spec: Bad-v0 observation: two leaves have the path "eye/left"',
    "nested action": (
        "Bad-v0: the action space has children: expected the class to have "
        "`engine::StepResult Step(engine::ActionRow action, engine::Rng& rng)`"
    ),
    "reserved info": 'inconsistent spec: Bad-v0: info name "env_id" is reserved',
    "same info": 'inconsistent spec: Bad-v0: two infos have the name "bumps"',
    "info without Info": (
        'Bad-v0: the spec has the info "bumps", and the class no '
        "`void Info(engine::InfoRow row, bool after_reset) const`"
    ),
    "picture without Render": (
        "Bad-v0: the spec has a picture, and the class no "
        "`void Render(std::span<std::uint8_t> rgb) const`"
    ),
    "scene without Scene": (
        "Bad-v0: the spec has a scene, and the class no `void Scene(std::span<double> scene) const`"
    ),
    "unknown option": (
        'Bad-v0: no option "sise" in this environment\'s schema; did you mean "size"?'
    ),
    "other type of option": (
        'Bad-v0: option "size": its value is of type float, and it is read as int'
    ),
    "spec throws": "Bad-v0: no level file",
    "players without Step": f"Bad-v0: the spec has players: expected the class to have {PLAYERS}",
    "crowd: no players": (
        "Bad-v0: the class has a Step for players: expected the spec to have players"
    ),
    "crowd: none": "inconsistent spec: Bad-v0: expected players->max_players in [1, 4096], got 0",
    "crowd: varies": (
        "Bad-v0: the spec has players that vary, and the class no "
        "`bool Plays(std::size_t player) const`"
    ),
    "crowd: info": (
        'Bad-v0: the spec has the info "mask" of players, and the class no '
        "`void PlayerInfo(std::size_t player, engine::InfoRow row) const`"
    ),
    "crowd: reserved info": 'inconsistent spec: Bad-v0: info of players name "id" is reserved',
    "crowd: text": (
        "inconsistent spec: Bad-v0: expected an observation without text, because it has players"
    ),
}

# The error of a failed step, by the option "mistake" of Rows-v0.
FAILED = {
    "leaf": "observation leaf 2: the spec has 2",
    "leaf type": 'observation leaf "camera/left": expected elements of type float32, got float64',
    "leaf name": ('the spec has no observation leaf "camera/lift"; did you mean "camera/left"?'),
    "type of a named leaf": (
        'observation leaf "speed": expected elements of type float64, got float32'
    ),
    "info": "info 4: the spec has 4",
    "info type": 'info "bumps": expected elements of type int32, got int64',
    "info name": 'the spec has no info "bump"; did you mean "bumps"?',
    "value of another type": ('info "bumps": expected a value that int32 can hold, got 1.500000'),
    "value out of range": 'info "level": expected a value that uint8 can hold, got 256',
    "negative value": 'info "level": expected a value that uint8 can hold, got -1',
    "number for bool": 'info "on_ice": expected a value that bool can hold, got 1',
    "array": (
        'info "place": expected one element for Set(), and the spec has 2; write them through '
        "Data()"
    ),
}


@pytest.fixture(scope="module")
def directory(compile_plugin: Compile) -> Path:
    """Returns the directory from which `import mistakes` loads the plug-in."""
    return compile_plugin("mistakes.cc").parent


def test_each_refused_task_is_named_and_nothing_of_its_module_is_added(
    directory: Path, run_python: RunPython
) -> None:
    program = """
import json, os, sys
import envpool_py
before = envpool_py.list_all_envs()
said = {}
for mistake in json.loads(sys.argv[1]):
    os.environ["MISTAKE"] = mistake
    try:
        import mistakes
    except envpool_py.errors.PluginError as error:
        said[mistake] = str(error)
    assert envpool_py.list_all_envs() == before
print(json.dumps(said))
"""
    said = json.loads(run_python(directory, program, json.dumps([*REFUSED])))
    assert said == {mistake: f"plug-in mistakes: {text}" for mistake, text in REFUSED.items()}


def test_rows_that_are_written_wrongly_fail_with_one_line(
    directory: Path, run_python: RunPython
) -> None:
    program = """
import json, sys
import envpool_py
import mistakes
said = {}
for mistake in json.loads(sys.argv[1]):
    with envpool_py.make("Rows-v0", num_envs=2, mistake=mistake) as envs:
        try:
            envs.reset()
        except envpool_py.EnvironmentFailedError as error:
            said[mistake], other = error.causes
            assert other == said[mistake]
            # What was written before the mistake is not handed out.
            assert not error.batch[1]["bumps"].any() if "bumps" in error.batch[1] else True
print(json.dumps(said))
"""
    assert json.loads(run_python(directory, program, json.dumps([*FAILED]))) == FAILED


def test_rows_are_written_by_name(directory: Path, run_python: RunPython) -> None:
    program = """
import numpy as np
import envpool_py
import mistakes
with envpool_py.make("Rows-v0", num_envs=3) as envs:
    observations, infos = envs.reset()
    for _ in range(3):
        assert observations["camera"]["left"].tolist() == [[0.5, 0.5]] * 3
        assert observations["speed"].tolist() == [3.0] * 3
        assert infos["bumps"].dtype == np.int32 and infos["bumps"].tolist() == [7] * 3
        assert infos["on_ice"].dtype == bool and infos["on_ice"].all()
        assert infos["level"].dtype == np.uint8 and infos["level"].tolist() == [255] * 3
        assert infos["place"].tolist() == [[0.0, 2.5]] * 3  # what is not written is zero
        observations, _, _, _, infos = envs.step(np.zeros(3, int))
"""
    run_python(directory, program)


def test_an_action_of_no_player_fails_with_one_line(directory: Path, run_python: RunPython) -> None:
    program = """
import numpy as np
import envpool_py
import mistakes
with envpool_py.make("Crowd-v0", num_envs=2, mistake="player beyond the last") as envs:
    envs.reset()
    try:
        envs.step(np.zeros(4, int))
    except envpool_py.EnvironmentFailedError as error:
        print(error.causes[0])
"""
    assert run_python(directory, program) == (
        "player 2 has no action: expected a player in [0, 2) that takes part in this step (Has)\n"
    )


def test_an_action_that_is_read_as_another_type_fails_with_one_line(
    directory: Path, run_python: RunPython
) -> None:
    program = """
import numpy as np
import envpool_py
import mistakes
with envpool_py.make("Misread-v0", num_envs=2) as envs:
    envs.reset()
    try:
        envs.step(np.zeros((2, 1), np.float32))
    except envpool_py.EnvironmentFailedError as error:
        print(error.causes[0])
"""
    assert run_python(directory, program) == (
        "the action: expected to be read as float32, its dtype, got int64\n"
    )


def test_a_class_that_promises_every_info_and_forgets_one_is_found(
    directory: Path, run_python: RunPython
) -> None:
    program = """
import numpy as np
import envpool_py
import mistakes
with envpool_py.make("Forgetful-v0", num_envs=2) as envs:
    assert envs.reset()[1]["falls"].tolist() == [2.0, 2.0]
    try:
        envs.step(np.zeros(2, int))
    except envpool_py.EnvironmentFailedError as error:
        print(error.causes[0])
"""
    assert run_python(directory, program) == (
        'info "falls": expected Info() to set it, because of kSetsEveryInfo\n'
    )


def test_a_spec_is_checked_with_the_options_that_a_caller_gives(
    directory: Path, run_python: RunPython
) -> None:
    program = """
import os
os.environ["MISTAKE"] = "spec of an option"
import envpool_py
import mistakes
envpool_py.make("Bad-v0").close()
for use in (envpool_py.make, envpool_py.make_spec):
    try:
        use("Bad-v0", size=2.0)
    except envpool_py.errors.InternalError as error:
        print(error)
"""
    expected = (
        "inconsistent spec: Bad-v0 observation: expected 1 low bound or 2, one per element, got 3"
    )
    assert run_python(directory, program).splitlines() == [expected] * 2


def test_the_reserved_names_are_the_arguments_of_make(
    directory: Path, run_python: RunPython
) -> None:
    """No option may have the name of an argument of `make`."""
    names = [
        name
        for name, parameter in inspect.signature(envpool_py.make).parameters.items()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    program = """
import json, os, sys
import envpool_py
os.environ["MISTAKE"] = "reserved option"
for os.environ["OPTION"] in json.loads(sys.argv[1]):
    try:
        import mistakes
    except envpool_py.errors.PluginError as error:
        assert "is reserved for an argument of `make`" in str(error), error
    else:
        raise AssertionError(os.environ["OPTION"])
"""
    run_python(directory, program, json.dumps(names))


# The rows of the page's table "What goes wrong", by their first column: who reports the mistake,
# and the message shown, which is tested here or in test_compiler_messages.py.
PAGE = {
    "a member is missing": ("compiler", ERRORS["NoObserve"]),
    "a required member, or `Info`, has another type": ("compiler", ERRORS["InfoNotConst"]),
    "an optional member has another type": (
        "compiler, a warning",
        next(text for text in WARNINGS if text.startswith("Render is")),
    ),
    "an option is read as `Get<int>`": ("compiler", ERRORS["int"]),
    "the spec names an info, and there is no `Info`": ("import", REFUSED["info without Info"]),
    "an id is malformed or taken": ("import", REFUSED["id Walk"]),
    "an option has the name of an argument of `make`": ("import", REFUSED["reserved option"]),
    "a default is out of range": ("import", REFUSED["default out of range"]),
    "a box has the wrong number of bounds": ("import", REFUSED["low bounds"]),
    "a name is misspelt": ("step", FAILED["info name"]),
    "an index is out of range": ("step", FAILED["info"]),
    "an element type is wrong": ("step", FAILED["info type"]),
}


def without_names(message: str) -> str:
    """Returns the message without names, numbers and types that differ between examples."""
    message = message.removeprefix("inconsistent spec: ")
    message = re.sub(r"\b(Corridor|Bad)-v0\b", "TASK", message)
    message = re.sub(r"\bvoid Info\(.*?\) const", "void Info(...) const", message)
    message = re.sub(r"\b(u?int|float)\d+\b", "TYPE", message)
    return re.sub(r'"[^"]*"|\d+', "X", message)


def test_the_page_shows_what_is_said() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "your-own-environment.md"
    section = page.read_text().split("## What goes wrong")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (.*?) \| ([a-z, ]+): `+ ?(.*?) ?`+ \|$", section, re.MULTILINE)
    assert [(mistake, by) for mistake, by, _ in rows] == [
        (mistake, by) for mistake, (by, _) in PAGE.items()
    ]
    for mistake, _, shown in rows:
        message = without_names(PAGE[mistake][1])
        if shown.endswith("..."):
            message = message[: len(without_names(shown)) - 3] + "..."
        assert without_names(shown) == message, mistake
