"""The ROMs of the Atari games: search, checks, and the error for a missing one."""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from envpool_py import _atari, _atari_debug
from envpool_py.errors import EnvPoolError, InputError, RomError
from envpool_py.tasks.families.atari import roms

# Read before tests replace ale-py.
PONG = roms.rom_bytes("pong")
BREAKOUT = roms.rom_bytes("breakout")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Returns the directory of ROMs, still empty, of a replaced ale-py."""
    (tmp_path / "roms").mkdir()
    spec = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    roms.rom_bytes.cache_clear()
    yield tmp_path / "roms"
    roms.rom_bytes.cache_clear()


def test_every_game_has_the_rom_that_its_rules_are_for() -> None:
    assert list(roms.games()) == _atari.games()
    for game in roms.games():
        image = roms.rom_bytes(game)
        about = _atari.describe_game(game)
        assert hashlib.md5(image).hexdigest() == about["rom_md5"]
        rom = _atari_debug.Rom(game, image)
        assert rom.game == game
        # The description, which needs no ROM, agrees with the ROM.
        assert (about["format"], about["lines"]) == (rom.format, rom.lines)


def test_a_game_that_does_not_exist() -> None:
    with pytest.raises(
        RomError, match=r'expected one of the 104.*got "pongg"; did you mean "pong"'
    ):
        roms.rom_bytes("pongg")


def test_without_ale_py_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    roms.rom_bytes.cache_clear()
    with pytest.raises(RomError, match=r"pong: .*ale-py.*not installed: `pip install 'ale-py"):
        roms.rom_bytes("pong")


def test_a_missing_file_is_named(package: Path) -> None:
    with pytest.raises(
        RomError, match=r"has no ROM of it at.*pip install --force-reinstall 'ale-py"
    ) as caught:
        roms.rom_bytes("pong")
    assert str(package / "pong.bin") in str(caught.value)


def test_a_directory_in_its_place_is_no_file(package: Path) -> None:
    (package / "pong.bin").mkdir()
    with pytest.raises(RomError, match="has no ROM of it at"):
        roms.rom_bytes("pong")


def test_a_file_that_cannot_be_read(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (package / "pong.bin").write_bytes(b"")

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(RomError, match=r"pong\.bin cannot be read: Permission denied"):
        roms.rom_bytes("pong")


def _flip_a_bit(image: bytes) -> bytes:
    return image[:100] + bytes([image[100] ^ 1]) + image[101:]


@pytest.mark.parametrize(
    "alter",
    [_flip_a_bit, lambda image: image[:-1], lambda image: image + b"\0", lambda image: b""],
    ids=["flipped", "cut", "longer", "empty"],
)
def test_an_altered_rom_is_refused(package: Path, alter: Callable[[bytes], bytes]) -> None:
    altered = alter(PONG)
    (package / "pong.bin").write_bytes(altered)
    with pytest.raises(RomError) as caught:
        roms.rom_bytes("pong")
    text = str(caught.value)
    assert f"expected a ROM with MD5 {_atari.describe_game('pong')['rom_md5']}" in text
    assert f"got {len(altered)} bytes with MD5 {hashlib.md5(altered).hexdigest()}" in text
    assert "pip install --force-reinstall 'ale-py" in text
    # The engine checks the ROM too.
    with pytest.raises(InputError, match=hashlib.md5(altered).hexdigest()):
        _atari_debug.Rom("pong", altered)


def test_another_games_rom_is_refused(package: Path) -> None:
    (package / "pong.bin").write_bytes(BREAKOUT)
    with pytest.raises(RomError, match=r"pong: expected a ROM with MD5"):
        roms.rom_bytes("pong")


def test_a_rom_error_is_one_of_ours() -> None:
    assert issubclass(RomError, EnvPoolError)
    assert issubclass(RomError, RuntimeError)


def test_the_package_does_not_import_the_games_and_the_roms_do_not_import_ale_py() -> None:
    source = """
import sys
import envpool_py
# Of the family there are the manifest and the ids, which a list needs, and no more.
assert not [name for name in sys.modules if name.startswith("ale_py")]
atari = "envpool_py.tasks.families.atari"
ours = {name for name in sys.modules if name.startswith(atari)}
assert ours == {atari, f"{atari}.manifest", f"{atari}.tasks"}, ours
assert "envpool_py._atari" not in sys.modules
from envpool_py.tasks.families.atari import roms
assert len(roms.rom_bytes("pong")) == 2048
assert not [name for name in sys.modules if name.startswith("ale_py")]
"""
    subprocess.run([sys.executable, "-c", source], check=True)
