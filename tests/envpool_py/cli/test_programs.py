"""Processes that the commands start."""

from __future__ import annotations

import subprocess

from envpool_py.cli.programs import command_of


def test_a_module_is_run_without_a_warning() -> None:
    command = [*command_of("envpool_py.cli.dev_session"), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "usage" in done.stdout
