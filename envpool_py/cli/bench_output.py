"""The files that `envpool-py bench` writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from envpool_py.cli.bench.plot import PlotError
from envpool_py.cli.output import UsageError, make_console

__all__ = ["WARMUP_SECONDS", "write_files"]

WARMUP_SECONDS = 0.3


def write_files(
    json_path: Path | None,
    plot_file: Path | None,
    record: dict[str, Any],
    draw: Callable[[dict[str, Any], Path], None],
) -> None:
    """Writes the record and its plot, and prints their paths."""
    errors = make_console(stderr=True)
    try:
        if json_path is not None:
            json_path.write_text(json.dumps(record, indent=2) + "\n")
            errors.print(f"wrote {json_path}", soft_wrap=True)
        if plot_file is not None:
            draw(record, plot_file)
            errors.print(f"wrote {plot_file}", soft_wrap=True)
    except PlotError as error:
        errors.print(f"no plot: {error}", soft_wrap=True)
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from error
