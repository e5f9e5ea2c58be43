"""The compiler's messages for classes that are not environments: one line in plain words each."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from envpool_py import _core
from envpool_py.authoring import building

SOURCE = Path(__file__).with_name("broken_classes.cc")
SPEC = "`static engine::EnvSpec Spec(const engine::ParamValues& options)`"
STEP = "`engine::StepResult Step(engine::ActionView action, engine::Rng& rng)`"
OBSERVE = "`void Observe(engine::ObsRow row) const`"
INFO = "`void Info(engine::InfoRow row, bool after_reset) const`"

ERRORS = {
    "NoSpec": f"the class lacks {SPEC}",
    "NoReset": "the class lacks `void Reset(const Start& start, engine::Rng& rng)` or, without a "
    "type Start, `void Reset(engine::Rng& rng)`",
    "NoStep": f"the class lacks {STEP}",
    "NoObserve": f"the class lacks {OBSERVE}",
    "SpecWithoutOptions": f"Spec is not the public member {SPEC}",
    "ResetWithoutRng": "Reset of a class without a public type Start is not the public member "
    "`void Reset(engine::Rng& rng)`",
    "ResetWithoutStart": "Reset is not the public member "
    "`void Reset(const Start& start, engine::Rng& rng)`",
    "StepReturnsReward": f"Step is not the public member {STEP}, or the same with "
    "engine::ActionRow for actions of several leaves; with players: `engine::StepResult "
    "Step(engine::PlayerActions actions, std::span<engine::PlayerResult> results, "
    "engine::Rng& rng)`",
    "StepTakesEither": "Step takes an engine::ActionView or an engine::ActionRow, not both",
    "RowAndStepFloat64": "a class whose Step takes an engine::ActionRow has kKeepsFloat64 in place "
    "of StepFloat64",
    "ObserveNotConst": f"Observe is not the public member {OBSERVE}",
    "PrivateObserve": f"Observe is not the public member {OBSERVE}",
    "FinalObserve": f"Observe is not the public member {OBSERVE}",
    "InfoNotConst": f"Info is not the public member {INFO}",
    "InfoWithoutAfterReset": f"Info is not the public member {INFO}",
    "OptionsNotStatic": "Options is not the public member `static engine::ParamSchema Options()`",
    "OptionsWithoutConfig": "the class has Options and no public type Config that reads them: "
    "`struct Config { explicit Config(const engine::ParamValues& options); }`",
    "ResetOptionsWithoutStart": "the class has ResetOptions and no public type Start that reads "
    "them: `struct Start { explicit Start(const engine::ParamValues& options); }`",
    "ConfigWithoutOptions": "Config lacks the constructor "
    "`explicit Config(const engine::ParamValues& options)`",
    "StartWithoutOptions": "Start lacks the constructor "
    "`explicit Start(const engine::ParamValues& options)`",
    "NoConstructor": "the class lacks a public constructor from `const Config& config`",
    "NoDefaultConstructor": "a class without a public type Config lacks a public constructor "
    "without arguments",
    "ObserveWithoutPlayer": "Observe of a class with players is not the public member "
    "`void Observe(std::size_t player, engine::ObsRow row) const`",
    "PlaysNotConst": "Plays is not the public member `bool Plays(std::size_t player) const`",
    "PlayerInfoWithoutPlayer": "PlayerInfo is not the public member "
    "`void PlayerInfo(std::size_t player, engine::InfoRow row) const`",
    "RenderAndScene": "an environment has Render or Scene, not both",
    "int": "an option is read as the type of its default value: bool, std::int64_t, double, "
    "std::string, std::vector of one of the last three, or engine::NumberTable",
}

WARNINGS = [
    "StepFloat64 is never called: it is not the public member "
    "`engine::StepResult StepFloat64(engine::ActionView action, engine::Rng& rng)`",
    "StepMany is never called: it is not the public member "
    "`static void StepMany(engine::StepRange<E> range)`, with the class as E",
    "LeastTogether is never called: expected the public members "
    "`static std::uint32_t LeastTogether()` and StepMany",
    "Seed is never called: it is not the public member "
    "`void Seed(std::uint64_t seed, engine::Rng& rng)`",
    "Continue is never called: expected the public members `bool Continue(engine::Rng& rng)` and "
    "`void Seed(std::uint64_t seed, engine::Rng& rng)`",
    "Render is never called: it is not the public member "
    "`void Render(std::span<std::uint8_t> rgb) const`",
    "Scene is never called: it is not the public member "
    "`void Scene(std::span<double> scene) const`",
    "Score is never called: it is not the public member `double Score() const`",
    "EnableRender is never called: it is not the public member `void EnableRender()`",
    "Save and Load are never called: expected the public members "
    "`void Save(engine::StateWriter& state) const` and `void Load(engine::StateReader& state)`",
    "kNeverWaits has no effect: it is not the public member `static constexpr bool kNeverWaits`",
    "kSetsEveryInfo has no effect: it is not the public member "
    "`static constexpr bool kSetsEveryInfo`",
    "kKeepsFloat64 has no effect: expected the public members `static constexpr bool "
    "kKeepsFloat64` and `engine::StepResult Step(engine::ActionRow action, engine::Rng& rng)`, or "
    "the Step of a class with players",
]


def compiler_says(*flags: str) -> str:
    done = subprocess.run(
        [
            *(shlex.split(os.environ.get("CXX", "")) or ["c++"]),
            "-fsyntax-only",
            *building.compile_flags(),
            *flags,
            str(SOURCE),
        ],
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode != 0
    return done.stderr


@pytest.fixture(scope="module")
def said(made_once: Callable[..., Path]) -> str:
    directory = made_once(
        "broken_classes", lambda where: (where / "stderr").write_text(compiler_says())
    )
    return (directory / "stderr").read_text()


def test_each_class_has_one_error_in_words(said: str) -> None:
    """The compiler names the type of an instantiation before its errors."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in said.splitlines():
        instantiation = re.search(r"In instantiation of .* \[with (?:E|T) = (\w+)", line)
        if instantiation:
            name = instantiation[1]
        error = re.search(r"error: (?:static assertion failed(?:: | due to .*: ))?(.*)", line)
        if error:
            found.setdefault(name, []).append(error[1])
    assert found == {name: [text] for name, text in ERRORS.items()}


def test_members_that_are_never_called_have_a_warning(said: str) -> None:
    found = re.findall(r"\[with E = NearMisses\]. is deprecated: (.*) \[-W", said)
    assert found == WARNINGS


def test_another_string_abi_is_refused_in_words() -> None:
    if _core._plugin_stamp["string_abi"] != "cxx11":
        pytest.skip("built with another string ABI")
    said = compiler_says("-U_GLIBCXX_USE_CXX11_ABI", "-D_GLIBCXX_USE_CXX11_ABI=0")
    assert (
        "compile with the string ABI that the installed envpool_py was built with, by the flags of "
        "`python -m envpool_py --cflags`: cxx11"
    ) in said
