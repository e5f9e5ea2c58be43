"""The tools of `make wheels`: libraries of an older system, and what a wheel may need."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools.wheels import check, old_libraries

LIMITS = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 24)}
SYMBOLS = """
Symbol table '.dynsym' contains 9 entries:
   Num:    Value          Size Type    Bind   Vis      Ndx Name
     0: 0000000000000000     0 NOTYPE  LOCAL  DEFAULT  UND
     1: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND free@GLIBC_2.2.5 (2)
     2: 0000000000085000    40 FUNC    WEAK   DEFAULT   15 hypot@@GLIBC_2.35
     3: 0000000000085100    50 FUNC    WEAK   DEFAULT   15 hypot@GLIBC_2.2.5
     4: 0000000000085200    60 FUNC    GLOBAL DEFAULT   15 dlopen@GLIBC_2.2.5
     5: 0000000000085200    60 FUNC    GLOBAL DEFAULT   15 dlopen@@GLIBC_2.34
     6: 0000000000085300    60 FUNC    GLOBAL DEFAULT   15 fstat@@GLIBC_2.33
     7: 0000000000000010     8 TLS     GLOBAL DEFAULT   24 __resp@@GLIBC_PRIVATE
     8: 0000000000000000     0 OBJECT  GLOBAL DEFAULT  ABS GLIBC_2.28@@GLIBC_2.28
"""


def test_symbols_are_those_of_the_older_system() -> None:
    symbols, moved = old_libraries.older(old_libraries.symbols_of(SYMBOLS), LIMITS)
    assert [(each.name, each.version, each.size) for each in symbols] == [
        ("dlopen", "GLIBC_2.2.5", 60),
        ("hypot", "GLIBC_2.2.5", 50),
    ]
    assert moved == {"dlopen"}


def test_versions_are_compared_as_numbers() -> None:
    assert old_libraries.allowed("GLIBC_2.4", LIMITS)
    assert old_libraries.allowed("GLIBC_2.28", LIMITS)
    assert not old_libraries.allowed("GLIBC_2.29", LIMITS)
    assert not old_libraries.allowed("GLIBC_PRIVATE", LIMITS)
    assert old_libraries.allowed("GLIBCXX_3.4.9", LIMITS)
    assert not old_libraries.allowed("GLIBCXX_3.4.30", LIMITS)
    assert not old_libraries.allowed("GCC_3.0", LIMITS)


def test_libraries_from_which_symbols_moved() -> None:
    assert old_libraries.former_library("dlopen") == "libdl.so.2"
    assert old_libraries.former_library("pthread_create") == "libpthread.so.0"
    assert old_libraries.former_library("shm_open") == "librt.so.1"
    assert old_libraries.former_library("open") is None


SOURCE = """
#include <cmath>
#include <dlfcn.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <thread>

extern "C" __attribute__((visibility("default"))) double value(double x) {
  struct stat status;
  std::error_code error;
  std::thread([&] { x += fstat(0, &status) * 0.0; }).join();
  x += std::filesystem::exists("/", error) && dlopen(nullptr, RTLD_NOW) ? 0.0 : 100.0;
  return std::hypot(x, 4.0);
}
"""
CLOCK_WAIT = """
#include <pthread.h>
extern "C" int value(pthread_cond_t* changed, pthread_mutex_t* mutex, const timespec* until) {
  return pthread_cond_clockwait(changed, mutex, CLOCK_MONOTONIC, until);
}
"""


def compiled(folder: Path, source: str, *options: str | Path) -> Path:
    (folder / "module.cc").write_text(source)
    module = folder / "module.so"
    subprocess.run(
        [
            *("g++", "-std=c++20", "-O1", "-fPIC", "-fvisibility=hidden", "-shared"),
            *(folder / "module.cc", "-o", module, *options, "-Wl,--exclude-libs,ALL"),
        ],
        check=True,
        timeout=300,
    )
    return module


needs_gcc = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("g++") is None,
    reason="makes images of Linux's libraries",
)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("libraries")
    assert old_libraries.main([str(folder)]) == 0
    return folder


@needs_gcc
def test_what_is_linked_with_them_needs_the_older_system_only(
    libraries: Path, tmp_path: Path
) -> None:
    module = compiled(tmp_path, SOURCE, f"-L{libraries}", "-Wl,-z,defs", "-pthread")
    versions = subprocess.run(
        ["readelf", "-W", "-V", module], check=True, capture_output=True, text=True
    )
    needed = {word for word in versions.stdout.split() if word.startswith("GLIBC")}
    assert {"GLIBC_2.17", "GLIBC_2.2.5"} & needed
    limits = {**LIMITS, "GLIBC": (2, 28)}
    assert [each for each in needed if not old_libraries.allowed(each, limits)] == []
    used = subprocess.run(
        [sys.executable, "-c", USE, module], check=True, capture_output=True, text=True
    )
    assert float(used.stdout) == 5.0


USE = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.value.restype = ctypes.c_double
print(library.value(ctypes.c_double(3.0)))
"""


@needs_gcc
def test_what_the_older_system_lacks_is_found(libraries: Path, tmp_path: Path) -> None:
    module = compiled(tmp_path, CLOCK_WAIT, f"-L{libraries}")
    wheel = tmp_path / "wheel.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(module, "package/module.so")
        archive.writestr("package/place.txt", f"built in {tmp_path}")
    faults = list(check.faults(wheel, [str(tmp_path)]))
    assert any("needs pthread_cond_clockwait" in fault for fault in faults)
    assert any("has the section .symtab" in fault for fault in faults)
    assert f"package/place.txt contains the path {tmp_path}" in faults
    assert check.main([str(wheel)]) == 1


@needs_gcc
def test_a_good_wheel(libraries: Path, tmp_path: Path) -> None:
    module = compiled(tmp_path, SOURCE, f"-L{libraries}", "-pthread", "-s")
    wheel = tmp_path / "wheel.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(module, "package/module.so")
    assert check.main([str(wheel), "/no/such/path"]) == 0


@needs_gcc
def test_a_cxx_library_for_itself_is_wrong(libraries: Path, tmp_path: Path) -> None:
    module = compiled(tmp_path, SOURCE, f"-L{libraries}", "-static-libstdc++", "-pthread", "-s")
    wheel = tmp_path / "wheel.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(module, "package/module.so")
    assert any("has a C++ library of its own" in fault for fault in check.faults(wheel, []))


def test_a_wheel_without_modules_is_wrong(tmp_path: Path) -> None:
    wheel = tmp_path / "wheel.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("package/__init__.py", "")
    assert list(check.faults(wheel, [])) == ["there is no module in it"]


def test_symbols_of_python_need_no_version() -> None:
    row = "   1: 0000000000000000     0 NOTYPE  {}   DEFAULT  UND {}\n"
    listing = row.format("GLOBAL", "PyErr_Occurred") + row.format("GLOBAL", "_Py_NoneStruct")
    assert check.unversioned(listing) == []
    assert check.unversioned(listing + row.format("GLOBAL", "stat")) == ["stat"]
    assert check.unversioned(listing + row.format("WEAK  ", "_ITM_registerTMCloneTable")) == []
