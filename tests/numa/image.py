"""The disk and the initial memory disk of a guest: Python, the package and what it needs."""

from __future__ import annotations

import gzip
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from packaging.requirements import Requirement

from envpool_py.authoring import building

_HERE = Path(__file__).resolve().parent
# What the guest's pools need, with all that these require.
_DISTRIBUTIONS = ("numpy", "gymnasium", "dm-env", "cloudpickle", "mujoco", "ale-py")
_TOOLS = ("sh", "mount", "sed", "tr")
# Of Debian's kernel, in the order of loading: an ext4 disk on the virtual machine's bus.
_MODULES = (
    "crypto/crc32c_generic",
    "lib/crc16",
    "fs/mbcache",
    "fs/jbd2/jbd2",
    "fs/ext4/ext4",
    "drivers/virtio/virtio_ring",
    "drivers/virtio/virtio",
    "drivers/virtio/virtio_pci_legacy_dev",
    "drivers/virtio/virtio_pci_modern_dev",
    "drivers/virtio/virtio_pci",
    "drivers/block/virtio_blk",
)
_INIT = """#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
for module in {modules}; do /bin/busybox insmod /modules/$module.ko; done
/bin/busybox mount -t ext4 -o ro /dev/vda /new
for each in dev proc sys; do /bin/busybox mount --move /$each /new/$each; done
/bin/busybox chroot /new /start
/bin/busybox poweroff -f
"""
_START = """#!/bin/sh
mount -t tmpfs tmpfs /tmp
cd /tmp
export HOME=/tmp PATH=/bin PYTHONPATH=/packages OPENBLAS_NUM_THREADS=1 MUJOCO_GL=disable
parts=$(sed -n 's/.*parts=\\([a-z,]*\\).*/\\1/p' /proc/cmdline | tr , ' ')
{python} -W ignore /packages/guest.py $parts
echo "@@done"
"""


def make(package: Path, kernel: Path, out: Path) -> None:
    """Writes disk.ext4, initrd.gz and vmlinuz to `out`.

    Args:
        package: a directory that contains the built envpool_py.
        kernel: an unpacked linux-image package of Debian.
        out: an existing directory.
    """
    root = out / "root"
    shutil.rmtree(root, ignore_errors=True)
    for name in ("bin", "dev", "proc", "sys", "tmp", "packages"):
        (root / name).mkdir(parents=True)
    python = _add_python(root)
    _add_distributions(_DISTRIBUTIONS, root / "packages")
    shutil.copytree(package / "envpool_py", root / "packages" / "envpool_py")
    shutil.copy(_HERE / "guest.py", root / "packages")
    building.compile_plugin([_HERE / "node_probe.cc"], root / "packages")
    _add_libraries(root)
    _add_busybox(root)
    _write_program(root / "start", _START.format(python=python))
    size = sum(each.lstat().st_size + 4096 for each in root.rglob("*"))
    disk = out / "disk.ext4"
    disk.unlink(missing_ok=True)
    with disk.open("wb") as file:
        file.truncate(size * 12 // 10 + (64 << 20))
    mke2fs = shutil.which("mke2fs", path=f"{os.environ['PATH']}:/usr/sbin:/sbin") or "mke2fs"
    subprocess.run([mke2fs, "-q", "-t", "ext4", "-O", "^has_journal", "-d", root, disk], check=True)
    shutil.rmtree(root)
    _make_initrd(kernel, out)
    shutil.copy(next((kernel / "boot").glob("vmlinuz-*")), out / "vmlinuz")


def _add_python(root: Path) -> Path:
    """Copies the interpreter and the standard library; returns the interpreter's path."""
    python = Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}")
    library = Path(sysconfig.get_path("stdlib"))
    for directory in (python.parent, library.parent):
        (root / directory.relative_to("/")).mkdir(parents=True, exist_ok=True)
    shutil.copy(python.resolve(), root / python.relative_to("/"))
    ignored = shutil.ignore_patterns(
        "test", "site-packages", "dist-packages", "idlelib", "ensurepip", "tkinter", "*.a"
    )
    shutil.copytree(library, root / library.relative_to("/"), ignore=ignored)
    return python


def _add_distributions(names: Iterable[str], into: Path) -> None:
    """Copies installed distributions and what they require."""
    left, known = list(names), set()
    while left:
        name = re.sub(r"[-_.]+", "-", left.pop()).lower()
        if name in known:
            continue
        known.add(name)
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # a requirement of another platform
        for line in found.requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                left.append(requirement.name)
        for file in found.files or ():
            if ".." in file.parts or file.suffix == ".pyc" or "tests" in file.parts:
                continue
            to = into / file
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(str(found.locate_file(file)), to)


def _add_libraries(root: Path) -> None:
    """Copies the system's libraries that programs and libraries in `root` need."""
    programs = [each for each in root.rglob("*") if ".so" in each.name or each.parent.name == "bin"]
    programs = [each for each in programs if each.is_file()]
    needed = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False).stdout
    for name in set(re.findall(r"(?:=> |^\s+)(/\S+) \(0x", needed, re.MULTILINE)):
        library = Path(name)
        if library.is_relative_to(root) or (root / library.relative_to("/")).exists():
            continue
        (root / library.parent.relative_to("/")).mkdir(parents=True, exist_ok=True)
        shutil.copy(library, root / library.relative_to("/"))


def _add_busybox(root: Path) -> None:
    shutil.copy(shutil.which("busybox") or "busybox", root / "bin" / "busybox")
    for tool in _TOOLS:
        (root / "bin" / tool).symlink_to("busybox")


def _write_program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def _make_initrd(kernel: Path, out: Path) -> None:
    root = out / "initrd"
    shutil.rmtree(root, ignore_errors=True)
    for name in ("bin", "dev", "proc", "sys", "new", "modules"):
        (root / name).mkdir(parents=True)
    _add_busybox(root)
    for module in _MODULES:
        shutil.copy(next((kernel / "lib").glob(f"modules/*/kernel/{module}.ko")), root / "modules")
    _write_program(root / "init", _INIT.format(modules=" ".join(Path(m).name for m in _MODULES)))
    names = "\n".join(str(each.relative_to(root)) for each in sorted(root.rglob("*")))
    archive = subprocess.run(
        ["busybox", "cpio", "-o", "-H", "newc"],
        cwd=root,
        input=names.encode(),
        capture_output=True,
        check=True,
    ).stdout
    (out / "initrd.gz").write_bytes(gzip.compress(archive, 1))
    shutil.rmtree(root)
